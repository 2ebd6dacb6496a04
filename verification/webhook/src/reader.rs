//! `kubernetes/get_resource`, answered by an API server with the wording of Kubewarden's host.
//!
//! Source: Kubewarden, crates/policy-evaluator/src/callback_handler/kubernetes.rs and kubernetes/client.rs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use kubewarden_policy_sdk::host_capabilities::kubernetes::GetResourceRequest;
use serde_json::{Value, json};
use testkit::cluster::{ResourceHost, api_error, masked};
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::config::{PolicyVariant, ReadGrant, WebhookConfig};
use crate::faults::HostFaults;

/// How long Kubewarden's host keeps what it read.
const CACHED: Duration = Duration::from_secs(5);

/// Reads one API server as the PolicyServer's ServiceAccount.
pub(crate) struct ClusterReader {
    agent: Agent,
    server: String,
    token: String,
    granted: Vec<ReadGrant>,
    faults: Arc<HostFaults>,
    /// Whether even a read past the cache is answered from it.
    always_cached: bool,
    /// How long a read stays in the cache.
    kept: Duration,
    plurals: Mutex<BTreeMap<(String, String), String>>,
    objects: Mutex<BTreeMap<String, (Instant, Value)>>,
}

impl ClusterReader {
    pub(crate) fn new(config: &WebhookConfig, faults: Arc<HostFaults>) -> Result<ClusterReader> {
        let authority = std::fs::read(&config.certificate_authority).context("certificateAuthority")?;
        let authority = Certificate::from_pem(&authority)?.to_owned();
        let tls = TlsConfig::builder().root_certs(RootCerts::new_with_certs(&[authority])).build();
        let agent = Agent::config_builder().tls_config(tls).http_status_as_error(false).build().new_agent();
        Ok(ClusterReader {
            agent,
            server: config.server.clone(),
            token: std::fs::read_to_string(&config.token).context("token")?,
            granted: config.granted.clone(),
            faults,
            always_cached: config.policy == PolicyVariant::CachedWrites,
            kept: match config.cache_seconds {
                0 => CACHED,
                seconds => Duration::from_secs(seconds),
            },
            plurals: Mutex::default(),
            objects: Mutex::default(),
        })
    }

    fn find(&self, request: &GetResourceRequest) -> Result<Value, String> {
        let GetResourceRequest { api_version, kind, name, .. } = request;
        if !self.granted.iter().any(|grant| grant.api_version == *api_version && grant.kind == *kind) {
            return Err(format!(
                "Policy has not been granted access to Kubernetes {api_version}/{kind} resources. The violation has been reported."
            ));
        }
        let plural = self.plural(api_version, kind)?;
        let prefix = if api_version.contains('/') { "apis" } else { "api" };
        let namespace = request.namespace.as_ref().map(|name| format!("/namespaces/{name}")).unwrap_or_default();
        let path = format!("/{prefix}/{api_version}{namespace}/{plural}/{name}");
        let through_cache = !request.disable_cache || self.always_cached;
        if through_cache && let Some(object) = self.cached(&path) {
            return Ok(object);
        }
        match self.get(&path)? {
            (200, object) => {
                // A read past the cache leaves it as it is: later reads through it still get the old entry.
                if through_cache {
                    let mut objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
                    objects.insert(path, (Instant::now(), object.clone()));
                }
                Ok(object)
            }
            (404, _) => {
                let namespace = &request.namespace;
                Err(format!("Cannot find {api_version}/{kind} named '{name}' inside of namespace '{namespace:?}'"))
            }
            (code, status) => Err(answered(code, &status)),
        }
    }

    fn cached(&self, path: &str) -> Option<Value> {
        let objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = |read: &Instant| read.elapsed() < self.kept && !self.faults.restarted_since(*read);
        objects.get(path).filter(|(read, _)| kept(read)).map(|(_, object)| object.clone())
    }

    /// The resource of a kind, from discovery, cached.
    fn plural(&self, api_version: &str, kind: &str) -> Result<String, String> {
        let key = (api_version.to_owned(), kind.to_owned());
        let mut plurals = self.plurals.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plural) = plurals.get(&key) {
            return Ok(plural.clone());
        }
        let prefix = if api_version.contains('/') { "apis" } else { "api" };
        let (code, list) = self.get(&format!("/{prefix}/{api_version}"))?;
        if code != 200 {
            return Err(format!("error finding resource {api_version} / {kind}: {}", answered(code, &list)));
        }
        let resource = list["resources"].as_array().into_iter().flatten().find(|resource| {
            resource["kind"] == *kind && !resource["name"].as_str().is_some_and(|name| name.contains('/'))
        });
        match resource.and_then(|resource| resource["name"].as_str()) {
            Some(plural) => {
                plurals.insert(key, plural.to_owned());
                Ok(plural.to_owned())
            }
            None => Err(format!("Cannot find resource {api_version}/{kind}")),
        }
    }

    fn get(&self, path: &str) -> Result<(u16, Value), String> {
        std::thread::sleep(self.faults.read_delay());
        let authorization = format!("Bearer {}", self.token.trim());
        let response = self.agent.get(format!("{}{path}", self.server)).header("Authorization", authorization).call();
        let mut response = response.map_err(|error| format!("error sending request: {error}"))?;
        let code = response.status().as_u16();
        let text = response.body_mut().read_to_string().map_err(|error| error.to_string())?;
        let answer = match serde_json::from_str(&text) {
            Err(_) if code != 200 => json!({ "message": text, "reason": "Failed to parse error data" }),
            answer => answer.map_err(|error| error.to_string())?,
        };
        Ok((code, answer))
    }
}

/// A failure with kube's wording.
fn answered(code: u16, status: &Value) -> String {
    let text = |name: &str| status[name].as_str().unwrap_or_default();
    api_error(text("message"), text("reason"), code)
}

impl ResourceHost for ClusterReader {
    fn get_resource(&self, payload: &[u8]) -> Result<Vec<u8>, String> {
        let request: GetResourceRequest = serde_json::from_slice(payload).map_err(|error| error.to_string())?;
        let object = self.find(&request)?;
        let masks: Vec<String> = request.field_masks.unwrap_or_default().into_iter().collect();
        Ok(masked(&object, &masks).to_string().into_bytes())
    }
}
