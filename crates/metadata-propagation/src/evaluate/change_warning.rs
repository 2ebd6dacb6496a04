//! What a change says: the warning for the person at kubectl, and its part of a refusal.

use crate::fact::Fact;
use kubernetes::{Action, Change, ChangeReason, and_more};

/// What is done about a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeHandling {
    Written,
    /// The settings leave it as it is.
    Left,
    /// It is left to Cluster API: its owners cannot be restored.
    LeftToClusterApi,
}

/// The warning about one difference. The policy's own record needs nothing.
pub(super) fn of_change(change: &Change, handling: ChangeHandling) -> Option<Fact> {
    let (entry, reason) = (change.entry(), ChangeReason::from(change));
    Some(match change.action {
        Action::Recorded => return None,
        _ if handling == ChangeHandling::LeftToClusterApi => Fact::EntryLeftToClusterApi { entry },
        _ if handling == ChangeHandling::Left => Fact::EntryEdited { entry, reason },
        Action::Added => Fact::EntryAdded { entry, reason },
        Action::Changed => Fact::EntryCorrected { entry, reason },
        Action::Restored => Fact::EntryRestored { entry, reason },
        Action::Removed => Fact::EntryRemoved { entry, reason },
    })
}

/// Restored before changed, removed and added.
pub(super) fn rank(change: &Change) -> u8 {
    match change.action {
        Action::Restored => 0,
        Action::Changed => 1,
        Action::Removed => 2,
        Action::Added => 3,
        Action::Recorded => 4,
    }
}

/// Differences as parts of one refusal: the first few, each with a value of limited length. The report has all.
pub(super) fn differences(changes: &[Change]) -> String {
    const MOST_DIFFERENCES: usize = 10;
    let mut parts: Vec<String> = changes.iter().take(MOST_DIFFERENCES).map(Change::difference).collect();
    if changes.len() > MOST_DIFFERENCES {
        parts.push(and_more(changes.len() - MOST_DIFFERENCES));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubernetes::{ChangeRule, EntryNoun, SourceObject, SourcePath, Value};

    const PATH: &str = ".spec.template.metadata.labels";

    fn added(key: &str, value: &str) -> Change {
        Change {
            at: "metadata.labels".into(),
            key: key.to_owned(),
            action: Action::Added,
            from: None,
            to: Some(Value::string(value)),
            rule: ChangeRule::NoLabel,
            source: Some(SourceObject::new("MachineSet", &"fleet/ms")),
            path: crate::json::Path::fields(&["metadata", "labels"]).into(),
            entry: EntryNoun::Label,
            place: Some(SourcePath::of_field(PATH)),
        }
    }

    #[test]
    fn a_value_as_long_as_a_label_may_be_stays_whole() {
        let value = "v".repeat(63);
        let must_be = |value: &str| {
            format!("label `a` in `metadata.labels` must be `{value}`: set on MachineSet fleet/ms ({PATH})")
        };
        assert_eq!(differences(&[added("a", &value)]), must_be(&value));
        assert_eq!(differences(&[added("a", &format!("{value}v"))]), must_be(&format!("{value}…")));
    }

    #[test]
    fn a_refusal_lists_ten_differences_and_counts_the_others() {
        let surplus = Change { to: None, source: None, ..added("a", "") };
        let one = "label `a` in `metadata.labels` must be removed: no label propagates to this tag";
        assert_eq!(differences(&vec![surplus.clone(); 10]), [one; 10].join("; "));
        let eleven = format!("{}; and 1 more: see the audit annotation `report`", [one; 10].join("; "));
        assert_eq!(differences(&vec![surplus; 11]), eleven);
    }
}
