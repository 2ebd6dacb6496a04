//! Whether an object can be read as the source of others: the objects that would be created from it are evaluated, and
//! the parent that such an evaluation cannot read is reported.

use std::fmt;

use metadata_propagation::cluster_api::CORE_GROUP;
use metadata_propagation::{Cluster, Get, LookupError, Malformed, MalformedObject, Outcome, Settings, evaluate};
use serde_json::{Value, json};

use crate::object::{FleetObject, ObjectId, Origin};
use crate::predicted::{Maker, predicted};
use crate::workers::workers;

/// The name of the objects that are made up here.
const MADE_UP: &str = "made-up";

/// An object that prevents the evaluation of another one, because it does not have the structure of a Kubernetes
/// object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Blame {
    /// Kind, namespace and name, as the engine prints them.
    pub(crate) object: String,
    pub(crate) problem: ReadProblem,
}

/// Why an object cannot be read as the source of others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReadProblem {
    /// A value at a path has the wrong type; what is wrong is the end of a sentence.
    WrongType { path: String, problem: String },
    /// The selector has a field that is not part of the schema.
    UnknownSelectorField(String),
}

impl ReadProblem {
    /// The path in the object.
    pub(crate) fn at(&self) -> &str {
        match self {
            ReadProblem::WrongType { path, .. } => path,
            ReadProblem::UnknownSelectorField(_) => SELECTOR,
        }
    }
}

impl From<Malformed> for ReadProblem {
    fn from(Malformed { path, problem }: Malformed) -> ReadProblem {
        ReadProblem::WrongType { path, problem }
    }
}

/// One sentence: lower case, no final stop, the path in backticks.
impl fmt::Display for ReadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadProblem::WrongType { path, problem } => write!(f, "`{path}` {problem}"),
            ReadProblem::UnknownSelectorField(field) => {
                write!(f, "`{SELECTOR}` has unknown field `{field}`; set labels in `matchLabels`")
            }
        }
    }
}

/// The path of a selector.
const SELECTOR: &str = "spec.selector";

/// The object above that an evaluation could not read, if there is one. A missing one is not to blame.
pub(crate) fn blame(outcome: &Outcome) -> Option<Blame> {
    // Without a report the object itself could not be read.
    outcome.report.as_ref()?;
    let MalformedObject { object, problem } = outcome.malformed.clone()?;
    Some(Blame { object, problem: problem.into() })
}

/// Every object that cannot be read when the objects that would be created from this one are evaluated.
pub(crate) fn probe(object: &FleetObject, settings: &Settings, cluster: &dyn Cluster) -> Vec<Blame> {
    let is_core = object.id.group == CORE_GROUP;
    let evaluated = |children: Vec<FleetObject>, cluster: &dyn Cluster| -> Vec<Blame> {
        children.iter().filter_map(|child| blame(&evaluate(&child.review(), settings, cluster))).collect()
    };
    match &*object.id.kind {
        "MachineDeployment" | "MachineSet" if is_core => {
            let json = object.value();
            let mut blames = evaluated(children(object, &json, None), cluster);
            blames.extend(selector(object, &json));
            blames
        }
        "KubeadmControlPlane" => evaluated(children(object, &object.value(), None), cluster),
        "Cluster" if is_core => {
            let json = object.value();
            if json.pointer("/spec/topology").is_none_or(Value::is_null) {
                return Vec::new();
            }
            let mut made = children(object, &json, None);
            made.extend(worker(object));
            evaluated(made, cluster)
        }
        "ClusterClass" if is_core => {
            let json = object.value();
            let user = user(object, &json);
            let read = user.value();
            let mut made = children(&user, &read, Some(&json));
            made.extend(
                children(&user, &read, Some(&control_plane())).into_iter().filter(|child| child.id.group != CORE_GROUP),
            );
            evaluated(made, &With { object: &user, cluster })
        }
        _ => Vec::new(),
    }
}

/// A field of a selector that is not part of the schema: the API server drops it, and the labels below it select
/// nothing.
fn selector(object: &FleetObject, json: &Value) -> Option<Blame> {
    let fields = json.pointer("/spec/selector").and_then(Value::as_object)?;
    let field = fields.keys().find(|field| !["matchLabels", "matchExpressions"].contains(&&***field))?;
    Some(Blame { object: object.id.to_string(), problem: ReadProblem::UnknownSelectorField(field.clone()) })
}

/// The objects that would be created from an object of which nothing exists.
fn children(object: &FleetObject, json: &Value, class: Option<&Value>) -> Vec<FleetObject> {
    let (id, version) = (&object.id, &*object.version);
    predicted(&Maker { id, version, object: json, class, cluster: "", children: &[], find: &|_| None })
}

/// A MachineDeployment without an entry: its evaluation reads the list of entries.
fn worker(cluster: &FleetObject) -> Option<FleetObject> {
    let topology = json!({ "spec": { "topology": { "workers": { "machineDeployments": [{ "name": MADE_UP }] } } } });
    children(cluster, &topology, None).into_iter().find(|child| child.id.kind == "MachineDeployment")
}

/// A class with a control plane: its evaluation reads the parts of the real class that concern it.
fn control_plane() -> Value {
    let template =
        json!({ "apiVersion": "controlplane.cluster.x-k8s.io/v1beta2", "kind": "KubeadmControlPlaneTemplate" });
    json!({ "spec": { "controlPlane": { "templateRef": template } } })
}

/// A Cluster with an entry for each class of workers, and one more whose class does not exist.
fn user(class: &FleetObject, json: &Value) -> FleetObject {
    let entries = |list: &'static str| -> Vec<Value> {
        let named = workers(json, list).map(|class| class.name);
        named.chain([MADE_UP]).map(|class| json!({ "name": class, "class": class })).collect()
    };
    let cluster = json!({
        "apiVersion": format!("{CORE_GROUP}/{}", class.version),
        "kind": "Cluster",
        "metadata": { "name": MADE_UP, "namespace": class.id.namespace },
        "spec": { "topology": {
            // In the formats of v1beta2 and v1beta1.
            "classRef": { "name": class.id.name },
            "class": class.id.name,
            "workers": { "machineDeployments": entries("machineDeployments"), "machinePools": entries("machinePools") },
        } },
    });
    let id = ObjectId { kind: "Cluster".to_owned(), name: MADE_UP.to_owned(), ..class.id.clone() };
    let origin = Origin { source: 0, document: 0..0, item: None };
    FleetObject { id, version: class.version.clone(), json: cluster.to_string().into(), origin }
}

/// A cluster with one more object, or one instead of another.
pub(crate) struct With<'a> {
    pub(crate) object: &'a FleetObject,
    pub(crate) cluster: &'a dyn Cluster,
}

impl Cluster for With<'_> {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        if ObjectId::of(get) == self.object.id {
            Ok(self.object.json.as_ref().to_owned())
        } else {
            self.cluster.get(get)
        }
    }
}
