//! Whether `oneOf` of `spec`, which Crossplane copies, accepts composites with tags and without, as far as only
//! `spec.cloudTags` decides it.

use super::structural::DEEPEST;
use crate::fault::TagFault;
use crate::faults::FaultSeverity::{self, Loss, Risk};
use crate::json::{Json, Malformed};

/// What `oneOf` of `spec` does to tags; `None` if it does not depend on them, or accepts all composites.
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
        let mut all = Vec::new();
        for (keyword, value) in schema.fields()?.filter(|(_, value)| !value.is_null()) {
            all.push(match (place, keyword) {
                (Place::Spec, "required") => self.accepts_required(value)?,
                (Place::Spec, "properties") => self.accepts_properties(value, levels)?,
                (Place::Tags, "maxProperties") if value.text() == "0" => Some(false),
                (Place::Tags, "minProperties") if matches!(value.text(), "0" | "1") => Some(true),
                (_, "not") => not(self.accepts(value, place, levels)?),
                (_, "oneOf") => self.accepts_one(value, place, levels)?,
                (_, "allOf") => all_of(self.every(value, place, levels)?),
                (_, "anyOf") => not(all_of(self.every(value, place, levels)?.into_iter().map(not))),
                _ => None,
            });
        }
        Ok(all_of(all))
    }

    fn every(&mut self, list: Json<'_>, place: Place, levels: usize) -> Result<Vec<Option<bool>>, Malformed> {
        list.elements()?.map(|schema| self.accepts(schema, place, levels)).collect()
    }

    /// Whether exactly one schema of a list accepts the composite.
    fn accepts_one(&mut self, list: Json<'_>, place: Place, levels: usize) -> Result<Option<bool>, Malformed> {
        let every = self.every(list, place, levels)?;
        let accepting = every.iter().filter(|accepts| **accepts == Some(true)).count();
        let is_known = accepting > 1 || every.iter().all(Option::is_some);
        Ok(is_known.then_some(accepting == 1))
    }

    fn accepts_required(&mut self, names: Json<'_>) -> Result<Option<bool>, Malformed> {
        let mut all = Vec::new();
        for name in names.elements()? {
            let is_tags = name.as_string()? == "cloudTags";
            self.names_tags |= is_tags;
            all.push(is_tags.then_some(self.has_tags));
        }
        Ok(all_of(all))
    }

    fn accepts_properties(&mut self, properties: Json<'_>, levels: usize) -> Result<Option<bool>, Malformed> {
        let tags = properties.get("cloudTags")?;
        self.names_tags |= !tags.is_null();
        let accepts = if self.has_tags { self.accepts(tags, Place::Tags, levels)? } else { Some(true) };
        let is_alone = properties.fields()?.all(|(name, _)| name == "cloudTags");
        Ok(all_of([accepts, is_alone.then_some(true)]))
    }
}

fn not(accepts: Option<bool>) -> Option<bool> {
    accepts.map(|accepts| !accepts)
}

/// Whether all are true, as far as it is known.
fn all_of(all: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let all: Vec<Option<bool>> = all.into_iter().collect();
    match all.contains(&Some(false)) {
        true => Some(false),
        false => (!all.contains(&None)).then_some(true),
    }
}
