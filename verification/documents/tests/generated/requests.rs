//! Requests of the corpus and of the fixtures have the form that an API server sends.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use kube_core::admission::AdmissionRequest;
use kube_core::{ApiResource, DynamicObject, GroupVersionKind};
use serde_json::Value;
use testkit::case::corpus;
use testkit::kwctl;
use testkit::recorded::{SAMPLE, requests};
use testkit::request::plural;

/// A request as Kubernetes' own type reads it: all required fields are present, and there are no unknown fields.
fn whole(request: &Value) -> Result<()> {
    let read: AdmissionRequest<DynamicObject> = serde_json::from_value(request.clone())?;
    let known = serde_json::to_value(read)?;
    let unknown = request.as_object().into_iter().flatten().find(|(field, _)| known.get(field).is_none());
    ensure!(unknown.is_none(), "no AdmissionRequest has {unknown:?}");
    Ok(())
}

/// kwctl requires complete requests.
#[test]
fn every_fixture_is_a_whole_admission_request() -> Result<()> {
    for case in kwctl::cases()? {
        let request = case.reviews.first().context("no review")?;
        whole(request).with_context(|| case.name.clone())?;
        for field in ["uid", "kind", "resource", "operation", "userInfo"] {
            let mut less = request.clone();
            less.as_object_mut().and_then(|fields| fields.remove(field)).with_context(|| field.to_owned())?;
            ensure!(whole(&less).is_err(), "{} is whole without `{field}`", case.name);
        }
    }
    Ok(())
}

/// The format adds the fields that an API server sends, and names resources as Kubernetes' clients do.
#[test]
fn every_case_asks_as_an_api_server_does() -> Result<()> {
    let fields = |request: &Value| -> BTreeSet<String> {
        let optional = ["name", "namespace", "subResource", "requestSubResource"];
        request
            .as_object()
            .into_iter()
            .flatten()
            .map(|(field, _)| field.clone())
            .filter(|field| !optional.contains(&&**field))
            .collect()
    };
    let sent = fields(requests(SAMPLE)?.first().context("no review")?);
    for case in corpus()?.iter().filter(|case| !case.name.starts_with("unreadable/")) {
        for review in &case.reviews {
            let mut around = review.clone();
            // An object may be unreadable on purpose.
            around["object"] = Value::Null;
            around["oldObject"] = Value::Null;
            whole(&around).with_context(|| case.name.clone())?;
            assert_eq!(fields(review), sent, "{}", case.name);
            let part = |name: &str| review["kind"][name].as_str().unwrap_or_default();
            let kind = GroupVersionKind::gvk(part("group"), part("version"), part("kind"));
            assert_eq!(plural(&kind.kind), ApiResource::from_gvk(&kind).plural, "{}", case.name);
        }
    }
    Ok(())
}
