//! Values of the object under review as they stand in its text. A value is cheap to copy and knows no path: where it
//! stands is worked out from its place in the text, for the few that somebody has to hear of.

use std::borrow::Cow;

use crate::json::{self, Field};

/// One value; what is absent is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node<'a>(pub(super) &'a str);

/// A value of another shape than its place asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrong<'a> {
    pub(super) node: Node<'a>,
    /// What is wrong, as the end of a sentence that begins with its path.
    pub(super) problem: &'static str,
}

impl<'a> Node<'a> {
    pub(super) fn is_null(self) -> bool {
        self.0 == "null"
    }

    pub(super) fn is_true(self) -> bool {
        self.0 == "true"
    }

    /// The value under `path`.
    ///
    /// # Errors
    /// When a step leads through something that is no object.
    pub(super) fn get(self, path: &[&str]) -> Result<Self, Wrong<'a>> {
        let mut here = self;
        for step in path {
            // The last of several fields of one name counts.
            let found = here.fields()?.into_iter().rfind(|field| field.key == *step);
            here = found.map_or(Node("null"), |field| Node(field.value));
        }
        Ok(here)
    }

    /// The fields of an object.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn fields(self) -> Result<Vec<Field<'a>>, Wrong<'a>> {
        if self.is_null() {
            return Ok(Vec::new());
        }
        json::fields(self.0).ok_or_else(|| self.wrong("is not an object"))
    }

    /// The elements of a list.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn elements(self) -> Result<Vec<&'a str>, Wrong<'a>> {
        if self.is_null() {
            return Ok(Vec::new());
        }
        json::elements(self.0).ok_or_else(|| self.wrong("is not a list"))
    }

    /// The string under `path`, empty where it is absent.
    ///
    /// # Errors
    /// As [`Node::get`], and when it is none.
    pub(super) fn string(self, path: &[&str]) -> Result<Cow<'a, str>, Wrong<'a>> {
        let found = self.get(path)?;
        if found.is_null() {
            return Ok(Cow::Borrowed(""));
        }
        json::string(found.0).ok_or_else(|| found.wrong("is not a string"))
    }

    /// What is directly in it, elements without a key; nothing is in what is neither list nor object.
    fn below(self) -> Vec<Field<'a>> {
        let element = |value| Field { key: Cow::Borrowed(""), value };
        json::fields(self.0)
            .unwrap_or_else(|| json::elements(self.0).unwrap_or_default().into_iter().map(element).collect())
    }

    pub(super) fn wrong(self, problem: &'static str) -> Wrong<'a> {
        Wrong { node: self, problem }
    }

    /// Where a part of this value's text begins; `None` where it is no part of it.
    pub(super) fn offset(self, part: Node<'_>) -> Option<usize> {
        let offset = (part.0.as_ptr() as usize).checked_sub(self.0.as_ptr() as usize)?;
        (offset + part.0.len() <= self.0.len()).then_some(offset)
    }
}

/// Where parts of a `spec` stand. What encloses them is read once, as far as they are asked for in their order.
pub(super) struct Places<'a> {
    spec: Node<'a>,
    /// The values that enclose the last part, outermost first, and what is directly in them.
    around: Vec<(usize, Vec<Field<'a>>)>,
}

impl<'a> Places<'a> {
    pub(super) fn of(spec: Node<'a>) -> Self {
        Places { spec, around: Vec::new() }
    }

    /// The path to a part, from the object's root. What is no part of the `spec` is a path already.
    pub(super) fn locate(&mut self, part: Node<'_>) -> String {
        let begin = |text: &str| text.as_ptr() as usize;
        if self.spec.offset(part).is_none() {
            return part.0.to_owned();
        }
        let (mut here, mut path, mut depth) = (self.spec, "spec".to_owned(), 0);
        // What is in a value begins after it.
        while begin(here.0) != begin(part.0) {
            if self.around.get(depth).is_none_or(|(known, _)| *known != begin(here.0)) {
                self.around.truncate(depth);
                self.around.push((begin(here.0), here.below()));
            }
            let below = self.around.get(depth).map_or(&[][..], |(_, below)| below);
            let index = below.partition_point(|field| begin(field.value) <= begin(part.0)).saturating_sub(1);
            let Some(field) = below.get(index) else {
                break;
            };
            if here.0.starts_with('[') {
                path.push_str(&format!("[{index}]"));
            } else {
                path.push('.');
                path.push_str(&field.key);
            }
            here = Node(field.value);
            depth += 1;
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"a": {"b" : [1, {"c": "x"}, null]}, "d": {"b": [1]}}"#;

    #[test]
    fn a_part_is_located_by_its_place() {
        let root = Node(TEXT);
        let list = root.get(&["a", "b"]).unwrap();
        let element = Node(list.elements().unwrap()[1]);
        let mut places = Places::of(root);
        let mut located = |part: Node<'_>| places.locate(part);
        assert_eq!(located(element.get(&["c"]).unwrap()), "spec.a.b[1].c");
        assert_eq!(located(root.get(&["d", "b"]).unwrap()), "spec.d.b");
        assert_eq!(located(root), "spec");
        assert_eq!(located(Node("metadata.name")), "metadata.name");
    }

    #[test]
    fn what_is_absent_is_null() {
        let root = Node(TEXT);
        assert!(root.get(&["x", "y"]).unwrap().is_null());
        assert_eq!(root.string(&["x"]).unwrap(), "");
        assert!(root.get(&["x"]).unwrap().elements().unwrap().is_empty());
        assert_eq!(root.get(&["a", "b", "c"]).unwrap_err().problem, "is not an object");
        assert_eq!(root.string(&["a"]).unwrap_err().problem, "is not a string");
        assert_eq!(root.elements().unwrap_err().problem, "is not a list");
    }
}
