//! Rollout impact: what an UPDATE does to the Machines below the object, path by path.

mod edited_kind;
mod edits;
mod given;
mod same;
mod strategy;
mod topology;

use std::cmp::Reverse;

use crate::catalog::effects::{EditedKind, Effect};
use crate::catalog::keys::PAUSED;
use crate::fact::{ClusterApiFact, Finding, InPlacePaths};
use crate::json::Malformed;
use crate::settings::ClusterApiSettings;
use crate::subject::{Subject, is_paused};
use crate::waiver::{APPROVAL, Standing};
use kubernetes::Finding as FindingOf;
use kubernetes::settings::Stance;
use kubernetes::{Lookups, Operation, Review};
use serde::Serialize;

/// Whether an edit of such an object is checked.
pub fn concerns(review: &Review<'_>, settings: ClusterApiSettings<'_>) -> bool {
    settings.cluster_api.rollout != Stance::Ignore
        && review.operation == Operation::Update
        && EditedKind::of_object(&review.kind, None).is_some()
        && review.old_object.is_some_and(|old| review.object != Some(old))
}

/// The setting that decides about edits that replace Machines.
const CHECK: &str = "clusterApi.rollout";

/// What an UPDATE does, and the findings about it: the most severe first. `None` if no path of the table differs.
///
/// The controller edits what a topology owns. A value that the Cluster already has is not a rollout by the writer but
/// by the user who edited the Cluster, and a reason on the Cluster approves its effects.
pub fn impact<'e>(
    subject: &Subject<'e>,
    settings: ClusterApiSettings<'_>,
    lookups: &Lookups<'e>,
) -> Result<Option<(RolloutImpact, Vec<Finding>)>, Malformed> {
    if !concerns(subject.review, settings) || subject.object.deleting {
        return Ok(None);
    }
    let Some(old) = subject.old()? else { return Ok(None) };
    let Some(kind) = EditedKind::of_object(&subject.review.kind, Some(old)) else { return Ok(None) };
    let rows = kind.rows(old.version, settings.cluster_api.version);
    let mut edits = edits::between(old, &subject.object, &rows);
    if edits.is_empty() {
        return Ok(None);
    }
    strategy::mark(&mut edits, kind, subject, lookups);
    edits.sort_by_key(|edit| Reverse(edit.effect));
    let stance = settings.cluster_api.rollout;
    let is_paused = is_paused(&subject.object);
    let mut findings = findings(&edits, kind, stance, is_paused);
    let mut impact = RolloutImpact { approved: None, approved_on: None, edits: Vec::new() };
    if !findings.is_empty() {
        match APPROVAL.standing(subject, settings, lookups)? {
            Standing::Counts(reason) => impact.approved = Some(reason.to_owned()),
            Standing::Ignored(why) => findings.push(APPROVAL.without_effect(why)),
            Standing::Absent | Standing::WithoutReason | Standing::Forbidden => {}
        }
        if impact.approved.is_none()
            && let Some(topology) = topology::of(subject, old, lookups)?
        {
            topology.mark(&mut edits, kind, subject, &rows);
            findings = self::findings(&edits, kind, stance, is_paused);
            if let Some(reason) = topology.approval().filter(|_| !findings.is_empty()) {
                impact.approved = Some(reason.to_owned());
                impact.approved_on = Some(topology.title());
            }
        }
    }
    if impact.approved.is_some() {
        findings.clear();
    }
    impact.edits = edits;
    Ok(Some((impact, findings)))
}

/// The finding if this request sets an approval that its user may not set. It is checked for CREATE too, because a
/// stored approval counts.
pub fn forbidden_approval<'e>(
    subject: &Subject<'e>,
    settings: ClusterApiSettings<'_>,
    lookups: &Lookups<'e>,
) -> Result<Option<Finding>, Malformed> {
    let is_checked =
        settings.cluster_api.rollout != Stance::Ignore && EditedKind::of_object(&subject.review.kind, None).is_some();
    if !is_checked || subject.object.deleting || APPROVAL.others(subject, settings).is_none() {
        return Ok(None);
    }
    let standing = APPROVAL.standing(subject, settings, lookups)?;
    Ok(matches!(standing, Standing::Forbidden).then(|| APPROVAL.forbidden()))
}

/// How to make an edit anyway that is refused because it replaces Machines; `None` if none is.
pub fn way_out<F>(
    findings: &[FindingOf<F>],
    subject: &Subject<'_>,
    settings: ClusterApiSettings<'_>,
) -> Option<String> {
    let is_refused = findings.iter().any(|finding| finding.check == CHECK && finding.stance == Stance::Reject);
    is_refused.then(|| {
        let on_cluster = if topology::is_owned(subject) { " here or on the Cluster" } else { "" };
        APPROVAL.way_out("", on_cluster, subject, settings)
    })
}

/// Whether an edit is the end of a pause.
fn is_resumed(at: &str) -> bool {
    at == "spec.paused"
        || at.strip_prefix("metadata.annotations[").is_some_and(|key| key.strip_suffix(']') == Some(PAUSED))
}

fn findings(edits: &[RolloutEdit], kind: EditedKind, configured: Stance, is_paused: bool) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for edit in edits.iter().filter(|edit| edit.set_on.is_none()) {
        let Some((fact, strictest)) = edit.effect.fact(&edit.at, kind.machines()) else { continue };
        let path = edit.at.as_str().into();
        let mut message = match (edit.is_removal, edit.effect) {
            (_, Effect::CannotTell) if is_resumed(&edit.at) => {
                ClusterApiFact::Resumes { path, machines: kind.machines() }
            }
            (false, Effect::Rollout) if is_paused => {
                ClusterApiFact::ReplacesAfterPause { path, machines: kind.machines() }
            }
            (true, Effect::Destructive) => ClusterApiFact::Deletes { path },
            (true, Effect::Rollout) => ClusterApiFact::Releases { path },
            (true, Effect::CannotTell) => ClusterApiFact::MayRelease { path },
            (false, Effect::CannotTell) if kind == EditedKind::Cluster && edit.at.ends_with(".variables") => {
                ClusterApiFact::PatchesMayReplace { path }
            }
            _ => fact,
        };
        if findings.is_empty() {
            message = with_in_place(message, edits);
        }
        let stance = if strictest == Stance::Warn { strictest } else { configured };
        findings.push(Finding { check: CHECK, at: edit.at.clone(), message, stance });
    }
    findings
}

/// The other paths of the same edit that are updated in place: one is named, the others are counted.
fn with_in_place(fact: ClusterApiFact, edits: &[RolloutEdit]) -> ClusterApiFact {
    let mut in_place = edits.iter().filter(|edit| edit.effect == Effect::InPlace);
    let Some(first) = in_place.next() else { return fact };
    let others = InPlacePaths { first: Some(first.at.clone()), more: in_place.count() };
    ClusterApiFact::AlsoInPlace { fact: Box::new(fact), others }
}

/// What an edit does to the Machines below the object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutImpact {
    /// Why replacing Machines is intended, as written; absent if it was not stated, or nothing is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<String>,
    /// The Cluster that states it, if it is not the object itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_on: Option<String>,
    /// Every path that differs, the most severe first.
    pub edits: Vec<RolloutEdit>,
}

/// One path that differs from the stored object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutEdit {
    /// Such as `spec.topology.workers.machineDeployments[md-0].failureDomain`.
    pub at: String,
    pub effect: Effect,
    /// The Cluster whose topology already has this value, so that the edit is not a rollout by its writer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_on: Option<String>,
    /// Whether the path is removed: an entry that has Machines, or an annotation that defers an upgrade.
    #[serde(skip)]
    pub(crate) is_removal: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{FIELDS, FORCED, Place, RULES, Version};
    use kubernetes::MapKind;

    /// The kinds of the table that hold a place; none for kinds that no row speaks of.
    fn kinds(place: Place) -> &'static [EditedKind] {
        match place.owner() {
            "ControlPlane" => &[EditedKind::KubeadmControlPlane],
            "MachineDeployment" => &[EditedKind::MachineDeployment],
            "MachineSet" => &[EditedKind::MachineSet, EditedKind::OwnedMachineSet],
            "MachinePool" => &[EditedKind::MachinePool],
            "Machine" => &[EditedKind::ControlPlaneMachine],
            "InfraMachine" => &[EditedKind::ControlPlaneInfraMachine],
            "BootstrapConfig" => &[EditedKind::ControlPlaneKubeadmConfig],
            "Node" => &[],
            other => panic!("{other} is written and is in no table"),
        }
    }

    #[test]
    fn nothing_that_is_written_replaces_machines() {
        let targets = RULES.iter().flat_map(|rule| rule.to).chain(FORCED.iter().flat_map(|forced| forced.to));
        let of_maps = |version: &'static str| {
            let maps = targets.clone().flat_map(|place| MapKind::BOTH.map(|map| (*place, map.field())));
            maps.map(move |(place, map)| (place, version, format!("{}.{map}", place.path(version).join("."))))
        };
        let hops = FIELDS.iter().flat_map(|field| field.hops.iter().map(move |hop| (field, hop.to)));
        let of_fields = |version: &'static str| {
            let paths = hops.clone().filter_map(move |(field, to)| Some((to, field.path(to, version)?)));
            paths.map(move |(to, path)| (to, version, path.join(".")))
        };
        let mut seen = 0;
        for (place, version, path) in ["v1beta1", "v1beta2"].into_iter().flat_map(|it| of_maps(it).chain(of_fields(it)))
        {
            for &kind in kinds(place) {
                let rows = kind.rows(version, Version::NEWEST);
                let row = edits::deciding_row(&rows, &path).unwrap_or_else(|| panic!("{kind:?} {path}"));
                assert!(matches!(row.row.effect, Effect::Nothing | Effect::InPlace), "{kind:?} {path}");
                seen += 1;
            }
        }
        assert!(seen > 150, "{seen}");
    }

    #[test]
    fn what_is_updated_in_place_is_named_where_there_is_room() {
        let edit = |at: &str, effect| RolloutEdit { at: at.to_owned(), effect, set_on: None, is_removal: false };
        let first = |edits: &[RolloutEdit]| {
            findings(edits, EditedKind::MachineDeployment, Stance::Reject, false).remove(0).message.to_string()
        };
        let version = edit("spec.template.spec.version", Effect::Rollout);
        assert_eq!(first(std::slice::from_ref(&version)), "changing `spec.template.spec.version` replaces Machines");
        assert_eq!(
            first(&[version.clone(), edit("spec.template.metadata.labels", Effect::InPlace)]),
            "changing `spec.template.spec.version` replaces Machines; updated in place: `spec.template.metadata.labels`"
        );
        let many = [version, edit("a", Effect::InPlace), edit("b", Effect::InPlace)];
        assert_eq!(
            first(&many),
            "changing `spec.template.spec.version` replaces Machines; updated in place: `a` and 1 more"
        );
    }
}
