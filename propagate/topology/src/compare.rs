//! The differences between the objects of a topology before and after a change, and which patch and variable they are
//! due to.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::desired::Desired;
use crate::desired_part::{DesiredPart, PatchWrite};
use crate::dry_run;
use crate::fields::{get, set, text};
use crate::obstacle::Gap;
use crate::owner::{PartRole, TopologyOwner};
use crate::stored_template::{is_dropping, stored};
use crate::variables::at_path;

/// One object that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct PartDifference {
    /// What it belongs to.
    pub owner: TopologyOwner,
    /// What it is for its owner.
    pub role: PartRole,
    /// Such as `AWSMachineTemplate`.
    pub kind: String,
    /// Whether it is new, or no longer there.
    pub happens: PartChange,
    /// The patch that writes the name of this template into another object of the owner: a new template has another name,
    /// and then the other object changes, too.
    pub named_by: Option<String>,
    /// The fields that differ; with a gap only those that no patch changes.
    pub because: Vec<FieldCause>,
    /// Why it is not known whether others do.
    pub gap: Option<Gap>,
}

impl PartDifference {
    /// Whether a field is in `spec`, and differs with the defaults of dry-runs, too: a template is then replaced by another
    /// one.
    ///
    /// ```
    /// use topology::{FieldCause, PartChange, PartDifference, PartRole, TopologyOwner};
    ///
    /// let steps = ["spec", "template", "spec", "format"].map(str::to_owned).into();
    /// let to = Some("cloud-config".into());
    /// let cause = FieldCause { steps, from: None, to, is_stored: true, patch: None, variables: Vec::new() };
    /// let difference = PartDifference {
    ///     owner: TopologyOwner::MachineDeployment("a".to_owned()),
    ///     role: PartRole::BootstrapTemplate,
    ///     kind: "KubeadmConfigTemplate".to_owned(),
    ///     happens: PartChange::Changed,
    ///     named_by: None,
    ///     because: Vec::new(),
    ///     gap: None,
    /// };
    /// assert!(!difference.differs_in_spec(&cause));
    /// ```
    pub fn differs_in_spec(&self, cause: &FieldCause) -> bool {
        let values = [cause.from.as_ref(), cause.to.as_ref()];
        let is_in_spec = cause.steps.first().is_some_and(|step| step == "spec");
        is_in_spec && cause.is_stored && !dry_run::is_same(&self.kind, &cause.steps, values)
    }
}

/// What happens to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartChange {
    /// It is created.
    Created,
    /// It is updated, or replaced by another one.
    Changed,
    /// It is deleted.
    Deleted,
}

/// One field that differs, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldCause {
    /// The steps to it, such as `spec`, `template`, `spec`, `instanceType`.
    pub steps: Vec<String>,
    /// The value before.
    pub from: Option<Value>,
    /// The value after.
    pub to: Option<Value>,
    /// Whether it also differs where the object is stored, which has no empty lists of some kinds.
    pub is_stored: bool,
    /// The patch that writes or wrote it.
    pub patch: Option<String>,
    /// Variables that the patch reads and that differ.
    pub variables: Vec<String>,
}

impl FieldCause {
    /// Such as `spec.template.spec.instanceType`.
    ///
    /// ```
    /// let steps = ["spec", "replicas"].map(str::to_owned).into();
    /// let cause = topology::FieldCause { steps, from: None, to: None, is_stored: true, patch: None, variables: Vec::new() };
    /// assert_eq!(cause.path(), "spec.replicas");
    /// ```
    pub fn path(&self) -> String {
        self.steps.join(".")
    }

    /// Sets the new value of the field in an object.
    ///
    /// ```
    /// use serde_json::json;
    ///
    /// let steps = ["spec", "replicas"].map(str::to_owned).into();
    /// let cause = topology::FieldCause { steps, from: None, to: Some(json!(2)), is_stored: true, patch: None, variables: Vec::new() };
    /// let mut object = json!({"spec": {}});
    /// cause.apply(&mut object);
    /// assert_eq!(object, json!({"spec": {"replicas": 2}}));
    /// ```
    pub fn apply(&self, object: &mut Value) {
        let Some((last, steps)) = self.steps.split_last() else { return };
        let inner = steps.iter().try_fold(object, |here, step| match here {
            Value::Array(elements) => elements.get_mut(step.parse::<usize>().ok()?),
            // The old value may have been a default, which is not written.
            Value::Object(fields) => Some(fields.entry(step).or_insert_with(|| json!({}))),
            _ => None,
        });
        match (inner, &self.to) {
            (Some(Value::Object(fields)), Some(to)) => _ = fields.insert(last.clone(), to.clone()),
            (Some(Value::Object(fields)), None) => _ = fields.remove(last),
            (Some(Value::Array(elements)), Some(to)) => {
                if let Some(element) = last.parse().ok().and_then(|number: usize| elements.get_mut(number)) {
                    *element = to.clone();
                }
            }
            _ => {}
        }
    }
}

/// The objects that differ.
pub fn differences(before: &Desired, after: &Desired) -> Vec<PartDifference> {
    let key = |part: &DesiredPart| (part.owner.clone(), part.role);
    let [old, new] =
        [before, after].map(|side| side.parts.iter().map(|part| (key(part), part)).collect::<BTreeMap<_, _>>());
    let changed = after.parts.iter().filter(|part| !part.is_held).filter_map(|part| match old.get(&key(part)) {
        Some(old) => difference(old, part).map(|found| PartDifference { named_by: named_by(after, &found), ..found }),
        None => Some(whole(part, PartChange::Created)),
    });
    let deleted = before.parts.iter().filter(|part| !new.contains_key(&key(part)));
    changed.chain(deleted.map(|part| whole(part, PartChange::Deleted))).collect()
}

fn named_by(after: &Desired, of: &PartDifference) -> Option<String> {
    let name = match (of.role, &of.owner) {
        (PartRole::InfrastructureTemplate, TopologyOwner::ControlPlane) => {
            "builtin.controlPlane.machineTemplate.infrastructureRef.name"
        }
        (PartRole::InfrastructureTemplate, _) => "builtin.machineDeployment.infrastructureRef.name",
        (PartRole::BootstrapTemplate, _) => "builtin.machineDeployment.bootstrap.configRef.name",
        _ => return None,
    };
    // A part reads the names of its own templates, and those of others have no value.
    let is_own = |part: &DesiredPart, read: &String| read == name && at_path(&part.variables, read).is_some();
    // What another change of a control plane does, only its provider knows.
    let is_known = |part: &&DesiredPart| {
        part.role != PartRole::ControlPlane || text(&part.object, &["kind"]) == "KubeadmControlPlane"
    };
    let parts = after.parts.iter().filter(|part| part.owner == of.owner).filter(is_known);
    let mut writes = parts.flat_map(|part| part.writes.iter().map(move |write| (part, write)));
    let found = writes.find(|(part, write)| write.reads.iter().any(|read| is_own(part, read)));
    found.map(|(_, write)| write.patch.clone())
}

/// The paths in `metadata` and `spec` at which two objects differ.
///
/// ```
/// use serde_json::json;
///
/// let [old, new] = [1, 2].map(|size| json!({"spec": {"disk": {"size": size}}}));
/// assert_eq!(topology::differing_paths(&old, &new), [["spec", "disk", "size"].map(String::from).to_vec()]);
/// ```
pub fn differing_paths(old: &Value, new: &Value) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for field in ["metadata", "spec"] {
        fields((old.get(field), new.get(field)), &mut vec![field.to_owned()], &mut paths);
    }
    paths.into_iter().map(|(path, ..)| path).collect()
}

fn whole(part: &DesiredPart, happens: PartChange) -> PartDifference {
    let (owner, role) = (part.owner.clone(), part.role);
    PartDifference {
        owner,
        role,
        kind: text(&part.object, &["kind"]).to_owned(),
        happens,
        named_by: None,
        because: Vec::new(),
        gap: None,
    }
}

fn difference(old: &DesiredPart, new: &DesiredPart) -> Option<PartDifference> {
    let [was, is] = [old, new].map(|part| with_defaults(&part.object));
    let mut paths = Vec::new();
    for field in ["metadata", "spec"] {
        let [was, is] = [&was, &is].map(|object| get(object, &[field]));
        fields((was, is), &mut vec![field.to_owned()], &mut paths);
    }
    let dropped = is_dropping(&new.object).then(|| {
        let [was, is] = [&was, &is].map(|object| stored(object));
        differing_paths(&was, &is)
    });
    let because: Vec<FieldCause> = paths
        .into_iter()
        .map(|(path, from, to)| {
            let (patch, variables) = source((old, new), &path);
            let is_at = |other: &Vec<String>| other.starts_with(&path) || path.starts_with(other);
            let is_stored = dropped.as_ref().is_none_or(|paths| paths.iter().any(is_at));
            FieldCause { steps: path, from: from.cloned(), to: to.cloned(), is_stored, patch, variables }
        })
        .collect();
    let facts = |part: &DesiredPart| part.gaps.iter().map(|(_, depends_on)| depends_on.clone()).collect::<Vec<_>>();
    let gap = new.gaps.iter().chain(&old.gaps).next().filter(|_| facts(old) != facts(new)).map(|(gap, _)| gap.clone());
    let is_known = |cause: &FieldCause| gap.is_none() || [old, new].iter().all(|part| part.preserves(&cause.steps));
    let because: Vec<FieldCause> = because.into_iter().filter(is_known).collect();
    let kind = text(&new.object, &["kind"]).to_owned();
    let is_found = !because.is_empty() || gap.is_some();
    is_found.then(|| PartDifference {
        owner: new.owner.clone(),
        role: new.role,
        kind,
        happens: PartChange::Changed,
        named_by: None,
        because,
        gap,
    })
}

/// An object as it is stored: a field without a value is none, except in templates, and the webhook of MachineDeployments sets a strategy where
/// there is none.
fn with_defaults(object: &Value) -> Cow<'_, Value> {
    let kind = text(object, &["kind"]);
    if kind != "MachineDeployment" {
        // The schemas of kubeadm's kinds refuse such fields.
        if kind.ends_with("Template") || ["KubeadmConfig", "KubeadmControlPlane"].contains(&kind) || !has_null(object) {
            return Cow::Borrowed(object);
        }
        let mut stored = object.clone();
        remove_nulls(&mut stored);
        return Cow::Owned(stored);
    }
    let is_v1beta1 = text(object, &["apiVersion"]).ends_with("/v1beta1");
    let at: &[&str] = if is_v1beta1 { &["spec", "strategy"] } else { &["spec", "rollout", "strategy"] };
    let strategy = get(object, at);
    let kind = strategy.map_or("", |strategy| text(strategy, &["type"]));
    if !["", "RollingUpdate"].contains(&kind) {
        return Cow::Borrowed(object);
    }
    let mut defaulted = object.clone();
    set(&mut defaulted, &[at, &["type"]].concat(), json!("RollingUpdate"));
    for (field, value) in [("maxSurge", 1), ("maxUnavailable", 0)] {
        let path = [at, &["rollingUpdate", field]].concat();
        if get(object, &path).is_none() {
            set(&mut defaulted, &path, json!(value));
        }
    }
    Cow::Owned(defaulted)
}

fn has_null(value: &Value) -> bool {
    value.as_object().is_some_and(|fields| fields.values().any(|field| field.is_null() || has_null(field)))
}

fn remove_nulls(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, field| !field.is_null());
        fields.values_mut().for_each(remove_nulls);
    }
}

type FieldPair<'v> = (Vec<String>, Option<&'v Value>, Option<&'v Value>);

fn fields<'v>(
    (was, is): (Option<&'v Value>, Option<&'v Value>),
    path: &mut Vec<String>,
    found: &mut Vec<FieldPair<'v>>,
) {
    if was == is {
        return;
    }
    match (was, is) {
        (Some(Value::Object(was)), Some(Value::Object(is))) => {
            let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
            for name in names {
                path.push(name.clone());
                fields((was.get(name), is.get(name)), path, found);
                path.pop();
            }
        }
        (Some(Value::Array(was)), Some(Value::Array(is))) if was.len() == is.len() => {
            for (number, pair) in was.iter().zip(is).enumerate() {
                path.push(number.to_string());
                fields((Some(pair.0), Some(pair.1)), path, found);
                path.pop();
            }
        }
        _ => found.push((path.clone(), was, is)),
    }
}

/// The patch that wrote a field last, and the variables that it reads and that differ.
fn source((old, new): (&DesiredPart, &DesiredPart), path: &[String]) -> (Option<String>, Vec<String>) {
    // `spec` and `metadata` of an object are those of its template's `spec.template`.
    let above: &[&str] = if new.role.is_object() { &["spec", "template"] } else { &[] };
    let steps = above.iter().copied().chain(path.iter().map(String::as_str));
    let pointer: String = steps.map(|step| format!("/{step}")).collect();
    let concerns = |write: &&PatchWrite| {
        let written = write.path.replace("~1", "/").replace("~0", "~");
        let is_below =
            |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        is_below(&pointer, &written) || is_below(&written, &pointer)
    };
    let differs = |read: &&String| at_path(&old.variables, read) != at_path(&new.variables, read);
    let writes: Vec<&PatchWrite> = new.writes.iter().rev().chain(old.writes.iter().rev()).filter(concerns).collect();
    let read = |write: &PatchWrite| write.reads.iter().filter(differs).cloned().collect::<Vec<_>>();
    let found = writes.iter().map(|write| (*write, read(write))).find(|(_, read)| !read.is_empty());
    match found {
        Some((write, mut read)) => {
            let all = read.clone();
            let is_part = |whole: &String, part: &String| {
                part.strip_prefix(whole.as_str()).is_some_and(|rest| rest.starts_with('.'))
            };
            read.retain(|whole| !all.iter().any(|part| is_part(whole, part)));
            (Some(write.patch.clone()), read)
        }
        None => (writes.first().map(|write| write.patch.clone()), Vec::new()),
    }
}
