//! A write that changes nothing, as a shell command.

use std::collections::BTreeMap;

use metadata_propagation::{Action, Change};

use super::{ComparedObject, Needed, messages};
use crate::object::ObjectId;

/// The command for an object, after a comment about what the policy then does.
pub(super) fn step(id: &ObjectId, changes: &[Change]) -> ComparedObject {
    let ObjectId { group, kind, namespace, name, .. } = id;
    if ![group, kind, namespace].into_iter().all(|word| word.is_empty() || is_plain(word)) || !is_plain(name) {
        return ComparedObject::Refused(messages::NO_LEGAL_NAME.to_owned());
    }
    let dot = if group.is_empty() { "" } else { "." };
    let namespace = if namespace.is_empty() { String::new() } else { format!(" -n {namespace}") };
    let comment: String = comments(changes).iter().map(|line| format!("# {line}\n")).collect();
    let text = format!("{comment}kubectl patch {kind}{dot}{group} {name}{namespace} --type=merge -p '{{}}'\n");
    let replaces = |change: &Change| change.action != Action::Recorded && change.from.is_some();
    let conflicts = changes.iter().any(replaces);
    ComparedObject::Lacking(Needed { text, conflicts })
}

/// Whether a word is unchanged in a shell, and is not an option.
fn is_plain(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte))
}

/// Such as `sets metadata.labels: stage, team`, a line for each map or object in which something is set or removed.
fn comments(changes: &[Change]) -> Vec<String> {
    let mut by_place: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for change in changes {
        let verb = match change.action {
            Action::Recorded => continue,
            Action::Removed => "removes",
            Action::Added | Action::Changed | Action::Restored => "sets",
        };
        by_place.entry((verb, &change.at)).or_default().push(one_line(&change.key));
    }
    let lines = by_place.into_iter().map(|((verb, at), keys)| format!("{verb} {}: {}", one_line(at), keys.join(", ")));
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() { vec!["updates the record of propagated keys".to_owned()] } else { lines }
}

/// A text without anything that could end the comment.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_a_shell_reads_is_not_plain() {
        for (word, expected) in [
            ("m-0", true),
            ("c1.example.com", true),
            ("system:node", true),
            ("-o", false),
            ("", false),
            ("a b", false),
            ("a;b", false),
            ("$(a)", false),
            ("a\nb", false),
            ("*", false),
        ] {
            assert_eq!(is_plain(word), expected, "{word}");
        }
    }

    #[test]
    fn a_comment_is_one_line() {
        assert_eq!(one_line("a\nkubectl delete\u{1b}ä"), "a\\nkubectl delete\\u{1b}ä");
    }
}
