//! The policy of the model: the real engine, called with the bytes of an admission request.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use metadata_propagation::{Cluster as Reads, Get, LookupCause, LookupError, evaluate_payload};
use serde_json::{Value as Json, json};

use crate::defect::Defect;
use crate::location::{FieldManager, ModelKind};
use crate::manifest::{self, ClusterManifest};
use crate::server::{ModelObject, Values};

/// A request to the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModelRequest {
    /// The object's kind.
    pub kind: ModelKind,
    /// The writer.
    pub manager: FieldManager,
    /// The object as it is stored; `None` on CREATE.
    pub before: Option<ModelObject>,
    /// The object as it would be stored.
    pub after: ModelObject,
    /// A dry run: nothing is stored.
    pub dry_run: bool,
    /// Marked as one of the topology controller's dry runs.
    pub compares: bool,
}

/// The objects that the policy may read, one of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ReadableObjects {
    /// The Cluster.
    pub cluster: Option<ClusterManifest>,
    /// The MachineDeployment.
    pub deployment: Option<Values>,
    /// The MachineSet.
    pub set: Option<Values>,
    /// Whether the MachineSet has a deletion timestamp.
    pub is_set_deleting: bool,
}

/// The policy's answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PolicyAnswer {
    /// The object as it is to be stored.
    Accepted(ModelObject),
    /// Refused, with the reason.
    Refused(String),
    /// It wrote something outside its scope.
    Strange(String),
}

/// The engine with its settings, and with a reintroduced defect, if any.
pub struct PolicyUnderTest {
    defect: Option<Defect>,
    settings: &'static str,
    known: Mutex<HashMap<Question, (PolicyAnswer, ReadableObjects)>>,
}

type Question = (ModelRequest, ReadableObjects, ReadableObjects);

impl PolicyUnderTest {
    /// `lists_controllers`: whether the settings list Cluster API's controllers, which is the default.
    pub fn new(defect: Option<Defect>, lists_controllers: bool) -> PolicyUnderTest {
        PolicyUnderTest { defect, settings: settings(lists_controllers), known: Mutex::default() }
    }

    /// Decides a request. The host's cache keeps what was read through it.
    ///
    /// Results are cached: the same question is evaluated once.
    pub fn decide(
        &self,
        request: &ModelRequest,
        stored: &ReadableObjects,
        cache: &mut ReadableObjects,
    ) -> PolicyAnswer {
        let question = (*request, stored.for_kind(request.kind), cache.for_kind(request.kind));
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&question).cloned();
        let (answer, read) = known.unwrap_or_else(|| {
            let answered = self.ask(&question);
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(question, answered.clone());
            answered
        });
        cache.keep(&read);
        answer
    }

    /// The number of distinct questions that the engine evaluated.
    pub fn evaluations(&self) -> usize {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn ask(&self, (request, stored, cache): &Question) -> (PolicyAnswer, ReadableObjects) {
        let host = ModelHost {
            stored,
            cache: Cell::new(*cache),
            always_cached: self.defect == Some(Defect::CachedWrites),
            hides_deletion: self.defect == Some(Defect::UnseenOwnerDeletion),
        };
        let payload = self.payload(request);
        let outcome = evaluate_payload(payload.to_string().as_bytes(), &host);
        let answer = match (outcome.rejection, outcome.object) {
            (Some(rejection), _) => PolicyAnswer::Refused(rejection.message),
            (None, None) => PolicyAnswer::Accepted(request.after),
            (None, Some(text)) => self.read(request, &text),
        };
        (answer, host.cache.get())
    }

    fn payload(&self, request: &ModelRequest) -> Json {
        let ModelRequest { kind, manager, before, after, dry_run, compares } = request;
        let mut object = match before {
            Some(_) => manifest::stored(*kind, after),
            None => manifest::requested(*kind, after),
        };
        if *compares && self.defect != Some(Defect::AnsweredDryRuns) {
            manifest::compared(&mut object);
        }
        let mut old = before.map(|before| manifest::stored(*kind, &before));
        if self.defect == Some(Defect::UnseenDeletion) {
            manifest::undeleted(&mut object);
            old.iter_mut().for_each(manifest::undeleted);
        }
        let is_named = manager.is_named() && self.defect != Some(Defect::UnreadManager);
        let mut groups = vec!["system:authenticated"];
        if manager.user().starts_with("system:serviceaccount:") {
            groups.push("system:serviceaccounts");
        }
        let operation = if before.is_some() { "UPDATE" } else { "CREATE" };
        let settings: Json = serde_json::from_str(self.settings).unwrap_or_default();
        json!({
            "request": {
                "uid": "model",
                "kind": { "group": "cluster.x-k8s.io", "version": "v1beta2", "kind": kind.text() },
                "name": kind.name(),
                "namespace": manifest::NAMESPACE,
                "operation": operation,
                "userInfo": { "username": manager.user(), "groups": groups },
                "object": object,
                "oldObject": old,
                "dryRun": dry_run,
                "options": {
                    "apiVersion": "meta.k8s.io/v1",
                    "kind": if before.is_some() { "UpdateOptions" } else { "CreateOptions" },
                    "fieldManager": if is_named { manager.text() } else { "" },
                },
            },
            "settings": settings,
        })
    }

    /// The object that the engine returned.
    fn read(&self, request: &ModelRequest, text: &str) -> PolicyAnswer {
        let read = serde_json::from_str(text).map_err(anyhow::Error::from);
        let read = read.and_then(|mut json: Json| {
            if request.compares
                && let Some(annotations) = json.pointer_mut("/metadata/annotations").and_then(Json::as_object_mut)
            {
                annotations.remove(manifest::DRY_RUN);
            }
            manifest::read_whole(request.kind, &json)
        });
        match read {
            Ok(mut object) => {
                if self.defect == Some(Defect::UnseenDeletion) {
                    object.deleting = request.after.deleting;
                }
                if self.defect == Some(Defect::ForgottenOwners) {
                    for location in request.kind.locations() {
                        object.at_mut(location.slot, location.key).owners =
                            request.after.at(location.slot, location.key).owners;
                    }
                }
                PolicyAnswer::Accepted(object)
            }
            Err(error) => PolicyAnswer::Strange(format!("{error:#}")),
        }
    }
}

/// The policy's settings, as JSON.
pub fn settings(lists_controllers: bool) -> &'static str {
    if lists_controllers { "{}" } else { r#"{"clusterApi":{"controllers":[]}}"# }
}

impl ReadableObjects {
    /// What may be read for an object of a kind.
    fn for_kind(&self, kind: ModelKind) -> ReadableObjects {
        ReadableObjects {
            cluster: self.cluster,
            deployment: self.deployment.filter(|_| kind == ModelKind::Set),
            set: self.set.filter(|_| kind == ModelKind::Machine),
            is_set_deleting: self.is_set_deleting && kind == ModelKind::Machine,
        }
    }

    fn keep(&mut self, read: &ReadableObjects) {
        self.cluster = read.cluster.or(self.cluster);
        self.deployment = read.deployment.or(self.deployment);
        if read.set.is_some() {
            (self.set, self.is_set_deleting) = (read.set, read.is_set_deleting);
        }
    }

    fn object(&self, kind: &str) -> Option<Json> {
        let stored = |kind, values: Values| {
            let mut object = manifest::written(kind, &values);
            object["metadata"]["uid"] = json!(manifest::uid(kind));
            object
        };
        match kind {
            "Cluster" => self.cluster.map(|cluster| manifest::cluster(&cluster)),
            "MachineDeployment" => self.deployment.map(|values| stored(ModelKind::Deployment, values)),
            "MachineSet" => {
                let mut object = stored(ModelKind::Set, self.set?);
                if self.is_set_deleting {
                    manifest::deleted(&mut object);
                }
                Some(object)
            }
            _ => None,
        }
    }
}

/// Kubewarden's host: a read through the cache fills it, a read past it leaves it unchanged.
struct ModelHost<'w> {
    stored: &'w ReadableObjects,
    cache: Cell<ReadableObjects>,
    always_cached: bool,
    hides_deletion: bool,
}

impl ModelHost<'_> {
    fn find(&self, get: &Get) -> Option<Json> {
        if get.kind == "ClusterClass" {
            return Some(manifest::class());
        }
        if get.fresh && !self.always_cached {
            return self.stored.object(&get.kind);
        }
        let mut cache = self.cache.get();
        match &*get.kind {
            "Cluster" => cache.cluster = cache.cluster.or(self.stored.cluster),
            "MachineDeployment" => cache.deployment = cache.deployment.or(self.stored.deployment),
            "MachineSet" if cache.set.is_none() => {
                (cache.set, cache.is_set_deleting) = (self.stored.set, self.stored.is_set_deleting);
            }
            _ => {}
        }
        self.cache.set(cache);
        cache.object(&get.kind)
    }
}

impl Reads for ModelHost<'_> {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let missing = || LookupError { cause: LookupCause::NotFound, detail: get.to_string() };
        let mut found = self.find(get);
        if self.hides_deletion {
            found.iter_mut().for_each(manifest::undeleted);
        }
        found.map(|object| object.to_string()).ok_or_else(missing)
    }
}
