//! Placeholders that are filled in before YAML is read, such as `[${NAMES}]`: stand-ins keep the document readable.

use std::collections::BTreeSet;

use super::indented::owned;
use super::{NodeContent, Tree, TreeNode};
use crate::scalar::Scalar;

/// What names are between that other programs than envsubst fill in.
const MARKS: [char; 2] = ['@', '%'];

/// Characters that mean something in YAML.
const SIGNS: &str = "{}[],:#&*!|>'\"%@`";

/// Characters that mean nothing there.
const STAND_INS: &str = "~^;<=+/()_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Reads a text that is YAML once its placeholders are filled in. Each sign in one is replaced by a character that the text does
/// not contain, so that positions stay and values can be written back.
pub(super) fn read(text: &str) -> Option<Tree<'static>> {
    let stood_in = StandIns::of(text)?;
    let Ok(tree) = Tree::strict(&stood_in.text) else { return None };
    let node = |TreeNode { span, kind }: TreeNode<'_>| {
        let kind = match kind {
            NodeContent::Scalar(Scalar::Text(value)) => {
                NodeContent::Scalar(Scalar::Text(stood_in.written(&value).into()))
            }
            kind => owned(kind),
        };
        TreeNode { span, kind }
    };
    Some(Tree { nodes: tree.nodes.into_iter().map(node).collect(), root: tree.root })
}

struct StandIns {
    text: String,
    /// What is written, and what stands for it.
    pairs: Vec<(char, char)>,
}

impl StandIns {
    fn of(text: &str) -> Option<StandIns> {
        let known: BTreeSet<char> = text.chars().collect();
        let mut unused = STAND_INS.chars().filter(|character| !known.contains(character));
        let (mut found, mut pairs, mut rest) = (String::new(), Vec::new(), text);
        while let Some(first) = rest.chars().next() {
            let length = placeholder(rest).unwrap_or(first.len_utf8());
            let (token, left) = rest.split_at(length);
            for character in token.chars() {
                let is_sign = token.len() > first.len_utf8() && SIGNS.contains(character);
                let known = pairs.iter().find(|(written, _)| *written == character).map(|(_, stands)| *stands);
                let stands = match known {
                    _ if !is_sign => character,
                    Some(stands) => stands,
                    None => {
                        let stands = unused.next()?;
                        pairs.push((character, stands));
                        stands
                    }
                };
                found.push(stands);
            }
            rest = left;
        }
        (!pairs.is_empty()).then_some(StandIns { text: found, pairs })
    }

    /// The value with its placeholders, each as `${…}`.
    fn written(&self, value: &str) -> String {
        let of =
            |character| self.pairs.iter().find(|(_, stands)| *stands == character).map_or(character, |pair| pair.0);
        let written: String = value.chars().map(of).collect();
        let (mut found, mut rest) = (String::new(), &*written);
        while let Some(first) = rest.chars().next() {
            let length = placeholder(rest).unwrap_or(first.len_utf8());
            let (token, left) = rest.split_at(length);
            let name = token.trim_matches(first);
            let is_other = length > first.len_utf8() && first != '$';
            found += &if is_other { format!("${{{name}}}") } else { token.to_owned() };
            rest = left;
        }
        found
    }
}

/// The length of the placeholder with which a text begins: `${…}`, with others in it.
pub(crate) fn braced(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("${")?;
    let mut depth = 1;
    let closing = inside.char_indices().find(|(_, character)| {
        depth += match character {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth == 0
    });
    closing.map(|(at, _)| "${".len() + at + "}".len())
}

/// The length of the placeholder with which a text begins, on one line.
fn placeholder(text: &str) -> Option<usize> {
    if text.starts_with("${") {
        return braced(text.split('\n').next()?);
    }
    let mark = MARKS.into_iter().find(|mark| text.starts_with(*mark))?;
    let marks = text.len() - text.trim_start_matches(mark).len();
    let inside = text.get(marks..)?;
    let end = inside.find(|character: char| !(character.is_ascii_alphanumeric() || "_.-".contains(character)))?;
    let closing = inside.get(end..)?;
    let is_closed = closing.len() - closing.trim_start_matches(mark).len() >= marks;
    (end > 0 && is_closed).then_some(marks + end + marks)
}

#[cfg(test)]
mod tests {
    use crate::{Source, to_json};

    #[test]
    fn a_document_with_placeholders_is_read() {
        for (text, expected) in [
            ("a: [${NAMES}]\nb: '{x}'\n", r#"{"a":["${NAMES}"],"b":"{x}"}"#),
            ("a: {b: ${B:=[c, {d: e}]}, f: 1}\n", r#"{"a":{"b":"${B:=[c, {d: e}]}","f":1}}"#),
            ("a: @VERSION@\n", r#"{"a":"${VERSION}"}"#),
            ("a: %%VERSION%%-1\n", r#"{"a":"${VERSION}-1"}"#),
        ] {
            let source = Source { name: String::new(), text: text.to_owned() };
            assert_eq!(to_json(&source).as_deref(), Ok(expected), "{text}");
        }
    }
}
