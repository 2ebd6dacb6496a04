//! What the API server and Cluster API's validating webhooks refuse: mistakes that one object shows, and edits that its old
//! value forbids.

mod checked;
mod definition;
mod dns;
mod edits;
mod kubeadm;
mod metadata;
mod objects;
mod release;
mod rke2;
mod selector;
mod taints;
mod values;

use metadata_propagation::Settings;
use serde_json::Value;
use topology::{ObjectPath, TopologyRefusal, has_definition};

pub(crate) use self::checked::Checked;
pub(crate) use self::definition::EMPTY;
use self::edits::EDIT_RULES;
pub(crate) use self::edits::{checks_version, is_pending, skipped_by_topology};
pub(crate) use self::metadata::{of_entries, of_metadata};
use self::objects::OBJECT_RULES;
pub(crate) use self::objects::{FIXED_AND_AUTOSCALED, etcd};
pub(crate) use self::selector::{are_selected, holds};
pub(crate) use self::taints::of_pool;
use crate::kustomize::patched_by;
use crate::object::{FleetObject, ObjectId};
use crate::plan::conversion::is_converted;
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
    Checked::of(id, object).refusals()
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
    let [old, new] = [old, new].map(|object| Checked::of(id, object));
    let mut found = new.refusals();
    // Most edits have none, and to look for them takes time.
    if !found.is_empty() {
        let known = old.refusals();
        found.retain(|refusal| !known.contains(refusal));
    }
    found.extend(new.since(&old));
    found
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

pub(crate) fn refusal(at: impl Into<ObjectPath>, message: impl Into<String>) -> Refusal {
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
