//! What is read from a cluster.

use std::collections::BTreeMap;

use fleet::ObjectId;

use crate::kinds::Topic;

/// What is read from a cluster.
pub struct Query<'a> {
    /// The namespace in which namespaced objects are listed; `None` for all namespaces. Cluster-scoped objects are
    /// always listed.
    pub namespaces: Option<&'a [String]>,
    /// The topic of the question.
    pub topic: Topic,
    /// The kind that the question names: if it is a kind of Cluster API, nothing of Crossplane is listed.
    pub kind: Option<&'a dyn Fn(&ObjectId) -> bool>,
    /// Versions in which kinds are listed, by group and kind. Others are listed in the server's preferred version.
    pub versions: BTreeMap<(String, String), String>,
    /// For [`Topic::Installation`]: names of the CustomResourceDefinitions that are read.
    pub definitions: Vec<String>,
}
