//! The view that the settings are read by, until they are read by serde.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::document::Document;
use super::{Malformed, string};

/// A label or annotation map.
type Map<'a> = BTreeMap<Cow<'a, str>, Cow<'a, str>>;

/// One JSON value inside a larger text, and the path that leads to it.
#[derive(Debug, Clone)]
pub(crate) struct Json<'a> {
    text: &'a str,
    path: String,
}

impl<'a> Json<'a> {
    pub(crate) fn new(text: &'a str, path: impl Into<String>) -> Self {
        Json { text, path: path.into() }
    }

    /// The value as it is written.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Where the value stands.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The fields of this object, in the order they stand.
    ///
    /// # Errors
    /// When the value is not a JSON object.
    pub(crate) fn fields(&self) -> Result<Vec<Field<'a>>, Malformed> {
        fields(self.text).ok_or_else(|| self.malformed("is not an object"))
    }

    /// The fields of this object that are not null, each with its path.
    ///
    /// # Errors
    /// When the value is not a JSON object.
    pub(crate) fn present_fields(&self) -> Result<impl Iterator<Item = (Cow<'a, str>, Json<'a>)> + use<'a>, Malformed> {
        let path = self.path.clone();
        let present = self.fields()?.into_iter().filter(|field| field.value != "null");
        Ok(present.map(move |field| {
            let path = step(&path, &field.key);
            (field.key, Json { text: field.value, path })
        }))
    }

    /// This value as a string.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn as_string(&self) -> Result<Cow<'a, str>, Malformed> {
        string(self.text).ok_or_else(|| self.malformed("is not a string"))
    }

    /// This value as a map of strings.
    ///
    /// # Errors
    /// When the value is not an object or one of its values is not a string.
    pub(crate) fn as_map(&self) -> Result<Map<'a>, Malformed> {
        let fields = self.fields().map_err(|_| self.malformed("is not a map of strings"))?;
        let mut map = Map::new();
        for field in fields {
            let Some(value) = string(field.value) else {
                let problem = format!("is not a map of strings: the value of `{}` is not a string", field.key);
                return Err(self.malformed(&problem));
            };
            map.insert(field.key, value);
        }
        Ok(map)
    }

    /// The elements of this list.
    ///
    /// # Errors
    /// When the value is not a list.
    pub(crate) fn elements(&self) -> Result<Vec<Json<'a>>, Malformed> {
        let elements = elements(self.text).ok_or_else(|| self.malformed("is not a list"))?;
        let place = |(index, text)| Json { text, path: format!("{}[{index}]", self.path) };
        Ok(elements.into_iter().enumerate().map(place).collect())
    }

    pub(crate) fn malformed(&self, problem: &str) -> Malformed {
        let path = if self.path.is_empty() { "object" } else { &self.path };
        Malformed { path: path.to_owned(), problem: problem.to_owned() }
    }
}

fn step(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// One field of a JSON object: its key, unescaped, and its value's bytes in the original text.
#[derive(Debug)]
pub(crate) struct Field<'a> {
    pub(crate) key: Cow<'a, str>,
    pub(crate) value: &'a str,
}

/// The fields of a JSON object, in the order they stand; `None` where `text` is none.
fn fields(text: &str) -> Option<Vec<Field<'_>>> {
    let document = Document::new(text);
    let fields = document.root().present()?.as_fields()?;
    let field = |(key, value): (&str, super::document::Json<'_>)| Field {
        key: Cow::Owned(key.to_owned()),
        value: value.text_in(text),
    };
    Some(fields.map(field).collect())
}

/// The elements of a JSON list; `None` where `text` is none.
fn elements(text: &str) -> Option<Vec<&str>> {
    let document = Document::new(text);
    let elements = document.root().present()?.as_elements()?;
    Some(elements.map(|element| element.text_in(text)).collect())
}
