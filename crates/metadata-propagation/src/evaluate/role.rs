//! What an object is to this policy.

use crate::settings::Settings;
use cloud_tags::registry::REGISTRY;
use cluster_api::catalog::{KindRow, Place};
use cluster_api::propagation::topology_opt_in;
use cluster_api::rollout;
use kubernetes::Review;
use tag_rules::keys::LABELS;
use tag_rules::{Composites, InfraCluster};

/// What an object is to this policy.
#[derive(Clone, Copy)]
pub(super) enum Role<'e> {
    /// The rules write it.
    Propagated(Place),
    /// A Cluster, a ClusterClass or a template: a source for the objects below it.
    Topology,
    /// Its labels become cloud tags.
    Composite(&'e Composites),
    /// The labels of its Cluster become cloud tags.
    Infrastructure(&'static InfraCluster),
    /// It defines which labels become cloud tags.
    Registry,
    /// A definition or a Composition of Crossplane: cloud tags pass through it.
    Definition,
}

impl<'e> Role<'e> {
    /// The role by kind; `None` if the policy does nothing with such an object.
    pub(super) fn of(review: &Review<'_>, settings: &'e Settings) -> Option<Self> {
        let kind = &review.kind;
        // The rules treat every other kind of the infrastructure group as one that belongs to a Machine.
        if let Some(row) = settings.cluster_api.cloud_tags.of(&kind.group, &kind.kind) {
            return Some(Role::Infrastructure(row));
        }
        let row = KindRow::of(&kind.group, &kind.kind);
        if let Some(place) = row.and_then(|row| row.place) {
            return Some(Role::Propagated(place));
        }
        if let Some(composites) = settings.cloud_tags.of_group(&kind.group) {
            return Some(Role::Composite(composites));
        }
        if kind.group == LABELS && kind.kind == REGISTRY {
            return Some(Role::Registry);
        }
        if tag_delivery::concerns(kind) {
            return Some(Role::Definition);
        }
        let is_checked = row.is_some_and(KindRow::is_guarded)
            || rollout::concerns(review, settings.of_cluster_api())
            || topology_opt_in::concerns(kind, &settings.cluster_api.opt_in);
        is_checked.then_some(Role::Topology)
    }

    /// Whether labels become cloud tags of the object.
    pub(super) fn is_tagged(self) -> bool {
        matches!(self, Role::Composite(_) | Role::Infrastructure(_))
    }

    /// The place of the object, if the rules write it.
    pub(super) fn place(self) -> Option<Place> {
        match self {
            Role::Propagated(place) => Some(place),
            Role::Topology | Role::Composite(_) | Role::Infrastructure(_) | Role::Registry | Role::Definition => None,
        }
    }
}
