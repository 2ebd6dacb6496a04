//! A set of fields, in the format of `FieldsV1`: nested objects whose keys are steps, `f:NAME` for a field and `k:{…}`
//! for an element of a list. A value whose object is empty, or has the key `.`, is itself in the set.
//!
//! Source: structured-merge-diff, fieldpath/serialize.go, `emitContentsV1` and `readIterV1`.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::{Json, push_string};

/// The key that puts a value itself into the set, in addition to fields in it.
const ITSELF: &str = ".";

/// A value on the path is not an object, so this is no set of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotASet;

/// The part of a set that is below a path; `None` if nothing of it is in the set.
///
/// # Errors
/// When a value on the path is not an object.
pub fn below<'a>(set: Json<'a>, path: &[String]) -> Result<Option<Json<'a>>, NotASet> {
    let mut here = set;
    for step in path {
        here.as_fields().map(drop).ok_or(NotASet)?;
        let Some(next) = here.field(step) else { return Ok(None) };
        here = next;
    }
    here.as_fields().map(|_| Some(here)).ok_or(NotASet)
}

/// Whether the root of a part of a set is itself in the set.
pub fn has_itself(part: Option<Json<'_>>) -> bool {
    let Some((part, steps)) = part.and_then(|part| Some((part, part.as_fields()?))) else { return false };
    steps.len() == 0 || part.field(ITSELF).is_some()
}

/// What is changed in a set.
#[derive(Debug, Default)]
pub struct Transfer<'a> {
    /// The value with everything in it: as in another set, or removed from this one.
    whole: Option<Option<Json<'a>>>,
    /// Only the value: in the set or not.
    itself: Option<bool>,
    steps: BTreeMap<String, Transfer<'a>>,
}

impl<'a> Transfer<'a> {
    /// Puts the value at a path, with everything in it, into the set as `part` has it, or removes it.
    pub fn put(&mut self, path: &[String], part: Option<Json<'a>>) {
        self.at(path).whole = Some(part);
    }

    /// Puts the value at a path into the set or removes it; everything in it is unchanged.
    pub fn put_itself(&mut self, path: &[String], is_in: bool) {
        self.at(path).itself = Some(is_in);
    }

    fn at(&mut self, path: &[String]) -> &mut Transfer<'a> {
        path.iter().fold(self, |here, step| here.steps.entry(step.clone()).or_default())
    }

    /// Whether it changes no set. No path is empty.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The text of a set with the changes; `None` if nothing is left in it.
    ///
    /// # Errors
    /// When a value on a path is not an object.
    pub fn made_in(&self, set: Json<'_>) -> Result<Option<String>, NotASet> {
        self.write(Some(set), false)
    }

    /// `set` is the set at this path, and `had_itself` whether the value itself was in the set.
    fn write(&self, set: Option<Json<'_>>, had_itself: bool) -> Result<Option<String>, NotASet> {
        if let Some(part) = self.whole {
            return Ok(part.map(|part| part.text().to_owned()));
        }
        let known: Vec<(&str, Json<'_>)> = match set {
            Some(set) => set.as_fields().ok_or(NotASet)?.filter(|(step, _)| *step != ITSELF).collect(),
            None => Vec::new(),
        };
        let names: BTreeSet<&str> = known.iter().map(|(step, _)| *step).collect();
        let mut new = self.steps.keys().filter(|step| !names.contains(step.as_str())).peekable();
        let mut parts = Parts::default();
        if self.itself.unwrap_or(had_itself) {
            parts.add(ITSELF, "{}");
        }
        for (step, value) in &known {
            while let Some(step) = new.next_if(|new| new.as_str() < *step) {
                self.write_step(step, None, &mut parts)?;
            }
            match self.steps.contains_key(*step) {
                true => self.write_step(step, Some(*value), &mut parts)?,
                false => parts.add(step, value.text()),
            }
        }
        for step in new {
            self.write_step(step, None, &mut parts)?;
        }
        Ok(parts.end())
    }

    fn write_step(&self, step: &str, value: Option<Json<'_>>, parts: &mut Parts) -> Result<(), NotASet> {
        let Some(transfer) = self.steps.get(step) else { return Ok(()) };
        if let Some(text) = transfer.write(value, has_itself(value))? {
            parts.add(step, &text);
        }
        Ok(())
    }
}

/// The steps of one level being written.
#[derive(Default)]
struct Parts {
    text: String,
    steps: usize,
    has_itself: bool,
}

impl Parts {
    fn add(&mut self, step: &str, value: &str) {
        self.text.push(if self.text.is_empty() { '{' } else { ',' });
        push_string(&mut self.text, step);
        self.text.push(':');
        self.text.push_str(value);
        match step {
            ITSELF => self.has_itself = true,
            _ => self.steps += 1,
        }
    }

    /// A value that is in the set without anything in it is written as an empty object.
    fn end(mut self) -> Option<String> {
        match (self.has_itself, self.steps) {
            (false, 0) => None,
            (true, 0) => Some("{}".to_owned()),
            _ => {
                self.text.push('}');
                Some(self.text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    const TEAM: [&str; 3] = ["f:metadata", "f:labels", "f:team"];
    const LABELS: [&str; 2] = ["f:metadata", "f:labels"];

    fn path(steps: &[&str]) -> Vec<String> {
        steps.iter().map(|step| (*step).to_owned()).collect()
    }

    #[track_caller]
    fn check<'s>(set: &str, change: impl FnOnce(&mut Transfer<'s>), expected: Option<&str>) {
        let document = Document::new(set);
        let mut transfer = Transfer::default();
        change(&mut transfer);
        assert_eq!(transfer.made_in(document.root()).unwrap().as_deref(), expected, "{set}");
    }

    #[test]
    fn what_goes_takes_what_is_left_empty_along() {
        let leave = |transfer: &mut Transfer<'_>| transfer.put(&path(&TEAM), None);
        check(r#"{"f:metadata":{"f:labels":{"f:team":{}}}}"#, leave, None);
        check(
            r#"{"f:metadata":{"f:labels":{"f:a":{},"f:team":{}}}}"#,
            leave,
            Some(r#"{"f:metadata":{"f:labels":{"f:a":{}}}}"#),
        );
        check(r#"{"f:metadata":{"f:labels":{".":{},"f:team":{}}}}"#, leave, Some(r#"{"f:metadata":{"f:labels":{}}}"#));
        check(r#"{"f:metadata":{"f:labels":{}}}"#, leave, Some(r#"{"f:metadata":{"f:labels":{}}}"#));
        check(r#"{"f:spec":{"f:a":{}}}"#, leave, Some(r#"{"f:spec":{"f:a":{}}}"#));
    }

    #[test]
    fn what_comes_back_goes_where_the_api_server_writes_it() {
        let stored = Document::new("{}");
        let part = Some(stored.root());
        check("{}", |transfer| transfer.put(&path(&TEAM), part), Some(r#"{"f:metadata":{"f:labels":{"f:team":{}}}}"#));
        check(
            r#"{"f:metadata":{"f:annotations":{"f:x":{}},"f:labels":{".":{},"f:a":{},"f:z":{}}},"f:spec":{}}"#,
            |transfer| transfer.put(&path(&TEAM), part),
            Some(
                r#"{"f:metadata":{"f:annotations":{"f:x":{}},"f:labels":{".":{},"f:a":{},"f:team":{},"f:z":{}}},"f:spec":{}}"#,
            ),
        );
        // The map itself is in the set as well.
        check(
            r#"{"f:metadata":{"f:labels":{}}}"#,
            |transfer| transfer.put(&path(&TEAM), part),
            Some(r#"{"f:metadata":{"f:labels":{".":{},"f:team":{}}}}"#),
        );
    }

    #[test]
    fn a_map_alone_is_added_and_removed() {
        let put = |is_in| move |transfer: &mut Transfer<'_>| transfer.put_itself(&path(&LABELS), is_in);
        check(
            r#"{"f:metadata":{"f:labels":{"f:a":{}}}}"#,
            put(true),
            Some(r#"{"f:metadata":{"f:labels":{".":{},"f:a":{}}}}"#),
        );
        check(
            r#"{"f:metadata":{"f:labels":{".":{},"f:a":{}}}}"#,
            put(false),
            Some(r#"{"f:metadata":{"f:labels":{"f:a":{}}}}"#),
        );
        check(r#"{"f:metadata":{"f:labels":{}}}"#, put(false), None);
        check("{}", put(true), Some(r#"{"f:metadata":{"f:labels":{}}}"#));
    }

    #[test]
    fn an_element_of_a_list_moves_with_what_is_in_it() {
        let list = ["f:spec", "f:taints"];
        let element = [list.as_slice(), &[r#"k:{"effect":"NoSchedule","key":"a"}"#]].concat();
        let stored = Document::new(r#"{".":{},"f:effect":{},"f:key":{},"f:value":{}}"#);
        check(
            r#"{"f:spec":{"f:taints":{"k:{\"effect\":\"NoSchedule\",\"key\":\"a\"}":{"f:value":{}}}}}"#,
            |transfer| transfer.put(&path(&element), Some(stored.root())),
            Some(
                r#"{"f:spec":{"f:taints":{"k:{\"effect\":\"NoSchedule\",\"key\":\"a\"}":{".":{},"f:effect":{},"f:key":{},"f:value":{}}}}}"#,
            ),
        );
    }

    #[test]
    fn a_value_that_is_not_an_object_is_no_set() {
        for set in [r#"{"f:metadata":7}"#, r#"{"f:metadata":{"f:labels":[]}}"#, "[]"] {
            let document = Document::new(set);
            let mut transfer = Transfer::default();
            transfer.put(&path(&TEAM), None);
            assert_eq!(transfer.made_in(document.root()), Err(NotASet), "{set}");
            assert_eq!(below(document.root(), &path(&TEAM)).map(|part| part.is_some()), Err(NotASet), "{set}");
        }
    }

    #[test]
    fn what_is_not_on_a_path_is_not_read() {
        check(
            r#"{"f:metadata":{"f:labels":{"f:team":{}}, "f:x": 7},"f:spec":null}"#,
            |transfer| transfer.put(&path(&TEAM), None),
            Some(r#"{"f:metadata":{"f:x":7},"f:spec":null}"#),
        );
    }
}
