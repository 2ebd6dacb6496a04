//! The policy that answers a review: the compiled module, none, or a policy that is wrong on purpose.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use serde_json::{Value, json};
use testkit::cluster::ResourceHost;
use testkit::module::{Module, ModuleCall};

use crate::config::{PolicyVariant, WebhookConfig};
use crate::faults::HostFaults;
use crate::reader::ClusterReader;

/// The policy that answers a review.
pub(crate) enum ReviewHandler {
    /// The compiled module and its host.
    Module(Box<Hosted>),
    /// A function of the request.
    BuiltIn(fn(&Value) -> Option<Value>),
}

/// The compiled module with its settings, and the API server that it may read.
pub(crate) struct Hosted {
    module: Module,
    settings: String,
    cluster: Arc<dyn ResourceHost>,
    /// The timeout of an evaluation.
    patience: Duration,
    /// Which variant of the compiled module it is.
    kind: PolicyVariant,
}

/// Kubewarden's validation response, and how the policy read the cluster.
pub(crate) struct ModuleResponse {
    pub(crate) response: Value,
    pub(crate) reads: ReadCount,
}

/// How often the policy read the cluster for one request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadCount {
    /// Every read.
    pub(crate) all: usize,
    /// Of these the ones past the cache: `disable_cache`.
    pub(crate) fresh: usize,
    /// Of these the ones without an answer. A missing object is an answer.
    pub(crate) failed: usize,
}

impl ReviewHandler {
    pub(crate) fn new(config: &WebhookConfig, faults: Arc<HostFaults>) -> Result<ReviewHandler> {
        Ok(match config.policy {
            kind @ (PolicyVariant::Module
            | PolicyVariant::CachedWrites
            | PolicyVariant::RefuseFailedReads
            | PolicyVariant::ForgetOwners) => ReviewHandler::Module(Box::new(Hosted {
                module: Module::read(&config.module)?,
                settings: config.settings.to_string(),
                cluster: Arc::new(ClusterReader::new(config, faults)?),
                patience: Duration::from_secs(config.evaluation_seconds),
                kind,
            })),
            PolicyVariant::Observe => ReviewHandler::BuiltIn(|_| None),
            PolicyVariant::StampTime => ReviewHandler::BuiltIn(stamp_time),
            PolicyVariant::RollMachines => ReviewHandler::BuiltIn(roll_machines),
        })
    }

    /// `request` is the text of an AdmissionRequest.
    pub(crate) fn validate(&self, request: &str) -> Result<ModuleResponse> {
        match self {
            ReviewHandler::Module(hosted) => hosted.validate(request),
            ReviewHandler::BuiltIn(answer) => {
                let response = match answer(&serde_json::from_str(request)?) {
                    Some(mutated) => json!({ "accepted": true, "mutated_object": mutated }),
                    None => json!({ "accepted": true }),
                };
                Ok(ModuleResponse { response, reads: ReadCount::default() })
            }
        }
    }
}

impl Hosted {
    fn validate(&self, request: &str) -> Result<ModuleResponse> {
        let payload = format!("{{\"request\":{request},\"settings\":{}}}", self.settings);
        let begin = Instant::now();
        let call = self.module.call("validate", payload.as_bytes(), &self.cluster)?;
        let reads = ReadCount::of(&call);
        let response = if begin.elapsed() > self.patience {
            refused("internal server error: Guest call failure: guest code interrupted, execution deadline exceeded")
        } else if self.kind == PolicyVariant::RefuseFailedReads && reads.failed > 0 {
            refused("a read failed")
        } else {
            let mut response = serde_json::from_slice(&call.response)?;
            if self.kind == PolicyVariant::ForgetOwners {
                forget_owners(&serde_json::from_str(request)?, &mut response);
            }
            response
        };
        Ok(ModuleResponse { response, reads })
    }
}

/// Leaves the owners of fields in a response as they are in the request.
fn forget_owners(request: &Value, response: &mut Value) {
    let owners = request.pointer("/object/metadata/managedFields");
    let metadata = response.pointer_mut("/mutated_object/metadata").and_then(Value::as_object_mut);
    match (owners, metadata) {
        (Some(owners), Some(metadata)) => drop(metadata.insert("managedFields".to_owned(), owners.clone())),
        (None, Some(metadata)) => drop(metadata.remove("managedFields")),
        (_, None) => {}
    }
}

/// The host's answer when the guest gave none.
fn refused(message: &str) -> Value {
    json!({ "accepted": false, "message": message, "code": 500 })
}

impl ReadCount {
    fn of(call: &ModuleCall) -> ReadCount {
        let mut reads = ReadCount::default();
        for (payload, answer) in &call.gets {
            let payload: Value = serde_json::from_slice(payload).unwrap_or_default();
            reads.all += 1;
            reads.fresh += usize::from(payload["disable_cache"] == true);
            reads.failed += usize::from(answer.as_ref().is_err_and(|error| !error.contains(" named '")));
        }
        reads
    }
}

fn stamp_time(request: &Value) -> Option<Value> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?.as_nanos();
    let mut object = request["object"].clone();
    let metadata = object.get_mut("metadata")?.as_object_mut()?;
    let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
    annotations.as_object_mut()?.insert("control.example/stamped".to_owned(), json!(now.to_string()));
    Some(object)
}

fn roll_machines(request: &Value) -> Option<Value> {
    if request["kind"]["kind"] != "MachineDeployment" || request["subResource"].is_string() {
        return None;
    }
    let mut object = request["object"].clone();
    let spec = object.pointer_mut("/spec/template/spec")?.as_object_mut()?;
    spec.insert("failureDomain".to_owned(), json!(format!("domain-{}", request["uid"].as_str()?)));
    Some(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_that_forgets_owners_answers_with_those_of_the_request() {
        let metadata = |label: &str, manager: &str| json!({ "labels": { "team": label }, "managedFields": [{ "manager": manager }] });
        let request = json!({ "object": { "metadata": metadata("edited", "kubectl-edit") } });
        let mut response =
            json!({ "accepted": true, "mutated_object": { "metadata": metadata("a", "capi-machineset") } });
        forget_owners(&request, &mut response);
        assert_eq!(response["mutated_object"]["metadata"], metadata("a", "kubectl-edit"));
    }

    #[test]
    fn a_policy_that_forgets_owners_gives_none_where_there_were_none() {
        let request = json!({ "object": { "metadata": { "name": "m" } } });
        let mut response = json!({ "mutated_object": { "metadata": { "name": "m", "managedFields": [] } } });
        forget_owners(&request, &mut response);
        assert_eq!(response, json!({ "mutated_object": { "metadata": { "name": "m" } } }));
    }
}
