//! What the policy answers to writes.

use std::borrow::Cow;

use fleet::{
    EntryDifference, Fleet, FleetObject, Happens, Plan, PlannedOwner, ReachedResource, Source, TagChange, TaggedObject,
    plural,
};
use metadata_propagation::{
    Cluster, Get, LogLine, LookupCause, LookupError, Manifests, Operation, Outcome, Report, Review, Settings, Stance,
    evaluate,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::marks::{Mark, TextPlaces, TextRange, Weight};
use crate::question::{EditQuestion, NamedText};
use crate::settings;

/// The answer.
#[derive(Debug, Serialize)]
pub(crate) struct EditAnswer {
    marks: Vec<Mark>,
    writes: Vec<ObjectEdit>,
    /// The owners of Machines that edits change through a ClusterClass, each once.
    owners: Vec<AffectedOwner>,
    /// The effects on objects that are not written themselves.
    further: Vec<Further>,
}

/// An owner of Machines that edits change.
#[derive(Debug, Serialize)]
struct AffectedOwner {
    effect: String,
    /// The owner and the effect.
    text: String,
    /// From edits to fields.
    because: Vec<String>,
}

/// A label or annotation that is added to, changed in or removed from a child object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Further {
    title: String,
    /// Whether the object does not exist yet and controllers would create it.
    is_predicted: bool,
    at: String,
    key: String,
    from: Option<String>,
    to: Option<String>,
}

/// The result of one write.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ObjectEdit {
    title: String,
    accepted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// RFC 6902: from the request's object to the one that is stored.
    patch: Value,
    warnings: Vec<String>,
    report: Option<Report>,
    /// Why the comparison was skipped, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    inert: Option<String>,
    log: Vec<LogLine>,
    /// What kubectl prints.
    kubectl: String,
    /// The positions of the object, its changes, its findings and its edits in the text.
    place: TextRange,
    changes: Vec<TextRange>,
    findings: Vec<TextRange>,
    edits: Vec<TextRange>,
    /// The AdmissionRequest, as `kwctl run` takes it.
    request: Value,
    /// The object as it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored: Option<Box<RawValue>>,
}

/// Evaluates the objects of the new text in order; objects before it are already stored if they were accepted.
pub(crate) fn edit(question: EditQuestion) -> EditAnswer {
    let read = settings::read(&question.settings.source());
    let [old, new, others] =
        [&question.old, &question.new, &question.others].map(|text| Fleet::as_written(vec![text.source()]));
    let mut marks: Vec<Mark> =
        [&old, &new, &others].into_iter().flat_map(|fleet| TextPlaces::new(fleet).problems()).collect();
    marks.extend(read.marks);
    let Some(settings) = read.settings else {
        return EditAnswer { marks, writes: Vec::new(), owners: Vec::new(), further: Vec::new() };
    };
    let mut cluster = StoredText { written: Manifests::default(), old: &old, others: &others };
    let mut places = TextPlaces::new(&new);
    let mut writes = Vec::new();
    for object in new.objects() {
        let before = old.find(&object.id).filter(|before| before.version == object.version);
        let review = review(&question, object, before);
        let outcome = evaluate(&review, &settings, &cluster);
        if outcome.rejection.is_none() {
            let stored = outcome.object.as_deref().unwrap_or(&object.json).to_owned();
            let ids = (&object.id.kind, &object.id.namespace, &object.id.name);
            cluster.written.insert(&object.api_version(), ids.0, ids.1, ids.2, stored);
        }
        writes.push(write(object, before, &review, outcome, &mut places));
    }
    marks.extend(writes.iter().flat_map(|write| told(write, new.sources())));
    let is_accepted = writes.iter().all(|write| write.accepted);
    let plan = if is_accepted { plan(&question, &settings) } else { Plan::default() };
    let owners = plan.owners.iter().map(affected).collect();
    let of_tags = tags(&plan);
    EditAnswer { marks, writes, owners, further: plan.further.into_iter().map(further).chain(of_tags).collect() }
}

/// The effects of the writes, once every rule has been applied.
fn plan(question: &EditQuestion, settings: &Settings) -> Plan {
    let [old, new, others] = [&question.old, &question.new, &question.others].map(NamedText::source);
    let before = Fleet::read(vec![old.clone(), others.clone()]);
    let all = Fleet::read(vec![new, old, others]);
    // The first of two objects with the same name replaces the other one.
    let after = all.part(|object| all.find(&object.id).is_some_and(|first| std::ptr::eq(first, object)), |_| true);
    Plan::of(&before, &after, settings)
}

fn further(entry: EntryDifference) -> Further {
    let EntryDifference { id, is_predicted, at, key, from, to } = entry;
    Further { title: id.to_string(), is_predicted, at: at.to_string(), key, from, to }
}

/// The cloud tags of objects that are not written, and those of managed resources.
fn tags(plan: &Plan) -> Vec<Further> {
    let is_written = |tagged: &TaggedObject| plan.objects.iter().any(|planned| planned.id == tagged.id);
    let mut found = Vec::new();
    for tagged in plan.tags.iter().filter(|tagged| tagged.happens == Happens::Changed) {
        found.extend(tagged.entries().filter(|_| !is_written(tagged)).map(further));
        for ReachedResource { name, kind, field, changes, .. } in &tagged.resources {
            let title = format!("{kind} `{name}` of {}", tagged.id);
            found.extend(changes.iter().map(|TagChange { key, from, to, .. }| Further {
                title: title.clone(),
                is_predicted: true,
                at: field.clone(),
                key: key.clone(),
                from: from.clone(),
                to: to.clone(),
            }));
        }
    }
    found
}

fn affected(owner: &PlannedOwner) -> AffectedOwner {
    AffectedOwner { effect: owner.effect_name(), text: owner.to_string(), because: owner.chains() }
}

fn review<'r>(question: &'r EditQuestion, object: &'r FleetObject, before: Option<&'r FleetObject>) -> Review<'r> {
    let mut review = object.review();
    if !has_name(&object.json) {
        review.name = Cow::Borrowed("");
    }
    if let Some(before) = before {
        review.operation = Operation::Update;
        review.old_object = Some(&before.json);
    }
    review.username = Cow::Borrowed(&question.user);
    review.groups = question.groups.iter().map(|group| Cow::Borrowed(&**group)).collect();
    review.field_manager = Some(Cow::Borrowed(&*question.field_manager)).filter(|manager| !manager.is_empty());
    review.dry_run = question.dry_run;
    review
}

/// Whether an object has `metadata.name`, not only `generateName`.
fn has_name(json: &str) -> bool {
    #[derive(Deserialize)]
    struct Named {
        metadata: WrittenMetadata,
    }
    #[derive(Deserialize)]
    struct WrittenMetadata {
        #[serde(default)]
        name: Option<String>,
    }
    serde_json::from_str(json).is_ok_and(|Named { metadata }| metadata.name.is_some_and(|name| !name.is_empty()))
}

fn write(
    object: &FleetObject,
    before: Option<&FleetObject>,
    review: &Review<'_>,
    outcome: Outcome,
    places: &mut TextPlaces<'_>,
) -> ObjectEdit {
    let Outcome { rejection, object: mutated, warnings, log, report, .. } = outcome;
    let patch = mutated.as_deref().map_or(Value::Array(Vec::new()), |mutated| patch(&object.json, mutated));
    let told = report.clone().unwrap_or_default();
    let changes =
        told.changes.iter().map(|change| places.of(&object.origin, &change.at, std::slice::from_ref(&change.key)));
    let changes = changes.collect();
    let findings = told.findings.iter().map(|finding| places.of(&object.origin, &finding.at, &[])).collect();
    let edits = told.rollout.iter().flat_map(|rollout| &rollout.edits);
    let edits: Vec<TextRange> = edits.map(|edit| places.of(&object.origin, &edit.at, &[])).collect();
    let is_same = before.is_some_and(|before| before.json == object.json) && mutated.is_none();
    let done = match (before, is_same) {
        (None, _) => "created",
        (Some(_), true) => "unchanged",
        (Some(_), false) => "configured",
    };
    ObjectEdit {
        title: object.id.to_string(),
        accepted: rejection.is_none(),
        code: rejection.as_ref().map(|rejection| rejection.code),
        message: rejection.as_ref().map(|rejection| rejection.message.clone()),
        patch,
        kubectl: kubectl(object, &warnings, rejection.map(|rejection| rejection.message), done),
        warnings,
        place: places.of(&object.origin, "", &[]),
        changes,
        findings,
        edits,
        request: request(object, review),
        stored: mutated.and_then(|object| RawValue::from_string(object).ok()),
        inert: told.inert.map(|inert| inert.to_string()),
        report,
        log,
    }
}

fn patch(object: &str, mutated: &str) -> Value {
    let read = |text| serde_json::from_str::<Value>(text).unwrap_or_default();
    serde_json::to_value(json_patch::diff(&read(object), &read(mutated))).unwrap_or_default()
}

/// What kubectl prints about one object: warnings first, then the result.
fn kubectl(object: &FleetObject, warnings: &[String], refusal: Option<String>, done: &str) -> String {
    let mut lines: Vec<String> = warnings.iter().map(|warning| format!("Warning: {warning}")).collect();
    lines.push(match refusal {
        Some(message) => format!("Error from server: admission webhook \"…\" denied the request: {message}"),
        None => {
            let group = if object.id.group.is_empty() { String::new() } else { format!(".{}", object.id.group) };
            format!("{}{group}/{} {done}", object.id.kind.to_lowercase(), object.id.name)
        }
    });
    lines.join("\n")
}

/// An AdmissionRequest, with every field that kwctl and the PolicyServer require.
fn request(object: &FleetObject, review: &Review<'_>) -> Value {
    let read = |text: Option<&str>| text.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let kind = json!({ "group": review.kind.group, "version": review.kind.version, "kind": review.kind.kind });
    json!({
        "uid": "00000000-0000-0000-0000-000000000000",
        "kind": kind,
        "requestKind": kind,
        "resource": { "group": review.kind.group, "version": review.kind.version, "resource": plural(&object.id.kind) },
        "name": review.name,
        "namespace": review.namespace,
        "operation": if review.old_object.is_some() { "UPDATE" } else { "CREATE" },
        "userInfo": { "username": review.username, "groups": review.groups },
        "options": review.field_manager.as_ref().map(|manager| json!({ "fieldManager": manager })),
        "dryRun": review.dry_run,
        "object": read(review.object),
        "oldObject": read(review.old_object),
    })
}

/// The marks underlined in the new text.
fn told(write: &ObjectEdit, sources: &[Source]) -> Vec<Mark> {
    let text = sources.first().map_or("", |source| &source.name);
    let mark =
        |place: &TextRange, severity, message: String| Mark { text: text.to_owned(), place: *place, severity, message };
    let report = write.report.as_ref();
    let findings = report.iter().flat_map(|report| &report.findings).zip(&write.findings).map(|(finding, place)| {
        let weight = match finding.stance {
            Stance::Reject => Weight::Error,
            Stance::Warn => Weight::Warning,
            Stance::Ignore => Weight::Info,
        };
        mark(place, weight, finding.message.to_string())
    });
    let mut marks: Vec<Mark> = findings.collect();
    let is_told = marks.iter().any(|mark| mark.severity == Weight::Error);
    if let Some(message) = write.message.as_ref().filter(|_| !is_told) {
        marks.push(mark(&write.place, Weight::Error, message.clone()));
    }
    marks
}

/// The stored text: what was written so far, otherwise the original.
struct StoredText<'s> {
    written: Manifests,
    old: &'s Fleet,
    others: &'s Fleet,
}

impl Cluster for StoredText<'_> {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let layers: [&dyn Cluster; 3] = [&self.written, self.old, self.others];
        let mut failed = LookupError { cause: LookupCause::NotFound, detail: get.to_string() };
        for layer in layers {
            match layer.get(get) {
                Ok(object) => return Ok(object),
                Err(error) if error.cause == LookupCause::NotServed => failed = error,
                Err(_) => {}
            }
        }
        Err(failed)
    }
}
