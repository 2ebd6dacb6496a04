//! How the sentence of a fact is shortened to fit into a warning.

use crate::fact::Fact;
use kubernetes::decision::fact::{LONGEST_WARNING, Sentence, fits};

/// The minimum part of a key that is kept: without it a warning is useless.
pub(crate) const SHORTEST_KEY: usize = 24;

/// Replaces what is omitted.
const CUT: char = '…';

/// The warnings for a fact and its advice: one if both fit, else one for each. An advice contains text to type and is
/// never elided; one that is too long is only in the report.
pub(crate) fn of_fact(fact: &Fact) -> Vec<String> {
    let Some(advice) = fact.advice() else { return vec![short(fact)] };
    let whole = fact.to_string();
    if fits(&whole) {
        return vec![whole];
    }
    [short(fact)].into_iter().chain(Some(advice).filter(|advice| fits(advice))).collect()
}

/// The sentence without the advice, short enough for a warning: sources become less exact, then keys and paths are
/// elided in the middle, the longest first, then details are omitted. If it is still too long, it is truncated.
fn short(fact: &Fact) -> String {
    let sentence = fact.without_advice();
    if fits(&sentence) {
        return sentence;
    }
    let mut fact = fact.clone();
    while fact.generalize() {
        let sentence = fact.without_advice();
        if fits(&sentence) {
            return sentence;
        }
    }
    loop {
        let text = elided(fact.clone());
        if fits(&text) {
            return text;
        }
        if !fact.abbreviate() {
            return text.chars().take(LONGEST_WARNING - 1).chain([CUT]).collect();
        }
    }
}

/// The sentence, with names elided as far as they may be.
fn elided(mut fact: Fact) -> String {
    loop {
        let text = fact.without_advice();
        let surplus = text.chars().count().saturating_sub(LONGEST_WARNING);
        let names = fact.names_mut().into_iter().map(|name| (name.chars().count(), name));
        // The first of those that are equally long.
        let longest = names.reduce(|longest, name| if name.0 > longest.0 { name } else { longest });
        match longest.filter(|(length, _)| surplus > 0 && *length > SHORTEST_KEY + 1) {
            Some((length, name)) => {
                let keep = length.saturating_sub(surplus + 1).max(SHORTEST_KEY);
                let (head, tail) = (name.chars().take(keep.div_ceil(2)), name.chars().skip(length - keep / 2));
                *name = head.chain([CUT]).chain(tail).collect();
            }
            None => return text,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use cloud_tags::fact::CloudTagFact;
    use cloud_tags::tag_reason::{LabelProblem, LimitSource};
    use cluster_api::fact::ClusterApiFact;
    use kubernetes::decision::datum::{MentionedKeys, NamedEntry};

    fn warnings(fact: impl Into<Fact>) -> Vec<String> {
        of_fact(&fact.into())
    }

    fn label(key: &str) -> NamedEntry {
        NamedEntry { noun: "label", key: key.to_owned() }
    }

    #[test]
    fn a_short_key_stays_and_the_end_is_cut() {
        let fact = ClusterApiFact::CopiedWaiver { annotation: "a".into(), from: "x".repeat(120) };
        assert_eq!(
            warnings(fact.clone()),
            [format!("annotation `a` has no effect here: copied from {}…", "x".repeat(72))]
        );
    }

    #[test]
    fn the_longest_name_is_elided_first() {
        let (short, long) = ("s".repeat(30), "l".repeat(60));
        let fact = Fact::UnlistedController { account: (&*short).into(), manager: (&*long).into() };
        let elided = format!("{}…{}", "l".repeat(13), "l".repeat(13));
        let rest = "is not listed in `clusterApi.controllers`";
        assert_eq!(warnings(fact.clone()), [format!("`{short}` (field manager `{elided}`) {rest}")]);
    }

    #[test]
    fn of_many_keys_those_are_elided_that_are_visible() {
        let keys: Vec<String> = (0..10_000).map(|number| format!("{number:030}")).collect();
        let fact = CloudTagFact::LabelsBeginToPropagate { keys: MentionedKeys(keys) };
        let key = |number: usize| format!("`{}…{number:012}`", "0".repeat(12));
        let elided = [0, 1, 2].map(key).join(", ");
        let text = format!("labels begin to propagate to cloud tags: {elided}");
        assert_eq!(warnings(fact.clone()), [text.chars().take(LONGEST_WARNING - 1).chain([CUT]).collect::<String>()]);
    }

    #[test]
    fn a_sentence_of_the_longest_length_stays() {
        let beginning = "annotation `a` has no effect here: copied from ";
        let of = |length: usize| {
            let from = "ä".repeat(length - beginning.len());
            warnings(ClusterApiFact::CopiedWaiver { annotation: "a".into(), from }).concat()
        };
        assert_eq!(of(LONGEST_WARNING), format!("{beginning}{}", "ä".repeat(LONGEST_WARNING - beginning.len())));
        assert_eq!(
            of(LONGEST_WARNING + 1),
            format!("{beginning}{}…", "ä".repeat(LONGEST_WARNING - 1 - beginning.len()))
        );
    }

    #[test]
    fn details_are_omitted_if_eliding_is_not_enough() {
        let of = |others: &'static str| {
            let problem = LabelProblem::OnlyLettersDigitsAnd(others);
            warnings(CloudTagFact::LabelNotAdded {
                label: (&*"k".repeat(80)).into(),
                problem,
                limits: LimitSource::Profile("aws"),
            })
        };
        let (head, tail) = ("k".repeat(13), "k".repeat(12));
        assert_eq!(
            of("+-=."),
            [format!(
                "label `{head}…{tail}` not added as a cloud tag: only letters, digits and `+-=.` are allowed (profile `aws`)"
            )]
        );
        let (head, tail) = ("k".repeat(21), "k".repeat(21));
        let brief =
            format!("label `{head}…{tail}` not added as a cloud tag: key has invalid characters (profile `aws`)");
        assert_eq!(of(" +-=._:/@"), [brief]);
    }

    #[test]
    fn what_is_to_be_typed_is_whole_or_not_said() {
        let (key, typed) = ("k".repeat(100), "t".repeat(90));
        let of =
            |key: &str, other: &str| warnings(ClusterApiFact::NotSynced { entry: label(key), other: label(other) });
        let elided = format!("label `{}…{}` is not synced to Nodes", "k".repeat(44), "k".repeat(44));
        assert_eq!(of("a", "b"), ["label `a` is not synced to Nodes; use label `b`"]);
        assert_eq!(of(&key, &typed), [elided.clone(), format!("use label `{typed}`")]);
        assert_eq!(of(&key, &[&*typed, &typed].concat()), std::slice::from_ref(&elided));
    }

    proptest! {
        #[test]
        fn nothing_is_longer_than_120_characters(key in "[a-z` ä🦀]{0,200}", from in "[a-z ä🦀]{0,200}") {
            let fact = ClusterApiFact::CopiedWaiver { annotation: (&*key).into(), from };
            for warning in warnings(fact.clone()) {
                prop_assert!(warning.chars().count() <= LONGEST_WARNING, "{}", warning);
                prop_assert!(fact.to_string().chars().count() > LONGEST_WARNING || warning == fact.to_string(), "{}", warning);
            }
        }
    }
}
