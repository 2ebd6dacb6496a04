//! Whether a strategy that is not in the edited object leaves Machines until somebody deletes them.

use super::given::is_on_delete;
use crate::catalog::effects::EditedKind;
use crate::catalog::groups::CORE_GROUP;
use crate::catalog::masks::{CLASS_MASKS, TEMPLATE_MASKS};
use crate::json::document::Json;
use crate::parents::core;
use crate::rollout_impact::RolloutEdit;
use crate::subject::Subject;
use facts::stop::Stop;
use kubernetes::lookup::Lookups;
use kubernetes::query::ObjectQuery;

/// The path of the entries of a topology that MachineDeployments are made from.
const ENTRIES: &str = "spec.topology.workers.machineDeployments[";

/// Corrects the effects of edits below a strategy of another object: of a MachineSet's MachineDeployment, and of the
/// class of a topology's entry. If that object cannot be read, the effects stay as severe as they are.
pub(super) fn mark<'e>(edits: &mut [RolloutEdit], kind: EditedKind, subject: &Subject<'e>, lookups: &Lookups<'e>) {
    match kind {
        EditedKind::OwnedMachineSet => {
            let replacing: Vec<&mut RolloutEdit> = edits.iter_mut().filter(|edit| replaces(edit)).collect();
            if !replacing.is_empty() && of_machine_deployment(subject, lookups).unwrap_or(false) {
                replacing.into_iter().for_each(|edit| edit.effect = edit.effect.when_deleted());
            }
        }
        EditedKind::Cluster => {
            for edit in edits.iter_mut().filter(|edit| replaces(edit) && !edit.at.contains(".metadata.")) {
                let entry = edit.at.strip_prefix(ENTRIES).and_then(|rest| rest.split_once(']'));
                if entry.is_some_and(|(name, _)| of_entry(name, subject, lookups).unwrap_or(false)) {
                    edit.effect = edit.effect.when_deleted();
                }
            }
        }
        _ => {}
    }
}

fn replaces(edit: &RolloutEdit) -> bool {
    edit.effect.when_deleted() != edit.effect
}

fn of_machine_deployment<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<bool, Stop> {
    let old = subject.old()?;
    let owner = old.and_then(|old| old.owner(CORE_GROUP, "MachineDeployment"));
    let Some(owner) = owner else { return Ok(false) };
    let deployment = lookups.parent(&ObjectQuery::owner(owner, subject.namespace(), TEMPLATE_MASKS))?;
    Ok(is_on_delete(deployment.object.spec) == Some(true))
}

/// An entry without a strategy has that of its class.
///
/// Source: exp/topology/desiredstate/desired_state.go, `computeMachineDeployment`.
fn of_entry<'e>(name: &str, subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<bool, Stop> {
    let topology = subject.object.spec.get("topology")?;
    let entry = topology.at(&["workers", "machineDeployments"])?.element("name", name)?;
    if is_on_delete(entry).is_some() {
        return Ok(false);
    }
    let either = |paths: [&[&str]; 2]| -> Result<Option<&'e str>, Stop> {
        let [first, second]: [Result<Json<'e>, _>; 2] = paths.map(|path| topology.at(path));
        Ok(first?.as_str().or(second?.as_str()))
    };
    let Some(class) = either([&["classRef", "name"], &["class"]])? else { return Ok(false) };
    let namespace = either([&["classRef", "namespace"], &["classNamespace"]])?.unwrap_or(subject.namespace());
    let class = lookups.parent(&core("ClusterClass", namespace, class, CLASS_MASKS))?;
    let of_entry = entry.string(&["class"])?.unwrap_or_default();
    let entry = class.readable(class.spec(&["workers", "machineDeployments"])?.element("class", of_entry))?;
    Ok(is_on_delete(entry) == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::effects::Effect;

    #[test]
    fn only_what_replaces_machines_can_wait_for_their_deletion() {
        let edit = |effect| RolloutEdit { at: "spec".to_owned(), effect, set_on: None, is_removal: false };
        for (effect, expected) in [
            (Effect::Scale, false),
            (Effect::ReplacedWhenDeleted, false),
            (Effect::CannotTell, false),
            (Effect::Scheduled, true),
            (Effect::Rollout, true),
            (Effect::Destructive, false),
        ] {
            assert_eq!(replaces(&edit(effect)), expected, "{effect}");
        }
    }
}
