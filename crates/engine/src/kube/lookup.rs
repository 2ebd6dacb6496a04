//! Asking the cluster for the objects above the one under review: in which version, and what an answer is worth.

use crate::catalog::groups::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP};
use crate::report::lookup_record::LookupRecord;
use crate::report::messages::lookups::{FOUND, NOT_ASKED};
use crate::report::not_applicable::NotApplicableReason;
use std::borrow::Cow;
use std::cell::RefCell;

use crate::admission::request::{GroupVersionKind, Review};
use crate::catalog::grants::{CLUSTER_MASKS, GRANTS};
use crate::catalog::place::{MapKind, Place};
use crate::json::{Malformed, Map};
use crate::kube::cluster::{Cluster, Get, LookupCause, LookupError};
use crate::kube::object::{Object, OwnerReference};
use crate::kube::stop::Stop;
use crate::settings::Settings;

/// An object to ask for.
#[derive(Debug, Clone)]
pub(crate) struct ObjectQuery<'a> {
    pub(crate) group: &'a str,
    pub(crate) kind: &'a str,
    /// The version that the reference names, if it names one.
    pub(crate) version: Option<&'a str>,
    /// Empty for cluster-scoped kinds.
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    /// The uid that the reference names; empty where it names none.
    pub(crate) uid: &'a str,
    pub(crate) masks: &'static [&'static str],
}

impl<'a> ObjectQuery<'a> {
    /// A kind of Cluster API's core group, by name only.
    pub(crate) fn core(kind: &'a str, namespace: &'a str, name: &'a str, masks: &'static [&'static str]) -> Self {
        ObjectQuery { group: CORE_GROUP, kind, version: None, namespace, name, uid: "", masks }
    }

    /// The object that an ownerReference points to.
    pub(crate) fn owner(owner: &'a OwnerReference<'_>, namespace: &'a str, masks: &'static [&'static str]) -> Self {
        ObjectQuery {
            group: owner.group(),
            kind: &owner.kind,
            version: Some(owner.version()),
            namespace,
            name: &owner.name,
            uid: &owner.uid,
            masks,
        }
    }
}

/// The cluster, as one evaluation asks it. Remembers what was asked.
pub(crate) struct Lookups<'a> {
    cluster: &'a dyn Cluster,
    settings: &'a Settings,
    /// Version of the object under review, where it is one of Cluster API's own kinds.
    own_version: Option<&'a str>,
    /// Version in which one of Cluster API's own kinds was found.
    found_in: RefCell<Option<String>>,
    made: RefCell<Vec<LookupRecord>>,
}

impl<'a> Lookups<'a> {
    pub(crate) fn new(review: &'a Review<'_>, settings: &'a Settings, cluster: &'a dyn Cluster) -> Self {
        let GroupVersionKind { group, version, kind } = &review.kind;
        let own_version = Some(&**version).filter(|_| is_cluster_apis_own(group, kind));
        Lookups { cluster, settings, own_version, found_in: RefCell::default(), made: RefCell::default() }
    }

    /// Whether the settings carry keys of a Machine that nobody controls to what belongs to it.
    pub(crate) fn carries_from_machines(&self) -> bool {
        !self.settings.cluster_api.opt_in.machine_to_infra.is_empty()
    }

    /// What was asked so far.
    pub(crate) fn made(&self) -> Vec<LookupRecord> {
        self.made.borrow().clone()
    }

    /// The object's text.
    ///
    /// A kind that is not served or not granted in one version is asked for once more in another.
    ///
    /// # Errors
    /// When the kind is one that may not be asked for, there is no such object, or the cluster could not be asked.
    pub(crate) fn get(&self, wanted: &ObjectQuery<'_>) -> Result<String, Stop> {
        let mut versions = self.versions(wanted).into_iter();
        let Some(version) = versions.next() else {
            let get = format!("{} {} {}/{}", wanted.group, wanted.kind, wanted.namespace, wanted.name);
            self.made.borrow_mut().push(LookupRecord { get, result: NOT_ASKED.to_owned() });
            return Err(Stop::not_applicable(
                NotApplicableReason::UnknownOwnerKind,
                format!("{} {}", wanted.kind, wanted.name),
            ));
        };
        let is_of_version =
            |error: &LookupError| matches!(error.cause, LookupCause::NotServed | LookupCause::NotGranted);
        let answer = match (self.ask(wanted, &version), versions.next()) {
            (Err(first), Some(version)) if is_of_version(&first.1) => match self.ask(wanted, &version) {
                // Two versions, neither to be had: a missing grant is what somebody can mend.
                Err(second) if is_of_version(&second.1) => {
                    let mendable =
                        first.1.cause == LookupCause::NotGranted || second.1.cause != LookupCause::NotGranted;
                    Err(if mendable { first } else { second })
                }
                second => second,
            },
            (first, _) => first,
        };
        answer.map_err(|(get, error)| Stop::Lookup(get, error))
    }

    /// What the Cluster of this name is like.
    ///
    /// # Errors
    /// As [`Lookups::get`].
    pub(crate) fn cluster(&self, namespace: &str, name: &str) -> Result<ClusterState, Stop> {
        let wanted = ObjectQuery::core("Cluster", namespace, name, CLUSTER_MASKS);
        let text = self.get(&wanted)?;
        let cluster = Parent::read(&text, &wanted)?;
        let control_plane = cluster.readable(cluster.object.spec.string(&["controlPlaneRef", "kind"]))?;
        let is_of_kubeadm = control_plane.is_some_and(|kind| kind == "KubeadmControlPlane");
        Ok(ClusterState { is_paused: cluster.is_paused_cluster()?, is_of_kubeadm })
    }

    fn ask(&self, wanted: &ObjectQuery<'_>, version: &str) -> Result<String, (String, LookupError)> {
        let get = Get {
            api_version: format!("{}/{version}", wanted.group),
            kind: wanted.kind.to_owned(),
            namespace: Some(wanted.namespace).filter(|namespace| !namespace.is_empty()).map(str::to_owned),
            name: wanted.name.to_owned(),
            masks: wanted.masks,
            fresh: self.settings.lookup.fresh,
        };
        let answer = self.cluster.get(&get);
        let result = match &answer {
            Ok(_) => FOUND.to_owned(),
            Err(error) => error.cause.to_string(),
        };
        if answer.is_ok() && is_cluster_apis_own(wanted.group, wanted.kind) {
            *self.found_in.borrow_mut() = Some(version.to_owned());
        }
        self.made.borrow_mut().push(LookupRecord { get: get.to_string(), result });
        answer.map_err(|error| (get.to_string(), error))
    }

    /// The versions to ask in, the first first; none where the kind may not be asked for.
    fn versions(&self, wanted: &ObjectQuery<'_>) -> Vec<String> {
        let shipped = GRANTS.iter().find(|grant| grant.group == wanted.group && grant.kind == wanted.kind);
        let mut versions: Vec<String> =
            shipped.into_iter().flat_map(|grant| grant.versions).map(|version| (*version).to_owned()).collect();
        let configured = self.settings.lookup.api_versions.get(&format!("{}.{}", wanted.kind, wanted.group));
        let own = is_cluster_apis_own(wanted.group, wanted.kind);
        let found_in = self.found_in.borrow();
        let of_own = [self.own_version, found_in.as_deref()].map(|version| version.filter(|_| own));
        if let Some(configured) = configured {
            versions.retain(|known| known != configured);
            versions.insert(0, configured.clone());
        }
        // The later comes first, as far as it is known.
        for version in [wanted.version].into_iter().chain(of_own).flatten() {
            if let Some(index) = versions.iter().position(|known| known == version) {
                let version = versions.remove(index);
                versions.insert(0, version);
            }
        }
        versions
    }
}

/// What is known of a Cluster whose topology is not asked for.
pub(crate) struct ClusterState {
    /// By field or annotation.
    pub(crate) is_paused: bool,
    /// Its control plane is a KubeadmControlPlane.
    pub(crate) is_of_kubeadm: bool,
}

/// Cluster API's own groups count as one: the host serves and grants them in the same versions.
fn is_cluster_apis_own(group: &str, kind: &str) -> bool {
    group == CORE_GROUP || ([BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP].contains(&group) && kind.starts_with("Kubeadm"))
}

/// An object that was read.
pub(crate) struct Parent<'a> {
    pub(crate) object: Object<'a>,
    name: String,
}

impl<'a> Parent<'a> {
    /// # Errors
    /// When the text is no Kubernetes object, or has another uid than the reference.
    pub(crate) fn read(text: &'a str, wanted: &ObjectQuery<'_>) -> Result<Self, Stop> {
        let name = match wanted.namespace {
            "" => format!("{} {}", wanted.kind, wanted.name),
            namespace => format!("{} {namespace}/{}", wanted.kind, wanted.name),
        };
        let object = Object::parse(text).map_err(|malformed| unreadable(&name, &malformed))?;
        if !wanted.uid.is_empty() && !object.uid.is_empty() && wanted.uid != object.uid {
            return Err(Stop::not_applicable(NotApplicableReason::ParentOfAnotherUid, name));
        }
        Ok(Parent { object, name })
    }

    /// An object that propagates: not one that is deleting or paused.
    ///
    /// # Errors
    /// As [`Parent::read`], and when the object is deleting or carries the paused annotation.
    pub(crate) fn active(text: &'a str, wanted: &ObjectQuery<'_>) -> Result<Self, Stop> {
        let parent = Parent::read(text, wanted)?;
        if parent.object.deleting {
            return Err(Stop::not_applicable(NotApplicableReason::ParentDeleting, parent.name));
        }
        if parent.object.has_paused_annotation() {
            return Err(Stop::not_applicable(NotApplicableReason::Paused, parent.name));
        }
        Ok(parent)
    }

    /// One map of one place of the object.
    ///
    /// # Errors
    /// When it has another shape.
    pub(crate) fn map(&self, place: Place, map: MapKind, element: Option<(&str, &str)>) -> Result<Map<'a>, Stop> {
        self.readable(self.object.map(place, map, element))
    }

    /// The string under a path of the object's `spec`; `None` where it is absent, null or empty.
    ///
    /// # Errors
    /// When it has another shape.
    pub(crate) fn string(&self, path: &[&str]) -> Result<Option<String>, Stop> {
        self.readable(self.object.spec.string(path)).map(|text| text.map(Cow::into_owned))
    }

    /// What was read of the object.
    ///
    /// # Errors
    /// When it has another shape: this object is to blame, not the one under review.
    pub(crate) fn readable<T>(&self, read: Result<T, Malformed>) -> Result<T, Stop> {
        read.map_err(|malformed| unreadable(&self.name, &malformed))
    }

    /// Whether this Cluster is paused, by field or annotation.
    ///
    /// # Errors
    /// When `spec` is no object.
    pub(crate) fn is_paused_cluster(&self) -> Result<bool, Stop> {
        let field = self.readable(self.object.spec.is_true(&["paused"]))?;
        Ok(field || self.object.has_paused_annotation())
    }

    /// Kind, namespace and name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

fn unreadable(name: &str, malformed: &Malformed) -> Stop {
    Stop::Unreadable { object: name.to_owned(), detail: malformed.to_string() }
}
