//! What becomes of an owner, and the chains that lead there: one line each.

use std::fmt;

use metadata_propagation::Effect;
use serde_json::Value;

use super::{Because, EditRef, PlannedOwner};
use crate::count::count;
use crate::plan::waits::Later;

/// The maximum number of characters of a value.
const SHOWN: usize = 40;

impl PlannedOwner {
    /// The effect, such as `rollout`.
    pub fn effect_name(&self) -> String {
        if self.is_update_in_place { "in-place update".to_owned() } else { self.effect.to_string() }
    }

    /// From edits to fields, a line for all fields that are due to the same edits and written by the same patch: such as
    /// ``Cluster fleet/shop spec.topology.variables → variable `size` → patch `size` → ...``. What is created, deleted or not
    /// known is due to edits alone.
    pub fn chains(&self) -> Vec<String> {
        let mut groups: Vec<(&Because, u64)> = Vec::new();
        for because in &self.because {
            let is_same = |first: &Because| first.edits == because.edits && first.patch == because.patch;
            match groups.iter_mut().find(|(first, _)| is_same(first)) {
                Some((_, further)) => *further += 1,
                None => groups.push((because, 0)),
            }
        }
        let line = |(because, further): (&Because, u64)| match further {
            0 => because.to_string(),
            further => format!("{because}; {}", count(further, "more field")),
        };
        match groups.is_empty() && !self.edits.is_empty() {
            true => vec![listed(&self.edits)],
            false => groups.into_iter().map(line).collect(),
        }
    }
}

/// Such as `MachineDeployment fleet/md: rollout of 5 Machines`.
impl fmt::Display for PlannedOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machines = self.machines.count();
        write!(f, "{}: ", self.id)?;
        match &self.later {
            Some(Later { effect, waits_for }) => write!(f, "{waits_for}, then {effect}")?,
            None => f.write_str(&self.effect_name())?,
        }
        let then = self.later.as_ref().map_or(self.effect, |later| later.effect);
        if machines > 0 && then == Effect::Rollout {
            write!(f, " of {}", count(machines, "Machine"))?;
        }
        if !self.steps.is_empty() {
            write!(f, " at each of {} versions: {}", self.steps.len(), self.steps.join(", "))?;
        }
        if self.is_update_in_place {
            f.write_str(" if an extension accepts it, rollout otherwise")?;
        }
        self.reason.iter().try_for_each(|reason| write!(f, ": {reason}"))
    }
}

/// From the edits to the field.
impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Because { edits, kind, path, from, to, patch, variable } = self;
        write!(f, "{} → ", listed(edits))?;
        if let Some(name) = variable {
            write!(f, "variable `{name}` → ")?;
        }
        if let Some(name) = patch {
            write!(f, "patch `{name}` → ")?;
        }
        write!(f, "{kind} {path}: {} → {}", shown(from.as_ref()), shown(to.as_ref()))
    }
}

fn listed(edits: &[EditRef]) -> String {
    edits.iter().map(EditRef::to_string).collect::<Vec<_>>().join(" and ")
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "none".to_owned() };
    let text = value.to_string();
    if text.chars().count() <= SHOWN {
        return text;
    }
    format!("{}…", text.chars().take(SHOWN).collect::<String>())
}
