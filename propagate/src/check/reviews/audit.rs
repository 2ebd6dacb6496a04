//! Events of a Kubernetes audit log that are writes.
//!
//! Source: Kubernetes, `staging/src/k8s.io/apiserver/pkg/apis/audit/v1/types.go`, `Event`.

use fleet::{ObjectId, plural};
use metadata_propagation::{GroupVersionKind, Operation, Review};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::past::{ObjectHead, Past, is_of_object};

/// The group of the events of audit logs.
pub(super) const GROUP: &str = "audit.k8s.io/";

/// One request that an API server has answered.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Event<'t> {
    stage: String,
    pub(super) verb: String,
    #[serde(default, rename = "requestURI")]
    request_uri: String,
    #[serde(default)]
    user: User,
    #[serde(default)]
    impersonated_user: Option<User>,
    #[serde(default)]
    object_ref: Option<AuditObjectRef>,
    #[serde(default)]
    response_status: Status,
    #[serde(default, borrow)]
    request_object: Option<&'t RawValue>,
    #[serde(default, borrow)]
    response_object: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct User {
    username: String,
    groups: Vec<String>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AuditObjectRef {
    resource: String,
    namespace: String,
    name: String,
    api_group: String,
    subresource: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    code: u16,
}

/// Why an event cannot be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotJudged {
    /// A patch, or a server-side apply, which is one.
    Patch,
    /// The event is of level Metadata.
    NoObject,
    /// The deleted object is in no earlier request, nor in the response.
    Deletion,
    /// Many objects are deleted at once.
    Deletions,
}

impl NotJudged {
    pub(super) fn reason(self) -> &'static str {
        match self {
            NotJudged::Patch => "a patch does not contain the whole object",
            NotJudged::NoObject => "the event has no object: its level is not Request or RequestResponse",
            NotJudged::Deletion => "no earlier request contains the deleted object",
            NotJudged::Deletions => "a deletecollection event does not contain the deleted objects",
        }
    }
}

/// The request of an event, and whether it is an update of an object that no earlier request contains.
pub(super) struct AuditRequest<'r> {
    pub(super) review: Review<'r>,
    pub(super) is_without_stored: bool,
}

impl<'t> Event<'t> {
    /// Whether the event is about the end of a write that succeeded: other stages are about the same request, and a
    /// failed write stored nothing.
    pub(super) fn is_write(&self) -> bool {
        let is_write = ["create", "update", "patch", "delete", "deletecollection"].contains(&&*self.verb);
        is_write && self.stage == "ResponseComplete" && self.response_status.code < 400
    }

    /// The request, with the object as earlier requests stored it.
    ///
    /// # Errors
    /// When the event does not contain the whole object.
    pub(super) fn request<'r>(&'r self, past: &Past<'r>) -> Result<AuditRequest<'r>, NotJudged>
    where
        't: 'r,
    {
        let operation = match &*self.verb {
            "create" => Operation::Create,
            "update" => Operation::Update,
            "delete" => Operation::Delete,
            "patch" => return Err(NotJudged::Patch),
            _ => return Err(NotJudged::Deletions),
        };
        if operation == Operation::Delete {
            let (id, version) = self.deleted(past).or_else(|| self.written()).ok_or(NotJudged::Deletion)?;
            let stored = past.stored(&id, &version).or_else(|| self.response_object.map(RawValue::get));
            let review = Review { operation, old_object: stored, ..self.review(&id, version) };
            return Ok(AuditRequest { review, is_without_stored: false });
        }
        let object = self.request_object.ok_or(NotJudged::NoObject)?.get();
        let (id, version) = self.written().ok_or(NotJudged::NoObject)?;
        let stored = past.stored(&id, &version).filter(|_| operation == Operation::Update);
        let is_without_stored = operation == Operation::Update && stored.is_none();
        // Without the stored object, an update is evaluated as one that changes nothing.
        let old_object = if is_without_stored { Some(object) } else { stored };
        let review = Review { operation, object: Some(object), old_object, ..self.review(&id, version) };
        Ok(AuditRequest { review, is_without_stored })
    }

    /// A review with the kind of the event's object, if the event or an earlier request has it.
    pub(super) fn kind(&self, past: &Past<'_>) -> Option<Review<'_>> {
        self.written().or_else(|| self.deleted(past)).map(|(id, version)| self.review(&id, version))
    }

    /// The state after an event: the name, the version and the text of an object, or `None` if it is deleted.
    fn stored(&self, past: &Past<'_>) -> Option<(ObjectId, Option<(String, &'t str)>)> {
        if !is_of_object(&self.reference().subresource) || self.is_dry_run() {
            return None;
        }
        if self.verb == "delete" {
            return self.deleted(past).map(|(id, _)| (id, None));
        }
        let answered = self.response_object.filter(|object| is_object(&head(object)));
        let written = self.request_object.filter(|_| self.verb != "patch");
        let (object, (id, version)) = (answered.or(written)?, self.written()?);
        Some((id, Some((version, object.get()))))
    }

    /// Applies the request of the event to `past`.
    pub(super) fn apply(&self, past: &mut Past<'t>) {
        match self.stored(past) {
            Some((id, Some((version, object)))) => past.store(id, version, object),
            Some((id, None)) => past.delete(id),
            None => {}
        }
    }

    /// The event in short: verb, resource and name.
    pub(super) fn subject(&self) -> String {
        let AuditObjectRef { resource, namespace, name, subresource, .. } = self.reference();
        let part = |text: &str| if text.is_empty() { String::new() } else { format!("/{text}") };
        let separator = if namespace.is_empty() || name.is_empty() { "" } else { "/" };
        format!("{resource}{} {namespace}{separator}{name}", part(&subresource)).trim_end().to_owned()
    }

    pub(super) fn username(&self) -> &str {
        &self.writer().username
    }

    /// The name and version of the object that is written, from either object.
    fn written(&self) -> Option<(ObjectId, String)> {
        let heads = [self.response_object, self.request_object].into_iter().flatten().map(head);
        let head = heads.into_iter().find(is_object)?;
        let AuditObjectRef { namespace, name, .. } = self.reference();
        let (group, version) = head.api_version.rsplit_once('/').unwrap_or(("", &head.api_version));
        let name = [&name, head.name()].into_iter().find(|name| !name.is_empty())?;
        Some((ObjectId::new(group, &head.kind, &namespace, name), version.to_owned()))
    }

    /// The deleted object, by its resource.
    fn deleted(&self, past: &Past<'_>) -> Option<(ObjectId, String)> {
        let AuditObjectRef { resource, namespace, name, api_group, .. } = self.reference();
        let is_meant = |id: &ObjectId| {
            (&id.group, &id.namespace, &id.name) == (&api_group, &namespace, &name) && plural(&id.kind) == resource
        };
        past.find(is_meant)
    }

    fn review(&self, id: &ObjectId, version: String) -> Review<'_> {
        let User { username, groups } = self.writer();
        let kind =
            GroupVersionKind { group: id.group.clone().into(), version: version.into(), kind: id.kind.clone().into() };
        Review {
            kind,
            sub_resource: self.reference().subresource.into(),
            name: id.name.clone().into(),
            namespace: id.namespace.clone().into(),
            username: username.into(),
            groups: groups.iter().map(|group| group.as_str().into()).collect(),
            dry_run: self.is_dry_run(),
            field_manager: self.parameter("fieldManager").map(|manager| manager.to_owned().into()),
            ..Review::default()
        }
    }

    /// The effective user of the request.
    fn writer(&self) -> &User {
        self.impersonated_user.as_ref().unwrap_or(&self.user)
    }

    fn reference(&self) -> AuditObjectRef {
        self.object_ref.clone().unwrap_or_default()
    }

    fn is_dry_run(&self) -> bool {
        self.parameter("dryRun").is_some()
    }

    /// A parameter of the request's URI.
    fn parameter(&self, name: &str) -> Option<&str> {
        let (_, query) = self.request_uri.split_once('?')?;
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }
}

/// Whether this is the stored object, and not a message about it.
fn is_object(head: &ObjectHead) -> bool {
    !["", "Status", "DeleteOptions"].contains(&&*head.kind)
}

fn head(object: &RawValue) -> ObjectHead {
    serde_json::from_str(object.get()).unwrap_or_default()
}
