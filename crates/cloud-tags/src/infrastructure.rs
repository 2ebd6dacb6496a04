//! The infrastructure cluster of a Cluster, compared with the Cluster's labels.

use std::collections::{BTreeMap, BTreeSet};

use super::as_stored::{self, as_stored};
use super::field::{TagsField, has_stored, leaves_as_stored};
use super::kept_tags::UnreadTags;
use super::label_sources::{LabelSources, Merged};
use super::labels::Assigned;
use super::registry::{AssignedKeys, Definitions, definitions_of};
use super::tagged::{Made, Tagged, UndecodedLabel};
use super::transform::Webhook;
use crate::fact::Finding;
use crate::json::Malformed;
use kubernetes::{ChangeRule, Lookups, NotApplicableReason, Parent, ReviewedObject, Stop, StoredTags};
use tag_rules::{Definition, InfraCluster, TagRules, TagSettings};

/// An infrastructure cluster, and its settings.
pub struct Infrastructure<'a, 'e> {
    pub subject: &'a ReviewedObject<'e>,
    pub cluster: &'a Parent<'e>,
    pub row: &'static InfraCluster,
    pub settings: TagSettings<'e>,
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
        // Assignments that cannot be used are already stored, and a user who writes the infrastructure cannot fix them.
        let unusable = |malformed| Stop::unusable_assignments(cluster.name.to_string(), malformed);
        let assigned = Assigned::read(&cluster.object).map_err(unusable)?;
        if assigned.is_adopted() {
            return Err(Stop::not_applicable(NotApplicableReason::Adopted, cluster.name.to_string()));
        }
        let tags = self.settings.cloud_tags;
        let others = LabelSources::read(&cluster.object, self.subject.namespace(), tags, self.lookups)?;
        let mut keys = others.keys();
        keys.extend(assigned.keys());
        // Without labels, no definition sets a tag.
        let definitions = if keys.is_empty() {
            Definitions::default()
        } else {
            let rules = TagRules::of(tags, self.row.provider);
            let has_tag = |key: &str| has_stored(self.subject, self.row.field, &rules.tag_key_below(&tags.prefix, key));
            definitions_of(tags, self.lookups, &AssignedKeys { all: keys, is_tagged: &has_tag }, &others.belonging)?
        };
        let merged = others.merge(assigned, tags, &definitions.counting);
        let mut tagged = self.tagged(cluster, &merged, &definitions)?;
        tagged.tags.ignored_definitions = definitions.ignored;
        Ok(tagged)
    }

    /// The differences from the tags for the labels. The policy's own entries that no label sets are removed.
    fn tagged(&self, cluster: &Parent<'_>, merged: &Merged, found: &Definitions<'_>) -> Result<Tagged, Malformed> {
        let (subject, row, settings) = (self.subject, self.row, &self.settings.cloud_tags);
        let (assigned, definitions) = (&merged.assigned, &*found.counting);
        let rules = TagRules::of(settings, row.provider);
        let field = TagsField::read(subject, row.field, settings, rules.joins(row.provider))?;
        let others = field.others(|_, _| false);
        let webhook = Webhook::of(row, others.len());
        let others = if rules.is_strict() { others } else { BTreeSet::new() };
        let made = Made::of(assigned, definitions, &settings.prefix, rules, webhook, &others);
        let unread = UnreadTags::of(found, &settings.prefix, rules);
        let mut restores = BTreeMap::new();
        unread.restore(&field, &mut restores);
        let mut held = field
            .held_to(&made.transformed, &restores, |key, value| !unread.has(key) || field.stored(key) != Some(value));
        unread.explain(&mut held.changes);
        let title = cluster.name.to_string();
        for change in &mut held.changes {
            if let ChangeRule::Label(label) = &change.rule {
                let object = merged.sources.get(label).unwrap_or(&title).clone();
                change.rule = ChangeRule::LabelOf { label: label.clone(), object };
            }
        }
        let touches_tags = !(held.changes.is_empty() && leaves_tags_as_stored(subject, row).unwrap_or(false));
        let mut tagged = Tagged {
            leaves_sources: true,
            touches_tags,
            cloud: rules.cloud(row.provider).map(|cloud| cloud.provider),
            tags: made.report(Some(row.provider), &field, &held, &[]),
            changes: held.changes,
            undone: held.undone,
            ..Tagged::default()
        };
        if touches_tags {
            tagged.undecoded = UndecodedLabel::all(assigned, definitions, &settings.prefix, rules);
            tagged.findings = findings(assigned, definitions, cluster);
            tagged.findings.extend(found.findings(settings));
        }
        Ok(tagged)
    }
}

/// The differences of an infrastructure cluster if the labels of its Cluster were not compared: it keeps the tags in
/// `copied`. `None` if there are none.
pub fn undecided(
    subject: &ReviewedObject<'_>,
    row: &InfraCluster,
    settings: TagSettings<'_>,
    stop: &Stop,
    copied: &BTreeMap<String, String>,
) -> Option<Tagged> {
    // Nothing is stored in a dry run, and nothing tags what is deleted. Of a new object nothing else is kept, not even
    // with a finalizer, which every user can set: the next write may find the same, and its controller may have made
    // tags of them by then.
    let is_not_compared = || match stop {
        Stop::NotApplicable(it) => {
            !matches!(it.reason, NotApplicableReason::TopologyDryRun | NotApplicableReason::Deleting)
        }
        _ => true,
    };
    let reason = as_stored::reason(stop, StoredTags::AdoptedCluster)
        .or_else(|| is_not_compared().then_some(StoredTags::ClusterNotCompared))?;
    as_stored(subject, settings.cloud_tags, row.field, Some(row.provider), reason, copied, Vec::new())
}

/// Whether an UPDATE does not change the tags of an infrastructure cluster.
pub fn leaves_tags_as_stored(subject: &ReviewedObject<'_>, row: &InfraCluster) -> Result<bool, Malformed> {
    leaves_as_stored(subject, row.field)
}

/// The findings about the Cluster's assignments.
fn findings(assigned: &Assigned, definitions: &BTreeMap<String, Definition>, cluster: &Parent<'_>) -> Vec<Finding> {
    let findings = assigned.findings(definitions).into_iter();
    findings.map(|finding| Finding { at: format!("{}: {}", cluster.name, finding.at), ..finding }).collect()
}
