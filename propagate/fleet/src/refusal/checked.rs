//! An object of which several refusals are asked for: what they have in common is computed once.

use std::cell::OnceCell;

use serde_json::Value;
use topology::{ObjectPath, ObjectStep, UnknownField, unknown_fields};

use super::definition::{Violation, violations};
use super::edits::EDIT_RULES;
use super::objects::OBJECT_RULES;
use super::{Refusal, has_placeholder, is_meant};
use crate::object::ObjectId;
use crate::plan::conversion::version_mismatches;

/// An object, and what was found in it so far.
pub(crate) struct Checked<'o> {
    id: &'o ObjectId,
    object: &'o Value,
    fields: OnceCell<Vec<Refusal>>,
    violations: OnceCell<Vec<Violation>>,
}

impl<'o> Checked<'o> {
    pub(crate) fn of(id: &'o ObjectId, object: &'o Value) -> Checked<'o> {
        Checked { id, object, fields: OnceCell::new(), violations: OnceCell::new() }
    }

    /// The refusals of the object, whatever it was before.
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        let rules = OBJECT_RULES.iter().filter(|rule| is_meant(self.id, rule.kinds));
        let found = rules.flat_map(|rule| (rule.finds)(self.object));
        let mut found: Vec<Refusal> = found.chain(self.of_fields().iter().cloned()).collect();
        // Of a list that has a name twice, a webhook names the entry; of what has only unknown fields, those are named.
        let is_known = |refusal: &Refusal| {
            found.iter().any(|known| match known.at.steps.strip_prefix(&*refusal.at.steps) {
                Some([] | [ObjectStep::Entry(_)]) => true,
                Some([ObjectStep::Field(_), ..]) => known.needs_path,
                _ => false,
            })
        };
        let unfit = self.violations().iter().filter(|it| it.is_unfit && !is_known(&it.refusal));
        let unfit: Vec<Refusal> = unfit.map(|it| it.refusal.clone()).collect();
        found.extend(unfit);
        found
    }

    /// What the API server refuses because its version of the object does not have it.
    pub(crate) fn of_fields(&self) -> &[Refusal] {
        self.fields.get_or_init(|| of_fields(self.id, self.object))
    }

    /// The refusals of an edit because of the old object; required fields that it removes are some, or that what it adds does
    /// not have.
    pub(crate) fn since(&self, old: &Checked<'_>) -> Vec<Refusal> {
        let rules = EDIT_RULES.iter().filter(|rule| is_meant(self.id, rule.kinds));
        let mut found: Vec<Refusal> = rules.flat_map(|rule| (rule.finds)(old.object, self.object)).collect();
        let is_new = |it: &&Violation| !old.missing().any(|known| known.refusal.at == it.refusal.at);
        found.extend(self.missing().filter(is_new).map(|it| it.refusal.clone()));
        found
    }

    fn missing(&self) -> impl Iterator<Item = &Violation> {
        self.violations().iter().filter(|it| it.is_missing)
    }

    fn violations(&self) -> &[Violation] {
        self.violations.get_or_init(|| violations(self.object))
    }
}

fn of_fields(id: &ObjectId, object: &Value) -> Vec<Refusal> {
    let refusal = |at: ObjectPath, message: String| Refusal { at, message, needs_path: true };
    let mismatches = version_mismatches(id, object)
        .into_iter()
        .map(|field| refusal(ObjectPath::parse(&field.at), field.to_string()));
    let mut found: Vec<Refusal> = mismatches.collect();
    // A field that has another path in this version is not also unknown, and neither is what it is in.
    let is_said = |unknown: &UnknownField| found.iter().any(|known| known.at.is_within(&unknown.at));
    let is_open = |unknown: &UnknownField| unknown.at.field().is_some_and(has_placeholder);
    let unknown = unknown_fields(object).into_iter().filter(|unknown| !is_said(unknown) && !is_open(unknown));
    let unknown: Vec<Refusal> = unknown.map(|field| refusal(field.at.clone(), field.to_string())).collect();
    found.extend(unknown);
    found
}
