//! What answers a review: the compiled module, nothing, or a policy that is wrong on purpose.

use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Result;
use serde_json::{Value, json};
use testkit::cluster::Host;
use testkit::module::Module;

use crate::config::{Config, Kind};
use crate::reader::Reader;

/// What answers a review.
pub(crate) enum Policy {
    /// The compiled module with its settings, and the API server that it may read.
    Module { module: Box<Module>, settings: String, cluster: Arc<dyn Host> },
    /// A function of the request.
    BuiltIn(fn(&Value) -> Option<Value>),
}

/// Kubewarden's validation response, and how often the policy read the cluster.
pub(crate) struct Verdict {
    pub(crate) response: Value,
    pub(crate) gets: usize,
}

impl Policy {
    /// # Errors
    /// When the module cannot be loaded, or the API server's certificate authority not be read.
    pub(crate) fn new(config: &Config) -> Result<Policy> {
        Ok(match config.policy {
            Kind::Module => Policy::Module {
                module: Box::new(Module::read(&config.module)?),
                settings: config.settings.to_string(),
                cluster: Arc::new(Reader::new(config)?),
            },
            Kind::Observe => Policy::BuiltIn(|_| None),
            Kind::StampTime => Policy::BuiltIn(stamp_time),
            Kind::RollMachines => Policy::BuiltIn(roll_machines),
        })
    }

    /// `request` is the text of an AdmissionRequest.
    ///
    /// # Errors
    /// When the module fails, which it never does, or the request is no JSON.
    pub(crate) fn validate(&self, request: &str) -> Result<Verdict> {
        match self {
            Policy::Module { module, settings, cluster } => {
                let payload = format!("{{\"request\":{request},\"settings\":{settings}}}");
                let call = module.call("validate", payload.as_bytes(), cluster)?;
                Ok(Verdict { response: serde_json::from_slice(&call.response)?, gets: call.gets.len() })
            }
            Policy::BuiltIn(answer) => {
                let response = match answer(&serde_json::from_str(request)?) {
                    Some(mutated) => json!({ "accepted": true, "mutated_object": mutated }),
                    None => json!({ "accepted": true }),
                };
                Ok(Verdict { response, gets: 0 })
            }
        }
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
