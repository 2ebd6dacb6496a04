//! What becomes of one topology, owner by owner and edit by edit.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use topology::{Gap, Obstacle, TopologyRefusal};

use super::cause::{Causes, TopologyEdit, refused_for};
use super::change::{Comparison, TopologyChange, concerned, news, written};
use super::owner::{EditRef, OwnerEffect, PlannedOwner};
use super::placeholder::Placeholders;
use super::refusals::of_class;
use super::{is_decided_by_patches, renewed};
use crate::made::class;
use crate::object::ObjectId;
use crate::plan::impact::Sides;
use crate::plan::notes::{Otherwise, PlanNote};
use crate::plan::stopped::StoppedTopology;
use crate::plan::{Decided, EntryDifference, Planned};

/// What becomes of one topology.
pub(super) struct TopologyAnswer<'p> {
    pub(super) cluster: &'p ObjectId,
    /// The edited objects that it is made from.
    pub(super) edited: BTreeSet<ObjectId>,
    pub(super) owners: Vec<PlannedOwner>,
    /// What each edit does to each owner that it changes.
    pub(super) of_edits: BTreeMap<EditRef, Vec<OwnerEffect>>,
    /// The objects that a webhook refuses because of each other.
    pub(super) refused: Vec<ObjectId>,
    pub(super) state: Computed,
    /// Where its controller stops, if something is refused that it writes.
    pub(super) stopped: Option<StoppedTopology>,
    /// Labels and annotations of new templates, and of what is created from them.
    pub(super) renewed: Vec<EntryDifference>,
    /// What has to be applied first.
    pub(super) notes: Vec<PlanNote>,
}

/// How far a topology was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Computed {
    /// Not at all: paths alone say what they say.
    Not,
    /// Cluster API refuses it, or something in it is not known.
    Partly,
    /// Without what waits for an upgrade, or what an extension writes.
    Owners,
    /// Without health checks of the class, which differ.
    Unchecked,
    /// With everything that the change does to Machines.
    Wholly,
}

impl<'p> TopologyAnswer<'p> {
    /// `None` if nothing that it is made from is edited.
    pub(super) fn of(
        cluster: &'p ObjectId,
        (edited, twice): (&BTreeMap<&ObjectId, &Planned>, &BTreeSet<&ObjectId>),
        around: Sides<'p>,
    ) -> Option<TopologyAnswer<'p>> {
        let sides = [around.before, around.after];
        if sides.iter().any(|side| written(side, cluster).and_then(|value| class(value, cluster)).is_none()) {
            return None;
        }
        let all: BTreeSet<ObjectId> = sides.into_iter().flat_map(|side| concerned(cluster, side)).collect();
        let objects: Vec<&Planned> = all.iter().filter_map(|id| edited.get(id).copied()).collect();
        if objects.is_empty() {
            return None;
        }
        let is_by_webhook = |object: &&&Planned| object.edits.iter().any(|edit| edit.decided == Decided::ByWebhook);
        let edits = objects
            .iter()
            .filter(|object| !is_by_webhook(object))
            .flat_map(|object| object.edits.iter().map(|edit| TopologyEdit { id: &object.id, at: &edit.at }));
        // Another class is an edit for each effect that the classes alone have.
        let mut known = BTreeSet::new();
        let edits: Vec<TopologyEdit<'_>> = edits.filter(|edit| known.insert((edit.id, edit.at))).collect();
        let edited: BTreeSet<ObjectId> = objects.iter().map(|object| object.id.clone()).collect();
        let mut answer = TopologyAnswer {
            cluster,
            edited: edited.clone(),
            owners: Vec::new(),
            of_edits: BTreeMap::new(),
            refused: Vec::new(),
            state: Computed::Not,
            stopped: None,
            renewed: Vec::new(),
            notes: Vec::new(),
        };
        if let Some(id) = all.iter().find(|id| twice.contains(id)) {
            answer.add_unknown(&Gap::DefinedTwice(id.to_string()), &edits, around);
        } else if let Some(mut change) = TopologyChange::of(cluster, edited, around) {
            objects.iter().filter(is_by_webhook).for_each(|object| change.keep(&object.id));
            answer.add(&mut change, edits);
        }
        Some(answer)
    }

    fn add<'e>(&mut self, change: &mut TopologyChange<'p>, mut edits: Vec<TopologyEdit<'e>>) {
        let mut unknown = Vec::new();
        for (id, obstacle, of) in [change.class_refusal(&edits), change.cluster_refusal(&edits)].into_iter().flatten() {
            let (own, others): (Vec<_>, Vec<TopologyEdit<'e>>) = edits.into_iter().partition(|edit| *edit.id == id);
            change.keep(&id);
            match obstacle {
                Obstacle::Refused(refusal) => {
                    self.add_refused(&refusal, &own, of);
                    self.refused.push(id);
                }
                Obstacle::Unknown(gap) => unknown.push((gap, own)),
            }
            edits = others;
        }
        self.notes.extend(change.order());
        self.add_rest(change, &edits);
        unknown.into_iter().for_each(|(gap, edits)| self.add_unknown(&gap, &edits, change.around));
    }

    /// What becomes of the objects that are written.
    fn add_rest(&mut self, change: &TopologyChange<'p>, edits: &[TopologyEdit<'_>]) {
        if change.concerned.is_empty() {
            self.state = Computed::Partly;
            return;
        }
        match change.compare(&change.new) {
            Ok(found) => {
                self.add_owners(change, &found, edits);
                self.stopped = change.may_stop(&found);
            }
            Err(Obstacle::Refused(refusal)) => {
                let due = refused_for(change, edits);
                let due = due.into_iter().filter_map(|number| edits.get(number)).map(TopologyEdit::reference);
                let (stopped, written) = change.until_refusal();
                written.iter().for_each(|found| self.add_owners(change, found, edits));
                self.stopped = Some(stopped);
                self.add_refused(&refusal, edits, due.collect());
            }
            Err(Obstacle::Unknown(gap)) => {
                let is_told = matches!(
                    gap,
                    Gap::DefinedTwice(_)
                        | Gap::Newer(_)
                        | Gap::RefusedBefore(_)
                        | Gap::Placeholder(_)
                        | Gap::Rule { .. }
                );
                if is_told {
                    self.add_unknown(&gap, edits, change.around);
                }
            }
        }
    }

    fn add_owners(&mut self, change: &TopologyChange<'p>, found: &Comparison, edits: &[TopologyEdit<'_>]) {
        let causes = Causes::of(change, found, edits);
        let of_owners = found.parts.chunk_by(|a, b| a.owner() == b.owner());
        self.owners.extend(of_owners.filter_map(|parts| PlannedOwner::of(parts, &causes, change)));
        for (number, edit) in edits.iter().enumerate() {
            let effects = found
                .parts
                .iter()
                .filter_map(|part| OwnerEffect::of(part, &causes, |due| due.contains(&number), change));
            self.of_edits.entry(edit.reference()).or_default().extend(effects);
        }
        self.renewed = renewed::of_parts(&found.parts, change.cluster, change.around.before);
        self.state = change.state(found);
    }

    /// That these edits are refused; if none is known to be why, all that may be.
    fn add_refused(&mut self, refusal: &TopologyRefusal, edits: &[TopologyEdit<'_>], of: Vec<EditRef>) {
        let decided = || {
            let decided = edits.iter().filter(|edit| is_decided_by_patches(edit.id, edit.at));
            Some(decided.map(TopologyEdit::reference).collect::<Vec<_>>()).filter(|found| !found.is_empty())
        };
        let in_spec = || edits.iter().filter(|edit| edit.at.is_in_spec()).map(TopologyEdit::reference).collect();
        let of = Some(of).filter(|of| !of.is_empty()).or_else(decided).unwrap_or_else(in_spec);
        for edit in &of {
            self.of_edits.entry(edit.clone()).or_default().push(OwnerEffect::REFUSED);
        }
        let at = self.stopped.as_ref().map(|stopped| stopped.at).unwrap_or_default();
        self.owners.push(PlannedOwner::refused(self.cluster, refusal, at, of));
        self.state = Computed::Partly;
    }

    /// That nothing is known of what patches make of edits.
    fn add_unknown(&mut self, gap: &Gap, edits: &[TopologyEdit<'_>], around: Sides<'_>) {
        let decided = edits.iter().filter(|edit| is_decided_by_patches(edit.id, edit.at));
        let of: Vec<EditRef> = decided.map(TopologyEdit::reference).collect();
        self.state = Computed::Partly;
        if of.is_empty() {
            return;
        }
        let owners = PlannedOwner::not_known(self.cluster, gap, &of, around);
        for edit in of {
            self.of_edits.entry(edit).or_default().extend(owners.iter().map(OwnerEffect::of_owner));
        }
        // What is known of an owner because of other edits is more.
        let is_new = |owner: &PlannedOwner| self.owners.iter().all(|known| known.part != owner.part);
        let owners: Vec<PlannedOwner> = owners.into_iter().filter(is_new).collect();
        self.owners.extend(owners);
    }
}

/// An object that a webhook refuses or may refuse, why, and because of which edits.
type WebhookRefusal = (ObjectId, Obstacle, Vec<EditRef>);

impl TopologyChange<'_> {
    /// What the webhook refuses in the class because of a Cluster, and did not before. It does not compare variables with
    /// their definitions.
    ///
    /// Source: `validate` in core/webhooks/admission/clusterclass.go of Cluster API v1.14.
    fn refused_in_class(&self, cluster: &Value, class: &Value) -> Option<TopologyRefusal> {
        if !self.edits_class() {
            return None;
        }
        let [before, after] =
            [(&*self.old.cluster, &*self.old.class), (cluster, class)].map(|(cluster, class)| of_class(cluster, class));
        news(&after.collect::<Vec<_>>(), &before.collect::<Vec<_>>())
    }

    /// The same in the Cluster, which is compared with everything in the class.
    fn refused_in_cluster(&self, cluster: &Value, class: &Value) -> Option<TopologyRefusal> {
        if !self.concerned.contains(self.cluster) {
            return None;
        }
        news(&self.refusals(cluster, class), &self.refusals(&self.old.cluster, &self.old.class))
    }

    /// What the webhook refuses in the class as long as the Cluster is not applied.
    fn class_refusal(&self, edits: &[TopologyEdit<'_>]) -> Option<WebhookRefusal> {
        let cluster = if self.fits_first() { &self.new.cluster } else { &self.old.cluster };
        let refusal = self.refused_in_class(cluster, &self.new.class)?;
        let is_why = |edit: &TopologyEdit<'_>| {
            self.without(edit.id, edit.at).is_some_and(|it| self.refused_in_class(cluster, &it.class).is_none())
        };
        let obstacle = Placeholders::of([&**cluster; 2]).resolved(refusal.into());
        Some((self.class().clone(), obstacle, why(edits, self.class(), is_why)))
    }

    /// Whether the Cluster changes, and can be applied before the class.
    fn fits_first(&self) -> bool {
        self.concerned.contains(self.cluster) && self.refused_in_cluster(&self.new.cluster, &self.old.class).is_none()
    }

    /// What the webhook refuses in the Cluster because of the class.
    fn cluster_refusal(&self, edits: &[TopologyEdit<'_>]) -> Option<WebhookRefusal> {
        let refusal = self.refused_in_cluster(&self.new.cluster, &self.new.class)?;
        let is_why = |edit: &TopologyEdit<'_>| {
            let without = self.without(edit.id, edit.at);
            without.is_some_and(|it| self.refused_in_cluster(&it.cluster, &it.class).is_none())
        };
        let obstacle = Placeholders::of([&*self.old.cluster, &*self.new.cluster]).resolved(refusal.into());
        Some((self.cluster.clone(), obstacle, why(edits, self.cluster, is_why)))
    }

    /// What has to be applied first, if one of Cluster and class is refused until the other one is applied.
    fn order(&self) -> Option<PlanNote> {
        let (cluster, class) = (self.cluster, self.class());
        let of_class = self.refused_in_class(&self.old.cluster, &self.new.class).map(|it| (cluster, class, it));
        let of_cluster = self.refused_in_cluster(&self.new.cluster, &self.old.class).map(|it| (class, cluster, it));
        let (first, then, refusal) = of_class.or(of_cluster.filter(|_| self.edits_class()))?;
        let placeholders = Placeholders::of([&*self.old.cluster, &*self.new.cluster]);
        let Obstacle::Refused(refusal) = placeholders.resolved(refusal.into()) else { return None };
        let refused = Otherwise::Refused(refusal.to_string());
        self.concerned.contains(cluster).then(|| PlanNote::first([first.clone()].into(), then, refused))
    }
}

fn why(edits: &[TopologyEdit<'_>], id: &ObjectId, is_why: impl Fn(&TopologyEdit<'_>) -> bool) -> Vec<EditRef> {
    let own: Vec<&TopologyEdit<'_>> = edits.iter().filter(|edit| edit.id == id).collect();
    let is_one = own.len() == 1;
    own.into_iter().filter(|edit| is_one || is_why(edit)).map(TopologyEdit::reference).collect()
}
