//! `webhook CONFIG.json`: the compiled policy behind a mutating webhook, answering as a PolicyServer would.
//!
//! Only for `verification/conformance/cluster` and `verification/conformance/crossplane`, which start an API server beside it. The policies other
//! than the compiled module are wrong on purpose: they show that the comparisons there detect a wrong policy.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

mod config;
mod faults;
mod journal;
mod policy;
mod reader;
mod reverted;
mod review;

use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::routing::{get, post, put};
use axum_server::tls_rustls::RustlsConfig;

use crate::config::WebhookConfig;
use crate::faults::HostFaults;
use crate::journal::Journal;
use crate::policy::ReviewHandler;

#[tokio::main]
async fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("usage: webhook CONFIG.json")?;
    let config = WebhookConfig::read(&path)?;
    rustls::crypto::ring::default_provider()
        .install_default()
        .map_err(|_| anyhow!("another TLS provider is installed"))?;
    let tls = RustlsConfig::from_pem_file(&config.certificate, &config.key).await?;
    let faults = Arc::new(HostFaults::default());
    let policy = ReviewHandler::new(&config, Arc::clone(&faults))?;
    let endpoint = Arc::new(Endpoint { policy, journal: Journal::open(&config)?, faults: Arc::clone(&faults) });
    let app = Router::new()
        .route("/readyz", get(|| async { "ok" }))
        .route("/faults", put(move |body: Bytes| set_faults(Arc::clone(&faults), body)))
        .route("/validate", post(move |body: Bytes| answer(Arc::clone(&endpoint), body)));
    axum_server::bind_rustls(config.listen, tls).serve(app.into_make_service()).await?;
    Ok(())
}

struct Endpoint {
    policy: ReviewHandler,
    journal: Journal,
    faults: Arc<HostFaults>,
}

async fn set_faults(faults: Arc<HostFaults>, body: Bytes) -> (StatusCode, String) {
    match serde_json::from_slice(&body) {
        Ok(requested) => {
            faults.begin(&requested);
            (StatusCode::OK, String::new())
        }
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()),
    }
}

/// The module runs on a thread that may block: it waits for the API server.
async fn answer(endpoint: Arc<Endpoint>, body: Bytes) -> (StatusCode, Vec<u8>) {
    if endpoint.faults.is_down() {
        return (StatusCode::SERVICE_UNAVAILABLE, Vec::new());
    }
    let answered = tokio::task::spawn_blocking(move || {
        let (response, entry) = review::answer(&endpoint.policy, &body)?;
        endpoint.journal.write(&body, &entry)?;
        anyhow::Ok(response)
    });
    match answered.await {
        Ok(Ok(response)) => (StatusCode::OK, response),
        Ok(Err(error)) => (StatusCode::BAD_REQUEST, format!("{error:#}").into_bytes()),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string().into_bytes()),
    }
}
