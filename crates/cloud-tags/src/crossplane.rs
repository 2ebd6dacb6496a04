//! Objects that Crossplane creates itself: nested composites, and composites of claims.

use std::collections::BTreeSet;

use crate::json::Malformed;
use crate::json::document::Json;
use crate::reads::PARENT_MASKS;
use facts::stop::Stop;
use kubernetes::cluster::LookupCause;
use kubernetes::lookup::Lookups;
use kubernetes::object::{Object, OwnerReference, group_and_version};
use kubernetes::query::ObjectQuery;
use kubernetes::read_failure::ReadFailure;
use kubernetes::request::Operation;
use kubernetes::subject::ReviewedObject;
use tag_rules::{CloudTags, Composites};

/// The finalizer that Crossplane sets on claims.
const CLAIM_FINALIZER: &str = "finalizer.apiextensions.crossplane.io";

/// The prefix of the field manager with which Crossplane applies composed resources.
///
/// Source: crossplane, internal/controller/apiextensions/composite/composition_functions.go: `FieldOwnerComposedPrefix`.
const COMPOSED: &str = "apiextensions.crossplane.io/composed/";

/// Which tags a composite may have that no label of its own sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forwarding {
    /// None.
    Nothing,
    /// What the stored object has: somebody else writes a composite that another one composes.
    Stored,
    /// What the request writes: Crossplane composes the object.
    Written,
}

/// What a parent's Composition may forward to the object under review. Anybody can write an ownerReference, so only a
/// write by Crossplane adds tags. A review without a user name, such as the audit scanner's, is about what is
/// stored.
///
/// # Errors
/// When the parent could not be read.
pub(super) fn forwarding<'e>(
    subject: &ReviewedObject<'e>,
    tags: &CloudTags,
    lookups: &Lookups<'e>,
) -> Result<Forwarding, Stop> {
    let is_nested = |object: &Object<'_>| is_nested(object, tags);
    let is_written = match () {
        () if subject.review.username.is_empty() => is_nested(&subject.object),
        () if is_by_crossplane(subject, tags) => is_nested(&subject.object) && has_parent(subject, lookups)?,
        () if subject.old().ok().flatten().is_some_and(is_nested) => return Ok(Forwarding::Stored),
        () => false,
    };
    Ok(if is_written { Forwarding::Written } else { Forwarding::Nothing })
}

/// Whether the controller in the ownerReferences exists with that uid, if the settings allow to read its kind. Only
/// asked about a write by Crossplane: other writes forward nothing in any case.
///
/// An ownerReference does not say whether its object has a namespace: that of the object under review is tried first.
fn has_parent<'e>(subject: &ReviewedObject<'e>, lookups: &Lookups<'e>) -> Result<bool, Stop> {
    let Some(owner) = subject.object.controller() else { return Ok(false) };
    if !lookups.may_read(owner.group(), owner.kind) {
        return Ok(true);
    }
    for namespace in [Some(subject.namespace()).filter(|name| !name.is_empty()), Some("")].into_iter().flatten() {
        match lookups.parent(&ObjectQuery::owner(owner, namespace, PARENT_MASKS)) {
            Ok(_) => return Ok(true),
            Err(ReadFailure::Failed(failed)) if failed.error.cause == LookupCause::NotFound => {}
            Err(ReadFailure::AnotherUid(_)) => return Ok(false),
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(false)
}

/// Whether Crossplane copies what the request writes: from a parent's Composition, or from a claim.
pub(super) fn is_copied(subject: &ReviewedObject<'_>, settings: &CloudTags) -> bool {
    is_by_crossplane(subject, settings)
        && (is_nested(&subject.object, settings) || is_of_claim(subject).unwrap_or(false))
}

fn is_by_crossplane(subject: &ReviewedObject<'_>, settings: &CloudTags) -> bool {
    subject.review.is_by_one_of(|name| settings.crossplane.contains(name))
}

/// Whether another composite composes the object: its controller is of a kind that gets tags. The composite of a claim
/// is not one, because Crossplane copies the claim's `spec`, which a user writes, to it.
fn is_nested(object: &Object<'_>, settings: &CloudTags) -> bool {
    let is_composite = |owner: &OwnerReference<'_>| {
        let composites = settings.of_group(owner.group());
        composites.is_some_and(|composites| !composites.claim_kinds.iter().any(|kind| kind == owner.kind))
    };
    object.controller().is_some_and(is_composite) && object.spec.get("claimRef").is_ok_and(Json::is_null)
}

/// Whether the object under review is the composite of a claim: Crossplane copies the claim's labels and annotations to
/// it.
///
/// # Errors
/// When `spec` is not an object.
fn is_of_claim(subject: &ReviewedObject<'_>) -> Result<bool, Malformed> {
    Ok(refers_to_own_group(subject, subject.object.spec.get("claimRef")?))
}

/// Whether the object under review is a claim: its kind is listed, or it refers to its composite.
///
/// A claim and its composite are in one group. In Crossplane 2 `spec.crossplane` belongs to Crossplane and everything
/// else in `spec` to the composite, including `spec.resourceRef`. A new composite has no `spec.crossplane` yet, and a
/// new claim no `spec.resourceRef`: only one from a backup does, with the finalizer that Crossplane sets on claims.
///
/// Source: crossplane, internal/controller/apiextensions/claim/reconciler.go: `finalizer`.
///
/// # Errors
/// When `spec` is not an object.
pub(super) fn is_claim(subject: &ReviewedObject<'_>, composites: &Composites) -> Result<bool, Malformed> {
    let spec = subject.object.spec;
    let is_stored = || subject.review.operation == Operation::Update || has_finalizer(subject);
    Ok(is_listed(subject, composites)
        || (spec.get("crossplane")?.is_null() && refers_to_own_group(subject, spec.get("resourceRef")?) && is_stored()))
}

/// Whether the settings or Crossplane's own write show that an object is a claim: anybody can write the fields that other
/// claims are known by.
pub(super) fn is_written_claim(subject: &ReviewedObject<'_>, tags: &CloudTags, composites: &Composites) -> bool {
    is_listed(subject, composites)
        || (is_by_crossplane(subject, tags) && is_claim(subject, composites).unwrap_or(false))
}

fn is_listed(subject: &ReviewedObject<'_>, composites: &Composites) -> bool {
    composites.claim_kinds.iter().any(|known| **known == *subject.review.kind.kind)
}

/// Whether the object has Crossplane's finalizer of claims.
fn has_finalizer(subject: &ReviewedObject<'_>) -> bool {
    let finalizers = subject.object.root.at(&["metadata", "finalizers"]).ok().and_then(Json::as_elements);
    finalizers.into_iter().flatten().any(|finalizer| finalizer.as_str() == Some(CLAIM_FINALIZER))
}

/// Whether a parent's Composition has applied the object: then its entries in `managedFields` show what it sets.
pub(super) fn is_applied_by_composition(subject: &ReviewedObject<'_>) -> bool {
    applied_by_composition(subject).next().is_some()
}

/// What Crossplane's own server-side apply of a composed resource sets in a field below `spec`.
pub(super) struct SetByComposition<'a> {
    keys: BTreeSet<&'a str>,
    /// Whether this request is such an apply.
    is_applied: bool,
}

impl<'a> SetByComposition<'a> {
    pub(super) fn read(subject: &ReviewedObject<'a>, field: &str) -> Self {
        let path = ["fieldsV1", "f:spec", &format!("f:{field}")];
        let fields = applied_by_composition(subject).filter_map(|entry| entry.at(&path).ok()?.as_fields());
        let keys = fields.flatten().filter(|(_, set)| !set.is_null()).filter_map(|(key, _)| key.strip_prefix("f:"));
        let is_apply = subject.review.field_manager.as_deref().is_some_and(|manager| manager.starts_with(COMPOSED));
        SetByComposition { keys: keys.collect(), is_applied: is_apply && is_applied_by_composition(subject) }
    }

    /// Whether it sets an entry.
    pub(super) fn sets(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Whether this request is that apply, and does not set an entry: then nobody forwards it.
    pub(super) fn leaves_out(&self, key: &str) -> bool {
        self.is_applied && !self.sets(key)
    }
}

/// The entries of `managedFields` with which Crossplane applies composed resources.
fn applied_by_composition<'a>(subject: &ReviewedObject<'a>) -> impl Iterator<Item = Json<'a>> {
    let entries = subject.object.managed_fields.as_elements().into_iter().flatten();
    entries.filter(|entry| {
        let manager = entry.get("manager").ok().and_then(Json::as_str);
        manager.is_some_and(|manager| manager.starts_with(COMPOSED))
    })
}

fn refers_to_own_group(subject: &ReviewedObject<'_>, reference: Json<'_>) -> bool {
    let api_version = reference.get("apiVersion").ok().and_then(Json::as_str);
    api_version.is_some_and(|api_version| group_and_version(api_version).0 == subject.review.kind.group)
}
