//! The labels that are assigned to a composite, and what a request newly says of its origin: that it was adopted, which
//! waives its tags, or something unknown.

use std::collections::{BTreeMap, BTreeSet};

use super::crossplane;
use super::transform::Labels;
use crate::fact::{CloudTagFact, Finding};
use crate::json::Malformed;
use crate::tag_reason::NoTagReason;
use kubernetes::settings::{Mode, Stance};
use kubernetes::{Object, ReviewedObject};
use serde_json::value::RawValue;
use tag_rules::keys::{ADOPTED, ASSIGNMENTS, ORIGIN};
use tag_rules::{Definition, SEEDED, TagSettings};

/// The value of [`ORIGIN`] on a composite that was created here.
pub(super) const PROVISIONED: &str = "provisioned";

/// Whether a composite was provisioned or adopted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CompositeOrigin {
    /// It was created here.
    Provisioned,
    /// It existed before.
    Adopted,
    /// Another value, which counts as provisioned.
    Unknown(String),
}

/// The labels assigned to a composite. A key is in one of the two.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Assigned {
    /// Kubernetes labels, and those of the annotation, which take precedence.
    pub(super) labels: Labels,
    /// Keys of the annotation whose value is not a string, number or boolean, and what it is instead.
    pub(super) unusable: BTreeMap<String, &'static str>,
    /// Keys whose definitions take the label from another object, which does not have it.
    pub(super) of_another_source: BTreeSet<String>,
}

impl Assigned {
    /// Reads the labels assigned to an object. A string is used as it is, a number or a boolean as it is written.
    ///
    /// # Errors
    /// When the annotation is not a JSON map, or has an empty key.
    pub(super) fn read(object: &Object<'_>) -> Result<Self, Malformed> {
        let labels = object.labels.iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
        let mut assigned = Assigned { labels: labels.collect(), ..Assigned::default() };
        let Some(text) = object.annotations.get(ASSIGNMENTS) else { return Ok(assigned) };
        let annotated: BTreeMap<String, &RawValue> =
            serde_json::from_str(text).map_err(|error| malformed(format!("is not a JSON map of strings: {error}")))?;
        for (key, value) in annotated {
            if key.is_empty() {
                return Err(malformed("has an empty key".to_owned()));
            }
            match literal(value.get()) {
                Ok(value) => {
                    assigned.labels.insert(key, value);
                }
                Err(found) => {
                    assigned.labels.remove(&key);
                    assigned.unusable.insert(key, found);
                }
            }
        }
        Ok(assigned)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.labels.keys().chain(self.unusable.keys()).map(String::as_str)
    }

    /// Takes the label of a key from another object.
    pub(super) fn take(&mut self, key: &str, other: &Assigned) {
        if let Some(value) = other.labels.get(key) {
            self.labels.insert(key.to_owned(), value.clone());
        }
        if let Some(found) = other.unusable.get(key) {
            self.unusable.insert(key.to_owned(), found);
        }
    }

    pub(super) fn contains(&self, key: &str) -> bool {
        self.labels.contains_key(key) || self.unusable.contains_key(key)
    }

    /// Whether the composite was not provisioned here: then it is not changed.
    pub(super) fn is_adopted(&self) -> bool {
        self.origin() == Some(CompositeOrigin::Adopted)
    }

    pub(super) fn origin(&self) -> Option<CompositeOrigin> {
        Some(match self.labels.get(ORIGIN)?.as_str() {
            PROVISIONED => CompositeOrigin::Provisioned,
            ADOPTED => CompositeOrigin::Adopted,
            other => CompositeOrigin::Unknown(other.to_owned()),
        })
    }

    /// The keys of assignments that are meant to become tags and have values that are not texts, and what they are instead.
    pub(super) fn undecoded(
        &self,
        definitions: &BTreeMap<String, Definition>,
    ) -> impl Iterator<Item = (&str, &'static str)> {
        let meant = self.unusable.iter().filter(|(key, _)| opts_in(definitions, key));
        meant.map(|(key, found)| (key.as_str(), *found))
    }

    /// The findings about assignments that are meant to become tags and have values that are not texts. They refuse
    /// nothing: one bad label must not stop a resource.
    pub(super) fn findings(&self, definitions: &BTreeMap<String, Definition>) -> Vec<Finding> {
        self.undecoded(definitions)
            .map(|(key, found)| Finding {
                check: "cloudTags",
                at: format!("metadata.annotations[{ASSIGNMENTS}]"),
                message: CloudTagFact::UnusableAssignment { key: key.into(), found },
                stance: Stance::Warn,
            })
            .collect()
    }

    /// The labels that are opted in by their definitions, and why the others are not.
    pub(super) fn propagating(
        &self,
        definitions: &BTreeMap<String, Definition>,
    ) -> (Labels, BTreeMap<String, NoTagReason>) {
        // All are ordered by key: so definitions are found and maps are built without searching.
        let (mut labels, mut others) = (Vec::with_capacity(self.labels.len()), Vec::new());
        let mut definitions = definitions.iter().peekable();
        for (key, value) in &self.labels {
            while definitions.next_if(|(defined, _)| *defined < key).is_some() {}
            let reason = match definitions.next_if(|(defined, _)| *defined == key) {
                Some((_, definition)) if definition.cloud_tag_propagation => {
                    labels.push((key.clone(), value.clone()));
                    continue;
                }
                _ if SEEDED.contains(&key.as_str()) => NoTagReason::Seeded,
                Some(_) => NoTagReason::NotOptedIn,
                None => NoTagReason::NotDefined,
            };
            others.push((key.clone(), reason));
        }
        others.extend(self.unusable.keys().map(|key| (key.clone(), NoTagReason::NotAString)));
        others.extend(self.of_another_source.iter().map(|key| (key.clone(), NoTagReason::AnotherSource)));
        (Labels::from_iter(labels), BTreeMap::from_iter(others))
    }
}

/// The text of a value, or its type if it has none.
fn literal(value: &str) -> Result<String, &'static str> {
    match value.as_bytes().first() {
        Some(b'"') => serde_json::from_str(value).map_err(|_| "an invalid string"),
        Some(b'[') => Err("a list"),
        Some(b'{') => Err("an object"),
        Some(b'n') | None => Err("null"),
        // A number or a boolean.
        Some(_) => Ok(value.to_owned()),
    }
}

fn opts_in(definitions: &BTreeMap<String, Definition>, key: &str) -> bool {
    definitions.get(key).is_some_and(|definition| definition.cloud_tag_propagation)
}

fn malformed(problem: String) -> Malformed {
    Malformed { path: format!("metadata.annotations[{ASSIGNMENTS}]"), problem }
}

/// The finding if a request newly marks a composite as adopted, or gives it an unknown origin. Crossplane copies what it
/// finds in a claim or in a parent's Composition, so that is a warning at most.
pub fn origin_finding(subject: &ReviewedObject<'_>, settings: TagSettings<'_>) -> Option<Finding> {
    if settings.mode != Mode::Mutate || subject.object.deleting {
        return None;
    }
    let tags = &settings.cloud_tags;
    let origin = origin_of(&subject.object)?;
    let (check, stance, message) = match &origin {
        CompositeOrigin::Provisioned => return None,
        CompositeOrigin::Adopted => {
            let label = format!("{ORIGIN}: {ADOPTED}").as_str().into();
            ("cloudTags.adopted", tags.adopted, CloudTagFact::AdoptedWaivesTags { label })
        }
        CompositeOrigin::Unknown(value) => {
            let (label, value) = (ORIGIN.into(), value.as_str().into());
            let fact = CloudTagFact::UnknownOrigin { label, value, counts: PROVISIONED.into(), other: ADOPTED.into() };
            ("cloudTags.unknownOrigin", tags.unknown_origin, fact)
        }
    };
    let was = || subject.old().ok().flatten().and_then(origin_of);
    if stance == Stance::Ignore || was() == Some(origin) {
        return None;
    }
    let is_label = subject.object.labels.get(ORIGIN).is_some();
    Some(Finding {
        check,
        at: if is_label { "metadata.labels" } else { "metadata.annotations" }.to_owned(),
        message,
        stance: if crossplane::is_copied(subject, tags) { Stance::Warn } else { stance },
    })
}

/// The origin that an object's label or assignment gives.
fn origin_of(object: &Object<'_>) -> Option<CompositeOrigin> {
    let may_have_one = object.labels.contains_key(ORIGIN) || object.annotations.contains_key(ASSIGNMENTS);
    if may_have_one { Assigned::read(object).ok()?.origin() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;
    use tag_rules::Scope;

    fn read(annotation: &str) -> Result<Assigned, String> {
        let annotation = serde_json::to_string(annotation).unwrap();
        let text = format!(
            r#"{{"metadata":{{"labels":{{"a":"label","b":"label"}},"annotations":{{"{ASSIGNMENTS}":{annotation}}}}}}}"#
        );
        let document = Document::new(text);
        Assigned::read(&Object::read(&document).unwrap()).map_err(|malformed| malformed.to_string())
    }

    fn labels<const N: usize>(labels: [(&str, &str); N]) -> Labels {
        labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
    }

    #[test]
    fn the_annotation_wins_and_is_decoded_once() {
        let expected = labels([("a", "label"), ("acme:checkout/owner", "\"x\""), ("b", "annotation")]);
        let found = read(r#"{"acme:checkout/owner":"\"x\"","b":"annotation"}"#).unwrap();
        assert_eq!(found, Assigned { labels: expected, ..Assigned::default() });
        assert_eq!(read("{}").unwrap().labels, labels([("a", "label"), ("b", "label")]));
    }

    #[test]
    fn a_number_or_a_boolean_is_as_it_is_written() {
        let found = read(r#"{"b":7,"c":1.50,"d":true,"e":-2e3,"f":12345678901234567890123}"#).unwrap();
        let expected = labels([
            ("a", "label"),
            ("b", "7"),
            ("c", "1.50"),
            ("d", "true"),
            ("e", "-2e3"),
            ("f", "12345678901234567890123"),
        ]);
        assert_eq!(found, Assigned { labels: expected, ..Assigned::default() });
    }

    #[test]
    fn what_is_no_text_hides_the_label_and_is_found_where_it_is_opted_in() {
        let found = read(r#"{"b":null,"c":null,"e":["x"],"f":{"x":"y"}}"#).unwrap();
        let unusable = [("b", "null"), ("c", "null"), ("e", "a list"), ("f", "an object")];
        let unusable = unusable.map(|(key, found)| (key.to_owned(), found)).into();
        assert_eq!(found, Assigned { labels: labels([("a", "label")]), unusable, ..Assigned::default() });
        let opted_in = Definition { scope: Scope::Project, cloud_tag_propagation: true, from: None };
        let findings = |key: &str| {
            let findings = found.findings(&[(key.to_owned(), opted_in)].into());
            findings.into_iter().map(|finding| finding.message.to_string()).collect::<Vec<_>>()
        };
        let expected = "assignment of `e` not added as a cloud tag: its value is a list";
        assert_eq!((findings("e"), findings("a")), (vec![expected.to_owned()], Vec::new()));
    }

    #[test]
    fn the_last_of_two_values_of_one_key_counts() {
        assert_eq!(read(r#"{"b":7,"b":"x"}"#).unwrap().labels, labels([("a", "label"), ("b", "x")]));
        assert_eq!(read(r#"{"b":"x","b":null}"#).unwrap().labels, labels([("a", "label")]));
    }

    #[test]
    fn what_is_no_map_is_named_with_its_position() {
        for (annotation, expected) in [
            ("", "EOF while parsing a value at line 1 column 0"),
            ("{\"a\":\"1\",\n \"b\"=2}", "expected `:` at line 2 column 5"),
            (r#"["a"]"#, "invalid type: sequence, expected a map at line 1 column 0"),
            (r#"{"a":"1"} x"#, "trailing characters at line 1 column 11"),
        ] {
            let expected = format!("`metadata.annotations[{ASSIGNMENTS}]` is not a JSON map of strings: {expected}");
            assert_eq!(read(annotation).unwrap_err(), expected);
        }
        assert_eq!(read(r#"{"":"x"}"#).unwrap_err(), format!("`metadata.annotations[{ASSIGNMENTS}]` has an empty key"));
    }
}
