//! One admission request, as the API server sends it and Kubewarden hands it on.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// One admission request.
///
/// Objects stay raw JSON; what is absent is empty.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Review<'a> {
    /// The request's own identifier.
    #[serde(borrow, default)]
    pub uid: Cow<'a, str>,
    /// Group, version and kind of the object, after any conversion by the API server.
    #[serde(borrow)]
    pub kind: GroupVersionKind<'a>,
    /// `status`, `scale` and the like; empty for the object itself.
    #[serde(borrow, default)]
    pub sub_resource: Cow<'a, str>,
    /// Name of the object; empty on a CREATE with `generateName`.
    #[serde(borrow, default)]
    pub name: Cow<'a, str>,
    /// Namespace of the object; empty for cluster-scoped kinds.
    #[serde(borrow, default)]
    pub namespace: Cow<'a, str>,
    /// What is being done.
    pub operation: Operation,
    /// Who does it.
    #[serde(borrow)]
    pub user_info: UserInfo<'a>,
    /// The object as it would be stored.
    #[serde(borrow, default)]
    pub object: Option<&'a RawValue>,
    /// The object as it is stored, on UPDATE and DELETE.
    #[serde(borrow, default)]
    pub old_object: Option<&'a RawValue>,
    /// Nothing will be stored.
    #[serde(default)]
    pub dry_run: bool,
    /// The client's options.
    #[serde(borrow, default)]
    pub options: Option<Options<'a>>,
}

/// Group, version and kind.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GroupVersionKind<'a> {
    /// Such as `cluster.x-k8s.io`; empty for the core group.
    #[serde(borrow, default)]
    pub group: Cow<'a, str>,
    /// Such as `v1beta2`.
    #[serde(borrow, default)]
    pub version: Cow<'a, str>,
    /// Such as `Machine`.
    #[serde(borrow, default)]
    pub kind: Cow<'a, str>,
}

/// What is being done to the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// The object is new.
    Create,
    /// The object exists.
    Update,
    /// The object goes away: nothing is left to carry a label.
    Delete,
    /// A sub-resource is opened.
    Connect,
}

/// Who makes the request.
#[derive(Debug, Clone, Deserialize)]
pub struct UserInfo<'a> {
    /// The exact user name; an empty one is anybody.
    #[serde(borrow, default)]
    pub username: Cow<'a, str>,
}

/// The client's options, as far as they are reported.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Options<'a> {
    /// The field manager's name, the client's own word: reported, never believed.
    #[serde(borrow, default)]
    pub field_manager: Option<Cow<'a, str>>,
}
