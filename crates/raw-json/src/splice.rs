//! Writes values into an object's text; all other bytes are unchanged.

mod plans;

use std::borrow::Cow;
use std::fmt;

use self::plans::Plans;

use super::document::Json;
use super::path::{Path, Step};
use super::string::push_string;

/// One field to set or to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write<'w> {
    /// The path of the object that has the field. Objects on the path are created if they are absent or null and
    /// something is set in them; elements of lists must exist.
    pub object: &'w [Step],
    pub field: &'w str,
    pub edit: Edit<'w>,
}

impl Write<'_> {
    /// The steps to the field: names, or indices of elements.
    fn steps(&self) -> impl Iterator<Item = (Option<usize>, &str)> {
        let steps = self.object.iter().map(|step| match step {
            Step::Element(index) => (Some(*index), ""),
            Step::Field(name) => (None, &**name),
        });
        steps.chain([(None, self.field)])
    }
}

/// What happens to a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit<'w> {
    /// Its value becomes this JSON.
    Set(Cow<'w, str>),
    Remove,
    /// It is removed, and so is its object if that has no other field.
    RemoveAndPrune,
}

/// Why a text cannot be written.
#[derive(Debug)]
pub enum NotWritable {
    /// A value on the path is not an object, or not a list with such an element.
    InTheWay(Path),
}

impl fmt::Display for NotWritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotWritable::InTheWay(path) if path.steps().is_empty() => f.write_str("it is not an object"),
            NotWritable::InTheWay(path) => write!(f, "`{path}` does not have the expected structure"),
        }
    }
}

/// The text of an object with all `writes` in it. Of several writes to one place the last counts.
///
/// # Errors
/// When a value on the path of a write has another type.
pub fn splice(object: Json<'_>, writes: &[Write<'_>]) -> Result<String, NotWritable> {
    let mut sorted: Vec<&Write<'_>> = writes.iter().collect();
    sorted.sort_by(|write, other| write.steps().cmp(other.steps()));
    let mut plan = SplicePlan::default();
    for write in sorted {
        plan.add(write);
    }
    let mut out = String::with_capacity(object.text().len() + 64 * writes.len());
    plan.write(object, &mut out)?;
    Ok(out)
}

/// What is done with one value, and with the values in it.
#[derive(Default)]
struct SplicePlan<'a> {
    edit: Option<&'a Edit<'a>>,
    fields: Plans<&'a str, SplicePlan<'a>>,
    elements: Plans<usize, SplicePlan<'a>>,
}

/// What is left of a value after the write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeftValue {
    Something,
    /// An object whose last field was removed, and which must not remain empty.
    Pruned,
}

impl<'a> SplicePlan<'a> {
    fn add(&mut self, Write { object, field, edit }: &'a Write<'a>) {
        let object = object.iter().try_fold(self, |plan, step| match step {
            Step::Field(name) => plan.fields.get_or_add(name),
            Step::Element(index) => plan.elements.get_or_add(*index),
        });
        if let Some(plan) = object.and_then(|object| object.fields.get_or_add(field)) {
            plan.edit = Some(edit);
        }
    }

    fn sets_something(&self) -> bool {
        matches!(self.edit, Some(Edit::Set(_)))
            || self.fields.0.iter().any(|(_, plan)| plan.sets_something())
            || self.elements.0.iter().any(|(_, plan)| plan.sets_something())
    }

    fn removes(&self) -> bool {
        matches!(self.edit, Some(Edit::Remove | Edit::RemoveAndPrune))
    }

    fn write(&self, value: Json<'_>, out: &mut String) -> Result<LeftValue, NotWritable> {
        if let Some(Edit::Set(json)) = self.edit {
            out.push_str(json);
            return Ok(LeftValue::Something);
        }
        if value.is_null() && !self.sets_something() {
            out.push_str(value.text());
            return Ok(LeftValue::Something);
        }
        if self.elements.0.is_empty() { self.write_object(value, out) } else { self.write_list(value, out) }
    }

    fn write_object(&self, object: Json<'_>, out: &mut String) -> Result<LeftValue, NotWritable> {
        let fields = object.as_fields().ok_or_else(|| NotWritable::InTheWay(object.path()))?;
        let mut entries = ObjectEntries::begin(object, "{}", out);
        let mut is_known = vec![false; self.fields.0.len()];
        let mut prunes = false;
        for (key, value) in fields {
            let found = self.fields.find(&key).and_then(|at| Some((self.fields.0.get(at)?, is_known.get_mut(at)?)));
            let Some(((_, plan), is_known)) = found else {
                entries.keep(value);
                continue;
            };
            *is_known = true;
            if plan.removes() {
                prunes |= plan.edit == Some(&Edit::RemoveAndPrune);
                entries.leave_out(value);
            } else {
                entries.write(value, plan)?;
            }
        }
        for ((key, plan), is_known) in self.fields.0.iter().zip(is_known) {
            if plan.sets_something() && !is_known {
                entries.add(key, object.absent(), plan)?;
            }
        }
        Ok(if entries.end() == 0 && prunes { LeftValue::Pruned } else { LeftValue::Something })
    }

    fn write_list(&self, list: Json<'_>, out: &mut String) -> Result<LeftValue, NotWritable> {
        let in_the_way = || NotWritable::InTheWay(list.path());
        let elements = list.as_elements().ok_or_else(in_the_way)?;
        if !self.fields.0.is_empty() || self.elements.0.iter().any(|(index, _)| *index >= elements.len()) {
            return Err(in_the_way());
        }
        let mut entries = ObjectEntries::begin(list, "[]", out);
        for (index, element) in elements.enumerate() {
            match self.elements.get(&index) {
                Some(plan) => entries.write(element, plan)?,
                None => entries.keep(element),
            }
        }
        entries.end();
        Ok(LeftValue::Something)
    }
}

/// Writes the entries of one object or list, with commas between them.
struct ObjectEntries<'o, 'a> {
    out: &'o mut String,
    /// The rest of the text after what was copied or omitted.
    rest: &'a str,
    /// Its byte offset in the document.
    at: usize,
    count: usize,
}

impl<'o, 'a> ObjectEntries<'o, 'a> {
    /// Begins the text of a value; if it is absent or null, that of `empty`.
    fn begin(value: Json<'a>, empty: &'static str, out: &'o mut String) -> Self {
        let (text, at) = match value.present() {
            Some(value) => (value.text(), value.begin()),
            None => (empty, 0),
        };
        let (bracket, rest) = text.split_at_checked(1).unwrap_or_default();
        out.push_str(bracket);
        ObjectEntries { out, rest, at: at + 1, count: 0 }
    }

    /// What precedes an entry's value: a comma, the key, a colon, white space.
    fn before(&mut self, value: Json<'_>) -> &'a str {
        let (before, after) = self.rest.split_at_checked(value.begin() - self.at).unwrap_or_default();
        self.rest = after.get(value.text().len()..).unwrap_or_default();
        self.at = value.begin() + value.text().len();
        // If all entries before this one were omitted, its comma separates nothing.
        let leads = self.count == 0;
        if leads { before.trim_start().strip_prefix(',').unwrap_or(before) } else { before }
    }

    fn keep(&mut self, value: Json<'_>) {
        let before = self.before(value);
        self.out.push_str(before);
        self.out.push_str(value.text());
        self.count += 1;
    }

    fn leave_out(&mut self, value: Json<'_>) {
        self.before(value);
    }

    fn write(&mut self, value: Json<'_>, plan: &SplicePlan<'_>) -> Result<(), NotWritable> {
        let length = self.out.len();
        let before = self.before(value);
        self.out.push_str(before);
        match plan.write(value, self.out)? {
            LeftValue::Something => self.count += 1,
            LeftValue::Pruned => self.out.truncate(length),
        }
        Ok(())
    }

    fn add(&mut self, key: &str, absent: Json<'_>, plan: &SplicePlan<'_>) -> Result<(), NotWritable> {
        if self.count > 0 {
            self.out.push(',');
        }
        push_string(self.out, key);
        self.out.push(':');
        plan.write(absent, self.out)?;
        self.count += 1;
        Ok(())
    }

    /// Ends the value and returns how many entries it has.
    fn end(self) -> usize {
        self.out.push_str(self.rest);
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    const LABELS: &[&str] = &["metadata", "labels"];

    /// The path of an object, the field and what happens to it.
    type Edited = (Path, &'static str, Edit<'static>);

    fn set(object: &[&'static str], field: &'static str, json: &'static str) -> Edited {
        (Path::fields(object), field, Edit::Set(json.into()))
    }

    fn remove(object: &[&'static str], field: &'static str) -> Edited {
        (Path::fields(object), field, Edit::Remove)
    }

    fn written(object: &str, edits: &[Edited]) -> Result<String, NotWritable> {
        let writes = edits.iter().map(|(path, field, edit)| Write { object: path.steps(), field, edit: edit.clone() });
        splice(Document::new(object).root(), &writes.collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(object: &str, edits: &[Edited], expected: &str) {
        assert_eq!(written(object, edits).unwrap(), expected);
    }

    #[test]
    fn every_byte_around_a_written_map_survives() {
        check(
            "{ \"z\" : [1.0, 1e3 ],\n\"metadata\": {\"labels\" :{ \"\\u0061\" : \"1\" , \"b\":\"2\"\n} , \"x\":1}, \"a\":\"\\/\" }",
            &[set(LABELS, "b", "\"new\""), set(LABELS, "c", "\"3\"")],
            "{ \"z\" : [1.0, 1e3 ],\n\"metadata\": {\"labels\" :{ \"\\u0061\" : \"1\" , \"b\":\"new\",\"c\":\"3\"\n} , \"x\":1}, \"a\":\"\\/\" }",
        );
    }

    #[test]
    fn missing_and_null_maps_are_made() {
        check("{}", &[set(LABELS, "a", "\"1\"")], r#"{"metadata":{"labels":{"a":"1"}}}"#);
        check(
            r#"{"metadata":{"labels":null},"spec":{}}"#,
            &[set(LABELS, "a", "\"1\""), set(&["spec", "template", "metadata", "annotations"], "b", r#""\"""#)],
            r#"{"metadata":{"labels":{"a":"1"}},"spec":{"template":{"metadata":{"annotations":{"b":"\""}}}}}"#,
        );
    }

    #[test]
    fn a_key_is_escaped() {
        check("{}", &[set(&[], "a\"\n", "1")], r#"{"a\"\n":1}"#);
    }

    #[test]
    fn a_whole_value_may_be_set() {
        check(r#"{"a": 1 ,"spec":{"b":1}}"#, &[set(&[], "spec", "{}")], r#"{"a": 1 ,"spec":{}}"#);
        check(r#"{"a":null}"#, &[set(&[], "a", "60")], r#"{"a":60}"#);
    }

    #[test]
    fn nothing_is_made_for_a_removal() {
        check("{}", &[remove(LABELS, "a")], "{}");
        check(r#"{"metadata":{"labels":null}}"#, &[remove(LABELS, "a")], r#"{"metadata":{"labels":null}}"#);
    }

    #[test]
    fn a_removed_entry_takes_its_comma_along() {
        for (object, expected) in [
            (r#"{"metadata":{"labels":{"a":"1","b":"2","c":"3"}}}"#, r#"{"metadata":{"labels":{"b":"2","c":"3"}}}"#),
            (r#"{"metadata":{"labels":{"b":"2","a":"1","c":"3"}}}"#, r#"{"metadata":{"labels":{"b":"2","c":"3"}}}"#),
            (r#"{"metadata":{"labels":{"b":"2","a":"1"}}}"#, r#"{"metadata":{"labels":{"b":"2"}}}"#),
            (r#"{"metadata":{"labels":{"a":"1"}}}"#, r#"{"metadata":{"labels":{}}}"#),
            (r#"{"metadata":{"labels":{"a":"1","a":"2","b":"2"}}}"#, r#"{"metadata":{"labels":{"b":"2"}}}"#),
        ] {
            check(object, &[remove(LABELS, "a")], expected);
        }
    }

    #[test]
    fn a_removed_first_entry_makes_room_for_an_added_one() {
        check(
            r#"{"metadata":{"labels":{"a":"1"}}}"#,
            &[remove(LABELS, "a"), set(LABELS, "b", "\"2\"")],
            r#"{"metadata":{"labels":{"b":"2"}}}"#,
        );
    }

    #[test]
    fn the_last_write_to_one_place_counts() {
        check("{}", &[set(&[], "a", "1"), set(&[], "a", "2")], r#"{"a":2}"#);
        check("{}", &[set(&[], "a", "1"), remove(&[], "a")], "{}");
    }

    #[test]
    fn writes_come_in_any_order() {
        let of_metadata = [set(&["metadata"], "managedFields", "[]"), set(LABELS, "b", "1"), remove(LABELS, "c")];
        let more = [set(&["metadata", "annotations"], "x", "2"), set(LABELS, "a", "3"), set(&[], "kind", "4")];
        check(
            r#"{"metadata":{"labels":{"c":"0","b":"0"}}}"#,
            &[of_metadata, more].concat(),
            r#"{"metadata":{"labels":{"b":1,"a":3},"annotations":{"x":2},"managedFields":[]},"kind":4}"#,
        );
    }

    #[test]
    fn elements_of_a_list_are_written_in_their_place() {
        let labels = Path::fields(&["list"]).element(1).field("metadata").field("labels");
        check(
            r#"{"list":[ {"n":0} , {"n":1}]}"#,
            &[(labels, "a", Edit::Set("\"1\"".into()))],
            r#"{"list":[ {"n":0} , {"n":1,"metadata":{"labels":{"a":"1"}}}]}"#,
        );
    }

    #[test]
    fn an_object_goes_with_its_last_field_where_the_write_says_so() {
        let pruned = [(Path::fields(&["spec", "deletion"]), "order", Edit::RemoveAndPrune)];
        check(r#"{"spec":{"deletion":{"order":"Oldest"},"a":1}}"#, &pruned, r#"{"spec":{"a":1}}"#);
        check(r#"{"spec":{"deletion":{"order":"Oldest","b":1}}}"#, &pruned, r#"{"spec":{"deletion":{"b":1}}}"#);
        check(r#"{"spec":{"deletion":{},"a":1}}"#, &pruned, r#"{"spec":{"deletion":{},"a":1}}"#);
        check(r#"{"spec":{"deletion":{"order":"Oldest"}}}"#, &pruned, r#"{"spec":{}}"#);
        let kept = [remove(&["spec", "deletion"], "order")];
        check(r#"{"spec":{"deletion":{"order":"Oldest"}}}"#, &kept, r#"{"spec":{"deletion":{}}}"#);
    }

    #[test]
    fn what_is_in_the_way_is_named() {
        let label = [set(LABELS, "a", "\"1\"")];
        let element = [(Path::fields(&["a"]).element(1), "b", Edit::Remove)];
        for (object, edits, expected) in [
            ("[]", &label[..], "it is not an object"),
            (r#"{"metadata":"x"}"#, &label, "`metadata` does not have the expected structure"),
            (r#"{"metadata":{"labels":[]}}"#, &label, "`metadata.labels` does not have the expected structure"),
            (r#"{"a":[1]}"#, &element, "`a` does not have the expected structure"),
            (r#"{"a":{}}"#, &element, "`a` does not have the expected structure"),
        ] {
            assert_eq!(written(object, edits).unwrap_err().to_string(), expected);
        }
    }
}
