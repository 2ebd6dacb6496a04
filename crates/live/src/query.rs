//! What is asked of a cluster.

use std::collections::BTreeMap;

use fleet::ObjectId;

use crate::kinds::Topic;

/// What is asked of a cluster.
pub struct Query<'a> {
    /// Where objects with a namespace are listed; `None` for all namespaces. Objects without one are listed in any case.
    pub namespaces: Option<&'a [String]>,
    /// What the question is about.
    pub topic: Topic,
    /// The kind that the question names: where it is a kind of Cluster API, nothing of Crossplane is listed.
    pub kind: Option<&'a dyn Fn(&ObjectId) -> bool>,
    /// Versions in which kinds are listed, by group and kind. Others are listed in the version that the server prefers.
    pub versions: BTreeMap<(String, String), String>,
    /// For [`Topic::Installation`]: names of the CustomResourceDefinitions that are read.
    pub definitions: Vec<String>,
}
