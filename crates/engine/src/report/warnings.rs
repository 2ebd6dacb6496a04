//! Warnings for the person at kubectl: one fact each, short, the most important first.

use std::collections::BTreeSet;

use crate::report::change::{Action, Change, Value};
use crate::report::outcome::{Level, LogLine};

/// The length, in characters, that kubectl and the API server show without cutting.
pub(crate) const LONGEST: usize = 120;

/// So much of a key always stays: without it a warning says nothing.
const SHORTEST_KEY: usize = 24;

/// How many warnings one request gets; the report in the audit annotation has all.
const MOST: usize = 20;

/// The warning for one difference, `left` or written. The policy's own record is no news.
pub(crate) fn of_change(change: &Change, left: bool) -> Option<String> {
    if change.action == Action::Recorded {
        return None;
    }
    let done = if left { "is propagated and was edited" } else { change.done() };
    let kind = change.source.split(' ').next().unwrap_or_default();
    let why = match (change.action, &change.place) {
        (Action::Removed, _) => "its source dropped it".to_owned(),
        (_, None) => "Cluster API forces it here".to_owned(),
        (_, Some(place)) => format!("from {kind}{place}"),
    };
    let text = |why: &str| format!("{} `{}` {done}: {why}", change.entry, change.key);
    // A place can be found from its kind, a key from nothing.
    let full = text(&why);
    let why = if full.chars().count() > LONGEST && change.place.is_some() { format!("from {kind}") } else { why };
    Some(short(&text(&why), &change.key))
}

/// Restored before changed, removed and added.
pub(crate) fn rank(change: &Change) -> u8 {
    match change.action {
        Action::Restored => 0,
        Action::Changed => 1,
        Action::Removed => 2,
        Action::Added => 3,
        Action::Recorded => 4,
    }
}

/// The text with its key, which stands in backticks, elided so far that the whole is short enough; whatever is longer
/// still is cut.
pub(crate) fn short(text: &str, key: &str) -> String {
    let length = text.chars().count();
    if length <= LONGEST {
        return text.to_owned();
    }
    let key_length = key.chars().count();
    let keep = key_length.saturating_sub(length - LONGEST + 1).max(key_length.min(SHORTEST_KEY));
    let elided = match keep < key_length {
        true => {
            let head: String = key.chars().take(keep.div_ceil(2)).collect();
            let tail: String = key.chars().skip(key_length - keep / 2).collect();
            text.replacen(&format!("`{key}`"), &format!("`{head}…{tail}`"), 1)
        }
        false => text.to_owned(),
    };
    if elided.chars().count() <= LONGEST {
        return elided;
    }
    elided.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// Differences as parts of one sentence: the first few, each with a value of bearable length. The report has all.
pub(crate) fn sentences(changes: &[Change]) -> String {
    const MOST: usize = 10;
    let mut told: Vec<String> = changes.iter().take(MOST).map(Change::sentence).collect();
    if changes.len() > MOST {
        told.push(format!("and {} more: see the audit annotation `report`", changes.len() - MOST));
    }
    told.join("; ")
}

/// At most as many warnings as anybody reads, none twice; the last says how many there are besides.
pub(crate) fn capped(all: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut warnings: Vec<String> = all.into_iter().filter(|warning| seen.insert(warning.clone())).collect();
    if warnings.len() > MOST {
        let more = warnings.len() - (MOST - 1);
        warnings.truncate(MOST - 1);
        warnings.push(format!("and {more} more: see the audit annotation `report`"));
    }
    warnings
}

/// At most as many lines as anybody reads; the last says how many there are besides.
pub(crate) fn capped_lines(mut lines: Vec<LogLine>) -> Vec<LogLine> {
    if lines.len() > MOST {
        let message = format!("and {} more: see the audit annotation `report`", lines.len() - (MOST - 1));
        lines.truncate(MOST - 1);
        lines.push(LogLine { level: Level::Warning, message, attributes: Vec::new() });
    }
    lines
}

impl Change {
    fn sentence(&self) -> String {
        const LONGEST_VALUE: usize = 63;
        let should = match self.to.as_ref().map(Value::plain) {
            Some(value) if value.chars().count() > LONGEST_VALUE => {
                format!("should be `{}…`", value.chars().take(LONGEST_VALUE).collect::<String>())
            }
            Some(value) => format!("should be `{value}`"),
            None => "should not be there".to_owned(),
        };
        format!("{} `{}` at `{}` {should}: {}", self.entry, self.key, self.at, self.rule)
    }

    fn done(&self) -> &'static str {
        match self.action {
            Action::Added => "added",
            Action::Changed => "corrected",
            Action::Restored => "restored",
            Action::Removed => "removed",
            Action::Recorded => "recorded",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_key_is_elided_in_its_middle() {
        let key = "k".repeat(150);
        let text = short(&format!("label `{key}` added: from MachineSet.spec.template.metadata.labels"), &key);
        assert_eq!(text.chars().count(), LONGEST);
        assert!(text.starts_with("label `kkk") && text.contains("k…k") && text.ends_with("metadata.labels"), "{text}");
    }

    #[test]
    fn a_short_key_stays_and_the_end_is_cut() {
        let text = short(&format!("annotation `a` edited: from {}", "x".repeat(120)), "a");
        assert_eq!(text.chars().count(), LONGEST);
        assert!(text.starts_with("annotation `a` edited: from xxx") && text.ends_with("x…"), "{text}");
    }

    #[test]
    fn what_is_too_long_without_its_key_is_cut() {
        let text = short(&"ä".repeat(200), "key");
        assert_eq!(text.chars().count(), LONGEST);
        assert!(text.ends_with('…'));
    }

    #[test]
    fn a_short_text_stays() {
        assert_eq!(short("label `a` added", "a"), "label `a` added");
    }

    #[test]
    fn many_warnings_end_in_a_count() {
        let warnings = capped((0..25).map(|number| number.to_string()).collect());
        assert_eq!(warnings.len(), MOST);
        assert_eq!(warnings.last().unwrap(), "and 6 more: see the audit annotation `report`");
        assert_eq!(capped(vec!["one".to_owned()]), ["one"]);
    }

    #[test]
    fn many_log_lines_end_in_a_count() {
        let line =
            |number: usize| LogLine { level: Level::Warning, message: number.to_string(), attributes: Vec::new() };
        let lines = capped_lines((0..25).map(line).collect());
        assert_eq!(lines.len(), MOST);
        assert_eq!(lines.last().unwrap().message, "and 6 more: see the audit annotation `report`");
        assert_eq!(capped_lines((0..MOST).map(line).collect()).last().unwrap().message, "19");
    }

    fn added(key: &str, value: &str) -> Change {
        Change {
            at: "metadata.labels".to_owned(),
            key: key.to_owned(),
            action: Action::Added,
            from: None,
            to: Some(Value::string(value)),
            rule: "a rule".to_owned(),
            source: "MachineSet fleet/ms".to_owned(),
            path: crate::json::path::Path::fields(&["metadata", "labels"]),
            entry: "label",
            place: Some(".spec.template.metadata.labels".to_owned()),
        }
    }

    #[test]
    fn as_many_warnings_as_anybody_reads_stay_whole() {
        let warnings: Vec<String> = (0..MOST).map(|number| number.to_string()).collect();
        assert_eq!(capped(warnings.clone()), warnings);
    }

    #[test]
    fn a_text_of_the_longest_length_keeps_its_place() {
        let shortest = of_change(&added("", ""), false).unwrap().chars().count();
        let key = "k".repeat(LONGEST - shortest);
        let full = format!("label `{key}` added: from MachineSet.spec.template.metadata.labels");
        assert_eq!(of_change(&added(&key, ""), false).unwrap(), full);
        let longer = format!("{key}k");
        assert_eq!(of_change(&added(&longer, ""), false).unwrap(), format!("label `{longer}` added: from MachineSet"));
    }

    #[test]
    fn a_value_as_long_as_a_label_may_be_is_told_whole() {
        let value = "v".repeat(63);
        let told = |value: &str| format!("label `a` at `metadata.labels` should be `{value}`: a rule");
        assert_eq!(sentences(&[added("a", &value)]), told(&value));
        assert_eq!(sentences(&[added("a", &format!("{value}v"))]), told(&format!("{value}…")));
    }
}
