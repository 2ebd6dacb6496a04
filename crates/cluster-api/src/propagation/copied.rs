//! Whether an annotation of an object is a copy: Cluster API copies annotations from the objects above.

use super::sources;
use crate::catalog::{CORE_GROUP, Place, Rule, TEMPLATE_MASKS};
use crate::json::Malformed;
use crate::settings::ClusterApi;
use crate::subject::Subject;
use kubernetes::{LookupCause, Lookups, MapKind, ObjectQuery, Stop};

pub(crate) enum AnnotationOrigin {
    /// A user set it on this object.
    Own,
    /// The object above that has it with the same value.
    Copied(String),
    /// The read of the object above that failed.
    Unread(String),
}

/// The origin of an annotation. Without an object above, it is the object's own. The stored object determines which is
/// above: a request that removes the object's owner does not make a copy its own.
///
/// A MachineSet is compared with its MachineDeployment even while that one is paused or being deleted: what it has now
/// was copied before.
///
/// Source: core/reconcilers/machinedeployment/mdutil/util.go, `MachineSetAnnotationsFromMachineDeployment`, which copies
/// all but `annotationsToSkip`; the rules for the other places.
pub(crate) fn origin<'e>(
    key: &str,
    value: &str,
    subject: &Subject<'e>,
    settings: &ClusterApi,
    lookups: &Lookups<'e>,
) -> Result<AnnotationOrigin, Malformed> {
    let stored = subject.as_stored()?;
    let above = match subject.place {
        Some(Place::MachineSet) => of_machine_set(key, value, &stored, lookups),
        Some(place) => of_rules(key, value, place, &stored, settings, lookups),
        None => Ok(None),
    };
    match above {
        Ok(Some(above)) => Ok(AnnotationOrigin::Copied(above)),
        Err(Stop::LookupFailed(failed)) if failed.error.cause != LookupCause::NotFound => {
            Ok(AnnotationOrigin::Unread(failed.query))
        }
        Err(Stop::Malformed(malformed)) => Err(malformed),
        Ok(None) | Err(_) => Ok(AnnotationOrigin::Own),
    }
}

fn of_machine_set<'e>(
    key: &str,
    value: &str,
    subject: &Subject<'e>,
    lookups: &Lookups<'e>,
) -> Result<Option<String>, Stop> {
    let controller = subject.object.controller().filter(|owner| owner.is(CORE_GROUP, "MachineDeployment"));
    let Some(owner) = controller else { return Ok(None) };
    let deployment = lookups.parent(&ObjectQuery::owner(owner, subject.namespace(), TEMPLATE_MASKS))?;
    let is_same = deployment.object.annotations.get(key) == Some(value);
    Ok(is_same.then(|| deployment.name.to_string()))
}

fn of_rules<'e>(
    key: &str,
    value: &str,
    place: Place,
    subject: &Subject<'e>,
    settings: &ClusterApi,
    lookups: &Lookups<'e>,
) -> Result<Option<String>, Stop> {
    let sources = sources::of(subject, settings, lookups)?;
    let gives =
        |from: Place| Rule::reading(from, MapKind::Annotations, settings.version).any(|rule| rule.to.contains(&place));
    let layer = sources
        .layers
        .iter()
        .find(|layer| gives(layer.place) && layer.map(MapKind::Annotations).get(key) == Some(value));
    Ok(layer.map(|layer| layer.origin.object.to_string()))
}
