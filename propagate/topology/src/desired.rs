//! The objects of a topology.
//!
//! Source: `exp/topology/desiredstate/desired_state.go` of Cluster API.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::Yaml;
use crate::builtins::{self, version};
use crate::definitions::pruned;
use crate::desired_part::DesiredPart;
use crate::fields::{get, infrastructure_naming, list, merged, set, text};
use crate::item::{TemplateItem, copy, object};
use crate::obstacle::{Gap, Obstacle, TopologyRefusal};
use crate::owner::{PartRole, TopologyOwner, WORKERS, WorkersKind};
use crate::patches;
use crate::selection::{Holder, is_inline};
use crate::stored_template::stored;
use crate::template::name_of;
use crate::variables::{StoredDefaults, Variables, of_cluster, overrides};
use crate::workers::{control_plane_fields, workers_fields};

/// What the objects are computed from.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The Cluster.
    pub cluster: &'a Value,
    /// Its ClusterClass.
    pub class: &'a Value,
    /// The template that a reference of the class names.
    pub templates: &'a dyn Fn(&Value) -> Option<Value>,
    /// Values that the Cluster stored as defaults, see [`stored_defaults`](crate::stored_defaults).
    pub stored: &'a StoredDefaults,
    /// What was before a change.
    pub before: Before<'a>,
    /// Reads YAML.
    pub yaml: Yaml,
}

/// What objects keep of the time before a change: their names, and their version while an upgrade is deferred.
#[derive(Clone, Copy, Default)]
pub struct Before<'a> {
    /// The Cluster.
    pub cluster: Option<&'a Value>,
    /// Its ClusterClass.
    pub class: Option<&'a Value>,
    /// The versions of MachineDeployments and MachinePools, where they differ from that of the Cluster.
    pub versions: Option<&'a BTreeMap<TopologyOwner, String>>,
}

/// The objects of a topology.
#[derive(Debug, Default)]
pub struct Desired {
    /// The objects, in the order in which Cluster API writes them.
    pub parts: Vec<DesiredPart>,
}

/// Placeholder for what Cluster API appends to a name.
const SUFFIX: &str = "*";

/// The objects that Cluster API would write for a Cluster.
///
/// # Errors
/// When Cluster API would refuse the Cluster or the class, or something is missing.
pub fn desired(inputs: Inputs<'_>) -> Result<Desired, Obstacle> {
    let topology = ClassTopology::of(inputs)?;
    let mut items = vec![topology.infrastructure()?];
    items.extend(topology.control_plane()?);
    for (kind, entry) in WORKERS.into_iter().flat_map(|kind| {
        list(inputs.cluster, &["spec", "topology", "workers", kind.list]).iter().map(move |entry| (kind, entry))
    }) {
        items.extend(topology.workers(kind, entry)?);
    }
    if !list(inputs.class, &["spec", "patches"]).is_empty() {
        let (others, mut patched): (Vec<_>, Vec<_>) =
            items.into_iter().partition(|item| item.part.role == PartRole::Workers);
        patched.iter_mut().for_each(TemplateItem::prepare);
        patches::apply(inputs.class, &mut patched, inputs.yaml)?;
        patched.iter_mut().try_for_each(TemplateItem::finish)?;
        items = patched;
        items.extend(others);
    }
    let mut parts: Vec<DesiredPart> = items.into_iter().map(|item| item.part).collect();
    parts.sort_by(|a, b| (&a.owner, a.role).cmp(&(&b.owner, b.role)));
    Ok(Desired { parts })
}

struct ClassTopology<'a> {
    inputs: Inputs<'a>,
    name: &'a str,
    namespace: &'a str,
    variables: Variables,
    global: Value,
}

impl<'a> ClassTopology<'a> {
    fn of(inputs: Inputs<'a>) -> Result<ClassTopology<'a>, Obstacle> {
        let variables = of_cluster(inputs.cluster, inputs.class, inputs.stored)?;
        let [name, namespace] = ["name", "namespace"].map(|field| text(inputs.cluster, &["metadata", field]));
        let namespace = if namespace.is_empty() { "default" } else { namespace };
        Ok(ClassTopology { inputs, name, namespace, variables, global: builtins::cluster(inputs.cluster, namespace) })
    }

    /// The template that a field of the class refers to, in v1beta1 or v1beta2.
    fn template(&self, holder: &Value, path: &[&str]) -> Result<Option<Value>, Obstacle> {
        let Some(holder) = get(holder, path) else { return Ok(None) };
        if is_inline(holder) {
            return Err(Gap::Newer(format!("the inline template of `{}`", path.join("."))).into());
        }
        let Some(reference) = get(holder, &["templateRef"]).or(get(holder, &["ref"])) else { return Ok(None) };
        let name = || format!("{} {}", text(reference, &["kind"]), text(reference, &["name"]));
        let template = (self.inputs.templates)(reference).ok_or_else(|| Gap::NoTemplate(name()))?;
        if text(&template, &["apiVersion"]) != text(reference, &["apiVersion"]) {
            return Err(Gap::TemplateVersion(name()).into());
        }
        Ok(Some(stored(&pruned(&template))))
    }

    /// A name; that of the object if a field of the Cluster refers to it, and the default if the class has no template.
    fn named(&self, reference: &str, part: &Value, default: String, data: Value) -> Result<String, Obstacle> {
        let existing = text(self.inputs.cluster, &["spec", reference, "name"]);
        if !reference.is_empty() && !existing.is_empty() {
            return Ok(existing.to_owned());
        }
        let mut written = ["naming", "namingStrategy"].into_iter().map(|field| text(part, &[field, "template"]));
        let Some(template) = written.find(|it| !it.is_empty()) else { return Ok(default) };
        let mut data = data;
        set(&mut data, &["cluster", "name"], json!(self.name));
        set(&mut data, &["random"], json!(SUFFIX));
        name_of(template, &data)
            .map_err(|_| TopologyRefusal::Template { patch: "naming".to_owned(), error: template.to_owned() }.into())
    }

    fn default_name(&self) -> String {
        format!("{}-{SUFFIX}", self.name)
    }

    fn with_builtin(&self, own: &Variables, name: &str, value: Option<Value>) -> Variables {
        let mut variables = self.variables.clone();
        variables.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
        let mut builtin = self.global.clone();
        if let Some(value) = value {
            set(&mut builtin, &[name], value);
        }
        variables.insert("builtin".to_owned(), builtin);
        variables
    }

    fn infrastructure(&self) -> Result<TemplateItem, Obstacle> {
        let template = self.template(self.inputs.class, &["spec", "infrastructure"])?;
        let template = template.ok_or_else(|| Gap::NoTemplate("the template of the infrastructure".to_owned()))?;
        let naming = infrastructure_naming(self.inputs.before.class.unwrap_or(self.inputs.class));
        let name = self.named("infrastructureRef", &naming, self.default_name(), json!({}))?;
        let object = object(&template, (self.name, self.namespace), Map::new(), Map::new(), &name);
        let mut item = item(
            (TopologyOwner::Infrastructure, PartRole::InfrastructureCluster, Holder::Infrastructure),
            template,
            object,
        );
        item.part.variables = self.with_builtin(&Variables::new(), "", None);
        Ok(item)
    }

    /// The control plane, and the template of its Machines.
    fn control_plane(&self) -> Result<Vec<TemplateItem>, Obstacle> {
        let part = get(self.inputs.class, &["spec", "controlPlane"]).unwrap_or(&Value::Null);
        let entry = get(self.inputs.cluster, &["spec", "topology", "controlPlane"]).unwrap_or(&Value::Null);
        let place = (self.name, self.namespace);
        let mut items = Vec::new();
        if let Some(template) = self.template(part, &["machineInfrastructure"])? {
            let object = copy(&template, place, Map::new(), &self.default_name());
            let of = (TopologyOwner::ControlPlane, PartRole::InfrastructureTemplate, Holder::ControlPlane);
            items.push(item(of, template, object));
        }
        let template = self.template(self.inputs.class, &["spec", "controlPlane"])?;
        let template = template.ok_or_else(|| Gap::NoTemplate("the template of the control plane".to_owned()))?;
        let naming = self.before(&["controlPlane"]).unwrap_or(part);
        let name = self.named("controlPlaneRef", naming, self.default_name(), json!({}))?;
        let [labels, annotations] = ["labels", "annotations"]
            .map(|map| merged([get(entry, &["metadata", map]), get(part, &["metadata", map])]));
        let mut object = object(&template, place, labels, annotations, &name);
        let machines = items.first().map(|item| item.part.object.clone());
        control_plane_fields(&mut object, (entry, part), machines.as_ref(), &version(self.inputs.cluster));
        let builtin = builtins::control_plane(&object, machines.as_ref());
        items.push(item((TopologyOwner::ControlPlane, PartRole::ControlPlane, Holder::ControlPlane), template, object));
        let own = overrides((&TopologyOwner::ControlPlane, entry), self.inputs.class, self.inputs.stored)?;
        for item in &mut items {
            item.part.variables = self.with_builtin(&own, "controlPlane", Some(builtin.clone()));
        }
        Ok(items)
    }

    /// A part of the class from which the existing objects were named.
    fn before(&self, path: &[&str]) -> Option<&'a Value> {
        get(get(self.inputs.before.class?, &["spec"])?, path)
    }

    /// The entry of workers that exist.
    fn existing(&self, kind: WorkersKind, name: &str) -> Option<&'a Value> {
        let entries = list(self.inputs.before.cluster?, &["spec", "topology", "workers", kind.list]);
        entries.iter().find(|entry| text(entry, &["name"]) == name)
    }

    /// The bootstrap and infrastructure templates of workers, and the workers.
    fn workers(&self, kind: WorkersKind, entry: &Value) -> Result<Vec<TemplateItem>, Obstacle> {
        let [class, name] = ["class", "name"].map(|field| text(entry, &[field]));
        let Some(written) = worker_class(self.inputs.class, kind, class) else {
            return Err(TopologyRefusal::NoWorkerClass(class.to_owned()).into());
        };
        if get(entry, &["version"]).is_some() {
            return Err(Gap::Newer(format!("the version of `{}[{name}]`", kind.list)).into());
        }
        // In v1beta1 the templates and the metadata are below `template`.
        let part = get(written, &["template"]).unwrap_or(written);
        let owner = (kind.owner)(name.to_owned());
        let is_pool = matches!(owner, TopologyOwner::MachinePool(_));
        let holder = Holder::of_workers(kind, class.to_owned());
        let label = Map::from_iter([(kind.label.to_owned(), json!(name))]);
        let existing = self.existing(kind, name);
        let naming = existing.and_then(|entry| worker_class(self.inputs.before.class?, kind, text(entry, &["class"])));
        let made_name = format!("{}-{name}-{SUFFIX}", self.name);
        let data = json!({kind.builtin: {"topologyName": name}});
        let full_name = self.named("", naming.unwrap_or(written), made_name.clone(), data)?;
        let roles = match is_pool {
            true => [("bootstrap", PartRole::PoolBootstrap), ("infrastructure", PartRole::PoolInfrastructure)],
            false => [("bootstrap", PartRole::BootstrapTemplate), ("infrastructure", PartRole::InfrastructureTemplate)],
        };
        let mut items = Vec::new();
        for (field, role) in roles {
            let Some(template) = self.template(part, &[field])? else { continue };
            let place = (self.name, self.namespace);
            let object = match is_pool {
                true => object(&template, place, label.clone(), Map::new(), &made_name),
                false => copy(&template, place, label.clone(), &made_name),
            };
            items.push(item((owner.clone(), role, holder.clone()), template, object));
        }
        let [mut labels, mut annotations] = ["labels", "annotations"]
            .map(|map| merged([get(entry, &["metadata", map]), get(part, &["metadata", map])]));
        labels.extend(label);
        for key in [HOLD_SEQUENCE, DEFER] {
            annotations.remove(key);
        }
        let mut workers = json!({"apiVersion": text(self.inputs.cluster, &["apiVersion"]), "kind": kind.kind});
        let place = (self.name, self.namespace, &*full_name);
        let version = version(self.inputs.cluster);
        let own = self.inputs.before.versions.and_then(|versions| versions.get(&owner)).map(String::as_str);
        let of_cluster = || existing.and(self.inputs.before.cluster).map(builtins::version);
        let kept = own.map(Cow::Borrowed).or_else(of_cluster).filter(|kept| !kept.is_empty());
        let kept = kept.filter(|_| is_deferred(self.inputs.cluster, kind, name));
        let is_held = kept.as_ref().is_some_and(|kept| *kept != version);
        let version = kept.as_deref().unwrap_or(&version);
        let made: Vec<&Value> = items.iter().map(|item| &item.part.object).collect();
        workers_fields(&mut workers, place, (entry, written), (labels, annotations), (&made, version));
        let builtin = builtins::workers(&workers, entry, &made);
        let own = overrides((&owner, entry), self.inputs.class, self.inputs.stored)?;
        for item in &mut items {
            item.part.variables = self.with_builtin(&own, kind.builtin, Some(builtin.clone()));
        }
        items.push(item((owner, PartRole::Workers, holder), json!({}), workers));
        items.iter_mut().for_each(|item| item.part.is_held = is_held);
        Ok(items)
    }
}

fn item((owner, role, holder): (TopologyOwner, PartRole, Holder), template: Value, object: Value) -> TemplateItem {
    let (variables, is_held, writes, gaps, preserved) = (Variables::new(), false, Vec::new(), Vec::new(), Vec::new());
    let part = DesiredPart { owner, role, object, is_held, variables, writes, gaps, preserved };
    TemplateItem { holder, template, part }
}

fn worker_class<'c>(class: &'c Value, kind: WorkersKind, name: &str) -> Option<&'c Value> {
    list(class, &["spec", "workers", kind.list]).iter().find(|it| text(it, &["class"]) == name)
}

/// Whether the upgrade of an entry is deferred: by its own annotation, or by that of an earlier one in the same list.
fn is_deferred(cluster: &Value, kind: WorkersKind, name: &str) -> bool {
    let has = |entry: &Value, key: &str| get(entry, &["metadata", "annotations", key]).is_some();
    for entry in list(cluster, &["spec", "topology", "workers", kind.list]) {
        let is_it = text(entry, &["name"]) == name;
        if has(entry, HOLD_SEQUENCE) || is_it && has(entry, DEFER) {
            return true;
        }
        if is_it {
            return false;
        }
    }
    false
}

const HOLD_SEQUENCE: &str = "topology.cluster.x-k8s.io/hold-upgrade-sequence";
const DEFER: &str = "topology.cluster.x-k8s.io/defer-upgrade";
