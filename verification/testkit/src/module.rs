//! The compiled policy in a waPC host on the runtime that Kubewarden uses: a fresh instance for each request.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::cluster::{ApiServer, ResourceHost};
use crate::guest::{Called, Guest, HostCalls};
use crate::patch::patch;

/// A compiled module.
pub struct Module {
    guest: Guest<Kubewarden>,
    /// The module's bytes.
    pub bytes: Vec<u8>,
}

/// One call's result, and the host calls that the module made.
pub struct ModuleCall {
    /// The guest's response.
    pub response: Vec<u8>,
    /// Payloads of `tracing/log`, in order.
    pub log: Vec<Value>,
    /// Payloads and answers of `kubernetes/get_resource`, in order.
    pub gets: Vec<Exchange>,
    /// How many instructions of WebAssembly were executed, from the start of the instance to the response; 0 unless the
    /// module [counts](Module::counting).
    pub instructions: u64,
}

/// A payload of `kubernetes/get_resource`, and its answer.
pub type Exchange = (Vec<u8>, Result<Vec<u8>, String>);

impl Module {
    /// The policy that `make policy.wasm` built, at the root of the checkout.
    pub fn policy() -> Result<Module> {
        Module::read(&crate::root().join("policy.wasm")).context("run `make policy.wasm` first")
    }

    /// A module in a file.
    pub fn read(path: &Path) -> Result<Module> {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        Module::new(bytes)
    }

    /// A module by its bytes.
    pub fn new(bytes: Vec<u8>) -> Result<Module> {
        Ok(Module { guest: Guest::new(&bytes, false)?, bytes })
    }

    /// The same module, compiled so that each call reports its instruction count.
    pub fn counting(&self) -> Result<Module> {
        Ok(Module { guest: Guest::new(&self.bytes, true)?, bytes: self.bytes.clone() })
    }

    /// Calls one function of a fresh instance.
    pub fn call(&self, function: &str, payload: &[u8], cluster: &Arc<dyn ResourceHost>) -> Result<ModuleCall> {
        let host = Kubewarden::new(cluster);
        let Called { response, instructions, host } = self.guest.call(function, payload, host)?;
        Ok(ModuleCall { response, log: host.log, gets: host.gets, instructions })
    }

    /// The functions that are being executed after this number of instructions of a call, the innermost first; none where the
    /// call ends before. The module must be one that [counts](Module::counting), and whose functions have names.
    pub fn stack_after(
        &self,
        instructions: u64,
        function: &str,
        payload: &[u8],
        cluster: &Arc<dyn ResourceHost>,
    ) -> Result<Vec<String>> {
        self.guest.stack_after(instructions, function, payload, Kubewarden::new(cluster))
    }

    /// One admission request, answered.
    pub fn validate(&self, request: &Value, settings: &Value, cluster: &ApiServer) -> Result<Answer> {
        let payload = match request {
            Value::String(raw) => raw.clone(),
            request => json!({ "request": request, "settings": settings }).to_string(),
        };
        let cluster: Arc<dyn ResourceHost> = Arc::new(cluster.clone());
        let call = self.call("validate", payload.as_bytes(), &cluster)?;
        let response: Value = serde_json::from_slice(&call.response)?;
        answer(&response, &request["object"], call.log)
    }
}

/// The host calls of one instance, answered as Kubewarden's host does.
struct Kubewarden {
    cluster: Arc<dyn ResourceHost>,
    log: Vec<Value>,
    gets: Vec<Exchange>,
}

impl Kubewarden {
    fn new(cluster: &Arc<dyn ResourceHost>) -> Kubewarden {
        Kubewarden { cluster: Arc::clone(cluster), log: Vec::new(), gets: Vec::new() }
    }
}

impl HostCalls for Kubewarden {
    fn answer(&mut self, binding: &str, namespace: &str, operation: &str, payload: &[u8]) -> Result<Vec<u8>, String> {
        match (binding, namespace, operation) {
            ("kubewarden", "tracing", "log") => {
                self.log.push(serde_json::from_slice(payload).unwrap_or_default());
                Ok(Vec::new())
            }
            ("kubewarden", "kubernetes", "get_resource") => {
                let answer = self.cluster.get_resource(payload);
                self.gets.push((payload.to_vec(), answer.clone()));
                answer.map_err(|message| handed_on(&message))
            }
            other => Err(format!("no such host call: {other:?}")),
        }
    }
}

/// Kubewarden's validation response as an [`Answer`].
fn answer(response: &Value, object: &Value, log: Vec<Value>) -> Result<Answer> {
    for field in response.as_object().into_iter().flat_map(|fields| fields.keys()) {
        if !["accepted", "message", "code", "mutated_object", "audit_annotations", "warnings"].contains(&field.as_str())
        {
            bail!("the host knows no field `{field}` in a response");
        }
    }
    let report = match response["audit_annotations"]["report"].as_str() {
        Some(text) => serde_json::from_str(text)?,
        None => Value::Null,
    };
    let patch = match response.get("mutated_object") {
        Some(mutated) => patch(object, mutated)?,
        None => Vec::new(),
    };
    Ok(Answer {
        accepted: response["accepted"].as_bool().context("no `accepted` in the response")?,
        code: serde_json::from_value(response["code"].clone())?,
        message: serde_json::from_value(response["message"].clone())?,
        patch,
        warnings: serde_json::from_value::<Option<_>>(response["warnings"].clone())?.unwrap_or_default(),
        report,
        log,
    })
}

/// The host's error for a failure of its callback. A kind or capability that is not granted fails earlier.
///
/// Source: Kubewarden, crates/policy-evaluator/src/runtimes/callback.rs.
fn handed_on(message: &str) -> String {
    let refused_by_host = message.starts_with("Policy has not been granted access");
    if refused_by_host { message.to_owned() } else { format!("Callback evaluation failure: {message}") }
}
