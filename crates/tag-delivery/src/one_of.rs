//! Whether `oneOf` of `spec`, which Crossplane copies, accepts composites with tags and without, as far as only
//! `spec.cloudTags` decides it.

use super::structural::DEEPEST;
use crate::fault::TagFault;
use crate::faults::FaultSeverity::{self, Loss, Risk};
use crate::json::Malformed;
use crate::json::document::Json;

/// What `oneOf` of `spec` does to tags; `None` if it does not depend on them, or accepts all composites.
///
/// # Errors
/// When a schema does not have the structure of an OpenAPI schema.
pub(super) fn fault(one_of: Json<'_>) -> Result<Option<(FaultSeverity, TagFault)>, Malformed> {
    let mut with = Reader { has_tags: true, names_tags: false };
    let mut without = Reader { has_tags: false, names_tags: false };
    let accepts_with = with.accepts_one(one_of, Place::Spec, DEEPEST)?;
    let accepts_without = without.accepts_one(one_of, Place::Spec, DEEPEST)?;
    Ok(match (accepts_with, accepts_without) {
        _ if !with.names_tags => None,
        (Some(false), _) => Some((Loss, TagFault::OneOf)),
        (_, Some(false)) => Some((Loss, TagFault::Required)),
        (Some(true), Some(true)) => None,
        _ => Some((Risk, TagFault::Condition { keyword: "oneOf" })),
    })
}

/// What a schema is about.
#[derive(Clone, Copy)]
enum Place {
    Spec,
    Tags,
}

/// Reads schemas for a composite of which only its tags are known.
struct Reader {
    has_tags: bool,
    /// Whether a schema names `spec.cloudTags`.
    names_tags: bool,
}

impl Reader {
    /// Whether a schema accepts the composite; `None` if it depends on something else.
    fn accepts(&mut self, schema: Json<'_>, place: Place, levels: usize) -> Result<Option<bool>, Malformed> {
        let Some(levels) = levels.checked_sub(1) else { return Ok(None) };
        let mut all = Some(true);
        for (keyword, value) in schema.fields()?.filter(|(_, value)| !value.is_null()) {
            let accepts = match (place, keyword) {
                (Place::Spec, "required") => self.accepts_required(value)?,
                (Place::Spec, "properties") => self.accepts_properties(value, levels)?,
                (Place::Tags, "maxProperties") if value.text() == "0" => Some(false),
                (Place::Tags, "minProperties") if matches!(value.text(), "0" | "1") => Some(true),
                (_, "not") => self.accepts(value, place, levels)?.map(|accepts| !accepts),
                (_, "oneOf") => self.accepts_one(value, place, levels)?,
                (_, "allOf") => self.every(value, place, levels)?.into_iter().fold(Some(true), and),
                (_, "anyOf") => {
                    let refuses = self.every(value, place, levels)?.into_iter().map(|it| it.map(|accepts| !accepts));
                    refuses.fold(Some(true), and).map(|refuse| !refuse)
                }
                _ => None,
            };
            all = and(all, accepts);
        }
        Ok(all)
    }

    fn every(&mut self, list: Json<'_>, place: Place, levels: usize) -> Result<Vec<Option<bool>>, Malformed> {
        list.elements()?.map(|schema| self.accepts(schema, place, levels)).collect()
    }

    /// Whether exactly one schema of a list accepts the composite.
    fn accepts_one(&mut self, list: Json<'_>, place: Place, levels: usize) -> Result<Option<bool>, Malformed> {
        let every = self.every(list, place, levels)?;
        let (accepting, is_known) =
            (every.iter().filter(|accepts| **accepts == Some(true)).count(), every.iter().all(Option::is_some));
        Ok(if accepting > 1 || is_known { Some(accepting == 1) } else { None })
    }

    fn accepts_required(&mut self, names: Json<'_>) -> Result<Option<bool>, Malformed> {
        let mut all = Some(true);
        for name in names.elements()? {
            let is_tags = name.as_string()? == "cloudTags";
            self.names_tags |= is_tags;
            all = and(all, is_tags.then_some(self.has_tags));
        }
        Ok(all)
    }

    fn accepts_properties(&mut self, properties: Json<'_>, levels: usize) -> Result<Option<bool>, Malformed> {
        let mut all = Some(true);
        for (name, schema) in properties.fields()? {
            let accepts = match name {
                "cloudTags" => {
                    self.names_tags = true;
                    let accepts = self.accepts(schema, Place::Tags, levels)?;
                    if self.has_tags { accepts } else { Some(true) }
                }
                _ => None,
            };
            all = and(all, accepts);
        }
        Ok(all)
    }
}

/// Whether both are true, as far as it is known.
fn and(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}
