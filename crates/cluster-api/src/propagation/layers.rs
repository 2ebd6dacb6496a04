//! What is read for one object: layers of maps and fields, each with its origin.

use std::collections::BTreeSet;

use super::class_patches::ClassPatches;
use super::field_value::FieldValue;
use crate::catalog::{FIELDS, Field, Place, is_forced};
use crate::json::{Json, Map};
use kubernetes::{MapKind, ObjectName, Parent, SourceObject, SourcePath, SourcePlace, Stop};

/// What is read for one object, and which of its places the rules write.
#[derive(Default)]
pub(crate) struct Sources<'e> {
    /// The layers, the one with the lowest precedence first. Forced labels belong to the last.
    pub(crate) layers: Vec<Layer<'e>>,
    /// The places of the object under review that receive something.
    pub(crate) targets: Vec<Place>,
    /// The machine template that receives nothing, because the class has no infrastructure for its Machines.
    pub(crate) without_infrastructure: Option<Place>,
    /// Patches that may have set other values at the top level of a control plane.
    pub(crate) patches: ClassPatches<'e>,
    /// Values of forced labels.
    pub(crate) facts: Facts<'e>,
    /// No controller will ever own what is added.
    pub(crate) tracked: bool,
    /// The labels by which the owner finds the objects that it controls, if it has a selector.
    pub(crate) selector: Option<BTreeSet<&'e str>>,
    /// Namespace and name of the Cluster, if it was not read yet, so that it is not known whether it is paused.
    pub(crate) unread_cluster: Option<(&'e str, &'e str)>,
    /// The kind of the owner, or `Cluster` for what a topology sets; empty if no controller applies what propagates.
    pub(crate) owner_kind: &'e str,
    /// The labels and the annotations that the Machine's own control-plane provider applies.
    pub(crate) of_provider: [BTreeSet<&'e str>; 2],
    /// If a kubelet writes its Node: the labels as they are stored.
    pub(crate) stored_for_kubelet: Option<Map<'e>>,
}

impl Sources<'_> {
    /// Whether owners find their objects by a label: Cluster API forces it, or it is in the owner's selector.
    pub(crate) fn finds_by(&self, label: &str) -> bool {
        is_forced(label) || self.selector.as_ref().is_some_and(|selector| selector.contains(label))
    }
}

/// The maps of one place of one object that was read.
pub(crate) struct Layer<'e> {
    pub(crate) place: Place,
    pub(crate) origin: EntryOrigin<'e>,
    labels: Map<'e>,
    annotations: Map<'e>,
    fields: Vec<(&'static Field, FieldValue)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryOrigin<'e> {
    pub(crate) object: ObjectName<'e>,
    pub(crate) version: &'e str,
    /// The place in the object; `None` for forced labels.
    pub(crate) place: Option<Place>,
}

/// The parts of the values of forced labels, as far as they are known.
#[derive(Debug, Default)]
pub(crate) struct Facts<'e> {
    pub(crate) cluster_name: Option<&'e str>,
    pub(crate) topology_name: Option<&'e str>,
    pub(crate) owner_name: Option<&'e str>,
    pub(crate) owner_labels: Map<'e>,
    pub(crate) template_hash: Option<&'e str>,
}

impl<'e> Layer<'e> {
    /// The maps of a place, and the fields in it that `receiver`, the place under review, may get. `entry` is as for
    /// [`Object::at`](kubernetes::Object::at).
    pub(super) fn read(
        parent: &Parent<'e>,
        place: Place,
        entry: Option<Json<'e>>,
        receiver: Option<Place>,
    ) -> Result<Self, Stop> {
        let object = &parent.object;
        let mut fields = Vec::new();
        for field in FIELDS.iter().filter(|field| receiver.is_some_and(|receiver| field.propagates(place, receiver))) {
            if let Some(value) = parent.readable(field.read(place, object, entry))? {
                fields.push((field, value));
            }
        }
        Ok(Layer {
            place,
            origin: EntryOrigin { object: parent.name, version: object.version, place: Some(place) },
            labels: parent.readable(place.map(object, MapKind::Labels, entry))?,
            annotations: parent.readable(place.map(object, MapKind::Annotations, entry))?,
            fields,
        })
    }

    /// The value of a field at this place, if it has one.
    pub(crate) fn field(&self, field: &Field) -> Option<&FieldValue> {
        self.fields.iter().find(|(known, _)| known.name == field.name).map(|(_, value)| value)
    }

    pub(crate) fn map(&self, map: MapKind) -> &Map<'e> {
        map.of(&self.labels, &self.annotations)
    }
}

impl EntryOrigin<'_> {
    /// The path of a map of a place in the object: `.spec.template.metadata.labels`.
    pub(crate) fn map_path(&self, place: Place, map: MapKind) -> SourcePath {
        if place.is_top_level() {
            SourcePath::of_own(map)
        } else {
            SourcePath::of_map(&place.printed(self.version), map)
        }
    }
}

impl From<EntryOrigin<'_>> for SourcePlace {
    fn from(origin: EntryOrigin<'_>) -> SourcePlace {
        let place = origin.place.filter(|place| !place.is_top_level());
        let path = place.map(|place| place.printed(origin.version).into());
        SourcePlace { object: SourceObject::from(&origin.object), path }
    }
}
