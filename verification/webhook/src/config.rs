//! The webhook's arguments.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

/// The configuration file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WebhookConfig {
    /// Such as `127.0.0.1:9443`.
    pub(crate) listen: SocketAddr,
    /// The serving certificate, PEM.
    pub(crate) certificate: PathBuf,
    /// The certificate's key, PEM.
    pub(crate) key: PathBuf,
    /// The policy that answers.
    pub(crate) policy: PolicyVariant,
    /// The compiled module.
    pub(crate) module: PathBuf,
    /// The policy's settings.
    pub(crate) settings: Value,
    /// `timeoutEvalSeconds`: the host refuses a request whose evaluation takes longer.
    pub(crate) evaluation_seconds: u64,
    /// How long the host caches reads; 0 means as long as Kubewarden's host.
    #[serde(default)]
    pub(crate) cache_seconds: u64,
    /// `contextAwareResources`: what the module may read.
    pub(crate) granted: Vec<ReadGrant>,
    /// The API server, such as `https://127.0.0.1:6443`.
    pub(crate) server: String,
    /// The certificate authority of the API server's certificate, PEM.
    pub(crate) certificate_authority: PathBuf,
    /// The token for reading the API server.
    pub(crate) token: PathBuf,
    /// Receives a line for each review: see [`crate::journal::Entry`].
    pub(crate) journal: PathBuf,
    /// Receives every AdmissionReview unchanged, one per line.
    pub(crate) recording: Option<PathBuf>,
}

/// The policy that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PolicyVariant {
    /// The compiled module.
    Module,
    /// None: every request is accepted unchanged.
    Observe,
    /// A wrong policy: stamps the time of the review on every object.
    StampTime,
    /// A wrong policy: sets another failure domain on MachineDeployments at each update, which creates another
    /// MachineSet.
    RollMachines,
    /// A wrong policy: the compiled module on a host that answers every read from its cache.
    CachedWrites,
    /// A wrong policy: the compiled module, but a request is refused when one of its reads fails.
    RefuseFailedReads,
    /// A wrong policy: the compiled module, but the last writer of a field owns it, even if the module set another
    /// value.
    ForgetOwners,
}

/// A kind that may be read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ReadGrant {
    pub(crate) api_version: String,
    pub(crate) kind: String,
}

impl WebhookConfig {
    pub(crate) fn read(path: &str) -> Result<WebhookConfig> {
        let text = std::fs::read_to_string(path).with_context(|| path.to_owned())?;
        serde_json::from_str(&text).with_context(|| path.to_owned())
    }
}
