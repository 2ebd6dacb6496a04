//! Raw JSON read in place: an object's fields as spans of the text they stand in, and values by path.
//!
//! Nothing here builds a document tree. What is not asked for is skipped over and keeps its bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use crate::json::scan::Scanner;

/// A label or annotation map.
pub(crate) type Map<'a> = BTreeMap<Cow<'a, str>, Cow<'a, str>>;

/// JSON of another shape than its place asks for: where, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Dotted path from the object's root, such as `spec.template.metadata.labels`.
    pub path: String,
    /// What is wrong, as the end of a sentence that begins with the path.
    pub problem: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.path, self.problem)
    }
}

impl std::error::Error for Malformed {}

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

    /// The value under `path`; `None` where a step is absent or null.
    ///
    /// A step `[]` stands for the element of a list whose field and value are `element`'s.
    ///
    /// # Errors
    /// When a step leads through something that is neither an object nor, for `[]`, a list of objects.
    pub(crate) fn at(&self, path: &[&str], element: Option<(&str, &str)>) -> Result<Option<Json<'a>>, Malformed> {
        let mut here = self.clone();
        for step in path {
            let next = match (*step, element) {
                ("[]", Some(element)) => here.element(element)?,
                (name, _) => here.field(name)?,
            };
            match next {
                Some(next) => here = next,
                None => return Ok(None),
            }
        }
        Ok(Some(here))
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

    /// The string under `path`; `None` where it is absent, null or empty.
    ///
    /// # Errors
    /// As [`Json::at`], and when the value is not a string.
    pub(crate) fn string(&self, path: &[&str]) -> Result<Option<Cow<'a, str>>, Malformed> {
        let found = self.at(path, None)?.map(|found| found.as_string()).transpose()?;
        Ok(found.filter(|text| !text.is_empty()))
    }

    /// This value as a string.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn as_string(&self) -> Result<Cow<'a, str>, Malformed> {
        string(self.text).ok_or_else(|| self.malformed("is not a string"))
    }

    /// The map of strings under `path`; empty where it is absent or null.
    ///
    /// # Errors
    /// As [`Json::at`], and when the value is not an object or one of its values is not a string.
    pub(crate) fn map(&self, path: &[&str]) -> Result<Map<'a>, Malformed> {
        match self.at(path, None)? {
            Some(found) => found.as_map(),
            None => Ok(Map::new()),
        }
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

    /// Whether the boolean under `path` is true.
    ///
    /// # Errors
    /// As [`Json::at`].
    pub(crate) fn is_true(&self, path: &[&str]) -> Result<bool, Malformed> {
        Ok(self.at(path, None)?.is_some_and(|found| found.text == "true"))
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

    fn field(&self, name: &str) -> Result<Option<Json<'a>>, Malformed> {
        let path = step(&self.path, name);
        // The last of several fields of one name counts, as it does for every JSON parser of a Kubernetes cluster.
        let found = self.fields()?.into_iter().rfind(|field| field.key == name);
        Ok(found.filter(|field| field.value != "null").map(|field| Json { text: field.value, path }))
    }

    fn element(&self, (name, value): (&str, &str)) -> Result<Option<Json<'a>>, Malformed> {
        for element in self.elements()? {
            if element.string(&[name])?.as_deref() == Some(value) {
                return Ok(Some(element));
            }
        }
        Ok(None)
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
pub(crate) fn fields(text: &str) -> Option<Vec<Field<'_>>> {
    let mut fields = Vec::with_capacity(16);
    let mut scanner = Scanner::new(text);
    scanner.object(|key, scanner| {
        let value = scanner.value()?;
        fields.push(Field { key: string(scanner.slice(key))?, value: scanner.slice(value) });
        Some(())
    })?;
    scanner.is_done().then_some(fields)
}

/// The elements of a JSON list; `None` where `text` is none.
pub(crate) fn elements(text: &str) -> Option<Vec<&str>> {
    let mut elements = Vec::new();
    Scanner::new(text).list(|scanner| {
        let value = scanner.value()?;
        elements.push(scanner.slice(value));
        Some(())
    })?;
    Some(elements)
}

/// The text of a JSON string, `None` for any other value. Borrowed where it has no escapes.
pub(crate) fn string(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains(['\\', '"']) {
        serde_json::from_str(json).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: &str = r#"{"metadata":{"labels":{"a":"1","b\"c":"x\ny"},"annotations":null},
        "spec":{"list":[{"name":"one","n":1},{"name":"two","n":2}],"flag":true,"empty":""}}"#;

    fn object() -> Json<'static> {
        Json::new(OBJECT, "")
    }

    #[test]
    fn a_map_is_read_with_its_escapes() {
        let map = object().map(&["metadata", "labels"]).unwrap();
        let expected: Map<'_> = [("a".into(), "1".into()), ("b\"c".into(), "x\ny".into())].into();
        assert_eq!(map, expected);
    }

    #[test]
    fn absent_and_null_are_the_same() {
        assert_eq!(object().map(&["metadata", "annotations"]).unwrap(), Map::new());
        assert_eq!(object().map(&["nothing", "here"]).unwrap(), Map::new());
        assert_eq!(object().string(&["spec", "empty"]).unwrap(), None);
    }

    #[test]
    fn an_element_is_found_by_its_name() {
        let two = object().at(&["spec", "list", "[]", "n"], Some(("name", "two"))).unwrap().unwrap();
        assert_eq!((two.text, two.path.as_str()), ("2", "spec.list[1].n"));
        assert!(object().at(&["spec", "list", "[]"], Some(("name", "three"))).unwrap().is_none());
    }

    #[test]
    fn the_last_of_two_fields_of_one_name_counts() {
        assert_eq!(Json::new(r#"{"a":"1","a":"2"}"#, "").string(&["a"]).unwrap().as_deref(), Some("2"));
    }

    #[test]
    fn every_wrong_shape_names_path_and_culprit() {
        let problem = |path: &[&str]| object().map(path).unwrap_err().to_string();
        assert_eq!(problem(&["spec", "list"]), "`spec.list` is not a map of strings");
        assert_eq!(problem(&["spec"]), "`spec` is not a map of strings: the value of `list` is not a string");
        assert_eq!(problem(&["spec", "flag", "deep"]), "`spec.flag` is not an object");
        assert_eq!(Json::new("[]", "").map(&["a"]).unwrap_err().to_string(), "`object` is not an object");
        assert_eq!(object().string(&["spec"]).unwrap_err().to_string(), "`spec` is not a string");
        assert_eq!(
            object().at(&["metadata"], None).unwrap().unwrap().elements().unwrap_err().to_string(),
            "`metadata` is not a list"
        );
    }
}
