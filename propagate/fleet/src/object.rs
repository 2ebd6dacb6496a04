//! A Kubernetes object as it was found.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use metadata_propagation::cluster_api::{CONTROL_PLANE_GROUP, CORE_GROUP};
use metadata_propagation::{Get, GroupVersionKind, Operation, Review};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A Kubernetes object, and its position.
#[derive(Debug, Clone)]
pub struct FleetObject {
    /// The object's name.
    pub id: ObjectId,
    /// Such as `v1beta2`.
    pub version: String,
    /// The object as JSON.
    pub json: Arc<str>,
    /// Its position.
    pub origin: Origin,
}

/// Group, kind, namespace and name.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// Such as `cluster.x-k8s.io`; empty for the core group.
    pub group: String,
    /// Such as `Machine`.
    pub kind: String,
    /// Empty for cluster-scoped objects, and if the manifest has none and it is not known whether the kind is
    /// namespaced.
    pub namespace: String,
    /// The name, or else `generateName`.
    pub name: String,
    /// For a predicted Node the Cluster whose Node it is, as `fleet/c1`: Nodes of two Clusters may have one name.
    pub cluster: String,
}

/// Where an object was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The number of the text.
    pub source: usize,
    /// The document in the text, in bytes; of a list in JSON the object itself.
    pub document: Range<usize>,
    /// The number of the object, if the document is a list.
    pub item: Option<usize>,
}

/// The group of Crossplane's definitions and Compositions.
pub const CROSSPLANE_GROUP: &str = "apiextensions.crossplane.io";

/// Control planes that create no Machines.
///
/// Sources: the types in the providers for AWS (controlplane/eks/api, controlplane/rosa/api), Kamaji (api) and nested
/// clusters (controlplane/nested/api) have no template of Machines.
const WITHOUT_MACHINES: [&str; 5] =
    ["AWSManagedControlPlane", "K0smotronControlPlane", "KamajiControlPlane", "NestedControlPlane", "ROSAControlPlane"];

/// The fields of an object that are read here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Head<'a> {
    #[serde(borrow, default)]
    pub(crate) api_version: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) metadata: Option<HeadMetadata<'a>>,
    #[serde(borrow, default)]
    pub(crate) items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeadMetadata<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    generate_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    namespace: Option<Cow<'a, str>>,
}

impl FleetObject {
    /// The audit scanner's request about a stored object: a CREATE without a user.
    pub fn review(&self) -> Review<'_> {
        create(&self.id, &self.version, &self.json)
    }

    /// Its JSON, parsed.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.json).unwrap_or_default()
    }

    /// Whether one of its values is this text, as that of a reference to an object with this name; with `below`, a value
    /// in one of these fields.
    pub fn has_text(&self, text: &str, below: Option<&[&str]>) -> bool {
        // Most objects do not have it anywhere.
        self.json.contains(text) && has_text(&self.value(), text, below)
    }

    /// Whether it has one of these fields, at any depth.
    pub fn has_field(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.json.contains(name)) && has_field(&self.value(), names)
    }

    /// Group and version.
    pub fn api_version(&self) -> String {
        match &*self.id.group {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }
}

impl ObjectId {
    /// An object by its group, kind, namespace and name; each is empty if there is none.
    pub fn new(group: &str, kind: &str, namespace: &str, name: &str) -> ObjectId {
        let [group, kind, namespace, name] = [group, kind, namespace, name].map(str::to_owned);
        ObjectId { group, kind, namespace, name, cluster: String::new() }
    }

    /// Whether it is of one of Cluster API's groups, a provider's included.
    pub fn is_cluster_api(&self) -> bool {
        self.group.strip_suffix(CORE_GROUP).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// Whether it is a label registry, or what Crossplane defines and composes.
    #[must_use]
    pub fn applies_to_all(&self) -> bool {
        ["labels.plexsphere.com", CROSSPLANE_GROUP].contains(&&*self.group)
    }

    /// Whether it is a template of Machines, of their parts, or of a control plane.
    pub fn is_template(&self) -> bool {
        self.kind.ends_with("Template")
    }

    /// Whether it is a control plane of any provider, and not a template of one.
    pub(crate) fn is_control_plane(&self) -> bool {
        self.group == CONTROL_PLANE_GROUP && !self.is_template()
    }

    /// Whether it is a control plane that creates Machines: one that a cloud or a Pod runs has none.
    pub(crate) fn has_machines(&self) -> bool {
        self.is_control_plane() && !WITHOUT_MACHINES.contains(&&*self.kind)
    }

    /// The object that is asked for.
    pub(crate) fn of(get: &Get) -> ObjectId {
        let (group, _) = group_and_version(&get.api_version);
        ObjectId::new(group, &get.kind, get.namespace.as_deref().unwrap_or_default(), &get.name)
    }
}

/// Kind, namespace and name, as the policy prints them.
impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

impl HeadMetadata<'_> {
    pub(crate) fn id(&self, api_version: &str, kind: &str) -> ObjectId {
        let (group, _) = group_and_version(api_version);
        let name = self.name.as_deref().filter(|name| !name.is_empty()).or(self.generate_name.as_deref());
        ObjectId::new(group, kind, self.namespace.as_deref().unwrap_or_default(), name.unwrap_or_default())
    }
}

fn has_text(value: &Value, text: &str, below: Option<&[&str]>) -> bool {
    match value {
        Value::String(found) => below.is_none() && found == text,
        Value::Array(items) => items.iter().any(|item| has_text(item, text, below)),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| has_text(value, text, below.filter(|fields| !fields.contains(&name.as_str())))),
        _ => false,
    }
}

fn has_field(value: &Value, names: &[&str]) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| has_field(item, names)),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| names.contains(&name.as_str()) || has_field(value, names))
        }
        _ => false,
    }
}

/// A CREATE of an object without a user.
pub(crate) fn create<'a>(id: &'a ObjectId, version: &'a str, json: &'a str) -> Review<'a> {
    Review {
        kind: GroupVersionKind {
            group: Cow::Borrowed(&id.group),
            version: Cow::Borrowed(version),
            kind: Cow::Borrowed(&id.kind),
        },
        name: Cow::Borrowed(&id.name),
        namespace: Cow::Borrowed(&id.namespace),
        operation: Operation::Create,
        object: Some(json),
        ..Review::default()
    }
}

/// Group and version of an `apiVersion`.
pub(crate) fn group_and_version(api_version: &str) -> (&str, &str) {
    api_version.rsplit_once('/').unwrap_or(("", api_version))
}
