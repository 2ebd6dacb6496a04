//! The templates that a class refers to, and which of them a selector of a patch selects.
//!
//! Source: `matchesSelector` in `patches/inline/json_patch_generator.go` of Cluster API.

use serde_json::Value;

use crate::fields::{get, is_true, list, text};
use crate::owner::{DEPLOYMENTS, POOLS, WORKERS, WorkersKind};

/// What holds the object that is made from a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Holder {
    Infrastructure,
    ControlPlane,
    /// The class of the workers.
    MachineDeployment(String),
    MachinePool(String),
}

impl Holder {
    /// Workers of a class.
    pub(crate) fn of_workers(kind: WorkersKind, class: String) -> Holder {
        if kind.kind == POOLS.kind { Holder::MachinePool(class) } else { Holder::MachineDeployment(class) }
    }
}

/// A template that a class refers to.
pub(crate) struct ReferredTemplate<'c> {
    pub(crate) holder: Holder,
    /// Whether an object is made from its `spec.template`, and not a copy of it.
    pub(crate) is_object: bool,
    pub(crate) reference: &'c Value,
}

/// The templates that a class refers to.
pub(crate) fn referred<'c>(class: &'c Value) -> Vec<ReferredTemplate<'c>> {
    let mut found = Vec::new();
    let template = |at: Option<&'c Value>, holder: Holder, is_object| {
        let reference = at.and_then(|at| get(at, &["templateRef"]).or(get(at, &["ref"])))?;
        Some(ReferredTemplate { holder, is_object, reference })
    };
    found.extend(template(get(class, &["spec", "infrastructure"]), Holder::Infrastructure, true));
    found.extend(template(get(class, &["spec", "controlPlane"]), Holder::ControlPlane, true));
    let machines = get(class, &["spec", "controlPlane", "machineInfrastructure"]);
    found.extend(template(machines, Holder::ControlPlane, false));
    for kind in WORKERS {
        for workers in list(class, &["spec", "workers", kind.list]) {
            let part = get(workers, &["template"]).unwrap_or(workers);
            let holder = Holder::of_workers(kind, text(workers, &["class"]).to_owned());
            let is_pool = matches!(holder, Holder::MachinePool(_));
            for field in ["bootstrap", "infrastructure"] {
                found.extend(template(get(part, &[field]), holder.clone(), is_pool));
            }
        }
    }
    found
}

/// Whether a template is written where it is used, as from Cluster API v1.15 on (kubernetes-sigs/cluster-api#14092).
pub(crate) fn is_inline(holder: &Value) -> bool {
    get(holder, &["template"]).is_some()
}

/// Whether a class has such a template, whose type is not known here.
pub(crate) fn has_inline_template(class: &Value) -> bool {
    let own = [&["infrastructure"][..], &["controlPlane"], &["controlPlane", "machineInfrastructure"]];
    let own = own.into_iter().filter_map(|path| get(get(class, &["spec"])?, path));
    let workers = WORKERS.iter().flat_map(|kind| list(class, &["spec", "workers", kind.list])).flat_map(|workers| {
        let part = get(workers, &["template"]).unwrap_or(workers);
        ["bootstrap", "infrastructure"].into_iter().filter_map(|field| get(part, &[field]))
    });
    own.chain(workers).any(is_inline)
}

/// Whether a selector selects a template, which a reference to it describes as well.
pub(crate) fn selects(selector: &Value, template: &Value, holder: &Holder) -> bool {
    if !is_of_type(selector, template) {
        return false;
    }
    let is_on = |name: &str| is_true(selector, &["matchResources", name]);
    let names = |kind: &str, class: &str| {
        let mut names = list(selector, &["matchResources", kind, "names"]).iter().filter_map(Value::as_str);
        names.any(|name| is_match(name, class))
    };
    match holder {
        Holder::Infrastructure => is_on("infrastructureCluster"),
        Holder::ControlPlane => is_on("controlPlane"),
        Holder::MachineDeployment(class) => names(DEPLOYMENTS.selected, class),
        Holder::MachinePool(class) => names(POOLS.selected, class),
    }
}

/// Whether a selector names the type of a template, which a reference to it names as well.
pub(crate) fn is_of_type(selector: &Value, template: &Value) -> bool {
    ["apiVersion", "kind"].iter().all(|field| text(selector, &[field]) == text(template, &[field]))
}

pub(crate) fn is_match(pattern: &str, class: &str) -> bool {
    pattern == class
        || pattern == "*"
        || pattern.strip_prefix('*').is_some_and(|end| class.ends_with(end))
        || pattern.strip_suffix('*').is_some_and(|begin| class.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_wildcard_at_one_end() {
        let cases = [("*", true), ("default-*", true), ("*-worker", true), ("worker", false), ("def*ker", false)];
        for (pattern, expected) in cases {
            assert_eq!(is_match(pattern, "default-worker"), expected, "{pattern}");
        }
    }
}
