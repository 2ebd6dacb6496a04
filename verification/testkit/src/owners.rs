//! Checks that the policy changed owners only of what it wrote: `metadata.managedFields` before and after.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use metadata_propagation::{Action, Change, FIELDS};
use serde_json::Value;

/// The JSON pointer of the field owners in an object.
pub(crate) const MANAGED_FIELDS: &str = "/metadata/managedFields";

/// What a manager owns whose entry was begun for it.
const BEGUN: [&str; 2] = ["metadata", "name"];

/// A path in a set of fields, without the `f:` of its steps.
type FieldPath = Vec<String>;

/// Compares the owners before and after an evaluation: the same managers own the same paths, except those of
/// `changes` (each the path of a map and the key of an entry), the paths inside them, and their parent objects.
pub(crate) fn only_owners_moved<'c>(
    before: &str,
    after: &str,
    changes: impl IntoIterator<Item = (&'c str, &'c str)>,
) -> Result<()> {
    let written = written(changes);
    let (Some(old), new) = (owners(before)?, owners(after)?) else {
        ensure!(before == after, "managedFields that cannot be read were `{before}` and became `{after}`");
        return Ok(());
    };
    let new = new.context("managedFields can no longer be read")?;
    for (manager, paths) in old.iter().chain(&new) {
        let [before, after] = [&old, &new].map(|owners| owners.get(manager).cloned().unwrap_or_default());
        let is_begun = |path: &FieldPath| !old.contains_key(manager) && *path == BEGUN;
        for path in paths.iter().filter(|path| before.contains(*path) != after.contains(*path) && !is_begun(path)) {
            let moved = written.iter().any(|written| written.starts_with(path) || path.starts_with(written));
            ensure!(moved, "{manager:?} owned {path:?}: {}, and now: {}", before.contains(path), after.contains(path));
        }
    }
    Ok(())
}

/// Compares the owners of restored entries with the stored owners.
pub fn what_is_restored_has_its_owners(stored: &str, after: &str, changes: &[Change]) -> Result<()> {
    let (Some(stored), Some(after)) = (owners(stored)?, owners(after)?) else { return Ok(()) };
    let restored = changes.iter().filter(|change| change.action == Action::Restored && change.to.is_some());
    for path in written(restored.map(|change| (&*change.at, change.key.as_str()))) {
        for manager in stored.keys().chain(after.keys()) {
            let [was, is] = [&stored, &after].map(|owners| owners.get(manager).is_some_and(|of| of.contains(&path)));
            ensure!(was == is, "{manager:?} owned {path:?}: {was}, and now: {is}");
        }
    }
    Ok(())
}

/// The paths of the written entries, in every version that has them.
fn written<'c>(changes: impl IntoIterator<Item = (&'c str, &'c str)>) -> BTreeSet<FieldPath> {
    let mut written = BTreeSet::new();
    for (at, key) in changes {
        let path: Vec<&str> = at.split('.').chain([key]).collect();
        let own = |path: &[&str]| path.iter().map(|step| (*step).to_owned()).collect::<FieldPath>();
        for field in FIELDS {
            for place in field.at.iter().flat_map(|address| address.places) {
                let paths = ["v1beta1", "v1beta2"].map(|version| field.path(*place, version));
                if paths.iter().any(|known| known.as_deref() == Some(&path)) {
                    written.extend(paths.iter().flatten().map(|path| own(path)));
                }
            }
        }
        written.insert(own(&path));
    }
    written
}

/// Owned paths by manager, operation, subresource, and, for an Update, version; `None` if they cannot
/// be read.
fn owners(managed_fields: &str) -> Result<Option<BTreeMap<Vec<String>, BTreeSet<FieldPath>>>> {
    let Value::Array(entries) = serde_json::from_str(managed_fields)? else { return Ok(None) };
    let mut owners: BTreeMap<Vec<String>, BTreeSet<FieldPath>> = BTreeMap::new();
    for entry in &entries {
        let mut identity = Vec::new();
        for field in ["operation", "manager", "subresource", "apiVersion"] {
            match &entry[field] {
                Value::String(text) if field != "apiVersion" || entry["operation"] != "Apply" => {
                    identity.push(text.clone());
                }
                Value::Null | Value::String(_) => identity.push(String::new()),
                _ => return Ok(None),
            }
        }
        paths(&entry["fieldsV1"], &Vec::new(), owners.entry(identity).or_default());
    }
    Ok(Some(owners))
}

/// Adds the paths of a set. A value that is not an object is a path with its text.
fn paths(set: &Value, at: &FieldPath, found: &mut BTreeSet<FieldPath>) {
    let below = |step: &str| [at.as_slice(), &[step.to_owned()]].concat();
    match set {
        Value::Object(steps) if steps.is_empty() => {
            found.insert(at.clone());
        }
        Value::Object(steps) => {
            for (step, set) in steps {
                match step.as_str() {
                    "." => drop(found.insert(at.clone())),
                    step => paths(set, &below(step.strip_prefix("f:").unwrap_or(step)), found),
                }
            }
        }
        Value::Null => drop(found.insert(at.clone())),
        other => drop(found.insert(below(&other.to_string()))),
    }
}
