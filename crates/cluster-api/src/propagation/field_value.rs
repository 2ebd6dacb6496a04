//! Values of fields, in one form for all versions.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::catalog::limits::most;
use crate::catalog::{Field, Place, Shape};
use crate::json::{Document, Edit, Json, Malformed, Write, splice};
use crate::propagation::owned_path::OwnedElement;
use crate::skipped::SkipReason;
use kubernetes::{Object, duration};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FieldValue {
    /// Nanoseconds.
    Duration(i64),
    Count(i64),
    Text(String),
    /// Each element by its fields, without empty ones, and its JSON.
    List(Vec<Element>),
}

impl Field {
    /// The value at one place of an object; `entry` is as for [`Object::at`].
    pub(crate) fn read<'a>(
        &self,
        place: Place,
        object: &Object<'a>,
        entry: Option<Json<'a>>,
    ) -> Result<Option<FieldValue>, Malformed> {
        let Some((base, steps)) = self.steps(place, object.version) else {
            return Ok(None);
        };
        match object.at(base, entry)?.at(steps)?.present() {
            Some(json) => FieldValue::read(&self.shape, json, object.version),
            None => Ok(None),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Element {
    fields: BTreeMap<String, String>,
    json: String,
}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields
    }
}

impl Eq for Element {}

impl Element {
    /// What tells elements apart for the API server.
    fn identity(&self, keys: &[&str]) -> Vec<Option<&String>> {
        keys.iter().map(|key| self.fields.get(*key)).collect()
    }

    /// The element after this one is applied to it. If nothing changes, its bytes are kept.
    fn over(&self, standing: &Element) -> Element {
        let missing = self.fields.iter().filter(|(field, value)| standing.fields.get(*field) != Some(*value));
        let missing: Vec<(&String, &String)> = missing.collect();
        let document = Document::new(standing.json.as_str());
        let writes: Vec<Write<'_>> = (missing.iter())
            .map(|(field, value)| {
                let text = serde_json::to_string(value).unwrap_or_default();
                Write { object: &[], field, edit: Edit::Set(text.into()) }
            })
            .collect();
        match splice(document.root(), &writes) {
            Ok(json) if !writes.is_empty() => {
                let fields = standing.fields.iter().chain(&self.fields);
                Element { fields: fields.map(|(field, value)| (field.clone(), value.clone())).collect(), json }
            }
            _ => standing.clone(),
        }
    }

    /// The key in a set of fields of the list element that these fields identify.
    ///
    /// Source: structured-merge-diff, fieldpath/serialize-pe.go, `SerializePathElement`.
    fn step(&self, keys: &[&str]) -> String {
        let keys: BTreeMap<&str, &String> =
            keys.iter().filter_map(|key| Some((*key, self.fields.get(*key)?))).collect();
        ["k:", &serde_json::to_string(&keys).unwrap_or_default()].concat()
    }
}

/// The fields of elements, in any order.
fn by_fields(elements: &[Element]) -> BTreeSet<&BTreeMap<String, String>> {
    elements.iter().map(|element| &element.fields).collect()
}

const NANOSECONDS: i64 = 1_000_000_000;

impl FieldValue {
    /// Reads a value from an object of a version. An empty text is absent.
    pub(crate) fn read(shape: &Shape, json: Json<'_>, version: &str) -> Result<Option<FieldValue>, Malformed> {
        let number = || match json.text().parse::<i32>() {
            Ok(number) => Ok(i64::from(number)),
            Err(_) => Err(json.malformed("is not a whole number of 32 bits")),
        };
        Ok(Some(match shape {
            Shape::Duration if version == "v1beta1" => {
                let text = json.as_string()?;
                FieldValue::Duration(duration::parse(text).ok_or_else(|| json.malformed("is not a duration"))?)
            }
            Shape::Duration => FieldValue::Duration(number()? * NANOSECONDS),
            Shape::Count => FieldValue::Count(number()?),
            Shape::Text => match json.as_string()? {
                "" => return Ok(None),
                text => FieldValue::Text(text.to_owned()),
            },
            Shape::List(_) => {
                let element = |json: Json<'_>| {
                    let map = json.as_map()?;
                    let fields = map.iter().filter(|(_, value)| !value.is_empty());
                    let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
                    Ok(Element { fields: fields.map(owned).collect(), json: json.text().to_owned() })
                };
                match json.elements()?.map(element).collect::<Result<Vec<_>, _>>()? {
                    elements if elements.is_empty() => return Ok(None),
                    elements => FieldValue::List(elements),
                }
            }
        }))
    }

    /// The value as an object of a version can have it, given its present value: whole seconds in v1beta2; in a list,
    /// also the elements and fields of others.
    ///
    /// Source: `ConvertToSeconds`, api/core/v1beta2/conversion.go. For the API server the lists are maps by these keys,
    /// and applying an element only sets the fields that it contains.
    pub(crate) fn fitted(&self, shape: &Shape, stands: Option<&FieldValue>, version: &str) -> FieldValue {
        match (self, shape, stands) {
            (FieldValue::Duration(nanoseconds), ..) if version != "v1beta1" => {
                FieldValue::Duration((nanoseconds / NANOSECONDS).min(i64::from(i32::MAX)) * NANOSECONDS)
            }
            (FieldValue::List(wanted), Shape::List(keys), Some(FieldValue::List(stands))) => {
                let mut missing: BTreeMap<_, VecDeque<(usize, &Element)>> = BTreeMap::new();
                for (index, element) in wanted.iter().enumerate() {
                    missing.entry(element.identity(keys)).or_default().push_back((index, element));
                }
                let mut list: Vec<Element> = Vec::new();
                for element in stands {
                    let wanted = missing.get_mut(&element.identity(keys)).and_then(VecDeque::pop_front);
                    list.push(wanted.map_or_else(|| element.clone(), |(_, wanted)| wanted.over(element)));
                }
                let missing: BTreeMap<usize, &Element> = missing.into_values().flatten().collect();
                list.extend(missing.into_values().cloned());
                FieldValue::List(list)
            }
            _ => self.clone(),
        }
    }

    /// The value in the order of the stored one, if both have the same elements.
    pub(crate) fn ordered_as(self, stored: Option<&FieldValue>) -> FieldValue {
        match (&self, stored) {
            (FieldValue::List(list), Some(FieldValue::List(of_stored))) if by_fields(list) == by_fields(of_stored) => {
                FieldValue::List(of_stored.clone())
            }
            _ => self,
        }
    }

    /// The part of this list that is written: elements that the request does not have, and fields of those that it has.
    pub(crate) fn written_elements<'v>(
        &self,
        shape: &Shape,
        requested: Option<&'v FieldValue>,
        stored: Option<&'v FieldValue>,
    ) -> Vec<OwnedElement> {
        let (FieldValue::List(list), Shape::List(keys)) = (self, shape) else { return Vec::new() };
        // Of several elements that are the same one, the first counts.
        let by_identity = |value: Option<&'v FieldValue>| match value {
            Some(FieldValue::List(list)) => {
                list.iter().rev().map(|element| (element.identity(keys), element)).collect()
            }
            _ => BTreeMap::new(),
        };
        let (requested, stored) = (by_identity(requested), by_identity(stored));
        let mut written = Vec::new();
        for element in list {
            let identity = element.identity(keys);
            let stored = stored.get(&identity).copied();
            let Some(requested) = requested.get(&identity) else {
                let fields = element.fields.keys().cloned().collect();
                let is_as_stored = stored == Some(element);
                written.push(OwnedElement { steps: vec![element.step(keys)], fields, is_as_stored });
                continue;
            };
            for (field, value) in
                element.fields.iter().filter(|(field, value)| requested.fields.get(*field) != Some(*value))
            {
                let steps = vec![element.step(keys), ["f:", field].concat()];
                let is_as_stored = stored.is_some_and(|stored| stored.fields.get(field) == Some(value));
                written.push(OwnedElement { steps, fields: Vec::new(), is_as_stored });
            }
        }
        written
    }

    /// The value without the elements of these names; `None` if nothing is left.
    pub(crate) fn but(&self, names: &[&str]) -> Option<FieldValue> {
        let FieldValue::List(elements) = self else { return Some(self.clone()) };
        let named = |element: &&Element| !element.fields.values().any(|value| names.contains(&value.as_str()));
        let left: Vec<Element> = elements.iter().filter(named).cloned().collect();
        (!left.is_empty()).then_some(FieldValue::List(left))
    }

    pub(crate) fn to_json(&self, version: &str) -> String {
        let string = |text: &str| serde_json::to_string(text).unwrap_or_default();
        match self {
            FieldValue::Duration(nanoseconds) if version == "v1beta1" => string(&duration::format(*nanoseconds)),
            FieldValue::Duration(nanoseconds) => (nanoseconds / NANOSECONDS).to_string(),
            FieldValue::Count(number) => number.to_string(),
            FieldValue::Text(text) => string(text),
            FieldValue::List(elements) => {
                let elements: Vec<&str> = elements.iter().map(|element| element.json.as_str()).collect();
                format!("[{}]", elements.join(","))
            }
        }
    }

    /// Why the API server rejects the value in an object of a version; `None` if it accepts it.
    pub(crate) fn illegal(&self, field: &str, version: &str) -> Option<SkipReason> {
        let fits = |count: usize| most(field).is_none_or(|most| count <= most);
        match self {
            FieldValue::Duration(number) | FieldValue::Count(number) => {
                (*number < 0 && version != "v1beta1").then_some(SkipReason::IllegalValue)
            }
            FieldValue::Text(text) => (!fits(text.chars().count())).then_some(SkipReason::IllegalValue),
            FieldValue::List(elements) => (!fits(elements.len())).then_some(SkipReason::TooManyElements),
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        *self == FieldValue::Count(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATES: Shape = Shape::List(&["conditionType"]);

    #[track_caller]
    fn read(shape: &Shape, json: &str, version: &str) -> FieldValue {
        FieldValue::read(shape, Document::named("field", json).root(), version).unwrap().unwrap()
    }

    #[test]
    fn durations_of_both_versions_are_compared_by_value() {
        let minute = read(&Shape::Duration, "60", "v1beta2");
        for text in [r#""60s""#, r#""1m""#, r#""1m0s""#, r#""60000ms""#] {
            assert_eq!(read(&Shape::Duration, text, "v1beta1"), minute, "{text}");
        }
        assert_eq!((minute.to_json("v1beta1"), minute.to_json("v1beta2")), (r#""1m0s""#.to_owned(), "60".to_owned()));
    }

    #[test]
    fn seconds_are_whole_and_of_32_bits_in_v1beta2() {
        for (text, expected) in [(r#""90500ms""#, "90"), (r#""-1500ms""#, "-1"), (r#""1000000h""#, "2147483647")] {
            let value = read(&Shape::Duration, text, "v1beta1");
            assert_eq!(value.fitted(&Shape::Duration, None, "v1beta2").to_json("v1beta2"), expected, "{text}");
            assert_eq!(value.fitted(&Shape::Duration, None, "v1beta1"), value, "{text}");
        }
    }

    #[test]
    fn elements_of_others_stay_where_they_are() {
        let wanted = read(&GATES, r#"[{"conditionType":"A","polarity":"Negative"},{"conditionType":"B"}]"#, "v1beta2");
        let stands = read(&GATES, r#"[{"conditionType":"X"},{"conditionType":"A"}]"#, "v1beta2");
        assert_eq!(
            wanted.fitted(&GATES, Some(&stands), "v1beta2").to_json("v1beta2"),
            r#"[{"conditionType":"X"},{"conditionType":"A","polarity":"Negative"},{"conditionType":"B"}]"#
        );
    }

    #[test]
    fn what_an_element_does_not_say_stays_as_it_is() {
        let wanted = read(&GATES, r#"[{"conditionType":"A"},{"conditionType":"B","polarity":"Negative"}]"#, "v1beta2");
        let stands = read(
            &GATES,
            r#"[{"conditionType":"A","polarity":"Negative"},{"x":"1", "conditionType":"B","polarity":"Positive"}]"#,
            "v1beta2",
        );
        assert_eq!(
            wanted.fitted(&GATES, Some(&stands), "v1beta2").to_json("v1beta2"),
            r#"[{"conditionType":"A","polarity":"Negative"},{"x":"1", "conditionType":"B","polarity":"Negative"}]"#
        );
    }

    #[test]
    fn elements_that_say_the_same_keep_their_bytes() {
        let wanted = read(&GATES, r#"[{"conditionType":"A"}]"#, "v1beta2");
        let stands = read(&GATES, r#"[{"polarity":"", "conditionType":"A"}]"#, "v1beta2");
        let fitted = wanted.fitted(&GATES, Some(&stands), "v1beta2");
        assert_eq!(fitted, stands);
        assert_eq!(fitted.to_json("v1beta2"), r#"[{"polarity":"", "conditionType":"A"}]"#);
    }

    #[test]
    fn an_empty_text_and_an_empty_list_are_no_value() {
        for (shape, json) in [(&Shape::Text, "\"\""), (&GATES, "[]")] {
            assert_eq!(FieldValue::read(shape, Document::new(json).root(), "v1beta2").unwrap(), None);
        }
    }

    #[test]
    fn limits_are_those_of_the_version_and_of_the_field() {
        let gates = |count: u32| (0..count).map(|number| format!(r#"{{"conditionType":"T{number}"}}"#));
        let gates = |count| read(&GATES, &format!("[{}]", gates(count).collect::<Vec<_>>().join(",")), "v1beta2");
        let text = |length| FieldValue::Text("ä".repeat(length));
        for (field, value, v1beta1, v1beta2) in [
            ("nodeDrainTimeout", FieldValue::Duration(0), None, None),
            ("nodeDrainTimeout", FieldValue::Duration(-NANOSECONDS), None, Some(SkipReason::IllegalValue)),
            ("minReadySeconds", FieldValue::Count(-1), None, Some(SkipReason::IllegalValue)),
            ("readinessGates", gates(32), None, None),
            ("readinessGates", gates(33), Some(SkipReason::TooManyElements), Some(SkipReason::TooManyElements)),
            ("taints", gates(64), None, None),
            ("taints", gates(65), Some(SkipReason::TooManyElements), Some(SkipReason::TooManyElements)),
            ("machineNaming", text(256), None, None),
            ("machineNaming", text(257), Some(SkipReason::IllegalValue), Some(SkipReason::IllegalValue)),
            ("deletionOrder", text(257), None, None),
        ] {
            assert_eq!(
                (value.illegal(field, "v1beta1"), value.illegal(field, "v1beta2")),
                (v1beta1, v1beta2),
                "{field}"
            );
        }
    }

    #[test]
    fn another_shape_is_named() {
        for (shape, json, version, problem) in [
            (&Shape::Duration, r#""soon""#, "v1beta1", "`field` is not a duration"),
            (&Shape::Duration, "60", "v1beta1", "`field` is not a string"),
            (&Shape::Duration, "1.5", "v1beta2", "`field` is not a whole number of 32 bits"),
            (&Shape::Count, r#""1""#, "v1beta2", "`field` is not a whole number of 32 bits"),
            (&Shape::Text, "1", "v1beta2", "`field` is not a string"),
            (&GATES, "{}", "v1beta2", "`field` is not a list"),
            (&GATES, "[1]", "v1beta2", "`field[0]` is not a map of strings"),
        ] {
            assert_eq!(
                FieldValue::read(shape, Document::named("field", json).root(), version).unwrap_err().to_string(),
                problem
            );
        }
    }
}
