//! Finds the sources of an object under review: one file for each route.

mod node;
mod owner;
mod topology;

pub(crate) use self::topology::cluster;
use super::layers::Sources;
use crate::catalog::Place;
use crate::settings::ClusterApi;
use crate::subject::Subject;
use kubernetes::{Lookups, NotApplicableReason, Stop};

/// Reads the sources of an object, by the rules of the version of Cluster API in the settings.
///
/// # Errors
/// When nothing propagates to the object, or when it is not known what does.
pub(crate) fn of<'e>(subject: &Subject<'e>, settings: &ClusterApi, lookups: &Lookups<'e>) -> Result<Sources<'e>, Stop> {
    match subject.place {
        Some(Place::ControlPlane | Place::MachineDeployment | Place::MachinePool) => {
            topology::sources(subject, settings.version, lookups)
        }
        Some(Place::MachineSet) => owner::of_machine_set(subject, lookups),
        Some(Place::Machine) => owner::of_machine(subject, lookups),
        Some(place @ (Place::InfraMachine | Place::BootstrapConfig)) => {
            owner::of_machine_part(place, subject, settings, lookups)
        }
        Some(Place::Node) => node::sources(subject, lookups),
        _ => Err(Stop::not_applicable(NotApplicableReason::NoOwner, "")),
    }
}
