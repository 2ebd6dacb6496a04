//! What the policy adds to the objects of a hierarchy.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;

use metadata_propagation::cluster_api::CONTROL_PLANE_GROUP;
use metadata_propagation::{
    Cluster, Get, Listed, LookupCause, LookupError, NotApplicable, Outcome, Propagated, Report, Review, Settings,
    evaluate, evaluate_and_list, propagated,
};
use serde_json::{Value, json};

use super::Hierarchy;
use crate::member::Member;
use crate::object::create;
use crate::relations::is_of_topology;
use crate::shared::Shared;
use crate::templates::TemplateEvaluation;

impl Hierarchy {
    /// The policy's result for an object.
    pub(super) fn completion(&self, number: usize, of: &Completing<'_>) -> Option<Completion> {
        let member = self.members.get(number)?;
        if let Some(former) = of.before.and_then(|before| self.unchanged(member, before, of.settings)) {
            return Some(Completion::of_member(former));
        }
        let review = create(&member.id, &member.version, member.json());
        let around = Around { hierarchy: self, member, reads: RefCell::default() };
        let (mut outcome, listed) = match of.wants {
            Wants::Changes => (evaluate(&review, of.settings, &around), Ok(Vec::new())),
            Wants::Differences if member.origin.is_none() => evaluated(&review, of.settings, &around),
            Wants::Differences | Wants::Carried | Wants::Composites => evaluate_and_list(&review, of.settings, &around),
        };
        let report = match (of.wants, outcome.report.take().unwrap_or_default()) {
            (Wants::Differences, _) => Shared::default(),
            (_, report) => Shared::new(of.reported(member, report, &around)),
        };
        let rejection = outcome.rejection.map(|rejection| rejection.message);
        let (json, reads) = (outcome.object, around.reads.into_inner());
        let (carried, unknown) = match listed {
            Ok(carried) => (Shared::new(carried), None),
            Err(reason) => (Shared::default(), Some(reason)),
        };
        Some(Completion { json, rejection, report, carried, unknown, reads })
    }

    /// The same object in the hierarchy before, if its result is the same: it has the same text, and what was read for it is
    /// the same, too. Composites are evaluated with their definitions, which are not read.
    fn unchanged<'b>(&self, member: &Member, before: &'b Hierarchy, settings: &Settings) -> Option<&'b Member> {
        let former = before.find(&member.id).filter(|_| !settings.cloud_tags.has_group(&member.id.group))?;
        let is_same = (&former.id, &former.version) == (&member.id, &member.version)
            && former.written.text() == member.written.text();
        let around = Around { hierarchy: self, member, reads: RefCell::default() };
        let is_as_read = |(get, answer): &(Get, u64)| hash(&around.answer(get)) == *answer;
        (is_same && former.reads.iter().all(is_as_read)).then_some(former)
    }

    /// `latest` contains the last completed object of each kind: many are similar to it.
    pub(super) fn complete(
        &mut self,
        number: usize,
        completion: Option<Completion>,
        latest: &mut BTreeMap<String, usize>,
    ) {
        let (Some(id), Some(completion)) = (self.members.get(number).map(|member| &member.id), completion) else {
            return;
        };
        let alike = latest.get(&id.kind).and_then(|number| self.members.get(*number));
        let report = completion.report.or_like(alike.map(|alike| &alike.report), |a, b| {
            let is_like = (&a.changes, &a.skipped, &a.inert) == (&b.changes, &b.skipped, &b.inert);
            a.cloud_tags.is_none() && b.cloud_tags.is_none() && is_like
        });
        let carried = completion.carried.or_like(alike.map(|alike| &alike.carried), Vec::eq);
        match latest.get_mut(&id.kind) {
            Some(latest) => *latest = number,
            None => _ = latest.insert(id.kind.clone(), number),
        }
        if let Some(member) = self.members.get_mut(number) {
            (member.completed, member.report, member.carried, member.unknown) =
                (completion.json, report, carried, completion.unknown);
            (member.rejection, member.reads) = (completion.rejection, completion.reads);
        }
    }

    /// Removes labels and annotations that propagate in another hierarchy and not in this one. Below a control plane of
    /// another provider no controller removes them.
    pub(super) fn drop_former(&mut self, number: usize, before: Option<&Hierarchy>) {
        let Some(member) = self.members.get(number) else { return };
        let Some(former) = before.and_then(|before| before.find(&member.id)) else { return };
        let owner = member.parent.and_then(|parent| self.members.get(parent)).map(|parent| &parent.id);
        let is_of_others = owner.is_some_and(|id| id.group == CONTROL_PLANE_GROUP && id.kind != "KubeadmControlPlane");
        if is_of_others || member.origin.is_none() || member.unknown.is_some() {
            return;
        }
        let is_gone = |entry: &&Propagated| {
            let is_kept = |kept: &Propagated| (&kept.at, &kept.key) == (&entry.at, &entry.key);
            !member.carried.iter().any(is_kept)
        };
        let gone: Vec<&Propagated> = former.carried.iter().filter(is_gone).collect();
        if gone.is_empty() {
            return;
        }
        let pointer = |at: &str| format!("/{}", at.replace('.', "/"));
        let mut object = member.completed();
        let mut is_changed = false;
        for entry in gone {
            let value = entry.value.plain();
            let map = object.pointer_mut(&pointer(&entry.at)).and_then(Value::as_object_mut);
            if let Some(map) = map.filter(|map| map.get(&entry.key).and_then(Value::as_str) == Some(&*value)) {
                map.remove(&entry.key);
                is_changed = true;
            }
        }
        if is_changed && let Some(member) = self.members.get_mut(number) {
            member.completed = Some(object.to_string());
        }
    }
}

/// What a hierarchy is used for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wants {
    /// Everything that objects must carry.
    Carried,
    /// The same, and the composites of claims.
    Composites,
    /// The changes in them.
    Changes,
    /// The objects themselves, and what objects in the files must carry.
    Differences,
}

/// What objects are completed with.
pub(super) struct Completing<'c> {
    pub(super) settings: &'c Settings,
    pub(super) wants: Wants,
    pub(super) templates: TemplateEvaluation<'c>,
    /// The hierarchy before a change.
    pub(super) before: Option<&'c Hierarchy>,
}

impl Completing<'_> {
    /// What is kept of a report; tags are those of a composite with the defaults of its definition.
    fn reported(&self, member: &Member, report: Report, around: &Around<'_>) -> Report {
        let Report { changes, skipped, mut cloud_tags, inert, .. } = report;
        if let Some(defaulted) = self.templates.defaulted(&member.id, &member.version, member.json()) {
            let review = create(&member.id, &member.version, &defaulted);
            cloud_tags = evaluate(&review, self.settings, around).report.and_then(|report| report.cloud_tags);
        }
        Report { changes, skipped, cloud_tags, inert, ..Report::default() }
    }
}

/// Evaluates an object without a list of what it must carry, if that is known.
fn evaluated(review: &Review<'_>, settings: &Settings, cluster: &dyn Cluster) -> (Outcome, Listed) {
    let outcome = evaluate(review, settings, cluster);
    let is_known = outcome.report.as_ref().is_some_and(|report| report.inert.is_none());
    let listed = if is_known { Ok(Vec::new()) } else { propagated(review, settings, cluster) };
    (outcome, listed)
}

/// The policy's result for an object.
pub(super) struct Completion {
    /// The object, if it changes.
    json: Option<String>,
    rejection: Option<String>,
    report: Shared<Report>,
    carried: Shared<Vec<Propagated>>,
    unknown: Option<NotApplicable>,
    reads: Vec<(Get, u64)>,
}

impl Completion {
    /// The result that an object has already.
    fn of_member(member: &Member) -> Completion {
        Completion {
            json: member.completed.clone(),
            rejection: member.rejection.clone(),
            report: member.report.clone(),
            carried: member.carried.clone(),
            unknown: member.unknown.clone(),
            reads: Vec::new(),
        }
    }
}

/// The cluster for completing an object: the other objects. A Cluster that is not in the files exists in the cluster,
/// or else the object would not: it is assumed not to be paused. An object that a topology owns has its Cluster as its
/// source, so it gets none.
struct Around<'w> {
    hierarchy: &'w Hierarchy,
    member: &'w Member,
    /// What was asked for, and the hash of the answer.
    reads: RefCell<Vec<(Get, u64)>>,
}

impl Around<'_> {
    fn answer(&self, get: &Get) -> Result<Cow<'_, str>, LookupError> {
        let answer = self.hierarchy.read(get);
        let is_missing = matches!(&answer, Err(error) if error.cause == LookupCause::NotFound);
        let is_cluster = get.kind == "Cluster" && get.api_version.starts_with("cluster.x-k8s.io/");
        if !is_missing || !is_cluster || is_of_topology(&self.member.written.once()) {
            return answer.map(Cow::Borrowed);
        }
        let metadata = json!({ "name": get.name, "namespace": get.namespace });
        let cluster = json!({ "apiVersion": get.api_version, "kind": get.kind, "metadata": metadata, "spec": {} });
        Ok(Cow::Owned(cluster.to_string()))
    }
}

impl Cluster for Around<'_> {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let answer = self.answer(get);
        self.reads.borrow_mut().push((get.clone(), hash(&answer)));
        answer.map(Cow::into_owned)
    }

    fn is_fixed(&self) -> bool {
        true
    }
}

fn hash(answer: &Result<Cow<'_, str>, LookupError>) -> u64 {
    let mut hasher = DefaultHasher::new();
    answer.as_ref().map_err(|error| discriminant(&error.cause)).hash(&mut hasher);
    hasher.finish()
}
