//! Values of a Cluster that are filled in before it is applied, such as `${SIZE:=3}`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use topology::{Gap, Obstacle, TopologyRefusal};

use crate::refusal::has_variable;
use crate::relations::{text, texts};
use crate::workers::all_workers;

/// The values of a Cluster that are not known, by the name of their variable.
pub(super) struct Placeholders(BTreeMap<String, String>);

impl Placeholders {
    /// Those before and after.
    pub(super) fn of(clusters: [&Value; 2]) -> Placeholders {
        let mut found = BTreeMap::new();
        for cluster in clusters {
            let values = set_variables(cluster).into_iter().filter_map(|variable| {
                let written = placeholder(variable.get("value")?)?;
                Some((text(variable, "name").to_owned(), written.to_owned()))
            });
            found.extend(values);
            let version = cluster.pointer("/spec/topology/version").and_then(placeholder);
            found.extend(version.map(|written| ("builtin".to_owned(), written.to_owned())));
        }
        Placeholders(found)
    }

    /// A refusal that depends on such a value is not known.
    pub(super) fn resolved(&self, obstacle: Obstacle) -> Obstacle {
        let refusal = match &obstacle {
            Obstacle::Refused(refusal) => refusal,
            Obstacle::Unknown(Gap::RefusedBefore(refusal)) => refusal,
            Obstacle::Unknown(_) => return obstacle,
        };
        let written = match refusal {
            TopologyRefusal::InvalidVariable { name, .. } => self.0.get(name),
            TopologyRefusal::NoValue { variable, .. } => {
                self.0.get(variable.split(['.', '[']).next().unwrap_or_default())
            }
            TopologyRefusal::Template { .. } | TopologyRefusal::Output { .. } | TopologyRefusal::Object { .. } => {
                self.0.values().next()
            }
            _ => None,
        };
        written.map_or(obstacle, |written| Gap::Placeholder(written.clone()).into())
    }

    /// The value that decides what a patch does that differs, or that reads a variable that differs.
    pub(super) fn deciding(&self, [old, new]: [&Value; 2], differing: &BTreeSet<&str>) -> Option<Gap> {
        if self.0.is_empty() {
            return None;
        }
        let patches =
            |class: &Value| class.pointer("/spec/patches").and_then(Value::as_array).cloned().unwrap_or_default();
        let (before, after) = (patches(old), patches(new));
        let concerned = before
            .iter()
            .chain(&after)
            .filter(|patch| !(before.contains(patch) && after.contains(patch)) || reads(patch, differing));
        let mut written = concerned.flat_map(|patch| {
            let conditions: Vec<&str> = conditions(patch);
            let is_read = move |name: &str| conditions.iter().any(|condition| mentions(condition, name));
            self.0.iter().filter(move |(name, _)| is_read(name)).map(|(_, written)| written)
        });
        written.next().map(|written| Gap::Placeholder(written.clone()))
    }
}

/// The variables that one of two Clusters sets otherwise.
pub(super) fn set_otherwise<'c>(clusters: [&'c Value; 2]) -> BTreeSet<&'c str> {
    let of = |cluster: &'c Value| {
        let mut values = BTreeMap::<&str, Vec<&Value>>::new();
        for variable in set_variables(cluster) {
            values.entry(text(variable, "name")).or_default().push(variable);
        }
        values
    };
    let [old, new] = clusters.map(of);
    old.keys().chain(new.keys()).filter(|name| old.get(*name) != new.get(*name)).copied().collect()
}

/// The variables that a Cluster sets, for all its parts and for single ones.
fn set_variables(cluster: &Value) -> Vec<&Value> {
    let topology = cluster.pointer("/spec/topology").unwrap_or(&Value::Null);
    let entries = all_workers(cluster).map(|worker| worker.value);
    let overrides = entries.chain(topology.get("controlPlane")).map(|entry| entry.pointer("/variables/overrides"));
    overrides.chain([topology.get("variables")]).flatten().filter_map(Value::as_array).flatten().collect()
}

/// Whether a patch reads one of some variables.
fn reads(patch: &Value, variables: &BTreeSet<&str>) -> bool {
    texts(patch).iter().any(|text| {
        let words = text.split(|character: char| !character.is_alphanumeric() && !['-', '_'].contains(&character));
        words.into_iter().any(|word| variables.contains(word))
    })
}

/// The texts that decide whether a patch is applied, or which of several values it writes.
fn conditions(patch: &Value) -> Vec<&str> {
    let mut found = texts(patch);
    let condition = patch.get("enabledIf").and_then(Value::as_str);
    found.retain(|text| Some(*text) == condition || text.split("{{").skip(1).any(is_choice));
    found
}

/// Whether what follows `{{` chooses between texts.
fn is_choice(action: &str) -> bool {
    let mut words = action.split("}}").next().unwrap_or_default().split([' ', '-', '(', ')', '|']);
    words.any(|word| ["else", "if", "range", "ternary", "with"].contains(&word))
}

fn mentions(condition: &str, name: &str) -> bool {
    condition.match_indices(&format!(".{name}")).any(|(at, found)| {
        let next = condition.get(at + found.len()..).and_then(|rest| rest.chars().next());
        next.is_none_or(|next| !next.is_alphanumeric() && !['-', '_'].contains(&next))
    })
}

/// The first text in a value that is filled in.
fn placeholder(value: &Value) -> Option<&str> {
    texts(value).into_iter().find(|text| has_variable(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_writes_a_value_decides_nothing() {
        let patch = json!({ "enabledIf": "{{ .on }}", "definitions": [{ "jsonPatches": [
            { "path": "/a", "valueFrom": { "template": "v{{ .version | replace \"+\" \"_\" }}-{{- .builtin.cluster.name -}}" } },
            { "path": "/b", "valueFrom": { "template": "{{ if .large }}x{{ end }}" } },
            { "path": "/c", "valueFrom": { "variable": "size" } },
        ] }] });
        assert_eq!(conditions(&patch), ["{{ if .large }}x{{ end }}", "{{ .on }}"]);
        assert!(mentions("{{ if .large }}", "large") && !mentions("{{ if .larger }}", "large"));
        assert!(reads(&patch, &BTreeSet::from(["size"])) && !reads(&patch, &BTreeSet::from(["sizes"])));
    }
}
