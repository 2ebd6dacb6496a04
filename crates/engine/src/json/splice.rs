//! Writes entries of maps and objects into an object's text; every other byte stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::scan::Scanner;
use serde_json::value::RawValue;

use crate::json::path::Step;
use crate::json::{self, fields};

/// One entry of one map or object to set, or with no value to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Write {
    /// The map or object, from the root: `metadata`, `labels`.
    pub(crate) map: Vec<Step>,
    pub(crate) key: String,
    /// JSON.
    pub(crate) value: Option<String>,
}

/// The object with all `writes` in it.
///
/// Maps and the objects that hold them are made where they are absent or null, unless nothing would be in them. A
/// `deletion` goes with the last of its fields: Cluster API allows no empty one.
///
/// # Errors
/// When the text is not a JSON object, or a step of a path is neither an object nor null, or not an element of a list.
fn splice(object: &str, writes: &[Write]) -> Result<String, serde_json::Error> {
    let mut plan = Plan::default();
    for write in writes {
        plan.add(&write.map, &write.key, write.value.as_deref());
    }
    let mut out = String::with_capacity(object.len() + 64 * writes.len());
    plan.write(Some(object), &mut out)?;
    Ok(out)
}

/// The object with all `writes` in it, as an answer carries it.
///
/// # Errors
/// As [`splice`].
pub(crate) fn written(object: &str, writes: &[Write]) -> Result<Box<RawValue>, serde_json::Error> {
    splice(object, writes).and_then(RawValue::from_string)
}

/// What changes below one object: fields that hold further objects, keys set and keys removed.
#[derive(Default)]
struct Plan<'a> {
    below: Vec<(Step, Plan<'a>)>,
    keys: BTreeMap<&'a str, Option<&'a str>>,
}

impl<'a> Plan<'a> {
    fn add(&mut self, path: &[Step], key: &'a str, value: Option<&'a str>) {
        let [step, rest @ ..] = path else {
            self.keys.insert(key, value);
            return;
        };
        match self.below.iter_mut().find(|(known, _)| known == step) {
            Some((_, plan)) => plan.add(rest, key, value),
            None => {
                let mut plan = Plan::default();
                plan.add(rest, key, value);
                self.below.push((*step, plan));
            }
        }
    }

    fn sets_something(&self) -> bool {
        self.keys.values().any(Option::is_some) || self.below.iter().any(|(_, plan)| plan.sets_something())
    }

    fn write(&self, object: Option<&str>, out: &mut String) -> Result<(), serde_json::Error> {
        if self.below.iter().any(|(step, _)| matches!(step, Step::Element(_))) {
            return self.write_list(object.unwrap_or_default(), out);
        }
        let object = object.filter(|text| *text != "null").unwrap_or("{}");
        let fields = fields(object).ok_or_else(not_an_object)?;
        let mut entries = Entries { out, any: false };
        entries.out.push('{');
        let mut rest = object.trim_start().strip_prefix('{').unwrap_or_default();
        for field in &fields {
            let value = field.value;
            // What stands between the previous value and this one: a comma, the key, a colon, white space.
            let (before, after) = rest.split_at(value.as_ptr() as usize - rest.as_ptr() as usize);
            rest = after.get(value.len()..).unwrap_or_default();
            let known = self.below.iter().find(|(step, _)| matches!(step, Step::Field(name) if *name == field.key));
            if let Some((step, plan)) = known {
                let mut written = String::new();
                if value == "null" && !plan.sets_something() {
                    written.push_str(value);
                } else {
                    plan.write(Some(value), &mut written)?;
                }
                let stays = *step != Step::Field("deletion") || value == written;
                if stays || json::fields(&written).is_none_or(|fields| !fields.is_empty()) {
                    entries.keep(before).push_str(&written);
                }
            } else if let Some(change) = self.keys.get(&*field.key) {
                if let Some(new) = change {
                    entries.keep(before).push_str(new);
                }
            } else {
                entries.keep(before).push_str(value);
            }
        }
        let names: BTreeSet<&str> = fields.iter().map(|field| &*field.key).collect();
        let stands = |name: &str| names.contains(name);
        for (step, plan) in &self.below {
            if let Step::Field(name) = step
                && plan.sets_something()
                && !stands(name)
            {
                plan.write(None, entries.add(name)?)?;
            }
        }
        for (key, value) in &self.keys {
            if let Some(value) = value.filter(|_| !stands(key)) {
                entries.add(key)?.push_str(value);
            }
        }
        entries.out.push_str(rest);
        Ok(())
    }
}

impl Plan<'_> {
    fn write_list(&self, list: &str, out: &mut String) -> Result<(), serde_json::Error> {
        let elements = Scanner::new(list).list().ok_or_else(not_an_object)?;
        let mut rest = list;
        for (index, element) in elements.iter().enumerate() {
            let (before, after) = rest.split_at(element.as_ptr() as usize - rest.as_ptr() as usize);
            rest = after.get(element.len()..).unwrap_or_default();
            out.push_str(before);
            match self.below.iter().find(|(step, _)| *step == Step::Element(index)) {
                Some((_, plan)) => plan.write(Some(element), out)?,
                None => out.push_str(element),
            }
        }
        out.push_str(rest);
        Ok(())
    }
}

/// The entries of one object being written, with a comma between each two.
struct Entries<'a> {
    out: &'a mut String,
    any: bool,
}

impl Entries<'_> {
    /// Makes room for the value of an entry that stood here with `before` in front of it.
    fn keep(&mut self, before: &str) -> &mut String {
        let first = !std::mem::replace(&mut self.any, true);
        // Where all entries before this one were removed, its comma separates nothing.
        let before = if first { before.trim_start().strip_prefix(',').unwrap_or(before) } else { before };
        self.out.push_str(before);
        self.out
    }

    /// Makes room for the value of a new entry.
    fn add(&mut self, key: &str) -> Result<&mut String, serde_json::Error> {
        if std::mem::replace(&mut self.any, true) {
            self.out.push(',');
        }
        self.out.push_str(&serde_json::to_string(key)?);
        self.out.push(':');
        Ok(self.out)
    }
}

fn not_an_object() -> serde_json::Error {
    serde::de::Error::custom("not an object on the way to a map")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::path::steps;

    fn write(map: &[&'static str], key: &str, value: Option<&str>) -> Write {
        Write { map: steps(map), key: key.to_owned(), value: value.map(|value| serde_json::to_string(value).unwrap()) }
    }

    const LABELS: &[&str] = &["metadata", "labels"];

    #[track_caller]
    fn check(object: &str, writes: &[Write], expected: &str) {
        assert_eq!(splice(object, writes).unwrap(), expected);
    }

    #[test]
    fn every_byte_around_a_written_map_survives() {
        check(
            "{ \"z\" : [1.0, 1e3 ],\n\"metadata\": {\"labels\" :{ \"\\u0061\" : \"1\" , \"b\":\"2\"\n} , \"x\":1}, \"a\":\"\\/\" }",
            &[write(LABELS, "b", Some("new")), write(LABELS, "c", Some("3"))],
            "{ \"z\" : [1.0, 1e3 ],\n\"metadata\": {\"labels\" :{ \"\\u0061\" : \"1\" , \"b\":\"new\",\"c\":\"3\"\n} , \"x\":1}, \"a\":\"\\/\" }",
        );
    }

    #[test]
    fn missing_and_null_maps_are_made() {
        check("{}", &[write(LABELS, "a", Some("1"))], r#"{"metadata":{"labels":{"a":"1"}}}"#);
        check(
            r#"{"metadata":{"labels":null},"spec":{}}"#,
            &[write(LABELS, "a", Some("1")), write(&["spec", "template", "metadata", "annotations"], "b", Some("\""))],
            r#"{"metadata":{"labels":{"a":"1"}},"spec":{"template":{"metadata":{"annotations":{"b":"\""}}}}}"#,
        );
    }

    #[test]
    fn a_value_may_be_any_json() {
        let seconds =
            Write { value: Some("60".to_owned()), ..write(&["spec", "deletion"], "nodeDrainTimeoutSeconds", None) };
        check(r#"{"spec":{}}"#, &[seconds], r#"{"spec":{"deletion":{"nodeDrainTimeoutSeconds":60}}}"#);
    }

    #[test]
    fn nothing_is_made_for_a_removal() {
        check("{}", &[write(LABELS, "a", None)], "{}");
        check(r#"{"metadata":{"labels":null}}"#, &[write(LABELS, "a", None)], r#"{"metadata":{"labels":null}}"#);
    }

    #[test]
    fn a_removed_entry_takes_its_comma_along() {
        for (object, expected) in [
            (r#"{"metadata":{"labels":{"a":"1","b":"2","c":"3"}}}"#, r#"{"metadata":{"labels":{"b":"2","c":"3"}}}"#),
            (r#"{"metadata":{"labels":{"b":"2","a":"1","c":"3"}}}"#, r#"{"metadata":{"labels":{"b":"2","c":"3"}}}"#),
            (r#"{"metadata":{"labels":{"b":"2","a":"1"}}}"#, r#"{"metadata":{"labels":{"b":"2"}}}"#),
            (r#"{"metadata":{"labels":{"a":"1"}}}"#, r#"{"metadata":{"labels":{}}}"#),
        ] {
            check(object, &[write(LABELS, "a", None)], expected);
        }
    }

    #[test]
    fn a_removed_first_entry_makes_room_for_an_added_one() {
        check(
            r#"{"metadata":{"labels":{"a":"1"}}}"#,
            &[write(LABELS, "a", None), write(LABELS, "b", Some("2"))],
            r#"{"metadata":{"labels":{"b":"2"}}}"#,
        );
    }

    #[test]
    fn elements_of_a_list_are_written_where_they_stand() {
        let path = [Step::Field("list"), Step::Element(1), Step::Field("metadata"), Step::Field("labels")];
        let label = Write { map: path.to_vec(), ..write(&[], "a", Some("1")) };
        check(
            r#"{"list":[ {"n":0} , {"n":1}]}"#,
            &[label],
            r#"{"list":[ {"n":0} , {"n":1,"metadata":{"labels":{"a":"1"}}}]}"#,
        );
    }

    #[test]
    fn a_deletion_goes_with_the_last_of_its_fields_and_nothing_else_does() {
        let gone = [write(&["spec", "deletion"], "order", None)];
        check(r#"{"spec":{"deletion":{"order":"Oldest"},"a":1}}"#, &gone, r#"{"spec":{"a":1}}"#);
        check(r#"{"spec":{"deletion":{},"a":1}}"#, &gone, r#"{"spec":{"deletion":{},"a":1}}"#);
        check(r#"{"spec":{"deletion":{"order":"Oldest"}}}"#, &gone, r#"{"spec":{}}"#);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(splice("[]", &[write(LABELS, "a", Some("1"))]).is_err());
        assert!(splice(r#"{"metadata":"x"}"#, &[write(LABELS, "a", Some("1"))]).is_err());
    }
}
