//! Reads the objects above the one under review, in the right version.

use std::cell::Cell;

use crate::answers::Answers;
use crate::cluster::{Cluster, Get, LookupCause};
use crate::group_version_kind::GroupVersionKind;
use crate::json::Document;
use crate::lookup_record::LookupRecord;
use crate::parent::Parent;
use crate::query::ObjectQuery;
use crate::read_failure::{LookupFailed, ReadFailure};

/// In the record of a read: no request was sent.
const NOT_READ: &str = "not read: this kind is neither built in nor listed in `lookup.apiVersions`";

/// Which kinds may be read, and in which versions.
pub trait Readable {
    /// The versions of a kind that may be read, the preferred one first; empty if the kind may not be read.
    fn versions<'s>(&'s self, group: &str, kind: &str) -> Vec<&'s str>;

    /// Whether the kind is one of those that are all stored in one version at a time: one that is found tells the
    /// version of the others.
    fn share_a_version(&self, group: &str, kind: &str) -> bool;
}

/// The cluster as one evaluation sees it. Remembers what was read.
pub struct Lookups<'e> {
    cluster: &'e dyn Cluster,
    readable: &'e dyn Readable,
    answers: &'e Answers<'e>,
    /// Version of the object under review, if it is one of Cluster API's own kinds.
    own_version: Option<&'e str>,
    /// Version in which one of Cluster API's own kinds was found.
    found_in: Cell<Option<&'e str>>,
}

impl<'e> Lookups<'e> {
    /// Reads for a request about an object of `kind`.
    pub fn new(
        kind: &'e GroupVersionKind<'_>,
        readable: &'e dyn Readable,
        cluster: &'e dyn Cluster,
        answers: &'e Answers<'e>,
    ) -> Self {
        let own_version = Some(&*kind.version).filter(|_| readable.share_a_version(&kind.group, &kind.kind));
        Lookups { cluster, readable, answers, own_version, found_in: Cell::new(None) }
    }

    /// The object's text.
    ///
    /// If a kind is not served or not granted in one version, the read is repeated once with another.
    ///
    /// # Errors
    /// When the kind may not be read, there is no such object, or the cluster could not be asked.
    pub fn get(&self, query: &ObjectQuery<'e>) -> Result<&'e Document<'static>, ReadFailure> {
        let mut versions = self.versions(query).into_iter();
        let Some(version) = versions.next() else {
            let object = query.object;
            let get = format!("{} {} {}/{}", query.group, object.kind, object.namespace, object.name);
            let result = NOT_READ.to_owned();
            self.answers.record(LookupRecord { get, result, fresh: false });
            return Err(ReadFailure::UnknownKind(format!("{} {}", object.kind, object.name)));
        };
        let is_of_version =
            |failed: &LookupFailed| matches!(failed.error.cause, LookupCause::NotServed | LookupCause::NotGranted);
        let answer = match self.ask(query, version) {
            Err(first) if is_of_version(&first) => match versions.next().map(|version| self.ask(query, version)) {
                // Both versions failed: a missing grant is what can be fixed.
                Some(Err(second)) if is_of_version(&second) => {
                    let of_grant = |failed: &LookupFailed| failed.error.cause == LookupCause::NotGranted;
                    Err(if of_grant(&first) || !of_grant(&second) { first } else { second })
                }
                Some(second) => second,
                None => Err(first),
            },
            first => first,
        };
        answer.map_err(ReadFailure::Failed)
    }

    /// Whether objects of a kind may be read.
    pub fn may_read(&self, group: &str, kind: &str) -> bool {
        !self.readable.versions(group, kind).is_empty()
    }

    /// Names that no object has, for questions.
    pub fn names(&self, names: Vec<String>) -> &'e [String] {
        self.answers.names(names)
    }

    /// The object that a reference points to.
    ///
    /// # Errors
    /// Like [`Lookups::get`] and [`Parent::read`].
    pub fn parent(&self, query: &ObjectQuery<'e>) -> Result<Parent<'e>, ReadFailure> {
        Parent::read(self.get(query)?, query)
    }

    fn ask(&self, query: &ObjectQuery<'e>, version: &'e str) -> Result<&'e Document<'static>, LookupFailed> {
        let object = query.object;
        let get = Get {
            api_version: if query.group.is_empty() { version.to_owned() } else { [query.group, "/", version].concat() },
            kind: object.kind.to_owned(),
            namespace: Some(object.namespace).filter(|namespace| !namespace.is_empty()).map(str::to_owned),
            name: object.name.to_owned(),
            masks: query.masks,
            fresh: false,
        };
        let question = get.to_string();
        match self.answers.ask(get, self.cluster) {
            Ok(document) => {
                if self.readable.share_a_version(query.group, object.kind) {
                    self.found_in.set(Some(version));
                }
                Ok(document)
            }
            Err(error) => Err(LookupFailed { query: question, error: error.clone(), problem: None }),
        }
    }

    /// The versions to try, in order; none if the kind may not be read.
    fn versions(&self, query: &ObjectQuery<'e>) -> Vec<&'e str> {
        let kind = query.object.kind;
        let mut versions = self.readable.versions(query.group, kind);
        let is_own = self.readable.share_a_version(query.group, kind);
        let of_own = [self.own_version, self.found_in.get()].map(|version| version.filter(|_| is_own));
        // The later version is first, as far as it is known.
        for version in [query.version].into_iter().chain(of_own).flatten() {
            if let Some(index) = versions.iter().position(|known| *known == version)
                && let Some(before) = versions.get_mut(..=index)
            {
                before.rotate_right(1);
            }
        }
        versions
    }
}
