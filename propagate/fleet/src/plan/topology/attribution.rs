//! Which edit of an object a difference further down is due to.

use topology::{FieldCause, TopologyOwner};

use super::stage::TopologyChange;
use crate::object::ObjectId;
use crate::workers::LISTS;

/// Whether a difference is due to the edit with this number. One that fits no edit is due to every edit that may have
/// any effect through patches, so that none is called harmless.
pub(super) fn is_due_to(
    (id, owner): (&ObjectId, &TopologyOwner),
    cause: &FieldCause,
    change: &TopologyChange<'_>,
    (paths, number): (&[&str], usize),
) -> bool {
    let Some(path) = paths.get(number) else { return false };
    if id.kind.ends_with("Template") {
        return fits_template(cause, path) || !paths.iter().any(|path| fits_template(cause, path));
    }
    let is_of_field = |path: &str| fits_field(cause, path) && is_of_owner(owner, path);
    // A class has neither versions nor replicas.
    let is_of_class = !(cause.steps.last().is_some_and(|step| ["version", "replicas"].contains(&&**step))
        && paths.iter().any(|path| is_of_field(path)));
    let fits = |path: &str| match &*id.kind {
        "ClusterClass" => fits_class((owner, change), cause, path),
        _ if is_whole_entry(path) => is_of_owner(owner, path),
        _ if cause.patch.is_none() => is_of_field(path) || is_of_class && path.contains("lass"),
        _ if cause.variables.is_empty() => path.contains("lass"),
        _ => cause.variables.iter().any(|variable| fits(owner, variable, change, path)),
    };
    if paths.iter().any(|path| fits(path)) {
        return fits(path);
    }
    // What no patch writes is due to the template, if that is edited too.
    let is_only_read_by_patches = path.starts_with("spec.variables") || path.starts_with("spec.patches");
    let is_of_template = cause.patch.is_none() && is_only_read_by_patches && change.has_template();
    // What is freed with one entry is not due to another one, if any other edit may be why.
    let is_of_others = |path: &str| is_whole_entry(path) && !is_of_owner(owner, path);
    let is_any_else = paths.iter().any(|path| path.starts_with("spec") && !is_of_others(path));
    let may_be_due = (path.starts_with("spec") || path.starts_with("metadata")) && !is_of_template;
    may_be_due && !(is_any_else && is_of_others(path))
}

/// Whether a path is a whole entry of workers.
fn is_whole_entry(path: &str) -> bool {
    path.ends_with(']') && path.rsplit('.').next().is_some_and(|step| LISTS.iter().any(|list| step.starts_with(list)))
}

/// Whether an edit of a template is one of the field that differs, of a part of it, or of something around it.
fn fits_template(cause: &FieldCause, path: &str) -> bool {
    // `spec` and `metadata` of an object are those of `spec.template`.
    let is_of_template = cause.steps.iter().take(2).eq(["spec", "template"]);
    let inner = path.strip_prefix("spec.template.").filter(|_| !is_of_template).unwrap_or(path);
    let mut both = inner.split('.').zip(&cause.steps);
    // An entry of a list has a name in the one, and a number in the other.
    both.find(|(field, step)| field != step).is_none_or(|(field, step)| {
        step.parse::<usize>().is_ok() || field.split_once('[').is_some_and(|(list, _)| list == step)
    })
}

/// Whether an edit of a class may be why a field differs.
fn fits_class((owner, change): (&TopologyOwner, &TopologyChange<'_>), cause: &FieldCause, path: &str) -> bool {
    let is_reference = (path.ends_with("emplateRef") || path.ends_with(".ref")) && is_of_section(owner, path);
    match (&cause.patch, cause.variables.iter().any(|variable| !variable.starts_with("builtin"))) {
        (Some(patch), true) => {
            path.starts_with("spec.variables") || path.starts_with("spec.patches") && change.has_other_patch(patch)
        }
        (Some(_), false) if cause.variables.is_empty() => path.starts_with("spec.patches") || is_reference,
        (Some(_), false) => path.contains("metadata"),
        (None, _) => is_reference || fits_field(cause, path),
    }
}

/// Whether an edit sets a field that topologies, classes, control planes and workers have alike.
fn fits_field(cause: &FieldCause, path: &str) -> bool {
    let fields = path.rsplit('.').map(|step| step.split('[').next().unwrap_or_default());
    let field = fields.take(2).find(|field| !["metadata", "strategy"].contains(field)).unwrap_or_default();
    path.ends_with(']') || cause.steps.iter().any(|step| step == field)
}

/// Whether an edit adds or removes an owner.
pub(super) fn is_of_whole(owner: &TopologyOwner, paths: &[&str], number: usize) -> bool {
    let is_meant = |path: &&str| path.contains("workers") && is_of_owner(owner, path);
    let is_any = paths.iter().any(&is_meant);
    paths.get(number).is_some_and(|path| if is_any { is_meant(path) } else { path.starts_with("spec") })
}

/// Whether a path of a class is in the section that an owner is made from.
fn is_of_section(owner: &TopologyOwner, path: &str) -> bool {
    path.starts_with(match owner {
        TopologyOwner::ControlPlane => "spec.controlPlane.",
        TopologyOwner::Infrastructure => "spec.infrastructure.",
        TopologyOwner::MachineDeployment(_) => "spec.workers.machineDeployments[",
        TopologyOwner::MachinePool(_) => "spec.workers.machinePools[",
    })
}

/// Whether an edit of a Cluster changes a variable for an owner.
fn fits(owner: &TopologyOwner, variable: &str, change: &TopologyChange<'_>, path: &str) -> bool {
    let of_owner = is_of_owner(owner, path);
    let Some(builtin) = variable.strip_prefix("builtin.") else {
        let name = variable.split(['.', '[']).next().unwrap_or_default();
        return path.contains("variables") && of_owner && change.sets(path, name);
    };
    const FIELDS: &[(&str, &str)] = &[
        ("cluster.network", "clusterNetwork"),
        ("cluster.metadata", "metadata"),
        ("cluster.topology.version", "version"),
        ("cluster.topology.class", "lass"),
        ("version", "version"),
        ("replicas", "replicas"),
        ("metadata", "metadata"),
        ("class", "lass"),
    ];
    FIELDS.iter().any(|(of, field)| builtin.contains(of) && path.contains(field)) && of_owner
}

/// Whether a path of a Cluster is about an owner: its own entry, or none.
fn is_of_owner(owner: &TopologyOwner, path: &str) -> bool {
    let entry = match owner {
        TopologyOwner::MachineDeployment(name) => format!("machineDeployments[{name}]"),
        TopologyOwner::MachinePool(name) => format!("machinePools[{name}]"),
        TopologyOwner::ControlPlane => "topology.controlPlane".to_owned(),
        TopologyOwner::Infrastructure => String::new(),
    };
    let is_of_any =
        ["machineDeployments[", "machinePools[", "topology.controlPlane"].iter().any(|it| path.contains(it));
    !is_of_any || !entry.is_empty() && path.contains(&entry)
}
