//! Random fleets: a Cluster with its ClusterClass and everything below, odd keys and values on every place, and one
//! request about one of the objects.

use std::collections::BTreeMap;

use metadata_propagation::{Call, Manifests, Review, Settings, Version};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::fleet_kind::FleetKind;
use crate::unusual_json::RAW;

/// The tracking annotation.
pub(crate) const TRACKING: &str = "metadata-propagation.plexsphere.com/managed";
/// A user whose writes the default settings let pass.
pub(crate) const CONTROLLER: &str = "system:serviceaccount:capi-system:capi-manager";

/// A request, the settings to judge it by, and the objects above it.
#[derive(Debug, Clone)]
pub(crate) struct Fleet {
    pub(crate) payload: String,
    pub(crate) cluster: Manifests,
}

impl Fleet {
    /// Hands on the review and the settings of this fleet.
    pub(crate) fn with<T>(&self, use_it: impl FnOnce(&Review<'_>, &Settings) -> T) -> T {
        let call = Call::from_json(&self.payload).unwrap();
        use_it(&call.review, &Settings::from_json(call.settings).unwrap())
    }
}

/// The objects that a request may be about, and what they say of their owner.
const WAYS: &[(FleetKind, Option<FleetKind>)] = &[
    (FleetKind::ControlPlane, Some(FleetKind::Cluster)),
    (FleetKind::OtherControlPlane, Some(FleetKind::Cluster)),
    (FleetKind::Deployment, Some(FleetKind::Cluster)),
    (FleetKind::Deployment, None),
    (FleetKind::Pool, Some(FleetKind::Cluster)),
    (FleetKind::Set, Some(FleetKind::Deployment)),
    (FleetKind::Set, None),
    (FleetKind::Machine, Some(FleetKind::Set)),
    (FleetKind::Machine, Some(FleetKind::ControlPlane)),
    (FleetKind::Machine, Some(FleetKind::OtherControlPlane)),
    (FleetKind::Machine, Some(FleetKind::Pool)),
    (FleetKind::Infra, Some(FleetKind::Machine)),
    (FleetKind::Infra, Some(FleetKind::OtherControlPlane)),
    (FleetKind::Bootstrap, Some(FleetKind::Machine)),
    (FleetKind::Bootstrap, Some(FleetKind::Set)),
    (FleetKind::Bootstrap, Some(FleetKind::OtherControlPlane)),
    (FleetKind::Node, None),
];

/// Keys that meet each other on their ways, that rules name, and that nobody would think of.
const KEYS: &[&str] = &[
    "team",
    "team",
    "cost/center",
    "node.cluster.x-k8s.io/role",
    "node-role.kubernetes.io/worker",
    "sync.example.com/me",
    "cluster.x-k8s.io/cluster-name",
    "cluster.x-k8s.io/deployment-name",
    "cluster.x-k8s.io/set-name",
    "cluster.x-k8s.io/control-plane-name",
    "machine-template-hash",
    "topology.cluster.x-k8s.io/hold-upgrade-sequence",
    "cluster.x-k8s.io/conversion-data",
    "kubectl.kubernetes.io/last-applied-configuration",
    "machinedeployment.clusters.x-k8s.io/revision",
    "",
    "with \"quotes\" and \\",
    "ключ/🔑",
    "line\nbreak\u{0}",
];

const VALUES: &[&str] = &["", "red", "red", "blue", "c1", "\"", "\\u0041\\", "line\nbreak", "wärme 🔥", "\u{7f}\u{0}"];

type Entries = BTreeMap<String, String>;
/// Labels and annotations.
pub(crate) type Maps = (Entries, Entries);

fn key() -> impl Strategy<Value = String> {
    prop_oneof![9 => select(KEYS).prop_map(str::to_owned), 1 => any::<String>()]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![9 => select(VALUES).prop_map(str::to_owned), 1 => any::<String>()]
}

fn maps() -> impl Strategy<Value = Maps> {
    (btree_map(key(), value(), 0..4), btree_map(key(), value(), 0..4))
}

/// One edit that the request makes: at the object or in its template, of a label or an annotation; of the tracking
/// annotation where there is no key.
pub(crate) type Edit = (bool, bool, Option<String>, Option<String>);

fn edit() -> impl Strategy<Value = Edit> {
    (any::<bool>(), any::<bool>(), proptest::option::weighted(0.9, key()), proptest::option::of(value()))
}

/// One in a number.
fn seldom(n: u32) -> impl Strategy<Value = bool> {
    proptest::bool::weighted(1.0 / f64::from(n))
}

/// Everything that is drawn.
#[derive(Debug, Clone)]
pub(crate) struct Draw {
    pub(crate) way: (FleetKind, Option<FleetKind>),
    pub(crate) version: &'static str,
    pub(crate) parents_version: &'static str,
    /// One for each place that carries metadata.
    pub(crate) maps: Vec<Maps>,
    pub(crate) record: Option<(Vec<String>, Vec<String>)>,
    /// Who owns what of the stored object, and as the request has it.
    pub(crate) managed: [Option<Vec<Managed>>; 2],
    pub(crate) edits: Vec<Edit>,
    pub(crate) owner: Owner,
    pub(crate) paused: Option<FleetKind>,
    pub(crate) deleting: Option<FleetKind>,
    pub(crate) absent: Option<FleetKind>,
    pub(crate) user: &'static str,
    pub(crate) update: bool,
    pub(crate) converged: bool,
    pub(crate) patches: bool,
    pub(crate) empty: Empty,
    pub(crate) style: u64,
    pub(crate) settings: Value,
}

/// One entry of `managedFields`: manager, whether it applies, and keys of all maps.
pub(crate) type Managed = (&'static str, bool, Vec<String>);

/// As the API server keeps them: a manager has one entry for what it applies, and one for what it updates.
fn managed() -> impl Strategy<Value = Vec<Managed>> {
    let manager = select(&["capi-machineset", "capi-topology", "argocd", "kubectl-edit"][..]);
    let entries = btree_map((manager, any::<bool>()), vec(key(), 1..4), 1..4);
    entries.prop_map(|entries| entries.into_iter().map(|((manager, applies), keys)| (manager, applies, keys)).collect())
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Owner {
    Right,
    OfAnotherUid,
    NoController,
    Unknown,
    None,
}

/// How an object without labels says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Empty {
    Absent,
    Null,
    Map,
    /// Nor has it a template.
    NoTemplate,
}

/// Places that carry metadata: the objects of every kind, and what is inside them.
const PLACES: usize = 28;

fn draw() -> impl Strategy<Value = Draw> {
    let versions = || select(&["v1beta1", "v1beta2"][..]);
    let kind = |n| proptest::option::weighted(1.0 / f64::from(n), select(&FleetKind::ALL[..]));
    let owner = prop_oneof![
        12 => Just(Owner::Right),
        1 => Just(Owner::OfAnotherUid),
        1 => Just(Owner::NoController),
        1 => Just(Owner::Unknown),
        1 => Just(Owner::None),
    ];
    let user = prop_oneof![8 => Just("alice"), 1 => Just(""), 1 => Just(CONTROLLER)];
    let record = (vec(key(), 0..3), vec(key(), 0..3));
    let what = (select(WAYS), versions(), versions(), vec(maps(), PLACES));
    let managed = || proptest::option::weighted(0.6, managed());
    let traces = (proptest::option::weighted(0.3, record), [managed(), managed()], vec(edit(), 0..4));
    let state = (owner, kind(12), kind(12), kind(12));
    let request = (user, any::<bool>(), any::<bool>(), seldom(3));
    let empty = select(&[Empty::Absent, Empty::Null, Empty::Map, Empty::NoTemplate][..]);
    let style = prop_oneof![Just(0), any::<u64>()];
    (what, traces, state, request, empty, style, settings()).prop_map(
        |(what, traces, state, request, empty, style, settings)| Draw {
            way: what.0,
            version: what.1,
            parents_version: what.2,
            maps: what.3,
            record: traces.0,
            managed: traces.1,
            edits: traces.2,
            owner: state.0,
            paused: state.1,
            deleting: state.2,
            absent: state.3,
            user: request.0,
            update: request.1,
            converged: request.2,
            patches: request.3,
            empty,
            style,
            settings,
        },
    )
}

fn settings() -> impl Strategy<Value = Value> {
    let conflict = prop_oneof![3 => Just("restore"), 1 => Just("warn"), 1 => Just("reject")];
    let reaction = || select(&["accept", "warn", "reject"][..]);
    let expressions = select(vec![vec![], vec!["sync"], vec![".*"]]);
    (conflict, reaction(), reaction(), expressions, seldom(6)).prop_map(
        |(conflict, missing, failure, expressions, old)| {
            let node = json!({ "additionalLabels": expressions, "additionalAnnotations": expressions });
            let newest = Version::NEWEST.to_string();
            let (version, node) = if old { ("v1.9", json!({})) } else { (&*newest, node) };
            json!({
                "lookup": { "onMissing": missing, "onFailure": failure },
                "clusterApi": { "version": version, "onConflict": conflict, "node": node },
            })
        },
    )
}

/// A fleet and a request about one of its objects.
pub(crate) fn fleet() -> impl Strategy<Value = Fleet> {
    draw().prop_map(|draw| draw.fleet())
}

/// A fleet where one value of one object of the request or the cluster is any JSON.
pub(crate) fn broken_fleet() -> impl Strategy<Value = Fleet> {
    (draw(), any::<prop::sample::Index>(), select(&["object", "oldObject", ""][..]), any_json()).prop_map(
        |(draw, index, target, value)| {
            let mut request = draw.request();
            let mut objects = draw.parents();
            match request.get_mut(target) {
                Some(object) => replace(object, index, value),
                None => objects.iter_mut().for_each(|object| replace(object, index, value.clone())),
            }
            Fleet { payload: draw.payload(&request), cluster: draw.cluster(&objects) }
        },
    )
}

/// Any JSON value, of the shapes that objects have.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        value().prop_map(Value::from),
        Just(json!(format!("{RAW}1.50e+300"))),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let field = prop_oneof![select(&FIELDS[..]).prop_map(str::to_owned), key()];
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(field, inner, 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

const FIELDS: [&str; 12] = [
    "apiVersion",
    "kind",
    "metadata",
    "labels",
    "annotations",
    "ownerReferences",
    "managedFields",
    "name",
    "spec",
    "template",
    "topology",
    "class",
];

/// Replaces one of all the values in a document.
fn replace(document: &mut Value, index: prop::sample::Index, value: Value) {
    fn nodes(value: &Value, path: &str, found: &mut Vec<String>) {
        found.push(path.to_owned());
        let step = |key: &str| format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        match value {
            Value::Object(fields) => fields.iter().for_each(|(key, value)| nodes(value, &step(key), found)),
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(key, value)| nodes(value, &step(&key.to_string()), found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    nodes(document, "", &mut found);
    if let Some(node) = document.pointer_mut(index.get(found.as_slice()).as_str()) {
        *node = value;
    }
}
