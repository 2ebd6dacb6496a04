//! What the API server and Cluster API's validating webhooks refuse: mistakes that one object shows, and edits that its old
//! value forbids.

mod definition;
mod edits;
mod kubeadm;
mod objects;
mod release;
mod selector;
mod taints;
mod values;

use metadata_propagation::Settings;
use serde_json::Value;
use topology::{ObjectPath, ObjectStep, TopologyRefusal, UnknownField, has_definition, unknown_fields};

pub(crate) use self::definition::EMPTY;
use self::definition::{missing, unfit};
use self::edits::EDIT_RULES;
pub(crate) use self::edits::{checks_version, is_pending, skipped_by_topology};
use self::objects::OBJECT_RULES;
pub(crate) use self::objects::{FIXED_AND_AUTOSCALED, etcd};
pub(crate) use self::selector::holds;
pub(crate) use self::taints::of_pool;
use crate::kustomize::patched_by;
use crate::object::{FleetObject, ObjectId};
use crate::plan::conversion::{is_converted, version_mismatches};
use crate::source::Source;

/// A refusal of a webhook or of the API server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The path of the field.
    pub(crate) at: ObjectPath,
    /// One sentence: lower case, no final stop.
    pub(crate) message: String,
    /// Whether the message is only about the field at that path, and does not say which one it is.
    pub(crate) needs_path: bool,
}

impl Refusal {
    /// A refusal of an object of a kind because of its topology or its class.
    pub(crate) fn of_topology(refusal: TopologyRefusal, kind: &str) -> Refusal {
        let at = ObjectPath::parse(&refusal.path(kind));
        match refusal {
            TopologyRefusal::Object { kind: of, reason, .. } if of == kind => {
                Refusal { at, message: reason, needs_path: true }
            }
            other => Refusal { at, message: other.to_string(), needs_path: false },
        }
    }

    /// The message where the path is not printed.
    pub(crate) fn sentence(&self) -> String {
        let Refusal { at, message, needs_path } = self;
        if *needs_path { format!("`{at}`: {message}") } else { message.clone() }
    }
}

/// What is refused in objects of some kinds.
struct ObjectRule {
    kinds: &'static [&'static str],
    /// The refusals of one object.
    finds: fn(&Value) -> Vec<Refusal>,
}

/// What is refused in edits of some kinds.
struct EditRule {
    kinds: &'static [&'static str],
    /// The refusals of an edit from the first value to the second.
    finds: fn(&Value, &Value) -> Vec<Refusal>,
}

/// Whether anything is refused in objects of this kind.
pub(crate) fn has_rules(id: &ObjectId) -> bool {
    let kinds = OBJECT_RULES.iter().map(|rule| rule.kinds).chain(EDIT_RULES.iter().map(|rule| rule.kinds));
    kinds.into_iter().any(|kinds| is_meant(id, kinds)) || is_converted(id) || has_definition(&id.group, &id.kind)
}

/// The refusals of an object, whatever it was before.
pub(crate) fn of_object(id: &ObjectId, object: &Value) -> Vec<Refusal> {
    let rules = OBJECT_RULES.iter().filter(|rule| is_meant(id, rule.kinds));
    let mut found: Vec<Refusal> = rules.flat_map(|rule| (rule.finds)(object)).chain(of_fields(id, object)).collect();
    // Of a list that has a name twice, a webhook names the entry; of what has only unknown fields, those are named.
    let is_known = |refusal: &Refusal| {
        found.iter().any(|known| match known.at.steps.strip_prefix(&*refusal.at.steps) {
            Some([] | [ObjectStep::Entry(_)]) => true,
            Some([ObjectStep::Field(_), ..]) => known.needs_path,
            _ => false,
        })
    };
    let unfit: Vec<Refusal> = unfit(object).into_iter().filter(|refusal| !is_known(refusal)).collect();
    found.extend(unfit);
    found
}

/// What the API server refuses because its version of the object does not have it.
pub(crate) fn of_fields(id: &ObjectId, object: &Value) -> Vec<Refusal> {
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

/// The refusals of taints in an object, if the feature gate for them is off.
pub(crate) fn of_taints(id: &ObjectId, object: &Value, settings: &Settings) -> Vec<Refusal> {
    const KINDS: [&str; 7] = [
        "Cluster",
        "ClusterClass",
        "KubeadmControlPlane",
        "KubeadmControlPlaneTemplate",
        "Machine",
        "MachineDeployment",
        "MachineSet",
    ];
    if settings.cluster_api.taints || !is_meant(id, &KINDS) { Vec::new() } else { taints::ungated(object) }
}

/// The refusals of an edit, without those of the old object.
pub(crate) fn of_edit(id: &ObjectId, old: &Value, new: &Value) -> Vec<Refusal> {
    let mut found = of_object(id, new);
    // Most edits have none, and to look for them takes time.
    if !found.is_empty() {
        let known = of_object(id, old);
        found.retain(|refusal| !known.contains(refusal));
    }
    found.extend(of_change(id, old, new));
    found
}

/// The refusals of an edit because of the old object.
pub(crate) fn of_change(id: &ObjectId, old: &Value, new: &Value) -> impl Iterator<Item = Refusal> {
    let rules = EDIT_RULES.iter().filter(|rule| is_meant(id, rule.kinds));
    rules.flat_map(|rule| (rule.finds)(old, new)).chain(missing(old, new))
}

/// The kustomization that may fill a list or an object whose emptiness is refused.
pub(crate) fn filled_by<'s>(refusal: &Refusal, object: &FleetObject, sources: &'s [Source]) -> Option<&'s str> {
    EMPTY.contains(&&*refusal.message).then(|| patched_by(sources, object.origin.source)).flatten()
}

/// Whether an object is of one of these kinds of Cluster API.
fn is_meant(id: &ObjectId, kinds: &[&str]) -> bool {
    id.is_cluster_api() && kinds.contains(&&*id.kind)
}

/// The path of a JSON pointer.
fn path(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

fn refusal(at: impl Into<ObjectPath>, message: impl Into<String>) -> Refusal {
    Refusal { at: at.into(), message: message.into(), needs_path: false }
}

/// The texts at a path that are neither empty nor placeholders of a template.
fn written<'v>(object: &'v Value, pointer: &str) -> Option<&'v str> {
    object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty() && !has_placeholder(text))
}

/// Whether a text is a variable of a template, or contains one.
pub(crate) fn has_variable(text: &str) -> bool {
    text.contains("${") || text.contains("{{")
}

/// Whether a text may be filled in before it is applied.
fn has_placeholder(text: &str) -> bool {
    text.contains(['$', '{', '<'])
}
