//! Objects that Crossplane creates itself: nested composites, and composites of claims.

use std::collections::BTreeSet;

use crate::PARENT_MASKS;
use crate::json::{Json, Malformed};
use kubernetes::{
    LookupCause, Lookups, Object, ObjectQuery, Operation, OwnerReference, ReadFailure, Review, ReviewedObject, Stop,
    group_and_version,
};
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
    Nothing,
    /// What the stored object has: somebody else writes a composite that another one composes.
    Stored,
    /// What the request writes: Crossplane composes the object.
    Written,
}

/// What a parent's Composition may forward to the object under review. Anybody can write an ownerReference, so only a
/// write by Crossplane adds tags, and none that it may have copied from a claim. A `claimRef` alone does not show that:
/// anybody can write it, too. A review without a user name, such as the audit scanner's, is about what is stored.
pub(super) fn forwarding<'e>(
    subject: &ReviewedObject<'e>,
    tags: &CloudTags,
    lookups: &Lookups<'e>,
) -> Result<Forwarding, Stop> {
    let was_composed = || subject.old().ok().flatten().is_some_and(|old| is_composed(old, tags));
    let is_composed = is_composed(&subject.object, tags);
    Ok(match () {
        () if subject.review.username.is_empty() && is_composed && !has_claim(subject) => Forwarding::Written,
        () if subject.review.username.is_empty() => Forwarding::Nothing,
        () if is_by_crossplane(subject, tags) => match is_composed && has_parent(subject, lookups)? {
            false => Forwarding::Nothing,
            true if !has_claim(subject) || composing_manager(subject).is_some() => Forwarding::Written,
            true if was_composed() => Forwarding::Stored,
            true => Forwarding::Nothing,
        },
        () if was_composed() => Forwarding::Stored,
        () => Forwarding::Nothing,
    })
}

/// Whether the controller in the ownerReferences exists with that uid, if the settings allow to read its kind. Only
/// asked about a write by Crossplane: other writes forward nothing in any case.
///
/// An ownerReference does not say whether its object has a namespace: that of the object under review is tried first. A
/// PolicyServer ignores it for a kind without namespaces, and answers the second question with an error for one with them.
///
/// Source: kubewarden/adm-controller, policy-evaluator: `callback_handler/kubernetes/client.rs`, `get_resource`.
fn has_parent<'e>(subject: &ReviewedObject<'e>, lookups: &Lookups<'e>) -> Result<bool, Stop> {
    let Some(owner) = subject.object.controller() else { return Ok(false) };
    if !lookups.may_read(owner.group(), owner.kind) {
        return Ok(true);
    }
    let read = |namespace| lookups.parent(&ObjectQuery::owner(owner, namespace, PARENT_MASKS));
    let namespace = subject.namespace();
    Ok(match read(namespace) {
        Ok(_) => true,
        Err(ReadFailure::AnotherUid(_)) => false,
        Err(ReadFailure::Failed(failed)) if failed.error.cause == LookupCause::NotFound => {
            !namespace.is_empty() && read("").is_ok()
        }
        Err(failure) => return Err(failure.into()),
    })
}

/// Whether Crossplane copies what the request writes: from a parent's Composition, or from a claim.
pub(super) fn is_copied(subject: &ReviewedObject<'_>, settings: &CloudTags) -> bool {
    is_by_crossplane(subject, settings) && (is_composed(&subject.object, settings) || has_claim(subject))
}

fn is_by_crossplane(subject: &ReviewedObject<'_>, settings: &CloudTags) -> bool {
    subject.review.is_by_one_of(|name| settings.crossplane.contains(name))
}

/// Whether another composite may compose the object: its controller is of a kind that gets tags.
fn is_composed(object: &Object<'_>, settings: &CloudTags) -> bool {
    let is_composite = |owner: &OwnerReference<'_>| {
        let composites = settings.of_group(owner.group());
        composites.is_some_and(|composites| !composites.claim_kinds.iter().any(|kind| kind == owner.kind))
    };
    object.controller().is_some_and(is_composite)
}

/// Whether the object under review may be the composite of a claim: Crossplane copies the claim's labels, annotations and
/// `spec`, which a user writes, to it. A claim is in the group of its composite.
fn has_claim(subject: &ReviewedObject<'_>) -> bool {
    subject.object.spec.get("claimRef").is_ok_and(|claim| refers_to_own_group(subject, claim))
}

/// The field manager with which a parent's Composition is applied, if this request does that: Crossplane copies a claim
/// with another one.
fn composing_manager<'e>(subject: &ReviewedObject<'e>) -> Option<&'e str> {
    let review: &'e Review<'e> = subject.review;
    review.field_manager.as_deref().filter(|manager| manager.starts_with(COMPOSED))
}

/// Whether the object under review is a claim: its kind is listed, or it refers to its composite.
///
/// A claim and its composite are in one group. In Crossplane 2 `spec.crossplane` belongs to Crossplane and everything
/// else in `spec` to the composite, including `spec.resourceRef`. A new composite has no `spec.crossplane` yet, and a
/// new claim no `spec.resourceRef`: only one from a backup does, with the finalizer that Crossplane sets on claims.
///
/// Source: crossplane, internal/controller/apiextensions/claim/reconciler.go: `finalizer`.
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

/// What `managedFields` show of a field below `spec` that a parent's Composition applies: those of the stored object,
/// unless Crossplane writes it, because everybody else can change them in the same request.
#[derive(Default)]
pub(super) struct AppliedEntries<'e> {
    /// Whether a parent's Composition has applied the object.
    pub(super) is_known: bool,
    /// Whether this request is its apply.
    is_written: bool,
    /// The keys of the entries that it sets, as `managedFields` have them.
    keys: BTreeSet<&'e str>,
}

impl<'e> AppliedEntries<'e> {
    pub(super) fn of(subject: &ReviewedObject<'e>, forwarding: Forwarding, field: &str) -> Self {
        let fields = match forwarding {
            Forwarding::Nothing => None,
            Forwarding::Stored => subject.old().ok().flatten().map(|old| old.managed_fields),
            Forwarding::Written => Some(subject.object.managed_fields),
        };
        let by = composing_manager(subject).filter(|_| forwarding == Forwarding::Written);
        let (field, mut applied) = (format!("f:{field}"), AppliedEntries::default());
        for entry in fields.and_then(Json::as_elements).into_iter().flatten() {
            let text = |field| entry.get(field).ok().and_then(Json::as_str);
            let is_composing = |manager: &str| by.map_or(manager.starts_with(COMPOSED), |by| manager == by);
            if text("operation") == Some("Apply") && text("manager").is_some_and(is_composing) {
                applied.is_known = true;
                let set = entry.at(&["fieldsV1", "f:spec", &field]).ok().and_then(Json::as_fields);
                applied.keys.extend(set.into_iter().flatten().map(|(key, _)| key));
            }
        }
        applied.is_written = applied.is_known && by.is_some();
        applied
    }

    /// Whether a parent's Composition sets an entry.
    pub(super) fn has(&self, key: &str) -> bool {
        !self.keys.is_empty() && self.keys.contains(&*format!("f:{key}"))
    }

    /// Whether this request is its apply, and does not set the entry: then nobody forwards it.
    pub(super) fn leaves_out(&self, key: &str) -> bool {
        self.is_written && !self.has(key)
    }
}

fn refers_to_own_group(subject: &ReviewedObject<'_>, reference: Json<'_>) -> bool {
    let api_version = reference.get("apiVersion").ok().and_then(Json::as_str);
    api_version.is_some_and(|api_version| group_and_version(api_version).0 == subject.review.kind.group)
}
