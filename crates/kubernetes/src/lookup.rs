//! Reads the objects above the one under review, in the right version.

use std::cell::Cell;

use crate::answers::{Answers, LookupRecord};
use crate::cluster::{Cluster, Get, LookupCause, LookupError};
use crate::decision::not_applicable::NotApplicableReason;
use crate::json::{Document, Json, Malformed};
use crate::object::Object;
use crate::query::{ObjectName, ObjectQuery};
use crate::request::GroupVersionKind;

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
    answers: &'e Answers,
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
        answers: &'e Answers,
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

/// Why there is no object for a query.
#[derive(Debug)]
pub enum ReadFailure {
    /// Its kind may not be read; the object by kind and name.
    UnknownKind(String),
    /// The object has another UID than the reference to it; the object by kind, namespace and name.
    AnotherUid(String),
    /// The cluster did not return it, or it is not a Kubernetes object.
    Failed(LookupFailed),
}

/// A read without a usable answer.
#[derive(Debug)]
pub struct LookupFailed {
    /// The object, as it was asked for.
    pub query: String,
    /// What the cluster returned.
    pub error: LookupError,
    /// What is wrong with the object, if it was returned.
    pub problem: Option<Malformed>,
}

impl LookupFailed {
    /// Why nothing is compared.
    pub fn reason(&self) -> NotApplicableReason {
        match self.error.cause {
            LookupCause::NotFound => NotApplicableReason::ParentMissing,
            _ => NotApplicableReason::LookupFailed,
        }
    }
}

impl ReadFailure {
    /// An object whose text does not have the structure of a Kubernetes object.
    pub fn unreadable(object: impl Into<String>, problem: Malformed) -> ReadFailure {
        let error = LookupError { cause: LookupCause::Unreadable, detail: problem.to_string() };
        ReadFailure::Failed(LookupFailed { query: object.into(), error, problem: Some(problem) })
    }

    /// Whether this pass may read nothing more.
    pub fn is_of_too_many_reads(&self) -> bool {
        matches!(self, ReadFailure::Failed(failed) if failed.error.cause == LookupCause::TooManyReads)
    }
}

/// An object that was read.
pub struct Parent<'a> {
    pub object: Object<'a>,
    /// Kind, namespace and name.
    pub name: ObjectName<'a>,
}

impl<'a> Parent<'a> {
    /// The object in an answer to `query`.
    ///
    /// # Errors
    /// When the text is not a Kubernetes object, or has another uid than the reference.
    pub fn read(answer: &'a Document<'_>, query: &ObjectQuery<'a>) -> Result<Self, ReadFailure> {
        let name = query.object;
        let object = Object::read(answer).map_err(|malformed| ReadFailure::unreadable(name.to_string(), malformed))?;
        if !query.uid.is_empty() && !object.uid.is_empty() && query.uid != object.uid {
            return Err(ReadFailure::AnotherUid(name.to_string()));
        }
        Ok(Parent { object, name })
    }

    /// The value under a path of the object's `spec`.
    pub fn spec(&self, path: &[&str]) -> Result<Json<'a>, ReadFailure> {
        self.readable(self.object.spec.at(path))
    }

    /// The string under a path of the object's `spec`; `None` if it is absent, null or empty.
    pub fn string(&self, path: &[&str]) -> Result<Option<&'a str>, ReadFailure> {
        self.readable(self.object.spec.string(path))
    }

    /// What was read of the object.
    ///
    /// # Errors
    /// When it has another type: the error names this object, not the one under review.
    pub fn readable<T>(&self, read: Result<T, Malformed>) -> Result<T, ReadFailure> {
        read.map_err(|malformed| ReadFailure::unreadable(self.name.to_string(), malformed))
    }
}
