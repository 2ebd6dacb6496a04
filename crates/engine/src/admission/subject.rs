//! What the object under review is, in the words of the rules.

use std::cell::OnceCell;

use crate::admission::request::{GroupVersionKind, Review};
use crate::catalog::groups::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_GROUP};
use crate::catalog::place::{MapKind, Place};
use crate::json::{Malformed, Map};
use crate::kube::object::Object;

/// The place that an object of this kind is, `None` where no rule reads or writes such objects.
///
/// Every kind of the infrastructure and bootstrap groups that is no template may belong to a Machine; its
/// ownerReferences say whether it does.
pub(crate) fn place_of(kind: &GroupVersionKind<'_>) -> Option<Place> {
    match (&*kind.group, &*kind.kind) {
        (CORE_GROUP, "MachineDeployment") => Some(Place::MachineDeployment),
        (CORE_GROUP, "MachineSet") => Some(Place::MachineSet),
        (CORE_GROUP, "MachinePool") => Some(Place::MachinePool),
        (CORE_GROUP, "Machine") => Some(Place::Machine),
        (CONTROL_PLANE_GROUP | INFRASTRUCTURE_GROUP | BOOTSTRAP_GROUP, kind) if kind.ends_with("Template") => None,
        (CONTROL_PLANE_GROUP, _) => Some(Place::ControlPlane),
        (INFRASTRUCTURE_GROUP, _) => Some(Place::InfraMachine),
        (BOOTSTRAP_GROUP, _) => Some(Place::BootstrapConfig),
        ("", "Node") => Some(Place::Node),
        _ => None,
    }
}

/// The object under review.
pub(crate) struct Subject<'a> {
    /// `None` where no rule reads or writes such objects.
    pub(crate) place: Option<Place>,
    pub(crate) review: &'a Review<'a>,
    pub(crate) object: Object<'a>,
    old: OnceCell<Result<Option<Object<'a>>, Malformed>>,
}

impl<'a> Subject<'a> {
    /// # Errors
    /// When the object has another shape than Kubernetes gives it.
    pub(crate) fn read(place: Option<Place>, review: &'a Review<'a>, text: &'a str) -> Result<Self, Malformed> {
        Ok(Subject { place, review, object: Object::parse(text)?, old: OnceCell::new() })
    }

    /// Whether its kind is KubeadmControlPlane.
    pub(crate) fn is_kubeadm(&self) -> bool {
        self.review.kind.kind == "KubeadmControlPlane"
    }

    /// The object as it is stored; `None` on CREATE. Read when it is first asked for.
    ///
    /// # Errors
    /// When it has another shape than Kubernetes gives it.
    pub(crate) fn old(&self) -> Result<Option<&Object<'a>>, Malformed> {
        let read = || {
            let old = self.review.old_object.map(Object::parse).transpose();
            old.map_err(|malformed| Malformed { path: format!("oldObject.{}", malformed.path), ..malformed })
        };
        self.old.get_or_init(read).as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// A label as it is stored, else as it is written: an identity that an edit cannot talk away.
    ///
    /// # Errors
    /// As [`Subject::old`].
    pub(crate) fn stored_label(&self, key: &str) -> Result<Option<String>, Malformed> {
        let stored = self.old()?.and_then(|old| old.labels.get(key));
        Ok(stored.or_else(|| self.object.labels.get(key)).map(|value| value.clone().into_owned()))
    }

    /// One map of a place of the stored object; empty on CREATE.
    ///
    /// # Errors
    /// As [`Subject::old`].
    pub(crate) fn old_map(&self, place: Place, map: MapKind) -> Result<Map<'a>, Malformed> {
        match self.old()? {
            Some(old) => old.map(place, map, None),
            None => Ok(Map::new()),
        }
    }

    /// The namespace, empty for cluster-scoped objects.
    pub(crate) fn namespace(&self) -> &str {
        if self.review.namespace.is_empty() { &self.object.namespace } else { &self.review.namespace }
    }

    /// The name, or on CREATE the generateName.
    pub(crate) fn name(&self) -> &str {
        if self.review.name.is_empty() { &self.object.name } else { &self.review.name }
    }

    /// Kind, namespace and name.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.review.kind.kind, self.full_name())
    }

    /// Namespace and name, or the name alone of a cluster-scoped object.
    pub(crate) fn full_name(&self) -> String {
        let (namespace, name) = (self.namespace(), self.name());
        if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
    }

    /// The machine template of this object, where it has one.
    pub(crate) fn template(&self) -> Option<Place> {
        match self.place? {
            Place::ControlPlane => Some(Place::ControlPlaneMachineTemplate),
            Place::MachineDeployment => Some(Place::MachineDeploymentTemplate),
            Place::MachineSet => Some(Place::MachineSetTemplate),
            Place::MachinePool => Some(Place::MachinePoolTemplate),
            _ => None,
        }
    }
}
