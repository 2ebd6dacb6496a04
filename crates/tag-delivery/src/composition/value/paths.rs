//! The paths of a value: those that a wildcard matches, and those of cloud tags.

use std::borrow::Cow;

use super::{ComposedTags, NoPathValue, OtherFields, ScalarType, SimulatedValue, mismatch};
use crate::composition::field_path::FieldPathStep;

/// A step, and the value that it leads to.
type Child<'v, 'a> = (FieldPathStep<'a>, Cow<'v, SimulatedValue<'a>>);

/// The paths that a path with wildcards matches.
#[derive(Debug, Default)]
pub(in crate::composition) struct Expanded<'a> {
    pub(in crate::composition) paths: Vec<Vec<FieldPathStep<'a>>>,
    /// Whether it may match others as well.
    pub(in crate::composition) is_open: bool,
    /// How many fields and elements were searched.
    pub(in crate::composition) searched: usize,
}

impl<'a> SimulatedValue<'a> {
    /// The paths that exist for a path with wildcards; none if a step is absent.
    ///
    /// # Errors
    /// When a step leads through something other than an object or a list, or a wildcard matches nothing.
    pub(in crate::composition) fn expand(&self, path: &[FieldPathStep<'a>]) -> Result<Expanded<'a>, NoPathValue> {
        let mut expanded = Expanded::default();
        self.expand_into(path, &mut Vec::new(), &mut expanded)?;
        Ok(expanded)
    }

    fn expand_into(
        &self,
        path: &[FieldPathStep<'a>],
        at: &mut Vec<FieldPathStep<'a>>,
        expanded: &mut Expanded<'a>,
    ) -> Result<(), NoPathValue> {
        let Some((step, rest)) = path.split_first() else {
            expanded.paths.push(at.clone());
            return Ok(());
        };
        let children = if *step == FieldPathStep::EVERY {
            self.children(expanded)?
        } else {
            match self.child(*step) {
                Err(NoPathValue::NotFound) => Vec::new(),
                child => vec![(*step, child?)],
            }
        };
        expanded.searched += children.len().max(1);
        for (step, child) in children.into_iter().filter(|(_, child)| !child.is_absent()) {
            at.push(step);
            child.expand_into(rest, at, expanded)?;
            at.pop();
        }
        Ok(())
    }

    /// What a wildcard matches.
    fn children(&self, expanded: &mut Expanded<'a>) -> Result<Vec<Child<'_, 'a>>, NoPathValue> {
        match self {
            SimulatedValue::Unknown | SimulatedValue::OfAuthor => {
                expanded.is_open = true;
                Ok(Vec::new())
            }
            SimulatedValue::Object(object) => {
                expanded.is_open |= object.others != OtherFields::None;
                // One entry represents all tags.
                let tag = object.tags.and_then(|tags| tags.prefixes.first());
                let tag = tag.map(|prefix| (&**prefix, Cow::Owned(SimulatedValue::Scalar(ScalarType::Text))));
                let fields = object.fields.iter().map(|(name, value)| (*name, Cow::Borrowed(value)));
                Ok(fields.chain(tag).map(|(name, value)| (FieldPathStep::Field(name), value)).collect())
            }
            SimulatedValue::List(elements) => Ok(elements
                .iter()
                .map(|(index, value)| (FieldPathStep::Element(*index), Cow::Borrowed(value)))
                .collect()),
            SimulatedValue::Given(json) if json.is_null() => Err(NoPathValue::NotFound),
            SimulatedValue::Given(json) => {
                let given = |json| Cow::Owned(SimulatedValue::Given(json));
                let fields = json.as_fields();
                let fields =
                    fields.map(|all| all.map(|(name, value)| (FieldPathStep::Field(name), given(value))).collect());
                let elements = || {
                    let all = (0..).zip(json.as_elements()?);
                    Some(all.map(|(at, value)| (FieldPathStep::Element(at), given(value))).collect())
                };
                fields.or_else(elements).ok_or_else(|| NoPathValue::Mismatch(mismatch(FieldPathStep::EVERY)))
            }
            SimulatedValue::Absent => Err(NoPathValue::NotFound),
            SimulatedValue::Scalar(_) => Err(NoPathValue::Mismatch(mismatch(FieldPathStep::EVERY))),
        }
    }

    /// How many values it consists of, as far as they are known.
    pub(in crate::composition) fn values(&self) -> usize {
        match self {
            SimulatedValue::Object(object) => 1 + object.fields.values().map(SimulatedValue::values).sum::<usize>(),
            SimulatedValue::List(elements) => 1 + elements.values().map(SimulatedValue::values).sum::<usize>(),
            _ => 1,
        }
    }

    /// The entries of `spec.cloudTags` under a path of fields, in any elements of lists on the path; the elements are added
    /// to `searched`.
    pub(in crate::composition) fn tags_at(
        &self,
        path: &[FieldPathStep<'_>],
        searched: &mut usize,
    ) -> Option<ComposedTags<'a>> {
        match (self, path.split_first()) {
            (SimulatedValue::Object(object), None) => object.tags,
            (SimulatedValue::Object(object), Some((FieldPathStep::Field(name), rest))) => {
                object.fields.get(name)?.tags_at(rest, searched)
            }
            (SimulatedValue::List(elements), Some(_)) => {
                *searched += elements.len();
                elements.values().find_map(|element| element.tags_at(path, searched))
            }
            _ => None,
        }
    }

    /// Every place that has entries of `spec.cloudTags`.
    pub(in crate::composition) fn places(&self) -> Vec<(Vec<FieldPathStep<'a>>, ComposedTags<'a>)> {
        let mut places = Vec::new();
        self.places_into(&mut Vec::new(), &mut places);
        places
    }

    fn places_into(
        &self,
        at: &mut Vec<FieldPathStep<'a>>,
        places: &mut Vec<(Vec<FieldPathStep<'a>>, ComposedTags<'a>)>,
    ) {
        let mut below = |step, value: &SimulatedValue<'a>| {
            at.push(step);
            value.places_into(at, places);
            at.pop();
        };
        match self {
            SimulatedValue::Object(object) => {
                object.fields.iter().for_each(|(name, value)| below(FieldPathStep::Field(name), value));
                places.extend(object.tags.map(|tags| (at.clone(), tags)));
            }
            SimulatedValue::List(elements) => {
                elements.iter().for_each(|(index, value)| below(FieldPathStep::Element(*index), value))
            }
            SimulatedValue::Absent
            | SimulatedValue::Given(_)
            | SimulatedValue::Scalar(_)
            | SimulatedValue::Unknown
            | SimulatedValue::OfAuthor => {}
        }
    }
}
