//! How a sentence is shortened to fit into a warning.

use std::fmt::Display;

use crate::fact::Fact;

/// The length, in characters, that kubectl and the API server print without truncating.
pub const LONGEST: usize = 120;

/// The minimum part of a key that is kept: without it a warning is useless.
pub const SHORTEST_KEY: usize = 24;

/// No sentence has more parts in backticks; the limit bounds the work for a key that contains backticks.
const MOST_ELIDED: usize = 3;

/// Replaces what is omitted.
const CUT: char = '…';

/// The first of several wordings of one fact that fits into a warning, else the last.
pub fn first_that_fits(wordings: impl IntoIterator<Item = String>) -> String {
    let mut last = String::new();
    for wording in wordings {
        last = wording;
        if fits(&last) {
            break;
        }
    }
    last
}

/// The first of several wordings of one fact that fits into a warning after eliding, else the last, truncated.
pub fn first_that_elides(wordings: impl IntoIterator<Item = String>) -> String {
    let mut last = String::new();
    for wording in wordings {
        last = short(wording);
        if !last.ends_with(CUT) {
            break;
        }
    }
    last
}

/// The first of several wordings of one fact that fits into a warning, else the last.
pub fn first_fact_that_fits<T: Display>(first: T, others: impl IntoIterator<Item = T>) -> T {
    let mut last = first;
    for next in others {
        if fits(&last.to_string()) {
            break;
        }
        last = next;
    }
    last
}

/// The warnings for a fact and its advice: one if both fit, else one for each. An advice contains text to type and is
/// never elided; one that is too long is only in the report.
pub fn of_fact(fact: &Fact) -> Vec<String> {
    let whole = fact.to_string();
    match fact.advice() {
        Some(_) if fits(&whole) => vec![whole],
        Some(advice) if fits(&advice) => vec![short(fact.without_advice()), advice],
        Some(_) => vec![short(fact.without_advice())],
        None => vec![short(whole)],
    }
}

/// The text, short enough for a warning: parts in backticks are elided in the middle, the longest first, and if it is
/// still too long it is truncated.
pub fn short(mut text: String) -> String {
    for _ in 0..MOST_ELIDED {
        if fits(&text) {
            return text;
        }
        let Some((before, quoted, after)) = longest_quoted(&text) else { break };
        let length = quoted.chars().count();
        let surplus = text.chars().count() - LONGEST;
        let keep = length.saturating_sub(surplus + 1).max(SHORTEST_KEY);
        let head: String = quoted.chars().take(keep.div_ceil(2)).collect();
        let tail: String = quoted.chars().skip(length - keep / 2).collect();
        text = [before, &head, "…", &tail, after].concat();
    }
    if fits(&text) { text } else { text.chars().take(LONGEST - 1).chain([CUT]).collect() }
}

fn fits(text: &str) -> bool {
    text.len() <= LONGEST || text.chars().count() <= LONGEST
}

/// The longest part in backticks that can be elided, and what is before and after it.
fn longest_quoted(text: &str) -> Option<(&str, &str, &str)> {
    let mut longest: Option<(&str, &str, &str)> = None;
    let mut from = 0;
    while let Some((opening, closing)) = quotes(text, from) {
        let (before, rest) = text.split_at(opening);
        let (quoted, after) = rest.split_at(closing - opening);
        let length = quoted.chars().count();
        if length > SHORTEST_KEY + 1 && longest.is_none_or(|(_, other, _)| length > other.chars().count()) {
            longest = Some((before, quoted, after));
        }
        from = closing + 1;
    }
    longest
}

/// Start and end of the next part in backticks, without them.
fn quotes(text: &str, from: usize) -> Option<(usize, usize)> {
    let opening = from + text.get(from..)?.find('`')? + 1;
    let closing = opening + text.get(opening..)?.find('`')?;
    Some((opening, closing))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fact::NamedEntry;

    #[test]
    fn a_short_key_stays_and_the_end_is_cut() {
        let text = short(format!("annotation `a` edited: from {}", "x".repeat(120)));
        assert_eq!(text, format!("annotation `a` edited: from {}…", "x".repeat(91)));
    }

    #[test]
    fn the_longest_part_in_backticks_is_elided_first() {
        let (short_key, long_key) = ("s".repeat(30), "l".repeat(90));
        assert_eq!(
            short(format!("label `{short_key}`: use label `{long_key}`")),
            format!("label `{short_key}`: use label `{}…{}`", "l".repeat(34), "l".repeat(33))
        );
    }

    #[test]
    fn a_key_full_of_backticks_is_cut() {
        let key = format!("`{}", "k".repeat(30)).repeat(10);
        let elided = format!("`{}…{}`", "k".repeat(12), "k".repeat(12));
        let whole = "k".repeat(30);
        let expected = format!("label {elided}{whole}{elided}{whole}");
        assert_eq!(short(format!("label {key}")), format!("{}…", expected.chars().take(119).collect::<String>()));
    }

    #[test]
    fn an_open_backtick_is_no_quote() {
        let text = short(format!("a `{}", "ä".repeat(200)));
        assert_eq!(text, format!("a `{}…", "ä".repeat(116)));
    }

    #[test]
    fn a_text_of_the_longest_length_stays() {
        let text = "ä".repeat(LONGEST);
        assert_eq!(short(text.clone()), text);
    }

    #[test]
    fn the_first_wording_that_fits_is_taken_else_the_last() {
        let long = "l".repeat(LONGEST + 1);
        let wordings = |all: &[&str]| first_that_fits(all.iter().map(|wording| (*wording).to_owned()));
        assert_eq!(wordings(&["a", "b"]), "a");
        assert_eq!(wordings(&[&long, "b", "c"]), "b");
        assert_eq!(wordings(&["", &long]), "");
        assert_eq!(wordings(&[&long, &format!("{long}b")]), format!("{long}b"));
    }

    #[test]
    fn the_first_wording_that_need_not_be_cut_is_taken_else_the_last() {
        let key = "k".repeat(80);
        let wordings = |all: &[String]| first_that_elides(all.iter().cloned());
        let of = |reason: &str| format!("label `{key}`: {reason}");
        assert_eq!(
            wordings(&[of(&"r".repeat(60)), of("b")]),
            format!("label `{}…{}`: {}", "k".repeat(25), "k".repeat(24), "r".repeat(60))
        );
        assert_eq!(wordings(&[of(&"r".repeat(100)), of("b")]), of("b"));
        assert!(wordings(&[of(&"r".repeat(100)), of(&"b".repeat(100))]).ends_with("bbb…"));
    }

    #[test]
    fn what_is_to_be_typed_is_whole_or_not_said() {
        let (key, typed) = ("k".repeat(100), "t".repeat(90));
        let elided = short(format!("label `{key}` is not synced to Nodes"));
        let label = |key: &str| NamedEntry { noun: "label", key: key.to_owned() };
        let of = |key: &str, other: &str| of_fact(&Fact::NotSynced { entry: label(key), other: label(other) });
        assert_eq!(of("a", "b"), ["label `a` is not synced to Nodes; use label `b`"]);
        assert_eq!(of(&key, &typed), [elided.clone(), format!("use label `{typed}`")]);
        assert_eq!(of(&key, &[&*typed, &typed].concat()), std::slice::from_ref(&elided));
        let early = Fact::NotSyncedBefore { entry: label(&key), version: "v1.9.7".to_owned() };
        assert_eq!(of_fact(&early), [short(early.to_string())]);
    }

    proptest! {
        #[test]
        fn nothing_is_longer_than_120_characters(text in "[a-z` ä🦀]{0,400}") {
            let shortened = short(text.clone());
            prop_assert!(shortened.chars().count() <= LONGEST, "{}", shortened);
            prop_assert!(text.chars().count() > LONGEST || shortened == text, "{}", shortened);
        }
    }
}
