//! A template of the class for one object of the Cluster, while patches change it.

use serde_json::{Map, Value, json};

use crate::desired_part::{DesiredPart, FieldSteps};
use crate::fields::{get, set, set_some};
use crate::obstacle::TopologyRefusal;
use crate::owner::PartRole;
use crate::selection::Holder;

/// One template.
#[derive(Debug)]
pub(crate) struct TemplateItem {
    pub(crate) holder: Holder,
    /// With the patches so far.
    pub(crate) template: Value,
    /// What is made from it.
    pub(crate) part: DesiredPart,
}

/// Fields of a control plane that the reconciler sets after patches, in both contracts.
///
/// Source: `updateDesiredState` in core/reconcilers/topology/cluster/patches/engine.go of Cluster API.
const PRESERVED_IN_CONTROL_PLANES: &[FieldSteps] = &[
    &["spec", "machineTemplate", "metadata"],
    &["spec", "machineTemplate", "readinessGates"],
    &["spec", "machineTemplate", "spec", "readinessGates"],
    &["spec", "machineTemplate", "taints"],
    &["spec", "machineTemplate", "spec", "taints"],
    &["spec", "machineTemplate", "infrastructureRef"],
    &["spec", "machineTemplate", "spec", "infrastructureRef"],
    &["spec", "machineTemplate", "nodeDrainTimeout"],
    &["spec", "machineTemplate", "nodeVolumeDetachTimeout"],
    &["spec", "machineTemplate", "nodeDeletionTimeout"],
    &["spec", "machineTemplate", "spec", "deletion", "nodeDrainTimeoutSeconds"],
    &["spec", "machineTemplate", "spec", "deletion", "nodeVolumeDetachTimeoutSeconds"],
    &["spec", "machineTemplate", "spec", "deletion", "nodeDeletionTimeoutSeconds"],
    &["spec", "replicas"],
    &["spec", "version"],
    &["spec", "rollout", "after"],
];

/// Labels and annotations that patches cannot change.
const PRESERVED: &[FieldSteps] = &[
    &["metadata", "labels", "cluster.x-k8s.io/cluster-name"],
    &["metadata", "labels", "topology.cluster.x-k8s.io/owned"],
    &["metadata", "labels", "topology.cluster.x-k8s.io/deployment-name"],
    &["metadata", "labels", "topology.cluster.x-k8s.io/pool-name"],
    &["metadata", "annotations", "cluster.x-k8s.io/cloned-from-name"],
    &["metadata", "annotations", "cluster.x-k8s.io/cloned-from-groupkind"],
];

const METADATA: [&str; 2] = ["labels", "annotations"];

impl TemplateItem {
    /// Copies labels and annotations of the object to the template, so that patches read and change them.
    pub(crate) fn prepare(&mut self) {
        for map in METADATA {
            let to: &[&str] =
                if self.part.role.is_object() { &["spec", "template", "metadata", map] } else { &["metadata", map] };
            set_some(&mut self.template, to, get(&self.part.object, &["metadata", map]));
        }
    }

    /// That a patch replaced a map of labels or annotations by something else, also by `null`, or one of its values.
    ///
    /// Source: `CopyFields` in internal/util/patch/patch.go of Cluster API v1.14 for an object's own metadata. That of a
    /// template is `ObjectMeta` in the definitions of all providers, which the API server compares it with.
    fn broken_map(&self, at: &[&str]) -> Option<TopologyRefusal> {
        let value = at.iter().try_fold(&self.template, |here, name| here.get(name))?;
        let path = format!("/{}", at.join("/"));
        let (path, reason) = match value.as_object() {
            None => (path, "the value is no map"),
            Some(entries) => {
                let (key, _) = entries.iter().find(|(_, value)| !value.is_string())?;
                (format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), "the value is no string")
            }
        };
        let is_in = |of: &str| path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let last = self.part.writes.iter().rev().find(|write| is_in(&write.path))?;
        Some(TopologyRefusal::Patch { patch: last.patch.clone(), path, reason: reason.to_owned() })
    }

    /// Copies what patches made of the template to the object.
    ///
    /// # Errors
    /// When a patch replaced a map of labels or annotations by something else, or one of its values.
    pub(crate) fn finish(&mut self) -> Result<(), TopologyRefusal> {
        let of_control_plane = if self.part.role == PartRole::ControlPlane { PRESERVED_IN_CONTROL_PLANES } else { &[] };
        let preserved = of_control_plane.iter().chain(PRESERVED);
        let preserved: Vec<_> =
            preserved.filter_map(|path| Some((*path, get(&self.part.object, path)?.clone()))).collect();
        self.part.preserved = preserved.iter().map(|(path, _)| *path).collect();
        let inner = ["spec", "template"];
        let copies: &[(&[&str], &[&str])] = match self.part.role.is_object() {
            true => &[
                (&["spec", "template", "spec"], &["spec"]),
                (&["spec", "template", "metadata", "labels"], &["metadata", "labels"]),
                (&["spec", "template", "metadata", "annotations"], &["metadata", "annotations"]),
            ],
            false => &[
                (&["metadata", "labels"], &["metadata", "labels"]),
                (&["metadata", "annotations"], &["metadata", "annotations"]),
                (&["spec", "template", "spec"], &["spec", "template", "spec"]),
                (&["spec", "template", "metadata", "labels"], &["spec", "template", "metadata", "labels"]),
                (&["spec", "template", "metadata", "annotations"], &["spec", "template", "metadata", "annotations"]),
            ],
        };
        if get(&self.template, &inner).is_none() {
            return Ok(());
        }
        for (from, to) in copies {
            if to.first() == Some(&"metadata")
                && let Some(entries) = self.template.pointer_mut(&format!("/{}", from.join("/")))
                && let Some(entries) = entries.as_object_mut()
            {
                // The API server drops a null there.
                entries.retain(|_, value| !value.is_null());
            }
            if to.contains(&"metadata")
                && let Some(refusal) = self.broken_map(from)
            {
                return Err(refusal);
            }
            set_some(&mut self.part.object, to, get(&self.template, from));
        }
        for (path, value) in preserved {
            set(&mut self.part.object, path, value);
        }
        Ok(())
    }
}

/// The object that is made from a template: `spec.template` with a name, a namespace and labels.
pub(crate) fn object(
    template: &Value,
    (cluster, namespace): (&str, &str),
    labels: Map<String, Value>,
    annotations: Map<String, Value>,
    name: &str,
) -> Value {
    let mut object = get(template, &["spec", "template"]).cloned().unwrap_or_else(|| json!({}));
    let kind = get(template, &["kind"]).and_then(Value::as_str).unwrap_or_default();
    set_some(&mut object, &["apiVersion"], get(template, &["apiVersion"]));
    set(&mut object, &["kind"], json!(kind.strip_suffix("Template").unwrap_or(kind)));
    carry(&mut object, template, (cluster, namespace), labels, annotations, name);
    object
}

/// A copy of a template for one Cluster.
pub(crate) fn copy(
    template: &Value,
    (cluster, namespace): (&str, &str),
    labels: Map<String, Value>,
    name: &str,
) -> Value {
    let mut copy = json!({});
    for field in ["apiVersion", "kind", "spec"] {
        set_some(&mut copy, &[field], get(template, &[field]));
    }
    for map in METADATA {
        set_some(&mut copy, &["metadata", map], get(template, &["metadata", map]));
    }
    carry(&mut copy, template, (cluster, namespace), labels, Map::new(), name);
    copy
}

fn carry(
    to: &mut Value,
    template: &Value,
    (cluster, namespace): (&str, &str),
    labels: Map<String, Value>,
    annotations: Map<String, Value>,
    name: &str,
) {
    for (key, value) in labels {
        set(to, &["metadata", "labels", &key], value);
    }
    set(to, &["metadata", "labels", "cluster.x-k8s.io/cluster-name"], json!(cluster));
    set(to, &["metadata", "labels", "topology.cluster.x-k8s.io/owned"], json!(""));
    for (key, value) in annotations {
        set(to, &["metadata", "annotations", &key], value);
    }
    set_some(
        to,
        &["metadata", "annotations", "cluster.x-k8s.io/cloned-from-name"],
        get(template, &["metadata", "name"]),
    );
    let kind = get(template, &["kind"]).and_then(Value::as_str).unwrap_or_default();
    let api_version = get(template, &["apiVersion"]).and_then(Value::as_str).unwrap_or_default();
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    set(to, &["metadata", "annotations", "cluster.x-k8s.io/cloned-from-groupkind"], json!(format!("{kind}.{group}")));
    if let Some(annotations) = to.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
        annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    }
    set(to, &["metadata", "name"], json!(name));
    set(to, &["metadata", "namespace"], json!(namespace));
}
