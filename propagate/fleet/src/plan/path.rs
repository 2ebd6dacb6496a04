//! Where an edit is: parsed once, and text only for readers.

use std::fmt;

use metadata_propagation::cluster_api::PAUSED;
use serde_json::Value;
use topology::ObjectPath;
use topology::ObjectStep::{self, Entry, Field};

use crate::relations::text;
use crate::workers::LISTS;

/// The path of an edit. Its text is what `Display` prints; what it means for Machines is its part and its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EditPath {
    path: ObjectPath,
    pub(super) part: EditedPart,
    pub(super) place: EditPlace,
}

/// What an edit of a Cluster or of its class is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EditedPart {
    /// Everything, or another part.
    Whole,
    Infrastructure,
    ControlPlane,
    /// The list of workers; the name in a topology, the class in a class.
    Workers(&'static str, String),
}

/// What an edit changes in its part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EditPlace {
    /// A key among annotations.
    Annotation,
    /// The class of a Cluster, or of an entry.
    Class,
    ClusterNetwork,
    /// A whole entry of workers.
    Entry,
    FailureDomain,
    HealthCheck,
    /// How a kubeadm control plane is initialized, and how Machines join it.
    Initialization,
    Joining,
    /// A map of labels or annotations.
    Map,
    Other,
    Patches,
    /// What pauses an object.
    Pause,
    Replicas,
    /// The whole `spec`.
    Spec,
    Strategy,
    TemplateRef(ReferringPart),
    Variables,
    Version,
}

/// What is made from a template that a class refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReferringPart {
    /// The infrastructure or the control plane itself.
    Itself,
    /// The infrastructure of the control plane's Machines.
    MachineInfrastructure,
    Bootstrap,
    WorkerInfrastructure,
}

impl EditPath {
    /// Reads a path such as `spec.topology.workers.machineDeployments[md-0].replicas`.
    pub(super) fn parse(written: &str) -> EditPath {
        EditPath::of(ObjectPath::parse(written))
    }

    /// The path of a field.
    pub(super) fn of_fields(fields: Vec<String>) -> EditPath {
        EditPath::of(ObjectPath { steps: fields.into_iter().map(Field).collect() })
    }

    /// The path of an entry of a topology.
    pub(super) fn of_workers(list: &str, name: &str) -> EditPath {
        let fields = ["spec", "topology", "workers", list].map(|field| Field(field.to_owned()));
        EditPath::of(ObjectPath { steps: fields.into_iter().chain([Entry(name.to_owned())]).collect() })
    }

    /// What the path of an object is about.
    pub(super) fn of(path: ObjectPath) -> EditPath {
        let words: Vec<Word<'_>> = path.steps.iter().map(Word::of).collect();
        let (part, rest) = part(&words);
        let place = place(&part, rest);
        EditPath { path, part, place }
    }

    /// The path itself.
    pub(super) fn path(&self) -> &ObjectPath {
        &self.path
    }

    /// Whether it is in `spec`, or all of it.
    pub(super) fn is_in_spec(&self) -> bool {
        self.path.steps.first().is_some_and(|step| *step == Field("spec".to_owned()))
    }

    /// Whether it is a whole element of a list, or a key.
    pub(super) fn is_entry(&self) -> bool {
        matches!(self.path.steps.last(), Some(Entry(_)))
    }

    /// Whether it is another path or below it.
    pub(super) fn is_within(&self, other: &EditPath) -> bool {
        self.path.is_within(&other.path)
    }

    /// The object or element with the field.
    pub(super) fn holder(&self) -> EditPath {
        let above = self.path.steps.split_last().map_or_else(Vec::new, |(_, above)| above.to_vec());
        EditPath::of(ObjectPath { steps: above })
    }

    /// The path in the first element of a list that it leads through.
    pub(super) fn inside_entry(&self) -> EditPath {
        let inside = self.path.steps.iter().skip_while(|step| matches!(step, Field(_))).skip(1);
        EditPath::of(ObjectPath { steps: inside.cloned().collect() })
    }

    /// The value at the path; elements of lists by their name or class.
    pub(super) fn value<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        self.path.steps.iter().try_fold(object, |here, step| match step {
            Field(field) => field_of(here, field),
            Entry(name) => match here {
                Value::Array(elements) => elements.get(position(elements, name)?),
                fields => fields.get(name),
            },
        })
    }

    /// The replicas at the path. A whole entry of a topology has 1 if it does not say how many, and an absent one 0. `None`
    /// if what it says is not a number.
    pub(super) fn replicas(&self, object: &Value) -> Option<u64> {
        match self.value(object) {
            Some(Value::Object(entry)) => {
                entry.get("replicas").filter(|value| !value.is_null()).map_or(Some(1), Value::as_u64)
            }
            None if self.is_entry() => Some(0),
            number => number.and_then(Value::as_u64),
        }
    }

    /// Makes the value at the path the same as in another object, also if there is none.
    pub(super) fn copy(&self, from: &Value, to: &mut Value) {
        copy(&self.path.steps, self.value(from), to);
    }
}

impl fmt::Display for EditPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(f)
    }
}

fn field_of<'v>(here: &'v Value, field: &str) -> Option<&'v Value> {
    match here {
        Value::Array(elements) => elements.get(field.parse::<usize>().ok()?),
        other => other.get(field),
    }
}

/// The position of the element with this name, or of the class of workers.
fn position(elements: &[Value], name: &str) -> Option<usize> {
    let of = |field| elements.iter().position(|element| text(element, field) == name);
    of("name").or_else(|| of("class"))
}

fn copy(steps: &[ObjectStep], from: Option<&Value>, to: &mut Value) {
    let (Some((step, rest)), true) = (steps.split_first(), !to.is_null() || from.is_some()) else {
        from.into_iter().for_each(|from| to.clone_from(from));
        return;
    };
    let is_last = rest.is_empty();
    match (step, to) {
        (Field(field), Value::Array(elements)) => {
            let element = field.parse::<usize>().ok().and_then(|number| elements.get_mut(number));
            element.into_iter().for_each(|element| copy(rest, from, element));
        }
        (Entry(name), Value::Array(elements)) => match (position(elements, name), from) {
            (Some(number), None) if is_last => _ = elements.remove(number),
            (Some(number), _) => elements.get_mut(number).into_iter().for_each(|it| copy(rest, from, it)),
            (None, Some(from)) if is_last => elements.push(from.clone()),
            (None, _) => {}
        },
        (Field(name) | Entry(name), Value::Object(fields)) => match from {
            None if is_last => _ = fields.remove(name),
            None => fields.get_mut(name).into_iter().for_each(|field| copy(rest, None, field)),
            Some(_) => {
                let empty = if matches!(rest.first(), Some(Entry(_))) {
                    Value::Array(Vec::new())
                } else {
                    Value::Object(serde_json::Map::new())
                };
                copy(rest, from, fields.entry(name.clone()).or_insert(empty));
            }
        },
        _ => {}
    }
}

/// A step for comparison.
#[derive(Clone, Copy)]
enum Word<'s> {
    F(&'s str),
    E(&'s str),
}

impl Word<'_> {
    fn of(step: &ObjectStep) -> Word<'_> {
        match step {
            Field(field) => Word::F(field),
            Entry(entry) => Word::E(entry),
        }
    }
}

/// The part that a path leads into, and its steps there.
fn part<'w, 's>(words: &'w [Word<'s>]) -> (EditedPart, &'w [Word<'s>]) {
    use Word::{E, F};
    let below = match words {
        [F("spec"), F("topology"), below @ ..] | [F("spec"), below @ ..] => below,
        other => return (EditedPart::Whole, other),
    };
    match below {
        [F("controlPlane"), rest @ ..] => (EditedPart::ControlPlane, rest),
        [F("infrastructure"), rest @ ..] => (EditedPart::Infrastructure, rest),
        [F("workers"), F(list), E(name), rest @ ..] => {
            // In v1beta1 the fields of a class are below `template`.
            let rest = if let [F("template"), rest @ ..] = rest { rest } else { rest };
            let list = LISTS.into_iter().find(|known| known == list);
            (list.map_or(EditedPart::Whole, |list| EditedPart::Workers(list, (*name).to_owned())), rest)
        }
        [] if words.len() == 1 => (EditedPart::Whole, words),
        rest => (EditedPart::Whole, rest),
    }
}

fn place(part: &EditedPart, steps: &[Word<'_>]) -> EditPlace {
    use Word::{E, F};
    match steps {
        [] if matches!(part, EditedPart::Workers(..)) => EditPlace::Entry,
        [F("spec")] => EditPlace::Spec,
        [F("paused")] | [F("metadata"), F("annotations"), E(PAUSED)] => EditPlace::Pause,
        [.., F("metadata"), F("labels" | "annotations")] => EditPlace::Map,
        [.., F("metadata"), F("annotations"), E(_)] => EditPlace::Annotation,
        [F("class" | "classRef" | "classNamespace"), ..] => EditPlace::Class,
        [F("clusterNetwork"), ..] => EditPlace::ClusterNetwork,
        [F("failureDomain" | "failureDomains"), ..] => EditPlace::FailureDomain,
        [F("healthCheck" | "machineHealthCheck"), ..] => EditPlace::HealthCheck,
        [F("kubeadmConfigSpec"), F("initConfiguration"), ..] => EditPlace::Initialization,
        [F("kubeadmConfigSpec"), F("joinConfiguration"), ..] => EditPlace::Joining,
        [F("patches"), ..] => EditPlace::Patches,
        [F("replicas")] => EditPlace::Replicas,
        [F("strategy"), ..] | [F("rollout"), F("strategy"), ..] => EditPlace::Strategy,
        [F("variables"), ..] => EditPlace::Variables,
        [F("version")] => EditPlace::Version,
        [F("ref" | "templateRef"), ..] => EditPlace::TemplateRef(ReferringPart::Itself),
        [F("machineInfrastructure"), F("ref" | "templateRef"), ..] => {
            EditPlace::TemplateRef(ReferringPart::MachineInfrastructure)
        }
        [F("bootstrap"), F("ref" | "templateRef"), ..] => EditPlace::TemplateRef(ReferringPart::Bootstrap),
        [F("infrastructure"), F("ref" | "templateRef"), ..] => {
            EditPlace::TemplateRef(ReferringPart::WorkerInfrastructure)
        }
        _ => EditPlace::Other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_is_a_part_and_a_place_in_it() {
        let workers = |name: &str| EditedPart::Workers("machineDeployments", name.to_owned());
        for (written, part, place) in [
            ("spec", EditedPart::Whole, EditPlace::Spec),
            ("metadata.labels", EditedPart::Whole, EditPlace::Map),
            ("spec.topology.variables", EditedPart::Whole, EditPlace::Variables),
            ("spec.topology.classRef", EditedPart::Whole, EditPlace::Class),
            ("spec.topology.controlPlane.replicas", EditedPart::ControlPlane, EditPlace::Replicas),
            ("spec.topology.workers.machineDeployments[class.1]", workers("class.1"), EditPlace::Entry),
            (
                "spec.topology.workers.machineDeployments[a].metadata.annotations[b.c/d]",
                workers("a"),
                EditPlace::Annotation,
            ),
            (
                "spec.workers.machineDeployments[a].template.bootstrap.ref",
                workers("a"),
                EditPlace::TemplateRef(ReferringPart::Bootstrap),
            ),
            (
                "spec.infrastructure.templateRef",
                EditedPart::Infrastructure,
                EditPlace::TemplateRef(ReferringPart::Itself),
            ),
            ("spec.classification", EditedPart::Whole, EditPlace::Other),
        ] {
            let path = EditPath::parse(written);
            assert_eq!((path.to_string(), &path.part, path.place), (written.to_owned(), &part, place));
        }
    }

    #[test]
    fn an_edit_is_left_out_with_the_value_before_it() {
        let was = json!({ "a": { "list": [{ "name": "x", "b": 1 }, { "name": "y" }] }, "c": [1, 2] });
        let is = json!({ "a": { "list": [{ "name": "x", "b": 2 }, { "name": "z" }] }, "c": [1, 3], "d": { "e": 1 } });
        for (path, expected) in [
            (
                "a.list[x].b",
                json!({ "a": { "list": [{ "name": "x", "b": 1 }, { "name": "z" }] }, "c": [1, 3], "d": { "e": 1 } }),
            ),
            (
                "a.list[y]",
                json!({ "a": { "list": [{ "name": "x", "b": 2 }, { "name": "z" }, { "name": "y" }] }, "c": [1, 3], "d": { "e": 1 } }),
            ),
            ("a.list[z]", json!({ "a": { "list": [{ "name": "x", "b": 2 }] }, "c": [1, 3], "d": { "e": 1 } })),
            (
                "c.1",
                json!({ "a": { "list": [{ "name": "x", "b": 2 }, { "name": "z" }] }, "c": [1, 2], "d": { "e": 1 } }),
            ),
            ("d.e", json!({ "a": { "list": [{ "name": "x", "b": 2 }, { "name": "z" }] }, "c": [1, 3], "d": {} })),
        ] {
            let mut left = is.clone();
            EditPath::parse(path).copy(&was, &mut left);
            assert_eq!(left, expected, "{path}");
        }
    }
}
