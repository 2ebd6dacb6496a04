//! The compiled policy in a waPC host on the runtime that Kubewarden uses: a fresh instance for each request.

use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};
use wapc::WapcHost;
use wasmtime_provider::{WasmtimeEngineProviderBuilder, WasmtimeEngineProviderPre};

use crate::case::Answer;
use crate::cluster::{ApiServer, Host};

/// A compiled module.
pub struct Module {
    pre: WasmtimeEngineProviderPre,
    /// The module's bytes.
    pub bytes: Vec<u8>,
}

/// One call's result, and what the module asked its host meanwhile.
pub struct Call {
    /// The guest's response.
    pub response: Vec<u8>,
    /// Payloads of `tracing/log`, in order.
    pub log: Vec<Value>,
    /// Payloads and answers of `kubernetes/get_resource`, in order.
    pub gets: Vec<Exchange>,
}

/// A payload of `kubernetes/get_resource`, and its answer.
pub type Exchange = (Vec<u8>, Result<Vec<u8>, String>);

impl Module {
    /// The policy as `make policy.wasm` left it at the root of the checkout.
    ///
    /// # Errors
    /// When it was not built, or is no module that a waPC host can load.
    pub fn policy() -> Result<Module> {
        Module::read(&crate::root().join("policy.wasm")).context("run `make policy.wasm` first")
    }

    /// # Errors
    /// When there is no such file, or it is no module that a waPC host can load.
    pub fn read(path: &Path) -> Result<Module> {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        let pre = WasmtimeEngineProviderBuilder::new()
            .module_bytes(&bytes)
            .build_pre()
            .map_err(|error| anyhow!("{error}"))?;
        Ok(Module { pre, bytes })
    }

    /// Calls one function of a fresh instance.
    ///
    /// # Errors
    /// When the module traps or returns a guest error: the policy never does.
    pub fn call(&self, function: &str, payload: &[u8], cluster: &Arc<dyn Host>) -> Result<Call> {
        let log = Arc::new(Mutex::new(Vec::new()));
        let gets = Arc::new(Mutex::new(Vec::new()));
        let (log_of_host, gets_of_host, cluster) = (Arc::clone(&log), Arc::clone(&gets), Arc::clone(cluster));
        let host = move |_, binding: &str, namespace: &str, operation: &str, payload: &[u8]| {
            let value = || serde_json::from_slice::<Value>(payload).unwrap_or_default();
            match (binding, namespace, operation) {
                ("kubewarden", "tracing", "log") => {
                    push(&log_of_host, value());
                    Ok(Vec::new())
                }
                ("kubewarden", "kubernetes", "get_resource") => {
                    let answer = cluster.get_resource(payload);
                    push(&gets_of_host, (payload.to_vec(), answer.clone()));
                    answer.map_err(|said| handed_on(&said).into())
                }
                other => Err(format!("no such host call: {other:?}").into()),
            }
        };
        let engine = self.pre.rehydrate(None).map_err(|error| anyhow!("{error}"))?;
        let host = WapcHost::new(Box::new(engine), Some(Box::new(host)))?;
        let response = host.call(function, payload)?;
        drop(host);
        Ok(Call { response, log: take(&log), gets: take(&gets) })
    }

    /// One admission request, answered.
    ///
    /// # Errors
    /// As [`Module::call`], and when the answer is none.
    pub fn validate(&self, request: &Value, settings: &Value, cluster: &ApiServer) -> Result<Answer> {
        let payload = match request {
            Value::String(raw) => raw.clone(),
            request => json!({ "request": request, "settings": settings }).to_string(),
        };
        let cluster: Arc<dyn Host> = Arc::new(cluster.clone());
        let call = self.call("validate", payload.as_bytes(), &cluster)?;
        let response: Value = serde_json::from_slice(&call.response)?;
        answer(&response, &request["object"], call.log)
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
        Some(mutated) => crate::runner::patch(object, mutated)?,
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

/// What the host makes of a failure of its callback. A kind or capability that is not granted never gets that far.
///
/// Source: Kubewarden, crates/policy-evaluator/src/runtimes/callback.rs.
fn handed_on(said: &str) -> String {
    let refused_by_host = said.starts_with("Policy has not been granted access");
    if refused_by_host { said.to_owned() } else { format!("Callback evaluation failure: {said}") }
}

fn push<T>(list: &Mutex<Vec<T>>, item: T) {
    if let Ok(mut list) = list.lock() {
        list.push(item);
    }
}

fn take<T>(list: &Mutex<Vec<T>>) -> Vec<T> {
    list.lock().map(|mut list| std::mem::take(&mut *list)).unwrap_or_default()
}
