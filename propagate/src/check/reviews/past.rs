//! The stored objects at the time of a request.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, ObjectId};
use metadata_propagation::{Cluster, Get, LookupCause, LookupError, Operation, Review};
use serde::Deserialize;

/// The stored objects at the time of a request.
pub(super) struct Past<'a> {
    /// Version and text.
    stored: BTreeMap<ObjectId, (String, &'a str)>,
    fleet: &'a Fleet,
    deleted: BTreeSet<ObjectId>,
}

impl<'a> Past<'a> {
    /// Before the first request: the old object in the first request about each object.
    pub(super) fn before<'r>(reviews: impl Iterator<Item = &'r Review<'a>>, fleet: &'a Fleet) -> Past<'a>
    where
        'a: 'r,
    {
        let mut past = Past { stored: BTreeMap::new(), fleet, deleted: BTreeSet::new() };
        let mut known = BTreeSet::new();
        for review in reviews {
            let Some(id) = id(review).filter(|_| is_of_object(&review.sub_resource)) else { continue };
            if known.insert(id.clone())
                && let Some(old) = review.old_object
            {
                past.stored.insert(id, (review.kind.version.to_string(), old));
            }
        }
        past
    }

    /// Applies a request that was stored.
    pub(super) fn apply(&mut self, review: &Review<'a>) {
        let Some(id) = id(review).filter(|_| is_of_object(&review.sub_resource) && !review.dry_run) else { return };
        match (review.operation, review.object) {
            (Operation::Delete, _) => self.delete(id),
            (_, Some(object)) if object.starts_with('{') => self.store(id, review.kind.version.to_string(), object),
            _ => {}
        }
    }

    /// The text of an object, if an earlier request stored it in this version.
    pub(super) fn stored(&self, id: &ObjectId, version: &str) -> Option<&'a str> {
        self.stored.get(id).filter(|(stored, _)| stored == version).map(|(_, text)| *text)
    }

    /// The first matching object of earlier requests, and its version.
    pub(super) fn find(&self, is_meant: impl Fn(&ObjectId) -> bool) -> Option<(ObjectId, String)> {
        let (id, (version, _)) = self.stored.iter().find(|(id, _)| is_meant(id))?;
        Some((id.clone(), version.clone()))
    }

    /// Stores the text of an object.
    pub(super) fn store(&mut self, id: ObjectId, version: String, object: &'a str) {
        self.deleted.remove(&id);
        self.stored.insert(id, (version, object));
    }

    /// Forgets an object.
    pub(super) fn delete(&mut self, id: ObjectId) {
        self.stored.remove(&id);
        self.deleted.insert(id);
    }
}

impl Cluster for Past<'_> {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let (group, version) = get.api_version.rsplit_once('/').unwrap_or(("", &get.api_version));
        let id = ObjectId::new(group, &get.kind, get.namespace.as_deref().unwrap_or_default(), &get.name);
        let cause = match self.stored.get(&id) {
            Some((stored, object)) if stored == version => return Ok((*object).to_owned()),
            Some(_) => LookupCause::NotServed,
            None if self.deleted.contains(&id) => LookupCause::NotFound,
            None => return self.fleet.get(get),
        };
        Err(LookupError { cause, detail: get.to_string() })
    }
}

/// Version, kind and name in an object.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ObjectHead {
    pub(super) api_version: String,
    pub(super) kind: String,
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    name: String,
    generate_name: String,
}

impl ObjectHead {
    /// The name, or the prefix from which the API server generates it.
    pub(super) fn name(&self) -> &str {
        let Metadata { name, generate_name } = &self.metadata;
        if name.is_empty() { generate_name } else { name }
    }
}

/// Whether a request to this subresource writes the object itself.
pub(super) fn is_of_object(sub_resource: &str) -> bool {
    ["", "status"].contains(&sub_resource)
}

/// The name of the object of a request. That of a created object may only be in the object.
pub(super) fn id(review: &Review<'_>) -> Option<ObjectId> {
    let name = match &*review.name {
        "" => serde_json::from_str::<ObjectHead>(review.object?).ok()?.name().to_owned(),
        name => name.to_owned(),
    };
    Some(ObjectId::new(&review.kind.group, &review.kind.kind, &review.namespace, &name))
}
