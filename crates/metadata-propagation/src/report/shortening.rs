//! Limits of what one answer says: how the sentence of a fact is cut to fit into a warning, and how many there are.

use std::collections::BTreeSet;

use crate::fact::Fact;
use crate::report::{LogLevel, LogLine};
use kubernetes::{LONGEST_WARNING, Sentence, and_more};

/// The minimum part of a name that is kept: without it a warning is useless.
const SHORTEST_NAME: usize = 24;

/// Replaces what is cut.
const CUT: char = '…';

/// The warnings for a fact and its advice: one if both fit, else one for each. An advice contains text to type and is
/// never cut; one that is too long is only in the report.
pub(crate) fn of_fact(fact: &Fact) -> Vec<String> {
    let Some(advice) = fact.advice() else { return vec![short(fact)] };
    let whole = fact.to_string();
    if surplus(&whole) == 0 {
        return vec![whole];
    }
    [short(fact)].into_iter().chain(Some(advice).filter(|advice| surplus(advice) == 0)).collect()
}

/// The sentence without the advice, short enough for a warning: what gives way does, or, if the fact has no such data, the
/// longest name is cut in its middle. What is still too long is cut at its end.
fn short(fact: &Fact) -> String {
    let sentence = fact.without_advice();
    if surplus(&sentence) == 0 {
        return sentence;
    }
    let mut fact = fact.clone();
    if !fact.data_mut().into_iter().any(|datum| datum.gives_way()) {
        let surplus = surplus(&fact.without_advice());
        let names = fact.data_mut().into_iter().filter_map(|datum| datum.name_mut());
        if let Some(longest) = names.max_by_key(|name| name.chars().count()) {
            cut_middle(longest, surplus);
        }
    }
    let sentence = fact.without_advice();
    match surplus(&sentence) {
        0 => sentence,
        _ => sentence.chars().take(LONGEST_WARNING - 1).chain([CUT]).collect(),
    }
}

fn cut_middle(name: &mut String, surplus: usize) {
    let length = name.chars().count();
    let keep = length.saturating_sub(surplus + 1).max(SHORTEST_NAME);
    if keep + 1 < length {
        let (head, tail) = (name.chars().take(keep.div_ceil(2)), name.chars().skip(length - keep / 2));
        *name = head.chain([CUT]).chain(tail).collect();
    }
}

/// How many characters do not fit into a warning.
fn surplus(text: &str) -> usize {
    if text.len() <= LONGEST_WARNING { 0 } else { text.chars().count().saturating_sub(LONGEST_WARNING) }
}

/// The maximum number of warnings for one request; the report in the audit annotation has all.
const MOST_MESSAGES: usize = 20;

/// A limited number of warnings without duplicates; the last says how many more there are.
pub(crate) fn capped(all: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    up_to_most(all.into_iter().filter(|warning| seen.insert(warning.clone())).collect(), |more| more)
}

/// A limited number of lines; the last says how many more there are.
pub(crate) fn capped_lines(lines: Vec<LogLine>) -> Vec<LogLine> {
    up_to_most(lines, |message| LogLine { level: LogLevel::Warning, message, attributes: Vec::new() })
}

fn up_to_most<T>(mut all: Vec<T>, last: impl FnOnce(String) -> T) -> Vec<T> {
    if all.len() > MOST_MESSAGES {
        let more = all.split_off(MOST_MESSAGES - 1).len();
        all.push(last(and_more(more)));
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use cluster_api::fact::ClusterApiFact;
    use kubernetes::{ChangeReason, NamedEntry, NamedSource, SourceObject, Typed};

    fn label(key: &str) -> NamedEntry {
        NamedEntry { noun: "label", key: key.to_owned() }
    }

    #[test]
    fn the_longest_name_is_cut_in_its_middle() {
        let (short, long) = ("s".repeat(30), "l".repeat(60));
        let fact = Fact::UnlistedController { account: (&*short).into(), manager: (&*long).into() };
        let cut = format!("{}…{}", "l".repeat(13), "l".repeat(13));
        let rest = "is not listed in `clusterApi.controllers`";
        assert_eq!(of_fact(&fact), [format!("`{short}` (field manager `{cut}`) {rest}")]);
    }

    #[test]
    fn a_source_gives_way_before_a_name() {
        let of = |length: usize| {
            let source =
                NamedSource::new(&SourceObject::new("MachineSet", &"fleet/ms"), Some(".spec.template.metadata"));
            let entry = label(&"k".repeat(length));
            of_fact(&Fact::EntryAdded { entry, reason: ChangeReason::SetOn(source) }).concat()
        };
        let key = |length: usize| "k".repeat(length);
        for (length, expected) in [
            (52, format!("label `{}` added: set on MachineSet fleet/ms (.spec.template.metadata)", key(52))),
            (53, format!("label `{}` added: set on MachineSet fleet/ms", key(53))),
            (100, format!("label `{}` added: set…", key(100))),
        ] {
            assert_eq!(of(length), expected, "{length}");
        }
    }

    #[test]
    fn what_is_to_be_typed_is_whole_or_not_said() {
        let (key, typed) = ("k".repeat(100), "t".repeat(90));
        let of = |key: &str, other: &str| {
            of_fact(&ClusterApiFact::NotSynced { entry: label(key), other: Typed(label(other)) }.into())
        };
        let cut = format!("label `{}…{}` is not synced to Nodes", "k".repeat(44), "k".repeat(44));
        assert_eq!(of("a", "b"), ["label `a` is not synced to Nodes; use label `b`"]);
        assert_eq!(of(&key, &typed), [cut.clone(), format!("use label `{typed}`")]);
        assert_eq!(of(&key, &[&*typed, &typed].concat()), std::slice::from_ref(&cut));
    }

    proptest! {
        #[test]
        fn nothing_is_longer_than_120_characters(key in "[a-z` ä🦀]{0,200}", from in "[a-z ä🦀]{0,200}") {
            let fact = Fact::from(ClusterApiFact::CopiedWaiver { annotation: (&*key).into(), from });
            for warning in of_fact(&fact) {
                prop_assert!(warning.chars().count() <= LONGEST_WARNING, "{}", warning);
                prop_assert!(surplus(&fact.to_string()) > 0 || warning == fact.to_string(), "{}", warning);
            }
        }
    }

    #[test]
    fn many_warnings_end_in_a_count() {
        let warnings = capped((0..25).map(|number| number.to_string()).collect());
        assert_eq!(warnings.len(), MOST_MESSAGES);
        assert_eq!(warnings.last().unwrap(), "and 6 more: see the audit annotation `report`");
        assert_eq!(capped(vec!["one".to_owned()]), ["one"]);
    }

    #[test]
    fn many_log_lines_end_in_a_count() {
        let line =
            |number: usize| LogLine { level: LogLevel::Warning, message: number.to_string(), attributes: Vec::new() };
        let lines = capped_lines((0..25).map(line).collect());
        assert_eq!(lines.len(), MOST_MESSAGES);
        assert_eq!(lines.last().unwrap().message, "and 6 more: see the audit annotation `report`");
        assert_eq!(capped_lines((0..MOST_MESSAGES).map(line).collect()).last().unwrap().message, "19");
    }

    #[test]
    fn as_many_warnings_as_anybody_reads_stay_whole() {
        let warnings: Vec<String> = (0..MOST_MESSAGES).map(|number| number.to_string()).collect();
        assert_eq!(capped(warnings.clone()), warnings);
    }
}
