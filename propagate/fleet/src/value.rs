//! A text that contains one value and no Kubernetes object, such as settings.

use std::ops::Range;

use crate::json::json;
use crate::locate::find;
use crate::problem::messages;
use crate::source::Source;
use crate::tree::{Tree, TreeFault};

/// The value of a text, and the positions of its parts.
pub struct ValueText<'t> {
    tree: Tree<'t>,
    json: String,
    /// Duplicate keys, and where, in bytes.
    twice: Vec<(String, usize)>,
}

/// Why a text contains no value.
#[derive(Debug, PartialEq, Eq)]
pub struct NoValue {
    /// One sentence: lower case, no final stop, input in backticks.
    pub message: String,
    /// Where, in bytes.
    pub at: usize,
}

impl<'t> ValueText<'t> {
    /// Reads a text of YAML or JSON. An empty text is null.
    ///
    /// # Errors
    /// When it is not YAML, has several documents, or JSON has no such value.
    pub fn read(source: &'t Source) -> Result<ValueText<'t>, NoValue> {
        if let Some(second) = source.documents().get(1) {
            return Err(NoValue { message: messages::MORE_DOCUMENTS.to_owned(), at: second.start });
        }
        let no_value = |TreeFault { message, at }| NoValue { message, at };
        let tree = Tree::read(&source.text).map_err(no_value)?;
        let Some(root) = tree.root() else {
            return Ok(ValueText { tree, json: "null".to_owned(), twice: Vec::new() });
        };
        let json = json(&tree, root, source.text.len()).map_err(no_value)?;
        let twice = json.twice.into_iter().map(|twice| (messages::twice(&twice.key), twice.at)).collect();
        Ok(ValueText { json: json.text, tree, twice })
    }

    /// The value as JSON.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The messages about duplicate keys, and where, in bytes.
    pub fn twice(&self) -> &[(String, usize)] {
        &self.twice
    }

    /// The value at a path such as `clusterApi.controllers[1]` or `cloudTags.definitions[platform/env].scope`, in
    /// bytes; if there is none, what it would be in.
    pub fn locate(&self, path: &str) -> Range<usize> {
        find(&self.tree, None, path, None).map_or(0..0, |(span, _)| span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { name: "settings.yaml".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn parts_are_found_by_their_path() {
        let source =
            source("clusterApi:\n  controllers: [a, 7]\ncloudTags:\n  definitions: {platform/env: {scope: team}}\n");
        let value = ValueText::read(&source).ok().unwrap();
        for (path, expected) in [
            ("clusterApi.controllers[1]", "7"),
            ("cloudTags.definitions[platform/env].scope", "team"),
            ("cloudTags.definitions[platform/env].absent", "platform/env"),
            ("clusterApi.node", "clusterApi"),
        ] {
            assert_eq!(&source.text[value.locate(path)], expected, "{path}");
        }
    }

    #[test]
    fn a_text_without_content_is_null() {
        assert_eq!(ValueText::read(&source("# nothing\n")).ok().unwrap().json(), "null");
    }

    #[test]
    fn a_second_document_is_refused() {
        let refused = NoValue { message: messages::MORE_DOCUMENTS.to_owned(), at: 5 };
        assert_eq!(ValueText::read(&source("a: 1\n---\nb: 2\n")).err().unwrap(), refused);
    }
}
