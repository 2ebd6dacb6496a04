//! Reads what a question needs, from discovery to the objects.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use fleet::{CROSSPLANE_GROUP, Source};
use futures_util::stream::{self, StreamExt};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::runtime::{Builder, Runtime};

use crate::access::Access;
use crate::failure::LiveFailure;
use crate::kinds::{DEFINITIONS, KINDS, Listed, Topic};
use crate::list::{Group, ListedKind, escaped, groups, kinds, list};
use crate::object_text::source;
use crate::query::Query;
use crate::referenced::{classes, templates};
use crate::server::{RequestFailure, Server};

/// The number of concurrent requests: fewer than an API server allows one user.
const AT_ONCE: usize = 8;

/// The group of Cluster API itself.
const CORE: &str = "cluster.x-k8s.io";

/// What was read.
#[derive(Debug)]
pub struct Found {
    /// One text for each object.
    pub sources: Vec<Source>,
    /// Resources that cannot be listed, and why.
    pub unreadable: Vec<(String, String)>,
}

/// A server from which no objects were requested yet.
pub struct Connection {
    runtime: Runtime,
    server: Server,
    namespace: String,
}

impl Connection {
    /// Finds the server, and gets credentials for it.
    ///
    /// # Errors
    /// When there is no such context, or no credentials.
    pub fn new(access: &Access) -> Result<Connection, LiveFailure> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| LiveFailure(format!("cannot start the client: {error}")))?;
        let (server, namespace) = runtime.block_on(access.server())?;
        Ok(Connection { runtime, server, namespace })
    }

    /// The context, or `None` if the service account of a Pod is used.
    pub fn context(&self) -> Option<&str> {
        self.server.context.as_deref()
    }

    /// The namespace of the context, or else `default`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Server and context, for messages.
    pub fn name(&self) -> String {
        self.server.name()
    }

    /// Reads what a question needs. `progress` is called with the current activity.
    ///
    /// # Errors
    /// When the server cannot be reached, rejects the credentials, does not answer in time or forbids everything that
    /// is requested.
    pub fn read(&self, query: &Query<'_>, progress: &dyn Fn(String)) -> Result<Found, LiveFailure> {
        progress(format!("connecting to {}", self.server.url));
        let reader = Reader {
            server: &self.server,
            query,
            progress,
            count: Cell::default(),
            objects: RefCell::default(),
            failed_reads: RefCell::default(),
        };
        self.runtime.block_on(reader.all())?;
        reader.found()
    }
}

struct Reader<'a> {
    server: &'a Server,
    query: &'a Query<'a>,
    progress: &'a dyn Fn(String),
    count: Cell<usize>,
    objects: RefCell<Vec<(ListedKind, Vec<Box<RawValue>>)>>,
    failed_reads: RefCell<FailedReads>,
}

/// What the server refused.
#[derive(Default)]
struct FailedReads {
    /// The resources that are forbidden, and the server's message about the first.
    forbidden: BTreeMap<String, String>,
    /// Other resources, and why they cannot be listed.
    failed: Vec<(String, String)>,
}

impl Reader<'_> {
    async fn all(&self) -> Result<(), LiveFailure> {
        let groups = match groups(self.server).await {
            Ok(groups) => groups,
            Err(RequestFailure::Fatal(failure)) => return Err(failure),
            Err(RequestFailure::Forbidden(why) | RequestFailure::Refused(why)) => return Err(LiveFailure(why)),
            Err(RequestFailure::NotFound | RequestFailure::Expired) => {
                return Err(LiveFailure(format!("{} is not a Kubernetes API server", self.server.name())));
            }
        };
        let mut topic = self.query.topic;
        let mut wanted = self.discover(&groups, |of| of == Topic::ClusterApi && topic.has(of)).await?;
        if let Some(is_meant) = self.query.kind
            && wanted.iter().any(|kind| is_meant(&kind.any()))
        {
            topic = Topic::ClusterApi;
        }
        wanted.extend(self.discover(&groups, |of| of != Topic::ClusterApi && topic.has(of)).await?);
        self.list(wanted).await?;
        if topic == Topic::Installation {
            return self.definitions(&groups).await;
        }
        let composites = self.composites(&groups).await?;
        self.list(composites).await?;
        self.classes().await
    }

    /// The kinds of [`KINDS`] that the server has.
    async fn discover(
        &self,
        groups: &[Group],
        is_wanted: impl Fn(Topic) -> bool,
    ) -> Result<Vec<ListedKind>, LiveFailure> {
        self.rows(groups, |row| is_wanted(row.topic) && !row.by_name).await
    }

    /// The kinds of some rows of [`KINDS`] that the server has.
    async fn rows(
        &self,
        groups: &[Group],
        is_wanted: impl Fn(&Listed) -> bool,
    ) -> Result<Vec<ListedKind>, LiveFailure> {
        let rows = KINDS.iter().filter(|row| is_wanted(row));
        let rows = rows.filter_map(|row| Some((groups.iter().find(|group| group.name == row.group)?, row.resources)));
        let mut found = Vec::new();
        for (group, resources) in rows {
            let is_wanted = |kind: &ListedKind| resources.is_none_or(|resources| resources.contains(&&*kind.resource));
            found.extend(self.kinds(group).await?.into_iter().filter(is_wanted));
        }
        Ok(found)
    }

    /// The kinds of a group, each in one version: the one in the query, or else the first that has it.
    async fn kinds(&self, group: &Group) -> Result<Vec<ListedKind>, LiveFailure> {
        let versions = stream::iter(&group.versions).map(|version| kinds(self.server, &group.name, version));
        let answers: Vec<_> = versions.buffered(AT_ONCE).collect().await;
        let mut found: Vec<ListedKind> = Vec::new();
        for answer in answers {
            let name = if group.name.is_empty() { "the core group" } else { &*group.name };
            let Some(kinds) = self.answer(name, answer)? else { continue };
            for kind in kinds {
                let named = self.query.versions.get(&(kind.group.clone(), kind.kind.clone()));
                match found.iter_mut().find(|known| known.kind == kind.kind) {
                    Some(known) if named == Some(&kind.version) => *known = kind,
                    Some(_) => {}
                    None => found.push(kind),
                }
            }
        }
        Ok(found)
    }

    /// Lists kinds, several concurrently.
    async fn list(&self, kinds: Vec<ListedKind>) -> Result<(), LiveFailure> {
        let read = |number: usize| {
            self.count.set(self.count.get() + number);
            (self.progress)(format!("reading {}: {} objects", self.server.url, self.count.get()));
        };
        let read = &read;
        let namespaces = |kind: ListedKind| {
            let listed: Vec<Option<&str>> = match self.query.namespaces {
                Some(names) if kind.is_namespaced => names.iter().map(|name| Some(&**name)).collect(),
                _ => vec![None],
            };
            listed.into_iter().map(move |namespace| (kind.clone(), namespace))
        };
        let lists = stream::iter(kinds.into_iter().flat_map(namespaces)).map(|(kind, namespace)| async move {
            let answer = list(self.server, &kind, namespace, read).await;
            (kind, answer)
        });
        let mut lists = lists.buffered(AT_ONCE);
        while let Some((kind, answer)) = lists.next().await {
            if let Some(objects) = self.answer(&kind.resource(), answer)? {
                self.objects.borrow_mut().push((kind, objects));
            }
        }
        Ok(())
    }

    /// The kinds of composites and claims, according to their definitions.
    async fn composites(&self, groups: &[Group]) -> Result<Vec<ListedKind>, LiveFailure> {
        let mut named: BTreeSet<(String, String)> = BTreeSet::new();
        for (kind, definitions) in self.objects.borrow().iter() {
            if kind.group == CROSSPLANE_GROUP && kind.resource == DEFINITIONS {
                named.extend(definitions.iter().flat_map(|definition| composites(definition.get())));
            }
        }
        let mut found = Vec::new();
        for group in groups.iter().filter(|group| named.iter().any(|(of, _)| *of == group.name)) {
            let is_named = |kind: &ListedKind| named.contains(&(kind.group.clone(), kind.resource.clone()));
            found.extend(self.kinds(group).await?.into_iter().filter(is_named));
        }
        Ok(found)
    }

    /// The definitions of kinds that the query names, one by one.
    async fn definitions(&self, groups: &[Group]) -> Result<(), LiveFailure> {
        for kind in self.rows(groups, |row| row.by_name && row.topic == Topic::Installation).await? {
            let answers = stream::iter(&self.query.definitions).map(|name| self.get(&kind, "", name));
            let answers: Vec<_> = answers.buffered(AT_ONCE).collect().await;
            let mut found = Vec::new();
            for answer in answers {
                found.extend(answer?);
            }
            self.objects.borrow_mut().push((kind.clone(), found));
        }
        Ok(())
    }

    /// The ClusterClasses in other namespaces that Clusters use, and their templates.
    async fn classes(&self) -> Result<(), LiveFailure> {
        let Some(namespaces) = self.query.namespaces else { return Ok(()) };
        let known: Vec<ListedKind> = self.objects.borrow().iter().map(|(kind, _)| kind.clone()).collect();
        let kind = |group: &str, name: &str| known.iter().find(|kind| kind.group == group && kind.kind == name);
        let named = {
            let objects = self.objects.borrow();
            let clusters = objects.iter().filter(|(kind, _)| kind.group == CORE && kind.kind == "Cluster");
            let named = clusters.flat_map(|(_, clusters)| classes(clusters, namespaces));
            named.collect::<BTreeSet<_>>()
        };
        let Some(of_class) = kind(CORE, "ClusterClass") else { return Ok(()) };
        let mut taken = BTreeSet::new();
        for (of, name) in named {
            let Some(class) = self.get(of_class, &of, &name).await? else { continue };
            taken.extend(templates(class.get()).into_iter().map(|template| (of.clone(), template)));
            self.objects.borrow_mut().push((of_class.clone(), vec![class]));
        }
        for (of, (group, name, template)) in taken {
            let Some(of_template) = kind(&group, &name) else { continue };
            if let Some(object) = self.get(of_template, &of, &template).await? {
                self.objects.borrow_mut().push((of_template.clone(), vec![object]));
            }
        }
        Ok(())
    }

    async fn get(&self, kind: &ListedKind, namespace: &str, name: &str) -> Result<Option<Box<RawValue>>, LiveFailure> {
        let path = format!("{}/{}", kind.path(Some(namespace)), escaped(name));
        self.answer(&format!("{}/{namespace}/{name}", kind.resource()), self.server.get(&path).await)
    }

    /// An answer, if there is one; what the server forbids is recorded.
    fn answer<T>(&self, what: &str, answer: Result<T, RequestFailure>) -> Result<Option<T>, LiveFailure> {
        let mut failed_reads = self.failed_reads.borrow_mut();
        match answer {
            Ok(answer) => return Ok(Some(answer)),
            Err(RequestFailure::Fatal(failure)) => return Err(failure),
            Err(RequestFailure::NotFound) => {}
            Err(RequestFailure::Expired) => {
                let why =
                    format!("the list expired on {} before it was read completely; try again", self.server.name());
                failed_reads.failed.push((what.to_owned(), why));
            }
            Err(RequestFailure::Forbidden(why)) => {
                failed_reads.forbidden.insert(what.to_owned(), why);
            }
            Err(RequestFailure::Refused(why)) => failed_reads.failed.push((what.to_owned(), why)),
        }
        Ok(None)
    }

    fn found(self) -> Result<Found, LiveFailure> {
        let FailedReads { forbidden, mut failed } = self.failed_reads.into_inner();
        let objects = self.objects.into_inner();
        if let Some(why) = forbidden.values().next() {
            let hint = match self.query.namespaces {
                None if self.query.topic != Topic::Installation => "; use `--namespace` to read a single namespace",
                _ => "",
            };
            let names: Vec<&str> = forbidden.keys().map(|name| &**name).collect();
            let why = format!("{why}{hint}");
            if objects.is_empty() {
                return Err(LiveFailure(why));
            }
            failed.insert(0, (names.join(", "), why));
        }
        let mut sources = Vec::new();
        for (kind, objects) in &objects {
            for object in objects {
                match source(kind, object.get()) {
                    Ok(source) => sources.push(source),
                    Err(error) => failed.push((kind.resource(), error.to_string())),
                }
            }
        }
        Ok(Found { sources, unreadable: failed })
    }
}

/// Groups and resources of the composites and claims that a definition defines.
fn composites(definition: &str) -> Vec<(String, String)> {
    #[derive(Deserialize)]
    struct ServedDefinition {
        spec: Spec,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Spec {
        group: String,
        names: Names,
        claim_names: Option<Names>,
    }
    #[derive(Deserialize)]
    struct Names {
        plural: String,
    }
    let Ok(ServedDefinition { spec }) = serde_json::from_str(definition) else { return Vec::new() };
    let names = [Some(spec.names), spec.claim_names].into_iter().flatten();
    names.map(|names| (spec.group.clone(), names.plural)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_names_composites_and_claims() {
        let definition = r#"{"spec":{"group":"example.org","names":{"kind":"XDisk","plural":"xdisks"},"claimNames":{"kind":"Disk","plural":"disks"}}}"#;
        let named = |plural: &str| ("example.org".to_owned(), plural.to_owned());
        assert_eq!(composites(definition), [named("xdisks"), named("disks")]);
        assert_eq!(composites("{}"), []);
    }
}
