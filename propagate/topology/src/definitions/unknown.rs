//! Fields that the version of an object does not have, and which ones were probably meant.

use std::fmt;

use serde_json::Value;

use super::{definitions, of_kind, of_object};
use crate::fields::{get, text};
use crate::schema::{of_type, unknown};

/// A field that the definition of its kind does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    /// Its path.
    pub at: String,
    /// The version of the object.
    version: String,
    /// The version that has it there.
    only_in: Option<String>,
    /// The path of the field that was probably meant.
    meant: Option<String>,
}

/// One sentence: lower case, no final stop, input in backticks.
///
/// Sources: kubectl sends `fieldValidation=Strict` (`--validate`); apply of the API server converts to typed values, which
/// knows no other fields; for other requests the default is `Warn`: `fieldValidation` in the API's conventions.
impl fmt::Display for UnknownField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownField { at, version, only_in, meant } = self;
        let name = steps(at).last().copied().unwrap_or_default();
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
    let found = unknown(object, whole, "").into_iter().filter(|at| !is_newer(kind, at)).map(|at| UnknownField {
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
pub fn is_newer(kind: &str, at: &str) -> bool {
    let steps: Vec<&str> = steps(at).into_iter().map(|step| step.split('[').next().unwrap_or_default()).collect();
    // In v1beta1, templates of workers are below `template`.
    let path = steps
        .join(".")
        .replace(".template.bootstrap.", ".bootstrap.")
        .replace(".template.infrastructure.", ".infrastructure.");
    let is_at = |row: &str| path.strip_prefix(row).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    NEWER.iter().any(|(of, row)| *of == kind && is_at(row))
}

/// Another version of a kind that has a field.
fn other_version(kind: &str, group: &str, at: &str) -> Option<String> {
    let name = format!("{kind}.{group}/");
    let known = definitions().kinds.range(name.clone()..).map_while(|(known, _)| known.strip_prefix(&name));
    let mut others = known.filter(|version| {
        let whole = of_kind(kind, &format!("{group}/{version}")).unwrap_or(&Value::Null);
        let step = |schema, step: &&str| {
            let (name, is_element) = step.split_once('[').map_or((*step, false), |(name, _)| (name, true));
            let field = get(schema, &["properties", name])?;
            if is_element { get(field, &["items"]) } else { Some(field) }
        };
        steps(at).iter().try_fold(whole, step).is_some()
    });
    others.next().map(str::to_owned)
}

/// `a`, `b[c.d]` of `a.b[c.d]`.
fn steps(at: &str) -> Vec<&str> {
    let mut is_name = false;
    at.split(|character| {
        is_name = character == '[' || is_name && character != ']';
        character == '.' && !is_name
    })
    .collect()
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
fn meant(object: &Value, at: &str, whole: &Value) -> Option<String> {
    let at = steps(at);
    let (name, parent) = at.split_last()?;
    let value = at.iter().try_fold(object, |object, step| value(object, step));
    let mut known = Vec::new();
    collect(whole, &mut Vec::new(), &mut known);
    let fitting = known.iter().filter_map(|(path, schema)| {
        let (last, above) = path.split_last()?;
        let common = above.iter().zip(parent).take_while(|(known, given)| is_step(known, given)).count();
        let below = above.get(common..)?;
        let (up, down) = (parent.len() - common, below.len());
        let likeness = likeness(name, last).filter(|_| !below.iter().any(|step| step.ends_with("[]")))?;
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
        let shown = || parent.iter().take(common).copied().chain(below.iter().map(|it| &**it)).chain([&**last]);
        is_possible.then(|| (Fit { place, likeness, distance: up + down }, shown().collect::<Vec<_>>().join(".")))
    });
    let mut fitting: Vec<(Fit, String)> = fitting.collect();
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
fn value<'v>(object: &'v Value, step: &str) -> Option<&'v Value> {
    let Some((list, name)) = step.split_once('[') else { return object.get(step) };
    let (elements, name) = (object.get(list)?.as_array()?, name.trim_end_matches(']'));
    let is_named = |element: &&Value| element.as_object().is_some_and(|fields| fields.values().any(|it| it == name));
    name.parse().ok().and_then(|number: usize| elements.get(number)).or_else(|| elements.iter().find(is_named))
}

/// Whether a step of a definition is that of a path in an object.
fn is_step(known: &str, given: &str) -> bool {
    match known.strip_suffix("[]") {
        Some(list) => given.split_once('[').is_some_and(|(name, _)| name == list),
        None => known == given,
    }
}

/// The fields of a schema with their paths.
fn collect<'s>(schema: &'s Value, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, &'s Value)>) {
    for (name, field) in get(schema, &["properties"]).and_then(Value::as_object).into_iter().flatten() {
        path.push(name.clone());
        found.push((path.clone(), field));
        collect(field, path, found);
        path.pop();
        if let Some(items) = get(field, &["items"]) {
            path.push(format!("{name}[]"));
            collect(items, path, found);
            path.pop();
        }
    }
}
