//! From an object under review to what its rules read: one file for each way up.

mod node;
mod owner;
mod topology;

use std::borrow::Cow;

use super::field_value::FieldValue;
use crate::admission::subject::Subject;
use crate::catalog::fields::{FIELDS, Field};
use crate::catalog::place::{MapKind, Place};
use crate::json::Map;
use crate::kube::lookup::{Lookups, Parent};
use crate::kube::stop::Stop;
use crate::report::not_applicable::NotApplicableReason;

/// What the rules read for one object, and which of its places they write.
pub(crate) struct Sources {
    /// What was read, the weakest first. Forced labels are those of the last.
    pub(crate) layers: Vec<Layer>,
    /// The places of the object under review that receive something.
    pub(crate) targets: Vec<Place>,
    /// The place of the object under review where only forced labels can be told, if any.
    pub(crate) forced_only: Option<Place>,
    /// Values of forced labels.
    pub(crate) facts: Facts,
    /// No controller will ever own what is added.
    pub(crate) tracked: bool,
    /// The labels by which the owner finds what it controls, where it has a selector.
    pub(crate) selector: Option<Vec<String>>,
    /// The Cluster, if it was not read yet: whether it is paused is not known.
    pub(crate) unread_cluster: Option<(String, String)>,
}

/// The maps of one place of one object that was read.
pub(crate) struct Layer {
    pub(crate) place: Place,
    /// Kind, namespace and name.
    pub(crate) object: String,
    /// The place as it is written in the object's version.
    pub(crate) printed: String,
    labels: Map<'static>,
    annotations: Map<'static>,
    version: String,
    fields: Vec<(&'static Field, FieldValue)>,
}

/// What values of forced labels are made of, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) cluster_name: Option<String>,
    pub(crate) topology_name: Option<String>,
    pub(crate) owner_name: Option<String>,
    pub(crate) owner_labels: Map<'static>,
    pub(crate) template_hash: Option<String>,
}

impl Sources {
    /// Reads what is above an object.
    ///
    /// # Errors
    /// When nothing propagates to the object, or when it is not known what does.
    pub(crate) fn of(subject: &Subject<'_>, lookups: &Lookups<'_>) -> Result<Sources, Stop> {
        match subject.place {
            Some(Place::ControlPlane | Place::MachineDeployment | Place::MachinePool) => {
                topology::sources(subject, lookups)
            }
            Some(Place::MachineSet) => owner::of_machine_set(subject, lookups),
            Some(Place::Machine) => owner::of_machine(subject, lookups),
            Some(Place::InfraMachine | Place::BootstrapConfig) => owner::of_machine_part(subject, lookups),
            Some(Place::Node) => node::sources(subject, lookups),
            _ => Err(Stop::not_applicable(NotApplicableReason::NoOwner, "")),
        }
    }
}

impl Layer {
    /// The maps of a place, and those of its fields that `receiver`, the place under review, may get.
    ///
    /// # Errors
    /// When one of the maps has another shape.
    fn read(
        parent: &Parent<'_>,
        place: Place,
        element: Option<(&str, &str)>,
        receiver: Option<Place>,
    ) -> Result<Layer, Stop> {
        let map = |map| Ok::<_, Stop>(owned(parent.map(place, map, element)?));
        let object = &parent.object;
        let mut fields = Vec::new();
        for field in FIELDS.iter().filter(|field| receiver.is_some_and(|receiver| field.travels(place, receiver))) {
            if let Some(value) = parent.readable(field.read(place, object, element))? {
                fields.push((field, value));
            }
        }
        Ok(Layer {
            place,
            object: parent.name().to_owned(),
            printed: place.printed(object.version()),
            labels: map(MapKind::Labels)?,
            annotations: map(MapKind::Annotations)?,
            version: object.version().to_owned(),
            fields,
        })
    }

    /// The version of the object.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// The value of a field at this place, if it has one.
    pub(crate) fn field(&self, field: &Field) -> Option<&FieldValue> {
        self.fields.iter().find(|(known, _)| known.name == field.name).map(|(_, value)| value)
    }

    pub(crate) fn map(&self, map: MapKind) -> &Map<'static> {
        match map {
            MapKind::Labels => &self.labels,
            MapKind::Annotations => &self.annotations,
        }
    }
}

/// The map without the text it was read from.
fn owned(map: Map<'_>) -> Map<'static> {
    let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
    map.into_iter().map(|(key, value)| (owned(key), owned(value))).collect()
}
