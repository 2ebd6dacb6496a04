//! What a merge of two values leaves of cloud tags.
//!
//! Source: crossplane-runtime, pkg/fieldpath/merge.go.

use super::{ComposedTags, SimulatedObject, SimulatedValue};

/// Which fields an object may have that are not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum OtherFields {
    /// None.
    #[default]
    None,
    /// It is not known.
    Unknown,
    /// Any that the author of the composite writes.
    OfAuthor,
}

impl<'a> SimulatedValue<'a> {
    /// Merges another value into this one; `forced` says which one wins if they are not both objects.
    pub(super) fn merge(&mut self, from: SimulatedValue<'a>, forced: bool) {
        self.unfold_object();
        let mut from = from;
        from.unfold_object();
        match (&mut *self, from) {
            (SimulatedValue::Object(object), SimulatedValue::Object(from)) => object.merge(from, forced),
            (SimulatedValue::Object(object), unknown @ (SimulatedValue::Unknown | SimulatedValue::OfAuthor)) => {
                let others = unknown.others();
                object.merge(SimulatedObject { others, ..SimulatedObject::default() }, forced);
            }
            (SimulatedValue::Unknown | SimulatedValue::OfAuthor, SimulatedValue::Object(from)) => {
                let mut object = SimulatedObject { others: self.others(), ..SimulatedObject::default() };
                object.merge(from, forced);
                *self = SimulatedValue::Object(object);
            }
            (SimulatedValue::Unknown, SimulatedValue::OfAuthor) => *self = SimulatedValue::OfAuthor,
            (_, from) => {
                if forced || self.is_absent() {
                    *self = from;
                }
            }
        }
    }

    /// What an unknown value is, as fields of an object.
    pub(super) fn others(&self) -> OtherFields {
        match self {
            SimulatedValue::Unknown => OtherFields::Unknown,
            SimulatedValue::OfAuthor => OtherFields::OfAuthor,
            _ => OtherFields::None,
        }
    }

    /// Keys of the author's own may replace every entry of `spec.cloudTags` in this value.
    fn overwrite(&mut self) {
        if let SimulatedValue::Object(object) = self {
            object.fields.values_mut().for_each(SimulatedValue::overwrite);
            if let Some(tags) = &mut object.tags {
                tags.is_whole = false;
            }
        }
    }
}

impl<'a> SimulatedObject<'a> {
    fn merge(&mut self, from: SimulatedObject<'a>, forced: bool) {
        let mut from = from;
        // Of two maps, one of which is the author's, the one that wins may replace every tag of the other.
        if forced && from.others == OtherFields::OfAuthor {
            self.fields.values_mut().for_each(SimulatedValue::overwrite);
        }
        let may_have = |object: &SimulatedObject<'a>, tags: &ComposedTags<'a>| {
            object.others == OtherFields::OfAuthor || object.fields.keys().any(|name| tags.may_have(name))
        };
        let is_lost = forced && self.tags.is_some_and(|tags| may_have(&from, &tags));
        let is_kept = !forced && from.tags.is_some_and(|tags| may_have(self, &tags));
        self.tags = match (self.tags, from.tags) {
            (Some(tags), Some(newer)) if forced => Some(ComposedTags { is_whole: newer.is_whole, ..tags }),
            (Some(tags), _) => Some(ComposedTags { is_whole: tags.is_whole && !is_lost, ..tags }),
            (None, Some(tags)) => Some(ComposedTags { is_whole: tags.is_whole && !is_kept, ..tags }),
            (None, None) => None,
        };
        for (name, mut value) in std::mem::take(&mut from.fields) {
            if forced || !self.has_tag(name) {
                if !forced && self.others == OtherFields::OfAuthor && !self.fields.contains_key(name) {
                    value.overwrite();
                }
                self.fields.entry(name).or_insert(SimulatedValue::Absent).merge(value, forced);
            }
        }
        self.others = self.others.max(from.others);
    }
}

impl OtherFields {
    /// The value of a field that is not known.
    pub(super) fn value<'a>(self) -> SimulatedValue<'a> {
        match self {
            OtherFields::None => SimulatedValue::Absent,
            OtherFields::Unknown => SimulatedValue::Unknown,
            OtherFields::OfAuthor => SimulatedValue::OfAuthor,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::composition::field_path::parse;
    use crate::composition::value::{MergePolicy, Prefixes};

    const PREFIXES: Prefixes<'_> = &[Cow::Borrowed("plexsphere:")];

    fn tags() -> SimulatedValue<'static> {
        SimulatedValue::composite(PREFIXES).get(&parse("spec.cloudTags").unwrap()).unwrap().into_owned()
    }

    fn write(
        value: &mut SimulatedValue<'static>,
        path: &'static str,
        written: SimulatedValue<'static>,
        policy: MergePolicy,
    ) {
        value.write(&parse(path).unwrap(), written, policy).unwrap();
    }

    fn is_whole(value: &SimulatedValue<'_>, path: &str) -> Option<bool> {
        value.tags_at(&parse(path).unwrap(), &mut 0).map(|tags| tags.is_whole)
    }

    #[test]
    fn a_map_of_the_author_may_have_every_key() {
        let author = || SimulatedValue::OfAuthor;
        for (first, second, policy, expected) in [
            (tags(), author(), MergePolicy::Merge, Some(true)),
            (tags(), author(), MergePolicy::ForceMerge, Some(false)),
            (tags(), author(), MergePolicy::Replace, None),
            (author(), tags(), MergePolicy::Merge, Some(false)),
            (author(), tags(), MergePolicy::ForceMerge, Some(true)),
            (SimulatedValue::Unknown, tags(), MergePolicy::Merge, Some(true)),
        ] {
            let mut value = SimulatedValue::Object(SimulatedObject::default());
            write(&mut value, "a.tags", first.clone(), MergePolicy::Replace);
            write(&mut value, "a.tags", second, policy);
            assert_eq!(is_whole(&value, "a.tags"), expected, "{first:?} {policy:?}");
        }
        // The same above the map.
        let mut value = SimulatedValue::Object(SimulatedObject::default());
        write(&mut value, "a.tags", tags(), MergePolicy::Replace);
        write(&mut value, "a", author(), MergePolicy::Merge);
        assert_eq!(is_whole(&value, "a.tags"), Some(true));
        write(&mut value, "a", author(), MergePolicy::ForceMerge);
        assert_eq!(is_whole(&value, "a.tags"), Some(false));
        let mut value = SimulatedValue::Object(SimulatedObject::default());
        write(&mut value, "a", author(), MergePolicy::Replace);
        write(&mut value, "a.tags", tags(), MergePolicy::Merge);
        assert_eq!(is_whole(&value, "a.tags"), Some(false));
    }
}
