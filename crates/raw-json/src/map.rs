//! A map of labels or annotations.

use super::document::Json;
use super::path::Malformed;

/// A map of labels or annotations, sorted by key. Values are unescaped on use: some are long, and most are skipped.
#[derive(Debug, Clone, Default)]
pub struct Map<'a> {
    entries: Vec<(&'a str, Json<'a>)>,
}

/// A map of at most this many entries is searched linearly: most keys differ in length, and are not compared.
const FEW: usize = 16;

impl<'a> Json<'a> {
    /// This value as a map of strings.
    ///
    /// # Errors
    /// When it is not an object, or one of its values is not a string.
    pub fn as_map(self) -> Result<Map<'a>, Malformed> {
        Map::read(self)
    }
}

impl<'a> Map<'a> {
    fn read(json: Json<'a>) -> Result<Self, Malformed> {
        let fields = json.as_fields().ok_or_else(|| json.malformed("is not a map of strings"))?;
        let mut entries = Vec::with_capacity(fields.len());
        let mut is_sorted = true;
        for (key, value) in fields {
            if !value.text().starts_with('"') {
                let problem = format!("is not a map of strings: the value of `{key}` is not a string");
                return Err(json.malformed(problem));
            }
            is_sorted &= entries.last().is_none_or(|(last, _)| *last < key);
            entries.push((key, value));
        }
        if !is_sorted {
            entries.sort_by_key(|(key, _)| *key);
            // Of several entries with one key the last counts.
            entries.reverse();
            entries.dedup_by_key(|(key, _)| *key);
            entries.reverse();
        }
        Ok(Map { entries })
    }

    /// Whether there is an entry under a key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.json(key).is_some()
    }

    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.json(key).map(plain)
    }

    /// The value under a key, as written.
    pub fn json(&self, key: &str) -> Option<Json<'a>> {
        if self.entries.len() <= FEW {
            return self.entries.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
        }
        let index = self.entries.binary_search_by_key(&key, |(known, _)| known).ok()?;
        self.entries.get(index).map(|(_, value)| *value)
    }

    /// The keys, ascending.
    pub fn keys(&self) -> impl Iterator<Item = &'a str> {
        self.entries.iter().map(|(key, _)| *key)
    }

    /// The entries as written, by ascending key.
    pub fn entries(&self) -> impl Iterator<Item = (&'a str, Json<'a>)> {
        self.entries.iter().copied()
    }

    /// The entries, by ascending key.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.entries.iter().map(|(key, value)| (*key, plain(*value)))
    }
}

/// A string; invalid escapes are kept as written.
pub fn plain(value: Json<'_>) -> &str {
    value.as_str().unwrap_or_else(|| value.text())
}

impl PartialEq for Map<'_> {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |((key, value), (of, other)): (&(&str, Json<'_>), &(&str, Json<'_>))| {
            key == of && (value == other || plain(*value) == plain(*other))
        };
        self.entries.len() == other.entries.len() && self.entries.iter().zip(&other.entries).all(is_same)
    }
}

impl Eq for Map<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn entries(text: &str) -> Vec<(String, String)> {
        let document = Document::new(text);
        let map = Map::read(document.root()).unwrap();
        map.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    fn expected<const N: usize>(entries: [(&str, &str); N]) -> Vec<(String, String)> {
        entries.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
    }

    #[test]
    fn entries_are_sorted_and_unescaped() {
        let text = r#"{"b\"c":"x\ny","a":"1"}"#;
        assert_eq!(entries(text), expected([("a", "1"), ("b\"c", "x\ny")]));
    }

    #[test]
    fn the_last_of_several_entries_of_one_key_counts() {
        assert_eq!(entries(r#"{"b":"1","a":"1","a":"2","b":"2","a":"3"}"#), expected([("a", "3"), ("b", "2")]));
    }

    #[test]
    fn a_value_is_found_by_its_key() {
        let document = Document::new(r#"{"b":"1","a":"\u0061","c":"2"}"#);
        let map = Map::read(document.root()).unwrap();
        assert_eq!((map.get("a"), map.get("b"), map.get("d")), (Some("a"), Some("1"), None));
        assert_eq!(map.json("a").map(Json::text), Some(r#""\u0061""#));
        assert!(map.contains_key("c") && !map.contains_key(""));
    }

    #[test]
    fn maps_are_compared_by_meaning() {
        for (a, b, is_same) in [
            (r#"{"a":"1","b":"2"}"#, r#"{ "b":"2", "a":"\u0031" }"#, true),
            (r#"{"a":"1"}"#, r#"{"a":"2"}"#, false),
            (r#"{"a":"1"}"#, r#"{"b":"1"}"#, false),
            (r#"{"a":"1"}"#, "{}", false),
            ("null", "{}", true),
        ] {
            let (a, b) = (Document::new(a), Document::new(b));
            assert_eq!(Map::read(a.root()).unwrap() == Map::read(b.root()).unwrap(), is_same, "{a:?} {b:?}");
        }
    }

    #[test]
    fn what_is_not_a_map_of_strings_is_named() {
        for (text, expected) in [
            ("[]", "`object` is not a map of strings"),
            (r#"{"a":1}"#, "`object` is not a map of strings: the value of `a` is not a string"),
            (r#"{"a":null}"#, "`object` is not a map of strings: the value of `a` is not a string"),
        ] {
            assert_eq!(Map::read(Document::new(text).root()).unwrap_err().to_string(), expected);
        }
    }
}
