//! Reads the objects above the one under review, in the right version.

use std::cell::Cell;

use crate::catalog::grants::GRANTS;
use crate::catalog::groups::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP};
use crate::catalog::masks::CLUSTER_MASKS;
use crate::json::document::Document;
use crate::kube::answers::Answers;
use crate::kube::cluster::{Cluster, Get, LookupCause};
use crate::kube::group_version_kind::GroupVersionKind;
use crate::kube::parent::Parent;
use crate::kube::query::ObjectQuery;
use crate::kube::stop::{LookupFailed, Stop};
use crate::report::lookup_record::LookupRecord;
use crate::report::messages::lookups::NOT_ASKED;
use crate::report::not_applicable::NotApplicableReason;
use crate::settings::Settings;

/// The cluster as one evaluation sees it. Remembers what was read.
pub(crate) struct Lookups<'e> {
    cluster: &'e dyn Cluster,
    settings: &'e Settings,
    answers: &'e Answers<'e>,
    /// Version of the object under review, if it is one of Cluster API's own kinds.
    own_version: Option<&'e str>,
    /// Version in which one of Cluster API's own kinds was found.
    found_in: Cell<Option<&'e str>>,
}

impl<'e> Lookups<'e> {
    pub(crate) fn new(
        kind: &'e GroupVersionKind<'_>,
        settings: &'e Settings,
        cluster: &'e dyn Cluster,
        answers: &'e Answers<'e>,
    ) -> Self {
        let own_version = Some(&*kind.version).filter(|_| is_cluster_apis_own(&kind.group, &kind.kind));
        Lookups { cluster, settings, answers, own_version, found_in: Cell::new(None) }
    }

    /// The object's text.
    ///
    /// If a kind is not served or not granted in one version, the read is repeated once with another.
    ///
    /// # Errors
    /// When the kind may not be read, there is no such object, or the cluster could not be asked.
    pub(crate) fn get(&self, query: &ObjectQuery<'e>) -> Result<&'e Document<'static>, Stop> {
        let mut versions = self.versions(query).into_iter();
        let Some(version) = versions.next() else {
            let object = query.object;
            let get = format!("{} {} {}/{}", query.group, object.kind, object.namespace, object.name);
            let result = NOT_ASKED.to_owned();
            self.answers.record(LookupRecord { get, result, fresh: false });
            return Err(Stop::not_applicable(
                NotApplicableReason::UnknownOwnerKind,
                format!("{} {}", object.kind, object.name),
            ));
        };
        let is_of_version =
            |failed: &LookupFailed| matches!(failed.error.cause, LookupCause::NotServed | LookupCause::NotGranted);
        let answer = match self.ask(query, version) {
            Err(first) if is_of_version(&first) => match versions.next().map(|version| self.ask(query, version)) {
                // Both versions failed: a missing grant is what can be fixed.
                Some(Err(second)) if is_of_version(&second) => {
                    let of_grant = |failed: &LookupFailed| failed.error.cause == LookupCause::NotGranted;
                    Err(if of_grant(&first) || !of_grant(&second) { first } else { second })
                }
                Some(second) => second,
                None => Err(first),
            },
            first => first,
        };
        answer.map_err(Stop::LookupFailed)
    }

    /// A name that no object has, for a question.
    pub(crate) fn name(&self, name: String) -> &'e str {
        self.answers.name(name)
    }

    /// The object that a reference points to.
    ///
    /// # Errors
    /// Like [`Lookups::get`] and [`Parent::read`].
    pub(crate) fn parent(&self, query: &ObjectQuery<'e>) -> Result<Parent<'e>, Stop> {
        Parent::read(self.get(query)?, query)
    }

    /// Like [`Lookups::parent`], for an object that propagates something.
    ///
    /// # Errors
    /// Like [`Lookups::get`] and [`Parent::active`].
    pub(crate) fn active_parent(&self, query: &ObjectQuery<'e>) -> Result<Parent<'e>, Stop> {
        Parent::active(self.get(query)?, query)
    }

    /// What is known about the Cluster of this name.
    ///
    /// # Errors
    /// Like [`Lookups::get`].
    pub(crate) fn cluster(&self, namespace: &'e str, name: &'e str) -> Result<ClusterState, Stop> {
        let cluster = self.parent(&ObjectQuery::core("Cluster", namespace, name, CLUSTER_MASKS))?;
        let is_of_kubeadm = cluster.string(&["controlPlaneRef", "kind"])? == Some("KubeadmControlPlane");
        Ok(ClusterState { is_paused: cluster.is_paused_cluster()?, is_of_kubeadm })
    }

    fn ask(&self, query: &ObjectQuery<'e>, version: &'e str) -> Result<&'e Document<'static>, LookupFailed> {
        let object = query.object;
        let get = Get {
            api_version: if query.group.is_empty() { version.to_owned() } else { [query.group, "/", version].concat() },
            kind: object.kind.to_owned(),
            namespace: Some(object.namespace).filter(|namespace| !namespace.is_empty()).map(str::to_owned),
            name: object.name.to_owned(),
            masks: query.masks,
            fresh: false,
        };
        let question = get.to_string();
        match self.answers.ask(get, self.cluster) {
            Ok(document) => {
                if is_cluster_apis_own(query.group, object.kind) {
                    self.found_in.set(Some(version));
                }
                Ok(document)
            }
            Err(error) => Err(LookupFailed { query: question, error: error.clone(), problem: None }),
        }
    }

    /// The versions to try, in order; none if the kind may not be read.
    fn versions(&self, query: &ObjectQuery<'e>) -> Vec<&'e str> {
        let kind = query.object.kind;
        let shipped = GRANTS.iter().find(|grant| grant.kind == kind && grant.group == query.group);
        let mut versions: Vec<&str> = shipped.map_or(Vec::new(), |grant| grant.versions.to_vec());
        let configured = &self.settings.lookup.api_versions;
        if !configured.is_empty()
            && let Some(version) = configured.get(&*[kind, ".", query.group].concat())
        {
            versions.retain(|known| **known != **version);
            versions.insert(0, version);
        }
        if let Some(tenant) = &self.settings.cloud_tags.sources.tenant
            && tenant.kind.split_once('.') == Some((kind, query.group))
        {
            versions.insert(0, &tenant.version);
        }
        let is_own = is_cluster_apis_own(query.group, kind);
        let of_own = [self.own_version, self.found_in.get()].map(|version| version.filter(|_| is_own));
        // The later version is first, as far as it is known.
        for version in [query.version].into_iter().chain(of_own).flatten() {
            if let Some(index) = versions.iter().position(|known| *known == version)
                && let Some(before) = versions.get_mut(..=index)
            {
                before.rotate_right(1);
            }
        }
        versions
    }
}

/// What is known about a Cluster whose topology is not needed.
pub(crate) struct ClusterState {
    /// By field or annotation.
    pub(crate) is_paused: bool,
    /// Its control plane is a KubeadmControlPlane.
    pub(crate) is_of_kubeadm: bool,
}

/// What is known about the Cluster that the object names.
pub(crate) enum OwnCluster {
    Known(ClusterState),
    /// There is no such Cluster.
    Missing,
    /// The object names none, or it cannot be read.
    Unknown,
}

/// Cluster API's own groups count as one: the host serves and grants them in the same versions.
fn is_cluster_apis_own(group: &str, kind: &str) -> bool {
    group == CORE_GROUP || ([BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP].contains(&group) && kind.starts_with("Kubeadm"))
}
