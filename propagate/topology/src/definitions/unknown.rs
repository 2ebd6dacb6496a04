//! Fields that the version of an object does not have, and which ones were probably meant.

use std::fmt;

use serde_json::Value;

use super::{definitions, of_kind, of_object};
use crate::fields::{get, text};
use crate::object_path::{ObjectPath, ObjectStep};
use crate::schema::{WHOLE, of_type, unknown};

/// A field that the definition of its kind does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    /// Its path.
    pub at: ObjectPath,
    /// The version of the object.
    version: String,
    /// The version that has it there.
    only_in: Option<String>,
    /// The path of the field that was probably meant.
    meant: Option<ObjectPath>,
}

/// One sentence: lower case, no final stop, input in backticks.
///
/// Sources: kubectl sends `fieldValidation=Strict` (`--validate`); apply of the API server converts to typed values, which
/// knows no other fields; for other requests the default is `Warn`: `fieldValidation` in the API's conventions.
impl fmt::Display for UnknownField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownField { at, version, only_in, meant } = self;
        let name = at.field().unwrap_or_default();
        write!(f, "{version} has no field `{name}` here")?;
        only_in.as_ref().map_or(Ok(()), |other| write!(f, ", only {other} has"))?;
        f.write_str("; kubectl and server-side apply refuse it, other clients drop it")?;
        meant.as_ref().map_or(Ok(()), |meant| write!(f, "; did you mean `{meant}`?"))
    }
}

/// The fields of an object that the definition of its kind does not have, if that is known here.
///
/// ```
/// use serde_json::json;
///
/// let object = json!({"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Machine",
///     "spec": {"nodeDrainTimeoutSeconds": 480}});
/// let found: Vec<String> = topology::unknown_fields(&object).iter().map(ToString::to_string).collect();
/// assert_eq!(found, ["v1beta2 has no field `nodeDrainTimeoutSeconds` here; kubectl and server-side apply refuse it, \
///     other clients drop it; did you mean `spec.deletion.nodeDrainTimeoutSeconds`?"]);
/// ```
#[must_use]
pub fn unknown_fields(object: &Value) -> Vec<UnknownField> {
    let Some(whole) = of_object(object) else { return Vec::new() };
    let [kind, api_version] = ["kind", "apiVersion"].map(|field| text(object, &[field]));
    let (group, version) = api_version.split_once('/').unwrap_or_default();
    let found = unknown(object, whole, WHOLE).into_iter().filter(|at| !is_newer(kind, at)).map(|at| UnknownField {
        version: version.to_owned(),
        only_in: other_version(kind, group, &at),
        meant: meant(object, &at, whole),
        at,
    });
    found.collect()
}

/// Fields of Cluster API v1.15, whose definitions are not known here: the paths of their ends in a kind.
///
/// Sources: kubernetes-sigs/cluster-api#14092 and #14036.
const NEWER: &[(&str, &str)] = &[
    ("Cluster", "spec.topology.workers.machineDeployments.version"),
    ("Cluster", "spec.topology.workers.machinePools.version"),
    ("ClusterClass", "spec.controlPlane.machineInfrastructure.template"),
    ("ClusterClass", "spec.controlPlane.template"),
    ("ClusterClass", "spec.infrastructure.template"),
    ("ClusterClass", "spec.workers.machineDeployments.bootstrap.template"),
    ("ClusterClass", "spec.workers.machineDeployments.infrastructure.template"),
    ("ClusterClass", "spec.workers.machinePools.bootstrap.template"),
    ("ClusterClass", "spec.workers.machinePools.infrastructure.template"),
];

/// Whether a field is one of a newer release, or in one.
#[must_use]
pub fn is_newer(kind: &str, at: &ObjectPath) -> bool {
    let fields: Vec<&str> = at.fields().collect();
    let next = fields.iter().skip(1).map(|field| Some(*field)).chain([None]);
    // In v1beta1, templates of workers are below `template`.
    let is_above =
        |field: &str, next: Option<&str>| field == "template" && matches!(next, Some("bootstrap" | "infrastructure"));
    let fields: Vec<&str> =
        fields.iter().zip(next).filter(|(field, next)| !is_above(field, *next)).map(|(field, _)| *field).collect();
    NEWER.iter().any(|(of, row)| *of == kind && fields.starts_with(&row.split('.').collect::<Vec<_>>()))
}

/// Another version of a kind that has a field.
fn other_version(kind: &str, group: &str, at: &ObjectPath) -> Option<String> {
    let name = format!("{kind}.{group}/");
    let known = definitions().kinds.range(name.clone()..).map_while(|(known, _)| known.strip_prefix(&name));
    let mut others = known.filter(|version| {
        let whole = of_kind(kind, &format!("{group}/{version}")).unwrap_or(&Value::Null);
        let step = |schema, step: &ObjectStep| match step {
            ObjectStep::Field(name) => get(schema, &["properties", name]),
            ObjectStep::Entry(_) => get(schema, &["items"]),
        };
        at.steps.iter().try_fold(whole, step).is_some()
    });
    others.next().map(str::to_owned)
}

/// How well a field of a definition fits one that is not there; the least fits best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    place: RelativePlace,
    likeness: Likeness,
    /// The number of steps between them.
    distance: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RelativePlace {
    Same,
    /// In what is in the same object, or in one of the objects that this one is in.
    Line,
    Elsewhere,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    Name,
    /// Another case, or with the unit.
    Form,
    Typos(usize),
}

/// The path of the only field that fits best.
fn meant(object: &Value, at: &ObjectPath, whole: &Value) -> Option<ObjectPath> {
    let (_, parent) = at.steps.split_last()?;
    let name = at.field()?;
    let value = at.steps.iter().try_fold(object, value);
    let mut known = Vec::new();
    collect(whole, &mut Vec::new(), &mut known);
    let fitting = known.iter().filter_map(|(above, last, schema)| {
        let common = above.iter().zip(parent).take_while(|(known, given)| is_step(known, given)).count();
        let below = above.get(common..)?;
        let fields = |steps: &[ObjectStep]| steps.iter().filter(|it| matches!(it, ObjectStep::Field(_))).count();
        let (up, down) = (fields(parent.get(common..)?), fields(below));
        let is_in_element = below.iter().any(|step| matches!(step, ObjectStep::Entry(_)));
        let likeness = likeness(name, last).filter(|_| !is_in_element)?;
        let place = match (up, down) {
            (0, 0) => RelativePlace::Same,
            (0, _) | (_, 0) => RelativePlace::Line,
            _ => RelativePlace::Elsewhere,
        };
        let is_possible = match likeness {
            Likeness::Name => value.is_none_or(|value| of_type(value, schema).is_none()),
            Likeness::Form => true,
            Likeness::Typos(_) => place == RelativePlace::Same,
        };
        let shown = || parent.iter().take(common).chain(below).cloned().chain([ObjectStep::Field((*last).clone())]);
        is_possible.then(|| (Fit { place, likeness, distance: up + down }, ObjectPath { steps: shown().collect() }))
    });
    let mut fitting: Vec<(Fit, ObjectPath)> = fitting.collect();
    fitting.sort_by(|(a, _), (b, _)| b.cmp(a));
    let (best, path) = fitting.pop()?;
    let is_only = fitting.last().is_none_or(|(next, _)| *next != best);
    is_only.then_some(path)
}

fn likeness(name: &str, known: &str) -> Option<Likeness> {
    if name == known {
        return Some(Likeness::Name);
    }
    let is_unit = |long: &str, short: &str| long.strip_suffix("Seconds") == Some(short);
    if name.eq_ignore_ascii_case(known) || is_unit(known, name) || is_unit(name, known) {
        return Some(Likeness::Form);
    }
    let typos = strsim::damerau_levenshtein(name, known);
    (typos <= (name.len() / 4).clamp(1, 3)).then_some(Likeness::Typos(typos))
}

/// The value at a step: an element is named by its number or by what it is listed by.
fn value<'v>(object: &'v Value, step: &ObjectStep) -> Option<&'v Value> {
    match step {
        ObjectStep::Field(field) => object.get(field),
        ObjectStep::Entry(name) => {
            let elements = object.as_array()?;
            let is_named =
                |element: &&Value| element.as_object().is_some_and(|fields| fields.values().any(|it| it == name));
            let numbered = name.parse().ok().and_then(|number: usize| elements.get(number));
            numbered.or_else(|| elements.iter().find(is_named))
        }
    }
}

/// Whether a step of a definition is that of a path in an object.
fn is_step(known: &ObjectStep, given: &ObjectStep) -> bool {
    match (known, given) {
        (ObjectStep::Entry(_), ObjectStep::Entry(_)) => true,
        (known, given) => known == given,
    }
}

/// The steps to a field of a schema, its name, and its own schema.
type KnownField<'s> = (Vec<ObjectStep>, &'s String, &'s Value);

/// The fields of a schema.
fn collect<'s>(schema: &'s Value, above: &mut Vec<ObjectStep>, found: &mut Vec<KnownField<'s>>) {
    for (name, field) in get(schema, &["properties"]).and_then(Value::as_object).into_iter().flatten() {
        found.push((above.clone(), name, field));
        above.push(ObjectStep::Field(name.clone()));
        collect(field, above, found);
        if let Some(items) = get(field, &["items"]) {
            above.push(ObjectStep::Entry(String::new()));
            collect(items, above, found);
            above.pop();
        }
        above.pop();
    }
}
