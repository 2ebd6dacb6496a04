//! What the cluster answered in one pass over a request.

use std::cell::{OnceCell, RefCell};

use crate::json::document::Document;
use crate::kube::cluster::{Cluster, Get, LookupError};
use crate::report::lookup_record::LookupRecord;
use crate::report::messages::lookups::FOUND;

/// How the objects above are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Through the host's cache: what is answered may be some seconds old. Good enough to find that nothing is to be done.
    Cached,
    /// Past the cache. What is written or refused rests on these: an older answer would overrule whoever has changed the
    /// object above meanwhile, and Cluster API would not correct it.
    Fresh,
}

/// The questions of one pass and their answers. What is read of an object borrows from them.
pub(crate) struct Answers {
    reads: Reads,
    first: OnceCell<Box<Answer>>,
    records: RefCell<Vec<LookupRecord>>,
}

struct Answer {
    get: Get,
    given: Result<Document<'static>, LookupError>,
    next: OnceCell<Box<Answer>>,
}

impl Answers {
    pub(crate) fn new(reads: Reads) -> Self {
        Answers { reads, first: OnceCell::new(), records: RefCell::default() }
    }

    /// The answer to a question. The same question is not asked twice.
    pub(crate) fn ask(&self, get: Get, cluster: &dyn Cluster) -> &Result<Document<'static>, LookupError> {
        let mut end = &self.first;
        while let Some(answer) = end.get() {
            if answer.get == get {
                return &answer.given;
            }
            end = &answer.next;
        }
        let get = Get { fresh: self.reads == Reads::Fresh, ..get };
        let given = cluster.get(&get).map(Document::new);
        let result = given.as_ref().map_or_else(|error| error.cause.to_string(), |_| FOUND.to_owned());
        self.record(LookupRecord { get: get.to_string(), result, fresh: get.fresh });
        &end.get_or_init(|| Box::new(Answer { get: Get { fresh: false, ..get }, given, next: OnceCell::new() })).given
    }

    /// Asks what was asked in an earlier pass, until an answer differs. Whether none does.
    pub(crate) fn confirm(&self, earlier: &Answers, cluster: &dyn Cluster) -> bool {
        let mut next = earlier.first.get();
        while let Some(answer) = next {
            let is_same = match (self.ask(answer.get.clone(), cluster), &answer.given) {
                (Ok(now), Ok(then)) => now.root().text() == then.root().text(),
                (Err(now), Err(then)) => now == then,
                _ => false,
            };
            if !is_same {
                return false;
            }
            next = answer.next.get();
        }
        true
    }

    /// Adds to what is told of the questions.
    pub(crate) fn record(&self, record: LookupRecord) {
        self.records.borrow_mut().push(record);
    }

    /// What is told of the questions, in the order in which they were asked.
    pub(crate) fn records(&self) -> Vec<LookupRecord> {
        self.records.borrow().clone()
    }
}
