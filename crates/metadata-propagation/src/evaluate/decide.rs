//! What has to change in an object, before the settings decide what is done about it.

use super::Evaluation;
use super::role::Role;
use cloud_tags::{Composite, Infrastructure, RegistryWrite, Tagged};
use cluster_api::catalog::Place;
use cluster_api::parents::cluster_of_infrastructure;
use cluster_api::propagation::metadata::{Differences, differences};
use cluster_api::propagation::topology_opt_in;
use cluster_api::subject::has_paused_annotation;
use kubernetes::settings::Mode;
use kubernetes::{Change, NotApplicableReason, Stop};

/// What has to change in an object.
pub(super) enum Decision<'e> {
    /// What differs from the rules.
    Propagated(Differences<'e>),
    /// What differs from the labels of a composite or of a Cluster.
    Tagged(Box<Tagged>),
    /// The declarations that a definition lacks, each with the name of its version.
    Declared(Vec<(String, Change)>),
    /// The effects of a write of a registry object.
    Registry(RegistryWrite),
}

impl<'e> Evaluation<'e> {
    pub(super) fn decide(&self) -> Result<Decision<'e>, Stop> {
        let Evaluation { subject, settings, lookups, .. } = self;
        let records = settings.mode == Mode::Mutate;
        Ok(match self.role {
            Role::Propagated(_) => Decision::Propagated(self.compare(records)?),
            Role::Topology => {
                Decision::Propagated(topology_opt_in::differences(subject, &settings.cluster_api.opt_in, records)?)
            }
            Role::Composite(composites) => Decision::Tagged(Box::new(
                Composite { subject, composites, settings: settings.of_tags(), lookups }.decide()?,
            )),
            Role::Infrastructure(row) => {
                let cluster = &cluster_of_infrastructure(subject, lookups)?;
                Decision::Tagged(Box::new(
                    Infrastructure { subject, cluster, row, settings: settings.of_tags(), lookups }.decide()?,
                ))
            }
            Role::Registry => Decision::Registry(RegistryWrite::of(subject, &settings.cloud_tags, lookups)?),
            Role::Definition => Decision::Declared(tag_delivery::declarations(subject, settings.of_tags())?),
        })
    }

    /// Compares the object with its sources; `records` says whether the policy's own record counts.
    pub(super) fn compare(&self, records: bool) -> Result<Differences<'e>, Stop> {
        let object = &self.subject.object;
        let own = |reason| Err(Stop::not_applicable(reason, ""));
        let knows_version = ["v1beta1", "v1beta2"].contains(&object.version);
        let is_cluster_apis =
            !matches!(self.subject.place, Some(Place::InfraMachine | Place::BootstrapConfig | Place::Node))
                && (self.subject.place != Some(Place::ControlPlane) || self.subject.is_kubeadm());
        if is_cluster_apis && !knows_version {
            return own(NotApplicableReason::UnknownApiVersion);
        }
        let keeps_fields = records && self.settings.cluster_api.fields && self.subject.place == Some(Place::Machine);
        if object.deleting && !keeps_fields {
            return own(NotApplicableReason::Deleting);
        }
        if self.subject.is_topology_dry_run() {
            return own(NotApplicableReason::TopologyDryRun);
        }
        if has_paused_annotation(object) {
            return own(NotApplicableReason::Paused);
        }
        differences(self.subject, &self.settings.cluster_api, records, &self.lookups)
    }
}
