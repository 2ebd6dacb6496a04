//! Rollout impact: what an UPDATE does to the Machines below the object, path by path.

mod edits;
mod given;
mod kind;
mod same;

use crate::admission::request::{Operation, Review};
use crate::admission::subject::Subject;
use crate::catalog::effects::{Effect, Kind};
use crate::catalog::keys::APPROVE_ROLLOUT;
use crate::json::Malformed;
use crate::report::finding::Finding;
use crate::report::messages::rollout as messages;
use crate::report::rollout_impact::{Edit, RolloutImpact};
use crate::report::shortening::{LONGEST, first_that_fits};
use crate::settings::Settings;
use crate::settings::Stance;

/// Whether an edit of such an object is checked.
pub(crate) fn concerns(review: &Review<'_>, settings: &Settings) -> bool {
    settings.cluster_api.rollout != Stance::Ignore
        && review.operation == Operation::Update
        && review.old_object.is_some_and(|old| review.object != Some(old))
        && Kind::of_object(&review.kind, None).is_some()
}

/// What an UPDATE does, and what is found in it: the gravest first. `None` where nothing differs that the table knows.
///
/// # Errors
/// When the stored object has another shape than Kubernetes gives it.
pub(crate) fn impact(
    subject: &Subject<'_>,
    settings: &Settings,
) -> Result<Option<(RolloutImpact, Vec<Finding>)>, Malformed> {
    if !concerns(subject.review, settings) || subject.object.deleting {
        return Ok(None);
    }
    let Some(old) = subject.old()? else { return Ok(None) };
    let Some(kind) = Kind::of_object(&subject.review.kind, Some(old)) else { return Ok(None) };
    let edits = edits::between(old, &subject.object, &kind.rows(old.version, settings.cluster_api.version));
    if edits.is_empty() {
        return Ok(None);
    }
    let mut findings = findings(&edits, kind, settings.cluster_api.rollout);
    let reason = subject
        .object
        .annotations
        .get(APPROVE_ROLLOUT)
        .filter(|reason| reason.bytes().any(|byte| !byte.is_ascii_whitespace()));
    let approved = reason.filter(|_| !findings.is_empty()).map(str::to_owned);
    if approved.is_some() {
        findings.clear();
    }
    Ok(Some((RolloutImpact { approved, edits }, findings)))
}

fn findings(edits: &[Edit], kind: Kind, configured: Stance) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for edit in edits {
        let Some((sentence, strictest)) = edit.effect.sentence() else { continue };
        let mut message = match (edit.is_removal, edit.effect) {
            (true, Effect::Destructive) => messages::deletes(&edit.at),
            (true, Effect::Rollout) => messages::releases(&edit.at),
            (true, Effect::CannotTell) => messages::may_release(&edit.at),
            _ => sentence(&edit.at, kind.machines()),
        };
        if findings.is_empty() {
            message = with_in_place(message, edits);
        }
        let stance = if strictest == Stance::Warn { strictest } else { configured };
        let (check, at) = ("clusterApi.rollout", edit.at.clone());
        findings.push(Finding { check, at, message, stance, verdict: None });
    }
    findings
}

/// What else of the same edit is updated in place: by path where there is room, else by number.
fn with_in_place(message: String, edits: &[Edit]) -> String {
    let in_place = || edits.iter().filter(|edit| edit.effect == Effect::InPlace);
    let count = in_place().count();
    if count == 0 {
        return message;
    }
    // As many paths as could fit at all: there may be thousands.
    let paths: Vec<&str> = in_place().map(|edit| edit.at.as_str()).take(LONGEST).collect();
    first_that_fits([messages::with_in_place(&message, &paths), messages::with_in_place_count(&message, count)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::fields::FIELDS;
    use crate::catalog::forced::FORCED;
    use crate::catalog::place::{MapKind, Place};
    use crate::catalog::rules::RULES;
    use crate::catalog::version::Version;

    /// The kinds of the table that hold a place; none for kinds that no row speaks of.
    fn kinds(place: Place) -> &'static [Kind] {
        match place.owner() {
            "ControlPlane" => &[Kind::KubeadmControlPlane],
            "MachineDeployment" => &[Kind::MachineDeployment],
            "MachineSet" => &[Kind::MachineSet, Kind::OwnedMachineSet],
            "MachinePool" => &[Kind::MachinePool],
            "Machine" => &[Kind::ControlPlaneMachine],
            "InfraMachine" => &[Kind::ControlPlaneInfraMachine],
            "BootstrapConfig" => &[Kind::ControlPlaneKubeadmConfig],
            "Node" => &[],
            other => panic!("{other} is written and stands in no table"),
        }
    }

    #[test]
    fn no_map_that_is_written_replaces_machines() {
        let targets = RULES.iter().flat_map(|rule| rule.to).chain(FORCED.iter().flat_map(|forced| forced.to));
        let mut seen = 0;
        for &place in targets {
            for version in ["v1beta1", "v1beta2"] {
                for &kind in kinds(place) {
                    for map in MapKind::BOTH {
                        let path = format!("{}.{}", place.path(version).join("."), map.field());
                        let rows = kind.rows(version, Version::NEWEST);
                        let row = edits::deciding_row(&rows, &path).unwrap_or_else(|| panic!("{kind:?} {path}"));
                        assert!(matches!(row.row.effect, Effect::Nothing | Effect::InPlace), "{kind:?} {path}");
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn no_field_that_is_written_replaces_machines() {
        let mut seen = 0;
        for field in FIELDS {
            for hop in field.hops {
                for version in ["v1beta1", "v1beta2"] {
                    let Some(path) = field.path(hop.to, version) else { continue };
                    for &kind in kinds(hop.to) {
                        let path = path.join(".");
                        let rows = kind.rows(version, Version::NEWEST);
                        let row = edits::deciding_row(&rows, &path).unwrap_or_else(|| panic!("{kind:?} {path}"));
                        assert!(matches!(row.row.effect, Effect::Nothing | Effect::InPlace), "{kind:?} {path}");
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 50, "{seen}");
    }

    #[test]
    fn what_is_updated_in_place_is_named_where_there_is_room() {
        let edit = |at: &str, effect| Edit { at: at.to_owned(), effect, is_removal: false };
        let first = |edits: &[Edit]| findings(edits, Kind::MachineDeployment, Stance::Reject).remove(0).message;
        let version = edit("spec.template.spec.version", Effect::Rollout);
        assert_eq!(first(std::slice::from_ref(&version)), "changing `spec.template.spec.version` replaces Machines");
        assert_eq!(
            first(&[version.clone(), edit("spec.template.metadata.labels", Effect::InPlace)]),
            "changing `spec.template.spec.version` replaces Machines; updated in place: `spec.template.metadata.labels`"
        );
        let many = [version, edit(&"a".repeat(30), Effect::InPlace), edit(&"b".repeat(30), Effect::InPlace)];
        assert_eq!(first(&many), "changing `spec.template.spec.version` replaces Machines; 2 more updated in place");
    }
}
