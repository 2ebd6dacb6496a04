//! What stored objects lack, as patches for server-side apply.

use std::borrow::Cow;
use std::collections::BTreeSet;

use metadata_propagation::{Action, Change, Mode, NotApplicableReason, Operation, Outcome, Review, Settings, evaluate};
use serde_json::{Map, Value, json};

use crate::fleet::Fleet;
use crate::object::{Object, ObjectId, Origin};
use crate::splice::block;
use crate::world::{Member, World};

/// The field manager that the patches are meant for.
pub const FIELD_MANAGER: &str = "metadata-propagation-backfill";

/// What stored objects lack.
#[derive(Debug, Default)]
pub struct Backfill {
    /// The patches, each behind those of the objects above.
    pub patches: Vec<Patch>,
    /// Objects that lack something, and that no patch is made for.
    pub refused: Vec<Refused>,
    /// How many objects were not compared with what is above them.
    pub not_compared: usize,
}

/// A configuration of one object for server-side apply: the entries and fields that it lacks, and nothing else.
#[derive(Debug, PartialEq, Eq)]
pub struct Patch {
    /// What the object is called.
    pub id: ObjectId,
    /// The configuration as YAML.
    pub text: String,
    /// Whether another value stands where one of these is to be: whoever set it has to be overruled.
    pub conflicts: bool,
}

/// An object that no patch is made for.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    /// What the object is called.
    pub id: ObjectId,
    /// Where it stands.
    pub origin: Origin,
    /// Why: one sentence, lower case, no final stop.
    pub reason: String,
}

impl Backfill {
    /// What the objects of a fleet lack, given that the objects above have it already.
    #[must_use]
    pub fn of(fleet: &Fleet, settings: &Settings) -> Backfill {
        let world = World::of(fleet, settings);
        // Guards are asked here, and what is refused for being incomplete is completed.
        let settings = Settings { mode: Mode::Mutate, ..settings.clone() };
        let mut backfill = Backfill::default();
        let mut stuck: BTreeSet<usize> = BTreeSet::new();
        for (number, member) in world.in_order().into_iter().filter_map(|number| Some((number, world.member(number)?)))
        {
            let Some(origin) = &member.origin else { continue };
            let refused = |reason: String| Refused { id: member.id.clone(), origin: origin.clone(), reason };
            match touched(member, origin, &settings, &world) {
                Touched::Complete => {}
                // What comes to it comes by way of an object that does not have it.
                Touched::Lacking(_) if member.parent.is_some_and(|parent| stuck.contains(&parent)) => {
                    stuck.insert(number);
                    backfill.refused.push(refused(messages::BELOW_REFUSED.to_owned()));
                }
                Touched::Lacking(patch) => backfill.patches.push(patch),
                Touched::Refused(reason) => {
                    stuck.insert(number);
                    backfill.refused.push(refused(reason));
                }
                Touched::NotCompared => backfill.not_compared += 1,
            }
        }
        backfill
    }
}

/// What the policy makes of an object that is written again as it is.
enum Touched {
    Complete,
    Lacking(Patch),
    Refused(String),
    NotCompared,
}

fn touched(member: &Member, origin: &Origin, settings: &Settings, world: &World) -> Touched {
    let stored = member.written.to_string();
    let object = Object {
        id: member.id.clone(),
        version: member.version().to_owned(),
        json: stored.clone(),
        origin: origin.clone(),
    };
    let review = Review {
        operation: Operation::Update,
        old_object: Some(&stored),
        field_manager: Some(Cow::Borrowed(FIELD_MANAGER)),
        ..object.review()
    };
    let Outcome { rejection, object: completed, report, .. } = evaluate(&review, settings, world);
    let report = report.unwrap_or_default();
    if let Some(rejection) = rejection {
        return Touched::Refused(rejection.message);
    }
    if report.inert.as_ref().is_some_and(|inert| inert.reason != NotApplicableReason::NoOwner) {
        return Touched::NotCompared;
    }
    let completed = completed.and_then(|completed| serde_json::from_str(completed.get()).ok());
    let Some(completed) = completed else { return Touched::Complete };
    if member.written.pointer("/metadata/name").is_none() {
        return Touched::Refused(messages::NO_NAME.to_owned());
    }
    match report.changes.iter().find(|change| change.action == Action::Removed) {
        Some(change) => Touched::Refused(messages::to_be_removed(&change.key, &change.at)),
        None => Touched::Lacking(Patch::of(member, &completed, &report.changes)),
    }
}

impl Patch {
    fn of(member: &Member, wanted: &Value, changes: &[Change]) -> Patch {
        let stored = &member.written;
        let mut patch = json!({ "apiVersion": stored.get("apiVersion"), "kind": stored.get("kind") });
        // An object with another UID, or none, is not made from a patch: the API server answers with a conflict.
        // Source: apiserver, endpoints/handlers/patch.go, `applyPatch`.
        for field in ["name", "namespace", "uid"] {
            if let Some(value) = stored.pointer(&format!("/metadata/{field}")) {
                merge(&mut patch, json!({ "metadata": { field: value } }));
            }
        }
        // What the field manager applied before and does not apply again is removed.
        let managed = stored.pointer("/metadata/managedFields").and_then(Value::as_array);
        let is_own = |entry: &&Value| {
            let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
            (text("manager"), text("operation"), text("subresource")) == (FIELD_MANAGER, "Apply", "")
        };
        for entry in managed.into_iter().flatten().filter(is_own) {
            let applied = entry.get("fieldsV1").and_then(|fields| applied(fields, wanted));
            merge(&mut patch, applied.unwrap_or_default());
        }
        merge(&mut patch, lacking(stored, wanted).unwrap_or_default());
        let mut text = String::new();
        if let Value::Object(fields) = &patch {
            block(fields, 0, &mut text);
        }
        let conflicts = changes.iter().any(|change| change.from.is_some());
        Patch { id: member.id.clone(), text, conflicts }
    }
}

/// What `stored` does not have as `wanted` has it; lists as a whole.
fn lacking(stored: &Value, wanted: &Value) -> Option<Value> {
    let (Value::Object(stored), Value::Object(wanted)) = (stored, wanted) else {
        return (stored != wanted).then(|| wanted.clone());
    };
    let entries = wanted.iter().filter_map(|(name, wanted)| {
        let lacking = stored.get(name).map_or_else(|| Some(wanted.clone()), |stored| lacking(stored, wanted));
        Some((name.clone(), lacking?))
    });
    filled(entries.collect())
}

/// What a field manager applied before, with the values of `wanted`; lists as a whole.
///
/// Source: structured-merge-diff, fieldpath: `f:` stands before the name of a field.
fn applied(fields: &Value, wanted: &Value) -> Option<Value> {
    let (Value::Object(fields), Value::Object(wanted)) = (fields, wanted) else { return Some(wanted.clone()) };
    if fields.is_empty() {
        return Some(Value::Object(wanted.clone()));
    }
    let entries = fields.iter().filter_map(|(field, below)| {
        let name = field.strip_prefix("f:")?;
        Some((name.to_owned(), applied(below, wanted.get(name)?)?))
    });
    filled(entries.collect())
}

fn filled(entries: Map<String, Value>) -> Option<Value> {
    (!entries.is_empty()).then_some(Value::Object(entries))
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (_, Value::Null) => {}
        (into, from) => *into = from,
    }
}

mod messages {
    pub(super) const BELOW_REFUSED: &str = "there is none for the object above it either";
    pub(super) const NO_NAME: &str = "has no `metadata.name`, and so cannot be patched";

    pub(super) fn to_be_removed(key: &str, at: &str) -> String {
        format!(
            "`{key}` in `{at}` has to go, and server-side apply removes only what its own field manager set; the policy \
             removes it with the next write"
        )
    }
}
