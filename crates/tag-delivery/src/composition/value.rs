//! The values in a resource while it is composed, as far as they are known: where `spec.cloudTags` is, and where not.
//!
//! Source: crossplane-runtime, pkg/fieldpath/paved.go, `GetValue`, `SetValue` and `ExpandWildcards`; pkg/fieldpath/merge.go.

mod contents;
mod merge;
mod paths;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub use self::contents::ScalarType;
pub use self::merge::OtherFields;
pub(super) use self::paths::Expanded;
use super::field_path::FieldPathStep;
use crate::json::Json;
use crate::path_problem::PathProblem;
use kubernetes::is_label_key;

/// One value.
#[derive(Debug, Clone)]
pub enum SimulatedValue<'a> {
    /// No value, or null.
    Absent,
    /// A part of a base, as written there.
    Given(Json<'a>),
    /// An object.
    Object(SimulatedObject<'a>),
    /// Elements that are known, by index.
    List(BTreeMap<u32, SimulatedValue<'a>>),
    /// A text, a number or a boolean that a patch writes.
    Scalar(ScalarType),
    /// An unknown value of the environment or a function.
    Unknown,
    /// An unknown value that the author of the composite writes: a map may have keys of cloud tags.
    OfAuthor,
}

/// An object, with its known fields.
#[derive(Debug, Clone, Default)]
pub struct SimulatedObject<'a> {
    /// Those that are known.
    pub fields: BTreeMap<&'a str, SimulatedValue<'a>>,
    /// The entries of `spec.cloudTags`, if they are among the fields.
    pub(super) tags: Option<ComposedTags<'a>>,
    /// Which other fields it may have.
    pub others: OtherFields,
}

/// The prefixes of the keys of cloud tags.
pub(super) type Prefixes<'a> = &'a [Cow<'a, str>];

/// The entries of `spec.cloudTags`, at one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct ComposedTags<'a> {
    pub(super) prefixes: Prefixes<'a>,
    /// Whether none of them was overwritten or removed.
    pub(super) is_whole: bool,
    /// The patch, or entry of a function's input, that copied them; absent in the composite itself.
    pub(super) by: Option<Json<'a>>,
}

/// Why there is no value under a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPathValue {
    /// A field or an element is absent.
    NotFound,
    /// A step leads through something other than an object or a list.
    Mismatch(PathProblem),
}

/// What a write does to an existing value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MergePolicy {
    Replace,
    /// Objects are merged, and existing values are kept.
    Merge,
    /// Objects are merged, and new values replace existing ones.
    ForceMerge,
}

impl<'a> SimulatedValue<'a> {
    /// A composite, of which only `spec.cloudTags` is known. Its author writes `spec`, labels and annotations.
    pub fn composite(prefixes: Prefixes<'a>) -> Self {
        let object = |fields, others| SimulatedValue::Object(SimulatedObject { fields, tags: None, others });
        let tags = Some(ComposedTags { prefixes, is_whole: true, by: None });
        let tags = SimulatedObject { fields: BTreeMap::new(), tags, others: OtherFields::None };
        let spec = object(BTreeMap::from([("cloudTags", SimulatedValue::Object(tags))]), OtherFields::OfAuthor);
        let mut fields = BTreeMap::from([("spec", spec)]);
        // The API server does not accept a label or an annotation whose key has a colon, as most prefixes do.
        if prefixes.iter().any(|prefix| is_label_key(&format!("{prefix}a"))) {
            let maps = ["labels", "annotations"].map(|map| (map, SimulatedValue::OfAuthor));
            fields.insert("metadata", object(BTreeMap::from(maps), OtherFields::Unknown));
        }
        object(fields, OtherFields::Unknown)
    }

    /// Whether it is no value, or null.
    pub fn is_absent(&self) -> bool {
        match self {
            SimulatedValue::Absent => true,
            SimulatedValue::Given(json) => json.is_null(),
            _ => false,
        }
    }

    /// The value under a path.
    ///
    /// # Errors
    /// When it is absent, or a step leads through something other than an object or a list.
    pub fn get(&self, path: &[FieldPathStep<'a>]) -> Result<Cow<'_, SimulatedValue<'a>>, NoPathValue> {
        let Some((step, rest)) = path.split_first() else {
            return Ok(Cow::Borrowed(self));
        };
        match self.child(*step)? {
            Cow::Borrowed(child) => child.get(rest),
            Cow::Owned(child) => child.get(rest).map(|value| Cow::Owned(value.into_owned())),
        }
    }

    fn child(&self, step: FieldPathStep<'a>) -> Result<Cow<'_, SimulatedValue<'a>>, NoPathValue> {
        let found = match (self, step) {
            (SimulatedValue::Unknown | SimulatedValue::OfAuthor, _) => Cow::Borrowed(self),
            (SimulatedValue::Object(object), FieldPathStep::Field(name)) => match object.fields.get(name) {
                Some(value) => Cow::Borrowed(value),
                None if object.has_tag(name) => Cow::Owned(SimulatedValue::Scalar(ScalarType::Text)),
                None => Cow::Owned(object.others.value()),
            },
            (SimulatedValue::List(elements), FieldPathStep::Element(index)) => {
                elements.get(&index).map_or(Cow::Owned(SimulatedValue::Absent), Cow::Borrowed)
            }
            (SimulatedValue::Given(json), FieldPathStep::Field(name)) => {
                Cow::Owned(SimulatedValue::Given(json.get(name).map_err(|_| NoPathValue::Mismatch(mismatch(step)))?))
            }
            (SimulatedValue::Given(json), FieldPathStep::Element(index)) => {
                let mut elements = json
                    .as_elements()
                    .filter(|_| !json.is_null())
                    .ok_or_else(|| NoPathValue::Mismatch(mismatch(step)))?;
                Cow::Owned(elements.nth(index as usize).map_or(SimulatedValue::Absent, SimulatedValue::Given))
            }
            (SimulatedValue::Absent, FieldPathStep::Field(_)) => Cow::Borrowed(self),
            _ => return Err(NoPathValue::Mismatch(mismatch(step))),
        };
        if found.is_absent() { Err(NoPathValue::NotFound) } else { Ok(found) }
    }

    /// Writes a value under a path. Missing objects on the path are created.
    pub(super) fn write(
        &mut self,
        path: &[FieldPathStep<'a>],
        value: SimulatedValue<'a>,
        policy: MergePolicy,
    ) -> Result<(), PathProblem> {
        let mut here = self;
        let mut steps = path.iter().peekable();
        while let Some(step) = steps.next() {
            let is_last = steps.peek().is_none();
            here.unfold(*step);
            here = match (here, step) {
                (SimulatedValue::Object(object), FieldPathStep::Field(name)) => {
                    let there = match object.has_tag(name) {
                        true if is_last && policy == MergePolicy::Merge => return Ok(()),
                        true => SimulatedValue::Scalar(ScalarType::Text),
                        false => object.others.value(),
                    };
                    if let Some(tags) = object.tags.as_mut().filter(|tags| tags.may_have(name)) {
                        tags.is_whole = false;
                    }
                    object.fields.entry(name).or_insert(there)
                }
                (SimulatedValue::List(elements), FieldPathStep::Element(index)) => {
                    elements.entry(*index).or_insert(SimulatedValue::Absent)
                }
                _ => return Err(mismatch(*step)),
            };
            if let (SimulatedValue::Absent, Some(next)) = (&*here, steps.peek()) {
                *here = match next {
                    FieldPathStep::Field(_) => SimulatedValue::Object(SimulatedObject::default()),
                    FieldPathStep::Element(_) => SimulatedValue::List(BTreeMap::new()),
                };
            }
        }
        match policy {
            MergePolicy::Replace => *here = value,
            MergePolicy::Merge => here.merge(value, false),
            MergePolicy::ForceMerge => here.merge(value, true),
        }
        Ok(())
    }

    /// Reads one level of a base, or decides what an unknown value is, so that the step can be taken.
    fn unfold(&mut self, step: FieldPathStep<'a>) {
        match (&*self, step) {
            (SimulatedValue::Unknown | SimulatedValue::OfAuthor, FieldPathStep::Field(_)) => {
                let others = self.others();
                *self = SimulatedValue::Object(SimulatedObject { others, ..SimulatedObject::default() })
            }
            (SimulatedValue::Unknown | SimulatedValue::OfAuthor, FieldPathStep::Element(_)) => {
                *self = SimulatedValue::List(BTreeMap::new())
            }
            (SimulatedValue::Given(json), FieldPathStep::Field(_)) if !json.is_null() => {
                if let Some(fields) = json.as_fields() {
                    let fields = fields.map(|(name, value)| (name, SimulatedValue::Given(value))).collect();
                    *self = SimulatedValue::Object(SimulatedObject { fields, ..SimulatedObject::default() });
                }
            }
            (SimulatedValue::Given(json), FieldPathStep::Element(_)) if !json.is_null() => {
                if let Some(elements) = json.as_elements() {
                    *self = SimulatedValue::List((0..).zip(elements.map(SimulatedValue::Given)).collect());
                }
            }
            _ => {}
        }
    }

    fn unfold_object(&mut self) {
        if matches!(self, SimulatedValue::Given(_)) {
            self.unfold(FieldPathStep::EVERY);
        }
    }

    /// Records which patch copies the entries of the composite.
    pub(super) fn brought_by(mut self, patch: Json<'a>) -> Self {
        self.bring(patch);
        self
    }

    fn bring(&mut self, patch: Json<'a>) {
        if let SimulatedValue::Object(object) = self {
            object.fields.values_mut().for_each(|value| value.bring(patch));
            if let Some(tags) = &mut object.tags {
                tags.by = Some(patch);
            }
        }
    }
}

impl<'a> SimulatedObject<'a> {
    /// Whether a field is one of the entries of `spec.cloudTags`, or may be.
    fn has_tag(&self, name: &str) -> bool {
        self.tags.is_some_and(|tags| tags.may_have(name)) && !self.fields.contains_key(name)
    }
}

impl ComposedTags<'_> {
    /// Whether a key has the prefix of cloud tags.
    fn may_have(&self, key: &str) -> bool {
        begins(self.prefixes, key)
    }
}

/// Whether a key has the prefix of cloud tags.
pub(super) fn begins(prefixes: Prefixes<'_>, key: &str) -> bool {
    prefixes.iter().any(|prefix| key.starts_with(&**prefix))
}

/// What is wrong with a step that cannot be taken.
fn mismatch(step: FieldPathStep<'_>) -> PathProblem {
    match step {
        FieldPathStep::Field(name) => PathProblem::NotAnObject(name.to_owned()),
        FieldPathStep::Element(index) => PathProblem::NotAList(index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composition::field_path::parse;
    use crate::json::Document;

    const BASE: &str = r#"{"a":{"list":[{"b":1}],"text":"x","none":null},"tags":{"Role":"vm"}}"#;

    fn write(
        value: &mut SimulatedValue<'_>,
        path: &'static str,
        written: SimulatedValue<'static>,
        policy: MergePolicy,
    ) -> Result<(), PathProblem> {
        value.write(&parse(path).unwrap(), written, policy)
    }

    const PREFIXES: Prefixes<'_> = &[Cow::Borrowed("plexsphere:"), Cow::Borrowed("plexsphere/")];

    #[test]
    fn labels_are_the_authors_where_their_keys_may_have_the_prefix() {
        let labels = |prefixes| {
            let composite = SimulatedValue::composite(prefixes);
            let found = composite.get(&parse("metadata.labels").unwrap());
            matches!(found.as_deref(), Ok(SimulatedValue::OfAuthor))
        };
        assert_eq!([labels(&PREFIXES[..1]), labels(PREFIXES)], [false, true]);
    }

    fn tags() -> SimulatedValue<'static> {
        SimulatedValue::composite(PREFIXES).get(&parse("spec.cloudTags").unwrap()).unwrap().into_owned()
    }

    /// Whether there are tags under a path, and whether all of them do.
    fn is_whole(value: &SimulatedValue<'_>, path: &str) -> Option<bool> {
        value.tags_at(&parse(path).unwrap(), &mut 0).map(|tags| tags.is_whole)
    }

    #[test]
    fn a_path_is_found_or_not_or_cannot_be_followed() {
        let document = Document::new(BASE);
        let value = SimulatedValue::Given(document.root());
        let get = |path| value.get(&parse(path).unwrap()).map(|found| matches!(*found, SimulatedValue::Given(_)));
        assert_eq!(get("a.list[0].b"), Ok(true));
        for absent in ["b", "a.none", "a.none.b", "a.list[1]"] {
            assert_eq!(get(absent), Err(NoPathValue::NotFound), "{absent}");
        }
        for (path, problem) in [
            ("a.text.b", PathProblem::NotAnObject("b".to_owned())),
            ("a.list.b", PathProblem::NotAnObject("b".to_owned())),
            ("a[0]", PathProblem::NotAList(0)),
        ] {
            assert_eq!(get(path), Err(NoPathValue::Mismatch(problem)), "{path}");
        }
    }

    #[test]
    fn a_composite_is_unknown_but_for_its_tags() {
        let composite = SimulatedValue::composite(PREFIXES);
        let get = |path| composite.get(&parse(path).unwrap());
        assert!(matches!(get("spec.parameters.a").as_deref(), Ok(SimulatedValue::OfAuthor)));
        assert!(matches!(get("status.a").as_deref(), Ok(SimulatedValue::Unknown)));
        assert!(matches!(get("spec.cloudTags[plexsphere:a]").as_deref(), Ok(SimulatedValue::Scalar(ScalarType::Text))));
        assert_eq!(get("spec.cloudTags[*]").err(), Some(NoPathValue::NotFound));
        assert_eq!(is_whole(&composite, "spec.cloudTags"), Some(true));
    }

    #[test]
    fn what_is_missing_on_the_way_is_made() {
        let mut value = SimulatedValue::Absent;
        assert_eq!(
            write(&mut value, "a", SimulatedValue::Scalar(ScalarType::Text), MergePolicy::Replace).unwrap_err(),
            PathProblem::NotAnObject("a".to_owned())
        );
        let mut value = SimulatedValue::Object(SimulatedObject::default());
        write(&mut value, "a.disks[2].tags", tags(), MergePolicy::Replace).unwrap();
        assert_eq!(is_whole(&value, "a.disks.tags"), Some(true));
        let path = [
            FieldPathStep::Field("a"),
            FieldPathStep::Field("disks"),
            FieldPathStep::Element(2),
            FieldPathStep::Field("tags"),
        ];
        assert_eq!(value.places().into_iter().map(|(path, _)| path).collect::<Vec<_>>(), [path]);
    }

    #[test]
    fn a_merge_keeps_what_is_there_and_a_forced_one_does_not() {
        let document = Document::new(BASE);
        for (policy, after_tags, after_key) in [
            (MergePolicy::Replace, None, Some(false)),
            (MergePolicy::Merge, Some(true), Some(true)),
            (MergePolicy::ForceMerge, Some(true), Some(false)),
        ] {
            let mut value = SimulatedValue::Given(document.root());
            write(&mut value, "tags", tags(), MergePolicy::Merge).unwrap();
            assert_eq!(is_whole(&value, "tags"), Some(true));
            let mut other = value.clone();
            write(&mut other, "tags", SimulatedValue::Unknown, policy).unwrap();
            assert_eq!(is_whole(&other, "tags"), after_tags, "{policy:?}");
            for key in ["tags[plexsphere:a]", "tags[plexsphere/a]"] {
                let mut value = value.clone();
                write(&mut value, key, SimulatedValue::Scalar(ScalarType::Text), policy).unwrap();
                assert_eq!(is_whole(&value, "tags"), after_key, "{policy:?} {key}");
            }
        }
    }

    #[test]
    fn a_wildcard_expands_to_what_is_there() {
        let document = Document::new(BASE);
        let value = SimulatedValue::Given(document.root());
        let expand = |path| value.expand(&parse(path).unwrap()).map(|expanded| expanded.paths.len());
        assert_eq!(expand("*"), Ok(2));
        assert_eq!(expand("a.list[*].b"), Ok(1));
        assert_eq!(expand("a.list[*].c"), Ok(0));
        assert_eq!(expand("b[*]"), Ok(0));
        assert!(matches!(expand("a.text[*]"), Err(NoPathValue::Mismatch(_))));
        assert!(SimulatedValue::Unknown.expand(&parse("a[*]").unwrap()).unwrap().is_open);
    }
}
