//! What the policy may write, and checks, byte for byte, that it wrote nothing else.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result, bail, ensure};
use metadata_propagation::{Action, Change, FIELDS, GroupVersionKind, Outcome, Place};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::owners::only_owners_moved;

/// A map of an object that the policy may write.
#[derive(Debug)]
pub struct OwnedMap {
    /// Group of the objects; any if empty.
    pub group: &'static str,
    /// Kind of the objects; any of the group if empty.
    pub kind: &'static str,
    /// Dotted path from the object's root.
    pub at: &'static str,
}

/// Every map that the policy may write. It never changes anything else of an object.
#[rustfmt::skip]
pub const OWNED: &[OwnedMap] = &[
    row("", "", "metadata.labels"),
    row("", "", "metadata.annotations"),
    row("cluster.x-k8s.io", "MachineDeployment", "spec.template.metadata.labels"),
    row("cluster.x-k8s.io", "MachineDeployment", "spec.template.metadata.annotations"),
    row("cluster.x-k8s.io", "MachineSet",        "spec.template.metadata.labels"),
    row("cluster.x-k8s.io", "MachineSet",        "spec.template.metadata.annotations"),
    row("cluster.x-k8s.io", "MachinePool",       "spec.template.metadata.labels"),
    row("cluster.x-k8s.io", "MachinePool",       "spec.template.metadata.annotations"),
    row("cluster.x-k8s.io", "Cluster",           "spec.topology.controlPlane.metadata.labels"),
    row("cluster.x-k8s.io", "Cluster",           "spec.topology.controlPlane.metadata.annotations"),
    row("cluster.x-k8s.io", "Cluster",           "spec.topology.workers.machineDeployments[].metadata.labels"),
    row("cluster.x-k8s.io", "Cluster",           "spec.topology.workers.machineDeployments[].metadata.annotations"),
    row("cluster.x-k8s.io", "Cluster",           "spec.topology.workers.machinePools[].metadata.labels"),
    row("cluster.x-k8s.io", "Cluster",           "spec.topology.workers.machinePools[].metadata.annotations"),
    // The group of the composites in the tests.
    row("blueprints.plexsphere.com", "",         "spec.cloudTags"),
    row("infrastructure.cluster.x-k8s.io", "AWSCluster",   "spec.additionalTags"),
    row("infrastructure.cluster.x-k8s.io", "AzureCluster", "spec.additionalTags"),
    row("infrastructure.cluster.x-k8s.io", "GCPCluster",   "spec.additionalLabels"),
    row("infrastructure.cluster.x-k8s.io", "OCICluster",   "spec.freeformTags"),
    row("controlplane.cluster.x-k8s.io", "",     "spec.machineTemplate.metadata.labels"),
    row("controlplane.cluster.x-k8s.io", "",     "spec.machineTemplate.metadata.annotations"),
];

/// The annotations that the policy may write although no rule propagates them, and the kind that may have them. They
/// are records: of the Machine controller on Nodes, and of this policy.
pub const RECORDS: &[(&str, &str)] = &[
    ("Node", "cluster.x-k8s.io/annotations-from-machine"),
    ("Node", "cluster.x-k8s.io/labels-from-machine"),
    ("", "metadata-propagation.plexsphere.com/managed"),
];

/// Field ownership, which changes with what is written.
pub const MANAGED_FIELDS: &str = "metadata.managedFields";

/// The last steps of these paths.
const MAPS: [&str; 6] = ["labels", "annotations", "cloudTags", "additionalTags", "additionalLabels", "freeformTags"];

const fn row(group: &'static str, kind: &'static str, at: &'static str) -> OwnedMap {
    OwnedMap { group, kind, at }
}

/// The maps and the in-place mutable fields that the policy may write in an object of a kind.
pub fn owned(kind: &GroupVersionKind<'_>) -> Vec<String> {
    let is = |known: &str, asked: &str| known.is_empty() || known == asked;
    let maps = OWNED.iter().filter(|row| is(row.group, &kind.group) && is(row.kind, &kind.kind));
    let receiver = match (&*kind.group, &*kind.kind) {
        ("controlplane.cluster.x-k8s.io", "KubeadmControlPlane") => Some(Place::ControlPlane),
        ("cluster.x-k8s.io", "MachineDeployment") => Some(Place::MachineDeployment),
        ("cluster.x-k8s.io", "MachineSet") => Some(Place::MachineSet),
        ("cluster.x-k8s.io", "MachinePool") => Some(Place::MachinePool),
        ("cluster.x-k8s.io", "Machine") => Some(Place::Machine),
        _ => None,
    };
    let fields = receiver.into_iter().flat_map(|place| {
        let paths =
            FIELDS.iter().flat_map(move |field| ["v1beta1", "v1beta2"].map(|version| field.path(place, version)));
        paths.flatten().map(|path| path.join("."))
    });
    maps.map(|row| row.at.to_owned()).chain(fields).collect()
}

/// Compares an evaluation's result with its input object: outside the owned paths every byte is the same, and
/// inside owned maps every entry that the report does not name keeps its key, value and position.
pub fn only_owned_maps_changed(kind: &GroupVersionKind<'_>, object: &str, outcome: &Outcome) -> Result<()> {
    let Some(written) = outcome.object.as_deref() else { return Ok(()) };
    // Invalid JSON, which no API server sends, may become valid JSON by a removal.
    if serde_json::from_str::<IgnoredAny>(object).is_err() {
        return Ok(());
    }
    if kind.group == "apiextensions.crossplane.io" {
        return only_declares("", &serde_json::from_str(object)?, &serde_json::from_str(written)?);
    }
    let changes = outcome.report.as_ref().map(|report| report.changes.as_slice()).unwrap_or_default();
    let mut by_map: Changes<'_> = BTreeMap::new();
    for Change { at, key, to, action, .. } in changes {
        let may_record = |row: &&(&str, &str)| ["", &kind.kind].contains(&row.0) && row.1 == key;
        let is_record = &**at == "metadata.annotations" && RECORDS.iter().any(|row| may_record(&row));
        ensure!(is_record == (*action == Action::Recorded), "`{key}` at `{at}` is {action:?}");
        let twice = by_map.entry(at).or_default().insert(key, to.as_ref().map(metadata_propagation::Value::as_json));
        ensure!(twice.is_none(), "`{key}` at `{at}` is changed twice");
    }
    let owned = owned(kind);
    for (at, entries) in &by_map {
        let is_owned = |path: &str| owned.contains(&pattern(path));
        let all = is_owned(at) || entries.keys().all(|key| is_owned(&join(at, key)));
        ensure!(all, "`{at}` is not the policy's to write");
    }
    Comparison { owned, changes: by_map, all: changes }.objects("", object, written)
}

/// Compares a CompositeResourceDefinition with its original: everything is kept, and all additions are in a version's
/// schema.
fn only_declares(path: &str, before: &Value, after: &Value) -> Result<()> {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            for (key, value) in before {
                let path = join(path, key);
                only_declares(&path, value, after.get(key).with_context(|| format!("`{path}` is gone"))?)?;
            }
            let added = after.keys().find(|key| !before.contains_key(*key));
            let may = pattern(path).starts_with("spec.versions[]");
            ensure!(added.is_none() || may, "`{path}` gets {added:?}");
            Ok(())
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            let mut pairs = before.iter().zip(after).enumerate();
            pairs.try_for_each(|(index, (before, after))| only_declares(&format!("{path}[{index}]"), before, after))
        }
        (Value::Null, _) if pattern(path).starts_with("spec.versions[].schema") => Ok(()),
        _ if before == after => Ok(()),
        _ => bail!("`{path}` was `{before}` and became `{after}`"),
    }
}

/// Values, as JSON, by map and key.
type Changes<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Option<Cow<'a, str>>>>;

struct Comparison<'a> {
    owned: Vec<String>,
    changes: Changes<'a>,
    all: &'a [Change],
}

impl Comparison<'_> {
    /// Two objects at a path that leads to owned maps.
    fn objects(&self, path: &str, before: &str, after: &str) -> Result<()> {
        let before = if before == "null" { "{}" } else { before };
        let (mut old, new) = (fields(before)?, fields(after)?);
        let mut lost = false;
        for field in &old.fields {
            if new.fields.iter().all(|new| new.key != field.key) {
                self.lost(&join(path, &field.key), field.value)?;
                lost = true;
            }
        }
        old.fields.retain(|old| new.fields.iter().any(|new| new.key == old.key));
        ensure!(new.fields.len() >= old.fields.len(), "`{path}` lost a field");
        let (stood, added) = new.fields.split_at(old.fields.len());
        for (index, (old, new)) in old.fields.iter().zip(stood).enumerate() {
            // The new first field follows the bracket, without a comma.
            let key = |before: &str| before.trim_start_matches([',', '{']).to_owned();
            let stays = old.before == new.before || (lost && index == 0 && key(old.before) == key(new.before));
            ensure!(stays, "`{path}`: `{}` became `{}`", old.before, new.before);
            self.values(&join(path, &old.key), old.value, new.value)?;
        }
        for new in added {
            ensure!(old.fields.iter().all(|old| old.key != new.key), "`{path}` has `{}` twice", new.key);
            let path = join(path, &new.key);
            ensure!(self.leads_to_owned(&path), "`{path}` was added");
            self.values(&path, "null", new.value)?;
        }
        ensure!(old.after == new.after, "`{path}`: its end `{}` became `{}`", old.after, new.after);
        Ok(())
    }

    fn values(&self, path: &str, before: &str, after: &str) -> Result<()> {
        if before == after {
            Ok(())
        } else if path == MANAGED_FIELDS {
            only_owners_moved(before, after, self.all.iter().map(|it| (&*it.at, it.key.as_str())))
        } else if self.owned.contains(&pattern(path)) {
            match path.rsplit_once('.') {
                Some((at, name)) if !MAPS.contains(&name) => self.field(at, name, after),
                _ => self.maps(path, before, after),
            }
        } else if self.leads_to_owned(path) && before.starts_with('[') {
            self.lists(path, before, after)
        } else if self.leads_to_owned(path) {
            self.objects(path, before, after)
        } else {
            bail!("`{path}` was `{before}` and became `{after}`")
        }
    }

    fn leads_to_owned(&self, path: &str) -> bool {
        let path = pattern(path);
        let below = |owned: &str| {
            owned.strip_prefix(&*path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        self.owned.iter().any(|owned| below(owned.as_str()))
    }

    /// Two lists at a path that leads to owned maps.
    fn lists(&self, path: &str, before: &str, after: &str) -> Result<()> {
        let (old, new): (Vec<&RawValue>, Vec<&RawValue>) =
            (serde_json::from_str(before)?, serde_json::from_str(after)?);
        ensure!(old.len() == new.len(), "`{path}` has {} elements and not {}", new.len(), old.len());
        let between = |text: &str, elements: &[&RawValue]| {
            elements.iter().fold(text.to_owned(), |text, element| text.replacen(element.get(), "", 1))
        };
        ensure!(between(before, &old) == between(after, &new), "`{path}` was `{before}` and became `{after}`");
        old.iter()
            .zip(&new)
            .enumerate()
            .try_for_each(|(index, (old, new))| self.values(&format!("{path}[{index}]"), old.get(), new.get()))
    }

    /// A removed field: an owned one that the report lists as removed, or an object that contained nothing else.
    fn lost(&self, path: &str, value: &str) -> Result<()> {
        let is_removed =
            |at: &str, name: &str| self.changes.get(at).and_then(|changes| changes.get(name)) == Some(&None);
        let (at, name) = path.rsplit_once('.').unwrap_or(("", path));
        if is_removed(at, name) {
            return Ok(());
        }
        ensure!(self.leads_to_owned(path), "`{path}` is gone");
        let held = fields(value).with_context(|| format!("`{path}` is gone"))?;
        held.fields.iter().filter(|field| !is_removed(path, &field.key)).try_for_each(|field| {
            ensure!(!self.owned.contains(&pattern(path)), "`{}` at `{path}` is gone", field.key);
            self.lost(&join(path, &field.key), field.value)
        })
    }

    /// The new value of one owned field.
    fn field(&self, at: &str, name: &str, after: &str) -> Result<()> {
        let value = self.changes.get(at).and_then(|changes| changes.get(name)).and_then(Option::as_deref);
        ensure!(value == Some(after), "`{name}` at `{at}` is `{after}` and not {value:?}");
        Ok(())
    }

    /// The two states of one owned map.
    fn maps(&self, path: &str, before: &str, after: &str) -> Result<()> {
        let none = BTreeMap::new();
        let changes = self.changes.get(path).unwrap_or(&none);
        let (old, new) = (fields(if before == "null" { "{}" } else { before })?, fields(after)?);
        let foreign = |fields: &[FieldText<'_>]| -> Vec<(String, String)> {
            let kept = fields.iter().filter(|field| !changes.contains_key(&*field.key));
            kept.map(|field| (field.raw_key.to_owned(), field.value.to_owned())).collect()
        };
        let (kept, found) = (foreign(&old.fields), foreign(&new.fields));
        ensure!(kept == found, "`{path}` had {kept:?} and now has {found:?}");
        for (key, value) in changes {
            let mut found = new.fields.iter().filter(|field| field.key == **key).map(|field| field.value).peekable();
            ensure!(value.is_some() == found.peek().is_some(), "`{key}` at `{path}` is not {value:?}");
            for found in found {
                ensure!(Some(found) == value.as_deref(), "`{key}` at `{path}` is `{found}` and not {value:?}");
            }
        }
        Ok(())
    }
}

/// The path without list indexes.
fn pattern(path: &str) -> String {
    let parts = path.split('[').enumerate().map(|(index, part)| match part.split_once(']') {
        Some((_, rest)) if index > 0 => format!("[]{rest}"),
        _ => part.to_owned(),
    });
    parts.collect()
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A JSON object, split into pieces of its text.
struct PieceObject<'a> {
    fields: Vec<FieldText<'a>>,
    /// The text after the last value, or after the opening bracket.
    after: &'a str,
}

struct FieldText<'a> {
    key: String,
    /// The key as it is written, quotes included.
    raw_key: &'a str,
    value: &'a str,
    /// The text between the previous value and this one.
    before: &'a str,
}

/// Read by serde_json, not by the engine's own scanner.
fn fields(text: &str) -> Result<PieceObject<'_>> {
    let entries =
        serde_json::Deserializer::from_str(text).deserialize_map(ExactEntriesVisitor).context("not an object")?;
    let mut fields = Vec::new();
    let mut rest = text;
    for (key, value) in entries {
        let value = value.get();
        let start = value.as_ptr() as usize - rest.as_ptr() as usize;
        let (before, tail) = rest.split_at_checked(start).context("a value outside its object")?;
        rest = tail.get(value.len()..).context("a value longer than its object")?;
        let quotes = before.find('"').zip(before.rfind('"')).context("a value without a key")?;
        let raw_key = before.get(quotes.0..=quotes.1).context("a value without a key")?;
        fields.push(FieldText { key, raw_key, value, before });
    }
    // The text after the opening bracket of an empty object comes after the fields that are added.
    let after = if fields.is_empty() { rest.trim_start().trim_start_matches('{') } else { rest };
    Ok(PieceObject { fields, after })
}

/// The entries of an object as written, including duplicate keys.
struct ExactEntriesVisitor;

impl<'de> Visitor<'de> for ExactEntriesVisitor {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metadata_propagation::{Manifests, Review, Settings, evaluate};

    const BEFORE: &str = r#"{"metadata":{ "name":"m","labels" :{"a":"1"} ,"ownerReferences":[{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineSet","name":"ms","controller":true}]},"apiVersion":"cluster.x-k8s.io/v1beta2","spec":{"n":1.0}}"#;

    fn written(change: impl FnOnce(&str) -> String) -> Result<()> {
        let mut cluster = Manifests::default();
        let ms = r#"{"metadata":{"name":"ms"},"spec":{"template":{"metadata":{"labels":{"b":"2"}}}}}"#;
        cluster.insert("cluster.x-k8s.io/v1beta2", "MachineSet", "", "ms", ms.to_owned());
        let request = format!(
            r#"{{"operation":"CREATE","userInfo":{{}},"kind":{{"group":"cluster.x-k8s.io","version":"v1beta2","kind":"Machine"}},"object":{BEFORE}}}"#
        );
        let review = Review::from_json(&request)?;
        let mut outcome = evaluate(&review, &Settings::from_json("{}")?, &cluster);
        let text = outcome.object.as_deref().map(change).context("nothing was written")?;
        outcome.object = Some(text);
        only_owned_maps_changed(&review.kind, BEFORE, &outcome)
    }

    #[test]
    fn what_the_engine_writes_passes() {
        written(str::to_owned).unwrap();
    }

    #[test]
    fn every_other_byte_is_missed() {
        for (from, to, expected) in [
            ("1.0", "1", "`spec.n` was `1.0` and became `1`"),
            ("{ \"name\"", "{\"name\"", "`metadata`: `{ \"name\":` became `{\"name\":`"),
            ("\"spec\"", "\"x\":1,\"spec\"", "`: `,\"spec\":` became `,\"x\":`"),
            ("}}", "},\"x\":1}", "`x` was added"),
            ("\"a\":\"1\"", "\"a\":\"2\"", "`metadata.labels` had [(\"\\\"a\\\"\", \"\\\"1\\\"\")] and now has"),
            ("\"a\"", "\"\\u0061\"", "`metadata.labels` had [(\"\\\"a\\\"\", \"\\\"1\\\"\")] and now has"),
            ("\"b\":\"2\"", "\"b\":\"3\"", "`b` at `metadata.labels` is `\"3\"` and not Some(\"\\\"2\\\"\")"),
            (",\"b\":\"2\"", "", "`b` at `metadata.labels` is not Some(\"\\\"2\\\"\")"),
        ] {
            let error = written(|text| {
                assert!(text.contains(from), "{text}");
                text.replacen(from, to, 1)
            });
            let error = error.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
