//! The objects that Cluster API makes for a Cluster with a topology.

use std::cell::RefCell;
use std::collections::BTreeMap;

use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;
use topology::{
    Before, Desired, DesiredPart, Gap, Inputs, Obstacle, PartRole, TopologyRefusal, desired, endpoint_refusal,
    schema_refusal, stored_defaults,
};

use crate::fleet::Fleet;
use crate::object::{ObjectId, group_and_version};
use crate::plan::conversion::as_stored;
use crate::plan::topology::{of_new_cluster, resolved};
use crate::read::to_json;
use crate::refusal::{Refusal, of_pool};
use crate::relations::{class_of, text};
use crate::source::Source;

impl Fleet {
    /// The objects that Cluster API makes for a Cluster from its class and the templates of the class; `None` if it has no
    /// topology.
    pub fn made(&self, cluster: &ObjectId) -> Option<Result<Desired, Obstacle>> {
        self.made_since(&Fleet::default(), cluster)
    }

    /// What Cluster API refuses in a new Cluster, or when it makes its objects, as far as that is known.
    pub fn topology_refusal(&self, cluster: &ObjectId) -> Option<String> {
        let written = value(self, cluster)?;
        let class = class(&written, cluster).and_then(|id| value(self, &id));
        let of_cluster = class.and_then(|class| of_new_cluster(&written, &class).into_iter().next());
        of_cluster.or_else(|| refusal_of_made(self, cluster)).map(|refusal| refusal.to_string())
    }

    /// The same if the objects of another fleet were applied before: a Cluster keeps the defaults that it stored then, and
    /// workers whose upgrade is deferred their version.
    pub fn made_since(&self, before: &Fleet, cluster: &ObjectId) -> Option<Result<Desired, Obstacle>> {
        let written = value(self, cluster)?;
        let id = class(&written, cluster)?;
        let Some(of_class) = value(self, &id) else { return Some(Err(Gap::NoClass.into())) };
        let templates = |reference: &Value| value(self, &template(&id.namespace, reference));
        let was = value(before, cluster);
        let class_before = was.as_ref().and_then(|was| value(before, &class(was, cluster)?));
        let stored = was.as_ref().zip(class_before.as_ref()).map(|(was, class)| stored_defaults(was, class));
        let [written, of_class] = as_stored([&written, &of_class]);
        Some(desired(Inputs {
            cluster: &written,
            class: &of_class,
            templates: &templates,
            stored: &stored.unwrap_or_default(),
            before: Before { cluster: was.as_ref(), class: class_before.as_ref(), versions: None },
            yaml,
        }))
    }
}

/// What is refused of a new Cluster's topology: a patch that fails, or an object that the API server or a webhook does not
/// accept. None if that is not known.
pub(crate) fn refusal_of_made(fleet: &Fleet, cluster: &ObjectId) -> Option<TopologyRefusal> {
    let written = value(fleet, cluster)?;
    let obstacle = match fleet.made(cluster)? {
        Ok(made) => made.parts.iter().find_map(refusal_of_part)?.into(),
        Err(obstacle) => obstacle,
    };
    resolved(&written, obstacle)
}

/// What the API server or a webhook refuses in a new object; `None` for kinds of which that is not known.
pub(crate) fn refusal_of_part(part: &DesiredPart) -> Option<TopologyRefusal> {
    if part.gap().is_some() {
        return None;
    }
    let by_webhook = || {
        let is_pool = text(&part.object, "kind") == "MachinePool";
        let Refusal { at, message, .. } = of_pool(&part.object).into_iter().next().filter(|_| is_pool)?;
        Some(TopologyRefusal::object("MachinePool", at.to_string(), message))
    };
    match part.role {
        PartRole::InfrastructureCluster => endpoint_refusal(&part.object),
        _ => schema_refusal(&part.object).or_else(by_webhook),
    }
}

fn value(fleet: &Fleet, id: &ObjectId) -> Option<Value> {
    Some(fleet.find(id)?.value())
}

/// The class of a Cluster.
pub(crate) fn class(cluster: &Value, id: &ObjectId) -> Option<ObjectId> {
    let (name, namespace) = class_of(cluster)?;
    Some(ObjectId::new(CORE_GROUP, "ClusterClass", namespace.unwrap_or(&id.namespace), name))
}

/// The template that a reference of a class in a namespace names.
pub(crate) fn template(namespace: &str, reference: &Value) -> ObjectId {
    let (group, _) = group_and_version(text(reference, "apiVersion"));
    ObjectId::new(group, text(reference, "kind"), namespace, text(reference, "name"))
}

/// A text as YAML: its first value, whatever follows it.
///
/// Source: `unmarshal` in goyaml.v2/yaml.go of sigs.k8s.io/yaml, which parses one document and reads one token after it.
pub(crate) fn yaml(text: &str) -> Option<Value> {
    thread_local! {
        /// The texts that this thread read: a patch prints the same for many Clusters, and before and after a change.
        static READ: RefCell<BTreeMap<String, Option<Value>>> = const { RefCell::new(BTreeMap::new()) };
    }
    READ.with_borrow_mut(|all| {
        if let Some(known) = all.get(text) {
            return known.clone();
        }
        if all.len() >= MAX_READ {
            all.clear();
        }
        all.entry(text.to_owned()).or_insert_with(|| first_value(text)).clone()
    })
}

/// The largest number of texts that are kept.
const MAX_READ: usize = 1024;

fn first_value(text: &str) -> Option<Value> {
    let read = |text: &str| {
        let source = Source { name: String::new(), text: text.to_owned() };
        let first = source.documents().into_iter().next().filter(|first| first.end < text.len());
        let first = first.and_then(|first| text.get(first)).map(str::to_owned);
        let json = to_json(&first.map_or(source, |text| Source { name: String::new(), text })).ok()?;
        serde_json::from_str(&json).ok()
    };
    read(text).or_else(|| read(text.get(..closed(text)?)?))
}

/// Where the brackets or the quotes end that a text begins with; `None` if they are those of a key.
fn closed(text: &str) -> Option<usize> {
    let mut quote = None;
    let (mut depth, mut before) = (0_usize, ',');
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some('"'), '\\') => drop(letters.next()),
            (Some('\''), '\'') if letters.peek().is_some_and(|(_, next)| *next == '\'') => drop(letters.next()),
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => continue,
            (None, '"' | '\'') if matches!(before, ',' | ':' | '[' | '{') => quote = Some(letter),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.checked_sub(1)?,
            (None, _) => {}
        }
        if !letter.is_whitespace() {
            before = letter;
        }
        if depth == 0 && quote.is_none() && matches!(letter, ']' | '}' | '"' | '\'') {
            let is_key = text.get(at + 1..)?.trim_start().starts_with(':');
            return (!is_key).then_some(at + 1);
        }
        if depth == 0 && quote.is_none() && !letter.is_whitespace() {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_follows_the_first_value_is_not_read() {
        let cases = [
            ("{name: a, value: \"}1\"}x", Some(json!({"name": "a", "value": "}1"}))),
            ("[it's, 'it''s]']\nrest", Some(json!(["it's", "it's]"]))),
            ("\"110\"x", Some(json!("110"))),
            ("a: 1\n---\nb: 2", Some(json!({"a": 1}))),
            ("{a: 1}", Some(json!({"a": 1}))),
            ("a: b: c", None),
            ("\"a\": b: c", None),
            ("{a", None),
        ];
        for (text, expected) in cases {
            assert_eq!(yaml(text), expected, "{text}");
        }
    }
}
