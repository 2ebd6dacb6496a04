//! The owners that an edit affects through variables and patches, and why: one line each.

use fleet::{Because, ObjectId, Plan, PlannedOwner, count};
use metadata_propagation::Effect;
use serde_json::Value;

/// The maximum number of fields that a line lists; more are counted.
const LISTED: usize = 2;

/// The maximum number of characters of a value.
const SHOWN: usize = 40;

/// The owners that an edit affects.
pub(super) fn owners<'p>(plan: &'p Plan, id: &ObjectId, at: &str) -> &'p [PlannedOwner] {
    let found = plan.owners.iter().find(|edit| edit.id == *id && edit.at == at);
    found.map_or(&[], |edit| &edit.owners)
}

/// Such as `MachineDeployment fleet/md: rollout of 5 Machines: variable `size` → patch `size` → ...`.
pub(super) fn owner(owner: &PlannedOwner) -> String {
    let machines = owner.machines.count();
    let mut line = format!("{}: {}", owner.id, effect(owner));
    if machines > 0 && owner.effect == Effect::Rollout {
        line += &format!(" of {}", count(machines, "Machine"));
    }
    if owner.is_update_in_place {
        line += " if an extension accepts it, rollout otherwise";
    }
    if let Some(reason) = &owner.reason {
        line += &format!(": {reason}");
    }
    for because in owner.because.iter().take(LISTED) {
        line += &format!("; {}", chain(because));
    }
    let further = u64::try_from(owner.because.len().saturating_sub(LISTED)).unwrap_or(u64::MAX);
    if further > 0 {
        line += &format!("; {} more", count(further, "field"));
    }
    line
}

/// The effect on an owner.
pub(super) fn effect(owner: &PlannedOwner) -> String {
    if owner.is_update_in_place { "in-place update".to_owned() } else { owner.effect.to_string() }
}

/// From the variable to the field.
fn chain(because: &Because) -> String {
    let variable = because.variable.as_ref().map(|name| format!("variable `{name}` → "));
    let patch = because.patch.as_ref().map(|name| format!("patch `{name}` → "));
    let [from, to] = [&because.from, &because.to].map(|value| shown(value.as_ref()));
    let Because { kind, path, .. } = because;
    let (variable, patch) = (variable.unwrap_or_default(), patch.unwrap_or_default());
    format!("{variable}{patch}{kind} {path}: {from} → {to}")
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "none".to_owned() };
    let text = value.to_string();
    if text.chars().count() <= SHOWN {
        return text;
    }
    format!("{}…", text.chars().take(SHOWN).collect::<String>())
}
