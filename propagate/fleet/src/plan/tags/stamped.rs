//! The tags of one object on one side, and why each is set or not.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::cluster_api::CORE_GROUP;
use metadata_propagation::tags::TagReport;
use metadata_propagation::{
    CROSSPLANE_PAUSED, ChangeRule, LookupRecord, NoTagReason, NotApplicableReason, Operation, Rejection, evaluate,
};
use serde_json::{Value, json};

use super::TagChange;
use super::definitions::Loss;
use super::side::Side;
use crate::made::class;
use crate::object::{FleetObject, ObjectId, create, group_and_version};
use crate::probe::With;
use crate::relations::text;
use crate::templates::is_copied;

/// What is evaluated for an object.
pub(super) struct Subject<'f> {
    /// What is shown: the object, or the infrastructure of a Cluster.
    pub(super) shown: ObjectId,
    /// What gets the tags.
    pub(super) id: ObjectId,
    version: String,
    json: Cow<'f, str>,
    pub(super) field: &'static str,
    pub(super) is_claim: bool,
    /// Whether Crossplane does not reconcile the object.
    pub(super) is_paused: bool,
    /// The Cluster of its infrastructure as its topology completes it, if the files do not say so.
    cluster: Option<FleetObject>,
}

/// The field of composites.
pub(super) const CLOUD_TAGS: &str = "cloudTags";

impl<'f> Subject<'f> {
    /// `None` if the object has no tags, or has them from another object among the files.
    pub(super) fn of(side: &Side<'_>, object: &'f FleetObject) -> Option<Subject<'f>> {
        let id = &object.id;
        if id.group == CORE_GROUP {
            return Subject::infrastructure(side, object);
        }
        if !side.settings.cloud_tags.has_group(&id.group) {
            return None;
        }
        let value = object.value();
        let is_paused = is_paused(&value);
        let own = |id: &ObjectId, json| {
            let (version, shown) = (object.version.clone(), object.id.clone());
            Subject {
                shown,
                id: id.clone(),
                version,
                json,
                field: CLOUD_TAGS,
                is_claim: false,
                is_paused,
                cluster: None,
            }
        };
        let definition = side.definition_of_claim(&id.group, &id.kind);
        if definition.is_some() || side.claim_kinds.contains(&(id.group.clone(), id.kind.clone())) {
            let kind = definition.and_then(|it| it.value.pointer("/spec/names/kind")?.as_str()).unwrap_or(&id.kind);
            let name = value.pointer("/spec/resourceRef/name").and_then(Value::as_str).unwrap_or_default();
            let made = side.fleet.find(&ObjectId::new(&id.group, kind, "", name));
            let composite =
                composite_of_claim(&value, object, kind, made.is_some_and(|it| self::is_paused(&it.value())));
            let id = ObjectId::new(&id.group, kind, "", &id.name);
            return Some(Subject { is_claim: true, ..own(&id, composite.to_string().into()) });
        }
        let is_here = |reference: &Value, namespace: &str| {
            let group = group_and_version(text(reference, "apiVersion")).0;
            let of = |namespace| ObjectId::new(group, text(reference, "kind"), namespace, text(reference, "name"));
            side.settings.cloud_tags.has_group(group)
                && [namespace, ""].into_iter().any(|namespace| side.fleet.find(&of(namespace)).is_some())
        };
        let owners = value.pointer("/metadata/ownerReferences").and_then(Value::as_array).into_iter().flatten();
        let mut owners = owners.filter(|owner| owner.get("controller") == Some(&Value::Bool(true)));
        let claim = value.pointer("/spec/claimRef");
        let is_made = owners.any(|owner| is_here(owner, &id.namespace))
            || claim.is_some_and(|claim| is_here(claim, text(claim, "namespace")));
        (!is_made).then(|| own(id, Cow::Borrowed(&object.json)))
    }

    /// The infrastructure cluster of a Cluster: in the files, or as its topology creates it.
    fn infrastructure(side: &Side<'_>, object: &FleetObject) -> Option<Subject<'f>> {
        let kinds = &side.settings.cluster_api.cloud_tags;
        let mut cluster = (!kinds.kinds.is_empty()).then(|| object.value())?;
        let named = object.references().into_iter().find(|id| kinds.of(&id.group, &id.kind).is_some());
        let stored = named.as_ref().and_then(|id| side.fleet.find(id));
        let is_named = named.is_some();
        let (id, version, mut value) = match (named, stored) {
            (_, Some(stored)) => (stored.id.clone(), stored.version.clone(), stored.value()),
            (Some(id), None) => (id, "v1beta2".to_owned(), json!({ "metadata": {}, "spec": {} })),
            (None, None) => {
                let class = side.fleet.find(&class(&cluster, &object.id)?)?.value();
                let reference = class.pointer("/spec/infrastructure")?;
                let reference = reference.get("templateRef").or_else(|| reference.get("ref"))?;
                let (group, version) = group_and_version(text(reference, "apiVersion"));
                let kind = text(reference, "kind").strip_suffix("Template")?;
                let name = format!("{}-*", object.id.name);
                let id = ObjectId::new(group, kind, &object.id.namespace, &name);
                (id, version.to_owned(), json!({ "metadata": {}, "spec": {} }))
            }
        };
        let row = kinds.of(&id.group, &id.kind)?;
        let owner = json!([{ "apiVersion": object.api_version(), "kind": "Cluster", "name": object.id.name,
            "uid": cluster.pointer("/metadata/uid") }]);
        let metadata = value.get_mut("metadata").and_then(Value::as_object_mut)?;
        metadata.insert("ownerReferences".to_owned(), owner);
        metadata.insert("name".to_owned(), json!(id.name));
        let json = value.to_string().into();
        let reference = json!({ "apiGroup": id.group, "kind": id.kind, "name": id.name });
        let spec = cluster.get_mut("spec").and_then(Value::as_object_mut).filter(|_| !is_named);
        let is_completed = spec.map(|spec| spec.insert("infrastructureRef".to_owned(), reference)).is_some();
        let cluster = is_completed.then(|| FleetObject { json: cluster.to_string().into(), ..object.clone() });
        Some(Subject {
            shown: id.clone(),
            id,
            version,
            json,
            field: row.field,
            is_claim: false,
            is_paused: false,
            cluster,
        })
    }

    /// A nested composite.
    pub(super) fn nested(id: ObjectId, version: &str, json: String) -> Subject<'static> {
        let (shown, version, json) = (id.clone(), version.to_owned(), json.into());
        Subject { shown, id, version, json, field: CLOUD_TAGS, is_claim: false, is_paused: false, cluster: None }
    }

    /// The object with the tags and defaults that were added to the one that it replaces.
    fn over(&self, former: &Subject<'_>, before: &Stamped) -> String {
        let [mut value, former]: [Value; 2] =
            [&self.json, &former.json].map(|json| serde_json::from_str(json).unwrap_or_default());
        let [stored, written] = [&before.composite, &former].map(|object| object.get("spec"));
        if let (Some(spec), Some(stored), Some(written)) = (value.get_mut("spec"), stored, written) {
            topology::keep_defaults(spec, written, stored);
        }
        value.to_string()
    }

    pub(super) fn is_composite(&self) -> bool {
        self.field == CLOUD_TAGS
    }
}

/// Fields of a claim that its composite does not get.
const OF_CLAIMS: [&str; 3] = ["resourceRef", "writeConnectionSecretToRef", "compositeDeletePolicy"];

/// The composite that Crossplane makes of a claim. While the claim is paused, nothing is copied, its annotation neither.
///
/// Source: Crossplane 1.20, internal/controller/apiextensions/claim/syncer_ssa.go, `Sync`.
fn composite_of_claim(claim: &Value, object: &FleetObject, kind: &str, is_paused: bool) -> Value {
    let copied = |path: &str| {
        let map = claim.pointer(path).and_then(Value::as_object).cloned().unwrap_or_default();
        // A claim is not read while it is paused.
        map.into_iter().filter(|(key, _)| is_copied(key) && key != CROSSPLANE_PAUSED).collect::<serde_json::Map<_, _>>()
    };
    let mut annotations = copied("/metadata/annotations");
    annotations.extend(is_paused.then(|| (CROSSPLANE_PAUSED.to_owned(), json!("true"))));
    let mut spec = claim.get("spec").and_then(Value::as_object).cloned().unwrap_or_default();
    spec.retain(|field, _| !OF_CLAIMS.contains(&&**field));
    json!({
        "apiVersion": object.api_version(), "kind": kind,
        "metadata": { "name": object.id.name, "labels": copied("/metadata/labels"), "annotations": annotations },
        "spec": spec,
    })
}

/// Whether Crossplane does not reconcile an object.
///
/// Source: Crossplane 1.20.13 and 2.4.2, `Reconcile` in internal/controller/apiextensions/composite/reconciler.go and
/// claim/reconciler.go: before a composite is composed or deleted, and before a claim is copied.
fn is_paused(object: &Value) -> bool {
    let annotations = object.pointer("/metadata/annotations");
    annotations.and_then(|all| all.get(CROSSPLANE_PAUSED)?.as_str()) == Some("true")
}

/// An object with its tags.
#[derive(Default)]
pub(super) struct Stamped {
    /// The object as it is stored.
    pub(super) composite: Value,
    /// Whether Crossplane does not reconcile it.
    pub(super) is_paused: bool,
    tags: BTreeMap<String, String>,
    /// The label of each tag that the policy sets, and the object that has it, if it is another one.
    labels: BTreeMap<String, (String, Option<String>)>,
    report: Option<TagReport>,
    /// Why it has no tags.
    stop: Option<String>,
    /// Why it is not known which tags it has.
    pub(super) obstacle: Option<String>,
}

impl Side<'_> {
    /// An object as it is stored, with the defaults of its definition and completed by the policy; one that replaces
    /// another has what was added to that, until the policy changes it.
    pub(super) fn stamped(&self, subject: &Subject<'_>, stored: Option<(&Subject<'_>, &Stamped)>) -> Stamped {
        let Subject { id, version, json, field, .. } = subject;
        let updated = stored.map(|(former, before)| (subject.over(former, before), before.composite.to_string()));
        let json = updated.as_ref().map_or(&**json, |(json, _)| json);
        let declared = self.as_declared(id, version, json);
        let json = declared.as_deref().unwrap_or(json);
        let mut review = create(id, version, json);
        if let Some((_, old)) = &updated {
            (review.operation, review.old_object) = (Operation::Update, Some(old.as_str()));
        }
        let outcome = match &subject.cluster {
            Some(object) => evaluate(&review, &self.settings, &With { object, cluster: self.fleet }),
            None => evaluate(&review, &self.settings, self.fleet),
        };
        let report = outcome.report.unwrap_or_default();
        let mut stamped = Stamped {
            composite: serde_json::from_str(outcome.object.as_deref().unwrap_or(json)).unwrap_or_default(),
            report: report.cloud_tags,
            obstacle: outcome.rejection.map(|rejection| obstacle(id, &rejection, &report.lookups)),
            ..Stamped::default()
        };
        if let Some(inert) = report.inert {
            use NotApplicableReason::{LookupFailed, ParentMissing, RegistryUnavailable};
            let is_unread = matches!(inert.reason, LookupFailed | ParentMissing | RegistryUnavailable);
            let place = if is_unread { &mut stamped.obstacle } else { &mut stamped.stop };
            place.get_or_insert(inert.to_string());
        }
        match self.definition(&id.group, &id.kind).and_then(|definition| definition.losses.get(version)) {
            Some(Loss::Pruned(sentence)) => {
                stamped.composite.get_mut("spec").and_then(|spec| spec.as_object_mut()?.remove(*field));
                stamped.stop = Some(sentence.clone());
            }
            Some(Loss::Emptied(sentence)) => {
                if let Some(tags) = stamped.composite.get_mut("spec").and_then(|spec| spec.get_mut(*field)) {
                    *tags = json!({});
                }
                stamped.stop = Some(sentence.clone());
            }
            Some(Loss::Obstacle(sentence)) => stamped.obstacle = Some(sentence.clone()),
            None => {}
        }
        let at = format!("spec.{field}");
        let labels = report.changes.into_iter().filter(|change| *change.at == *at);
        stamped.labels.extend(labels.filter_map(|change| match change.rule {
            ChangeRule::Label(label) => Some((change.key, (label, None))),
            ChangeRule::LabelOf { label, object } => Some((change.key, (label, Some(object)))),
            _ => None,
        }));
        let tags = stamped.composite.get("spec").and_then(|spec| spec.get(*field)?.as_object());
        let tags =
            tags.into_iter().flatten().filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
        stamped.tags = tags.collect();
        stamped.is_paused = is_paused(&stamped.composite);
        stamped
    }
}

/// The result of a read of an object that is in the files.
const FOUND: &str = "found";

/// Why the policy refuses an object; one that it needs may be in the cluster, and not in the files.
fn obstacle(id: &ObjectId, rejection: &Rejection, reads: &[LookupRecord]) -> String {
    let title = format!("{id}: ");
    let reason = rejection.message.strip_prefix(&title).unwrap_or(&rejection.message);
    if reads.iter().any(|read| read.result != FOUND) {
        reason.to_owned()
    } else {
        format!("the policy refuses it: {reason}")
    }
}

impl Stamped {
    /// Why a label has no tag.
    fn why_not(&self, label: &str) -> NoTagReason {
        let Some(report) = &self.report else { return NoTagReason::NoLabel };
        let skipped = report.skipped.iter().find(|skipped| skipped.qualified_key == label);
        let skipped = skipped.map(|skipped| NoTagReason::Skipped(skipped.reason));
        skipped.or_else(|| report.not_propagating.get(label).copied()).unwrap_or(NoTagReason::NoLabel)
    }

    /// Why the tag of a label is lost.
    fn lost(&self, label: &str) -> String {
        let other = self.labels.iter().find(|(_, (from, _))| from == label);
        match (other, self.why_not(label)) {
            (Some((key, _)), _) => format!("label `{label}` becomes tag `{key}`"),
            (None, NoTagReason::NoLabel) => format!("label `{label}` is not set"),
            (None, NoTagReason::Skipped(reason)) => format!("label `{label}` is skipped (`{}`)", reason.as_str()),
            (None, reason) => format!("label `{label}`: {reason}"),
        }
    }

    /// The label that a tag is from.
    fn label(&self, key: &str, prefix: &str) -> Option<String> {
        let label = self.labels.get(key).map(|(label, _)| label.clone());
        label.or_else(|| key.strip_prefix(prefix).map(str::to_owned))
    }
}

/// The tags that differ, each with the reason.
pub(super) fn changes(before: &Stamped, after: &Stamped, prefix: &str) -> Vec<TagChange> {
    let keys: BTreeSet<&String> = before.tags.keys().chain(after.tags.keys()).collect();
    let differing = keys.into_iter().filter(|key| before.tags.get(*key) != after.tags.get(*key));
    let change = |key: &String| {
        let [from, to] = [before, after].map(|stamped| stamped.tags.get(key).cloned());
        let label = after.label(key, prefix).or_else(|| before.label(key, prefix));
        let reason = match (&label, &from, &to) {
            (_, _, None) if after.stop.is_some() => after.stop.clone().unwrap_or_default(),
            (Some(label), _, None) => after.lost(label),
            (Some(label), None, Some(_)) => {
                let before = match (&before.stop, before.why_not(label)) {
                    (Some(stop), _) => format!(" (before: {stop})"),
                    (None, NoTagReason::NoLabel) => String::new(),
                    (None, reason) => format!(" (before: {reason})"),
                };
                format!("{}{before}", set_by(label, after, key))
            }
            (Some(label), ..) => set_by(label, after, key),
            (None, ..) => "it is written in the composite".to_owned(),
        };
        TagChange { key: key.clone(), from, to, reason }
    };
    differing.map(change).collect()
}

fn set_by(label: &str, after: &Stamped, key: &str) -> String {
    match after.labels.get(key) {
        Some((_, Some(object))) => format!("label `{label}` of {object}"),
        _ => format!("label `{label}`"),
    }
}
