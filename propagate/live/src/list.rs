//! Kinds by discovery, and lists page by page.

use fleet::ObjectId;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::server::{RequestFailure, Server};

/// The number of objects of one page.
const PAGE: usize = 500;

/// A kind as the server serves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedKind {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) resource: String,
    pub(crate) is_namespaced: bool,
}

impl ListedKind {
    /// As in `apiVersion`.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// The resource with its group, in kubectl's notation.
    pub(crate) fn resource(&self) -> String {
        if self.group.is_empty() { self.resource.clone() } else { format!("{}.{}", self.resource, self.group) }
    }

    /// An example object of the kind, to find out whether a word names it.
    pub(crate) fn any(&self) -> ObjectId {
        ObjectId::new(&self.group, &self.kind, "", "")
    }

    /// The path of its objects, in a namespace or in all.
    pub(crate) fn path(&self, namespace: Option<&str>) -> String {
        let prefix = if self.group.is_empty() { "/api" } else { "/apis" };
        let namespace = namespace.filter(|_| self.is_namespaced);
        let namespace = namespace.map(|name| format!("/namespaces/{}", escaped(name))).unwrap_or_default();
        format!("{prefix}/{}{namespace}/{}", self.api_version(), self.resource)
    }
}

/// A group and its versions, the preferred one first.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) versions: Vec<String>,
}

/// The groups that a server has, the core group included.
pub(crate) async fn groups(server: &Server) -> Result<Vec<Group>, RequestFailure> {
    #[derive(Deserialize)]
    struct Groups {
        groups: Vec<ApiGroup>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct ApiGroup {
        name: String,
        versions: Vec<ServedVersion>,
        preferred_version: Option<ServedVersion>,
    }
    #[derive(Deserialize)]
    struct ServedVersion {
        version: String,
    }
    let Groups { groups } = server.get("/apis").await?;
    let groups = groups.into_iter().map(|ApiGroup { name, versions, preferred_version }| {
        let mut versions: Vec<String> = versions.into_iter().map(|version| version.version).collect();
        if let Some(ServedVersion { version: preferred }) = preferred_version {
            // The sort is stable.
            versions.sort_by_key(|version| *version != preferred);
        }
        Group { name, versions }
    });
    Ok(groups.chain([Group { name: String::new(), versions: vec!["v1".to_owned()] }]).collect())
}

/// The kinds of a group in one version that can be listed.
pub(crate) async fn kinds(server: &Server, group: &str, version: &str) -> Result<Vec<ListedKind>, RequestFailure> {
    #[derive(Deserialize)]
    struct Resources {
        resources: Vec<Resource>,
    }
    #[derive(Deserialize)]
    struct Resource {
        name: String,
        kind: String,
        namespaced: bool,
        verbs: Vec<String>,
    }
    let path = match group {
        "" => format!("/api/{version}"),
        group => format!("/apis/{group}/{version}"),
    };
    let Resources { resources } = server.get(&path).await?;
    let is_listed =
        |resource: &Resource| !resource.name.contains('/') && resource.verbs.iter().any(|verb| verb == "list");
    let kind = |Resource { name, kind, namespaced, .. }| ListedKind {
        group: group.to_owned(),
        version: version.to_owned(),
        kind,
        resource: name,
        is_namespaced: namespaced,
    };
    Ok(resources.into_iter().filter(is_listed).map(kind).collect())
}

/// All objects of a kind, in a namespace or in all; `read` is called with the number of objects of each page.
pub(crate) async fn list(
    server: &Server,
    kind: &ListedKind,
    namespace: Option<&str>,
    read: &dyn Fn(usize),
) -> Result<Vec<Box<RawValue>>, RequestFailure> {
    let path = kind.path(namespace);
    let (mut objects, mut token) = (Vec::new(), String::new());
    loop {
        let page = match &*token {
            "" => format!("{path}?limit={PAGE}"),
            token => format!("{path}?limit={PAGE}&continue={}", escaped(token)),
        };
        let list: List = match server.get(&page).await {
            // The server keeps a list for only some minutes: then the whole list is requested at once, as kubectl does.
            Err(RequestFailure::Expired) if !token.is_empty() => {
                objects.clear();
                server.get(&path).await?
            }
            answer => answer?,
        };
        read(list.items.len());
        objects.extend(list.items);
        token = list.metadata.and_then(|metadata| metadata.next).unwrap_or_default();
        if token.is_empty() {
            return Ok(objects);
        }
    }
}

#[derive(Deserialize)]
struct List {
    metadata: Option<ListMetadata>,
    items: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct ListMetadata {
    #[serde(rename = "continue")]
    next: Option<String>,
}

/// A part of a path or a query, with special characters escaped.
pub(crate) fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_group_version_namespace_and_resource() {
        let machines = ListedKind {
            group: "cluster.x-k8s.io".to_owned(),
            version: "v1beta2".to_owned(),
            kind: "Machine".to_owned(),
            resource: "machines".to_owned(),
            is_namespaced: true,
        };
        let nodes = ListedKind {
            group: String::new(),
            version: "v1".to_owned(),
            resource: "nodes".to_owned(),
            is_namespaced: false,
            ..machines.clone()
        };
        assert_eq!(machines.path(None), "/apis/cluster.x-k8s.io/v1beta2/machines");
        assert_eq!(machines.path(Some("a/b")), "/apis/cluster.x-k8s.io/v1beta2/namespaces/a%2Fb/machines");
        assert_eq!(nodes.path(Some("fleet")), "/api/v1/nodes");
        assert_eq!(
            (machines.resource(), nodes.resource()),
            ("machines.cluster.x-k8s.io".to_owned(), "nodes".to_owned())
        );
    }
}
