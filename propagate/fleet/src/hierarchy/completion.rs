//! What the policy adds to the objects of a hierarchy.

use std::collections::BTreeMap;

use metadata_propagation::cluster_api::CONTROL_PLANE_GROUP;
use metadata_propagation::{
    Cluster, Get, Listed, LookupCause, LookupError, Propagated, Report, Settings, evaluate, evaluate_and_list,
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
    pub(super) fn completion(
        &self,
        number: usize,
        (settings, wants): (&Settings, Wants),
        templates: &TemplateEvaluation<'_>,
    ) -> Option<Completion> {
        let member = self.members.get(number)?;
        let review = create(&member.id, &member.version, member.json());
        let around = Around { hierarchy: self, member };
        let (outcome, listed) = match wants {
            Wants::Carried => evaluate_and_list(&review, settings, &around),
            Wants::Changes => (evaluate(&review, settings, &around), Ok(Vec::new())),
        };
        let Report { changes, skipped, mut cloud_tags, inert, .. } = outcome.report.unwrap_or_default();
        if let Some(defaulted) = templates.defaulted(&member.id, &member.version, member.json()) {
            let review = create(&member.id, &member.version, &defaulted);
            cloud_tags = evaluate(&review, settings, &around).report.and_then(|report| report.cloud_tags);
        }
        let report = Report { changes, skipped, cloud_tags, inert, ..Report::default() };
        Some(Completion { json: outcome.object, is_rejected: outcome.rejection.is_some(), report, listed })
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
        let report = Shared::like(completion.report, alike.map(|alike| &alike.report), |a, b| {
            let is_like = (&a.changes, &a.skipped, &a.inert) == (&b.changes, &b.skipped, &b.inert);
            a.cloud_tags.is_none() && b.cloud_tags.is_none() && is_like
        });
        let (carried, unknown) = match completion.listed {
            Ok(carried) => (Shared::like(carried, alike.map(|alike| &alike.carried), Vec::eq), None),
            Err(reason) => (Shared::default(), Some(reason)),
        };
        match latest.get_mut(&id.kind) {
            Some(latest) => *latest = number,
            None => _ = latest.insert(id.kind.clone(), number),
        }
        if let Some(member) = self.members.get_mut(number) {
            (member.completed, member.report, member.carried, member.unknown) =
                (completion.json, report, carried, unknown);
            member.is_rejected = completion.is_rejected;
        }
    }

    /// Removes labels and annotations that propagate in another hierarchy and not in this one. Below a control plane of
    /// another provider no controller removes them.
    pub(super) fn drop_former(&mut self, number: usize, before: &Hierarchy) {
        let Some(member) = self.members.get(number) else { return };
        let Some(former) = before.find(&member.id) else { return };
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
    /// The changes in them.
    Changes,
}

/// The policy's result for an object.
pub(super) struct Completion {
    /// The object, if it changes.
    json: Option<String>,
    is_rejected: bool,
    report: Report,
    listed: Listed,
}

/// The cluster for completing an object: the other objects. A Cluster that is not in the files exists in the cluster,
/// or else the object would not: it is assumed not to be paused. An object that a topology owns has its Cluster as its
/// source, so it gets none.
struct Around<'w> {
    hierarchy: &'w Hierarchy,
    member: &'w Member,
}

impl Cluster for Around<'_> {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let answer = self.hierarchy.get(get);
        let is_missing = matches!(&answer, Err(error) if error.cause == LookupCause::NotFound);
        let is_cluster = get.kind == "Cluster" && get.api_version.starts_with("cluster.x-k8s.io/");
        if !is_missing || !is_cluster || is_of_topology(&self.member.written.once()) {
            return answer;
        }
        let metadata = json!({ "name": get.name, "namespace": get.namespace });
        Ok(json!({ "apiVersion": get.api_version, "kind": get.kind, "metadata": metadata, "spec": {} }).to_string())
    }

    fn is_fixed(&self) -> bool {
        true
    }
}
