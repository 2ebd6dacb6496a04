//! What an edit does to an owner through variables and patches, and why: one line.

use std::fmt;

use metadata_propagation::Effect;
use serde_json::Value;

use super::{Because, PlannedOwner};
use crate::count::count;

/// The maximum number of fields that a line lists; more are counted.
const LISTED: usize = 2;

/// The maximum number of characters of a value.
const SHOWN: usize = 40;

impl PlannedOwner {
    /// The effect, such as `rollout`.
    #[must_use]
    pub fn effect_name(&self) -> String {
        if self.is_update_in_place { "in-place update".to_owned() } else { self.effect.to_string() }
    }
}

/// Such as ``MachineDeployment fleet/md: rollout of 5 Machines; variable `size` → patch `size` → ...``.
impl fmt::Display for PlannedOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machines = self.machines.count();
        write!(f, "{}: {}", self.id, self.effect_name())?;
        if machines > 0 && self.effect == Effect::Rollout {
            write!(f, " of {}", count(machines, "Machine"))?;
        }
        if self.is_update_in_place {
            f.write_str(" if an extension accepts it, rollout otherwise")?;
        }
        if let Some(reason) = &self.reason {
            write!(f, ": {reason}")?;
        }
        for because in self.because.iter().take(LISTED) {
            write!(f, "; {because}")?;
        }
        let further = u64::try_from(self.because.len().saturating_sub(LISTED)).unwrap_or(u64::MAX);
        if further > 0 {
            write!(f, "; {} more", count(further, "field"))?;
        }
        Ok(())
    }
}

/// From the variable to the field.
impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Because { kind, path, from, to, patch, variable } = self;
        if let Some(name) = variable {
            write!(f, "variable `{name}` → ")?;
        }
        if let Some(name) = patch {
            write!(f, "patch `{name}` → ")?;
        }
        write!(f, "{kind} {path}: {} → {}", shown(from.as_ref()), shown(to.as_ref()))
    }
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "none".to_owned() };
    let text = value.to_string();
    if text.chars().count() <= SHOWN {
        return text;
    }
    format!("{}…", text.chars().take(SHOWN).collect::<String>())
}
