//! The fields of an object and the elements of a list.

use super::{Document, Json};
use crate::level::{Key, Node};

/// The fields of an object: keys without their escapes, and values.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) fields: std::slice::Iter<'a, (Key, Node)>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(document: &'a Document<'a>, (key, node): &'a (Key, Node)) -> (&'a str, Json<'a>) {
        (key.plain(&document.text), Json { document, node: Some(node) })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a str, Json<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.fields.next().map(|field| Fields::of(self.document, field))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.fields.size_hint()
    }
}

impl DoubleEndedIterator for Fields<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.fields.next_back().map(|field| Fields::of(self.document, field))
    }
}

impl ExactSizeIterator for Fields<'_> {}

/// The elements of a list.
#[derive(Debug, Clone)]
pub struct Elements<'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) elements: std::slice::Iter<'a, Node>,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Json<'a>> {
        let node = self.elements.next();
        node.map(|node| Json { document: self.document, node: Some(node) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }
}

impl ExactSizeIterator for Elements<'_> {}
