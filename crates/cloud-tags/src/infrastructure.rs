//! The infrastructure cluster of a Cluster, compared with the Cluster's labels.

use std::collections::{BTreeMap, BTreeSet};

use super::field::{TagsField, leaves_as_stored};
use super::labels::Assigned;
use super::registry::{Definitions, definitions_of};
use super::rules::TagRules;
use super::tagged::{Made, Tagged};
use super::webhook::Webhook;
use crate::json::Malformed;
use crate::messages;
use facts::finding::Finding;
use facts::not_applicable::NotApplicableReason;
use facts::stop::Stop;
use kube::lookup::Lookups;
use kube::parent::Parent;
use kube::subject::ReviewedObject;
use tag_rules::Definition;
use tag_rules::TagSettings;
use tag_rules::infrastructure::InfraCluster;

/// An infrastructure cluster, and its settings.
pub struct Infrastructure<'a, 'e> {
    /// The infrastructure cluster.
    pub subject: &'a ReviewedObject<'e>,
    /// The Cluster that owns it.
    pub cluster: &'a Parent<'e>,
    /// The row of its kind.
    pub row: &'static InfraCluster,
    /// The settings.
    pub settings: TagSettings<'e>,
    /// How the registry is read.
    pub lookups: &'a Lookups<'e>,
}

impl<'e> Infrastructure<'_, 'e> {
    /// Compares the object's tags with those for the labels of its Cluster.
    ///
    /// # Errors
    /// When there is nothing to set, the registry could not be read, or the object does not have the
    /// structure of a Kubernetes object.
    pub fn decide(&self) -> Result<Tagged, Stop> {
        let cluster = self.cluster;
        let assigned = Assigned::read(&cluster.object).map_err(|malformed| unusable(cluster, &malformed))?;
        if assigned.is_adopted() {
            return Err(Stop::not_applicable(NotApplicableReason::Adopted, cluster.name.to_string()));
        }
        // Without labels, no definition sets a tag.
        let Definitions { counting: definitions, ignored } = if assigned.is_empty() {
            Definitions::default()
        } else {
            definitions_of(&self.settings.cloud_tags, self.lookups, |key| assigned.contains(key))?
        };
        let mut tagged = self.tagged(cluster, &assigned, &definitions)?;
        tagged.tags.ignored_definitions = ignored;
        Ok(tagged)
    }

    /// The differences from the tags for the labels. The policy's own entries that no label sets are removed.
    fn tagged(
        &self,
        cluster: &Parent<'_>,
        assigned: &Assigned,
        definitions: &BTreeMap<String, Definition>,
    ) -> Result<Tagged, Malformed> {
        let (subject, row, settings) = (self.subject, self.row, &self.settings.cloud_tags);
        let field = TagsField::read(subject, row.field, settings)?;
        let rules = TagRules::of(settings, row.provider);
        let others = field.others(|_, _| false);
        let webhook = Webhook::of(row, others.len());
        let others = if rules.counts_others() { others } else { BTreeSet::new() };
        let made = Made::of(assigned, definitions, &settings.prefix, rules, webhook, &others);
        let mut held = field.held_to(&made.transformed, &BTreeMap::new(), |_, _| true);
        for change in &mut held.changes {
            if let Some(label) = made.transformed.labels.get(&change.key) {
                change.rule = messages::propagates_from(label, &cluster.name.to_string()).into();
            }
        }
        let touches_tags = !(held.changes.is_empty() && leaves_tags_as_stored(subject, row).unwrap_or(false));
        Ok(Tagged {
            unknown_provider: None,
            missing: Vec::new(),
            leaves_sources: true,
            findings: if touches_tags { findings(assigned, definitions, cluster) } else { Vec::new() },
            touches_tags,
            cloud: rules.cloud(row.provider).map(|cloud| cloud.provider),
            tags: made.report(Some(row.provider), &field, &held, &[]),
            changes: held.changes,
            undone: held.undone,
        })
    }
}

/// Whether an UPDATE does not change the tags of an infrastructure cluster.
///
/// # Errors
/// When the object or the stored one does not have the structure of a Kubernetes object.
pub fn leaves_tags_as_stored(subject: &ReviewedObject<'_>, row: &InfraCluster) -> Result<bool, Malformed> {
    leaves_as_stored(subject, row.field)
}

/// The findings about the Cluster's assignments.
fn findings(assigned: &Assigned, definitions: &BTreeMap<String, Definition>, cluster: &Parent<'_>) -> Vec<Finding> {
    let findings = assigned.findings(definitions).into_iter();
    findings.map(|finding| Finding { at: format!("{}: {}", cluster.name, finding.at), ..finding }).collect()
}

/// How the policy reacts to assignments of a Cluster that cannot be used: they are already stored, and a user who
/// writes the infrastructure cannot fix them.
fn unusable(cluster: &Parent<'_>, malformed: &Malformed) -> Stop {
    Stop::not_applicable(NotApplicableReason::UnusableAssignments, format!("{}: {malformed}", cluster.name))
}
