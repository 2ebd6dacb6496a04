//! Whether a strategy that is not in the edited object leaves Machines until somebody deletes them.

use std::collections::{BTreeMap, BTreeSet};

use super::given::is_on_delete;
use crate::catalog::effects::EditedKind;
use crate::catalog::{CLASS_MASKS, CORE_GROUP, TEMPLATE_MASKS};
use crate::json::Json;
use crate::parents::{core, owners};
use crate::rollout::RolloutEdit;
use crate::subject::Subject;
use kubernetes::{Lookups, ObjectQuery, Stop};

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
            let edited: Vec<&str> = edits.iter().filter_map(entry_of).collect();
            let on_delete: BTreeSet<String> = entries_on_delete(&edited, subject, lookups)
                .unwrap_or_default()
                .into_iter()
                .map(str::to_owned)
                .collect();
            for edit in edits {
                if entry_of(edit).is_some_and(|name| on_delete.contains(name)) {
                    edit.effect = edit.effect.when_deleted();
                }
            }
        }
        _ => {}
    }
}

/// The name of the entry of a topology whose Machines an edit replaces.
fn entry_of(edit: &RolloutEdit) -> Option<&str> {
    if !replaces(edit) || edit.at.contains(".metadata.") {
        return None;
    }
    Some(edit.at.strip_prefix(ENTRIES)?.split_once(']')?.0)
}

fn replaces(edit: &RolloutEdit) -> bool {
    edit.effect.when_deleted() != edit.effect
}

fn of_machine_deployment<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<bool, Stop> {
    let old = subject.old()?;
    let owner = old.and_then(|old| owners(old, CORE_GROUP, "MachineDeployment").next());
    let Some(owner) = owner else { return Ok(false) };
    let deployment = lookups.parent(&ObjectQuery::owner(owner, subject.namespace(), TEMPLATE_MASKS))?;
    Ok(is_on_delete(deployment.object.spec) == Some(true))
}

/// The names of the edited entries that have no strategy, and whose class has OnDelete.
///
/// Source: exp/topology/desiredstate/desired_state.go, `computeMachineDeployment`.
fn entries_on_delete<'n, 'e>(
    edited: &[&'n str],
    subject: &Subject<'e>,
    lookups: &Lookups<'e>,
) -> Result<BTreeSet<&'n str>, Stop> {
    let topology = subject.object.spec.get("topology")?;
    let list = topology.at(&["workers", "machineDeployments"])?;
    let entries = if edited.is_empty() { BTreeMap::new() } else { list.by_name("name")? };
    let entry = |name: &&'n str| (*name, entries.get(*name).copied().unwrap_or(list.absent()));
    let without: BTreeMap<&str, Json<'e>> =
        edited.iter().map(entry).filter(|(_, entry)| is_on_delete(*entry).is_none()).collect();
    let either = |paths: [&[&str]; 2]| -> Result<Option<&'e str>, Stop> {
        let [first, second]: [Result<Json<'e>, _>; 2] = paths.map(|path| topology.at(path));
        Ok(first?.as_str().or(second?.as_str()))
    };
    let class = either([&["classRef", "name"], &["class"]])?.filter(|_| !without.is_empty());
    let Some(class) = class else { return Ok(BTreeSet::new()) };
    let namespace = either([&["classRef", "namespace"], &["classNamespace"]])?.unwrap_or(subject.namespace());
    let class = lookups.parent(&core("ClusterClass", namespace, class, CLASS_MASKS))?;
    let classes = class.readable(class.spec(&["workers", "machineDeployments"])?.by_name("class"))?;
    let is_of_on_delete = |(name, entry): (&'n str, Json<'e>)| {
        let class = classes.get(entry.get("class").ok()?.as_str()?)?;
        (is_on_delete(*class) == Some(true)).then_some(name)
    };
    Ok(without.into_iter().filter_map(is_of_on_delete).collect())
}
