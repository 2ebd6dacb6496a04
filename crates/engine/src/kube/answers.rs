//! The cluster's answers in one pass over a request.

use std::cell::{Cell, OnceCell, RefCell};

use crate::catalog::grants::MOST_READS;
use crate::json::document::Document;
use crate::kube::cluster::{Cluster, Get, LookupCause, LookupError};
use crate::report::lookup_record::LookupRecord;
use crate::report::messages::lookups::{FOUND, most_reads};

/// How the objects above are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Through the host's cache: an answer may be some seconds old. Sufficient to find that nothing has to be done.
    Cached,
    /// Past the cache. What is written or refused depends on these: an older answer would override a user who has
    /// changed the object above in the meantime, and Cluster API would not correct it.
    Fresh,
}

/// The number of reads that an evaluation has left.
pub(crate) struct ReadBudget(Cell<usize>);

impl ReadBudget {
    /// That of a whole evaluation.
    pub(crate) fn whole() -> Self {
        ReadBudget(Cell::new(MOST_READS))
    }

    /// Takes one read; false if none is left.
    fn take(&self) -> bool {
        let left = self.0.get().checked_sub(1);
        left.inspect(|left| self.0.set(*left)).is_some()
    }
}

/// The questions of one pass and their answers. Values that are read of an object borrow from them.
pub(crate) struct Answers<'b> {
    reads: Reads,
    budget: &'b ReadBudget,
    first: OnceCell<Box<ReadAnswer>>,
    records: RefCell<Vec<LookupRecord>>,
}

struct ReadAnswer {
    get: Get,
    given: Result<Document<'static>, LookupError>,
    next: OnceCell<Box<ReadAnswer>>,
}

impl<'b> Answers<'b> {
    pub(crate) fn new(reads: Reads, budget: &'b ReadBudget) -> Self {
        Answers { reads, budget, first: OnceCell::new(), records: RefCell::default() }
    }

    /// The answer to a question. The same question is only asked once.
    pub(crate) fn ask(&self, get: Get, cluster: &dyn Cluster) -> &Result<Document<'static>, LookupError> {
        let mut end = &self.first;
        while let Some(answer) = end.get() {
            if answer.get == get {
                return &answer.given;
            }
            end = &answer.next;
        }
        let get = Get { fresh: self.reads == Reads::Fresh, ..get };
        let given = match self.budget.take() {
            true => cluster.get(&get).map(Document::new),
            false => Err(LookupError { cause: LookupCause::TooManyReads, detail: most_reads(MOST_READS) }),
        };
        let result = given.as_ref().map_or_else(|error| error.cause.to_string(), |_| FOUND.to_owned());
        self.record(LookupRecord { get: get.to_string(), result, fresh: get.fresh });
        &end.get_or_init(|| Box::new(ReadAnswer { get: Get { fresh: false, ..get }, given, next: OnceCell::new() }))
            .given
    }

    /// Repeats the questions of an earlier pass, until an answer differs. Returns whether none does.
    pub(crate) fn confirm(&self, earlier: &Answers<'_>, cluster: &dyn Cluster) -> bool {
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

    /// Appends to the report of the questions.
    pub(crate) fn record(&self, record: LookupRecord) {
        self.records.borrow_mut().push(record);
    }

    /// The report of the questions, in the order in which they were asked.
    pub(crate) fn records(&self) -> Vec<LookupRecord> {
        self.records.borrow().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::masks::Masks;

    /// Counts what it is asked.
    struct Counting(Cell<usize>);

    impl Cluster for Counting {
        fn get(&self, get: &Get) -> Result<String, LookupError> {
            self.0.set(self.0.get() + 1);
            Ok(format!(r#"{{"metadata":{{"name":"{}"}}}}"#, get.name))
        }
    }

    fn get(number: usize) -> Get {
        let (api_version, kind) = ("cluster.x-k8s.io/v1beta2".to_owned(), "Cluster".to_owned());
        Get { api_version, kind, namespace: None, name: number.to_string(), masks: Masks::NONE, fresh: false }
    }

    #[test]
    fn both_passes_of_an_evaluation_share_its_reads() {
        let (cluster, budget) = (Counting(Cell::new(0)), ReadBudget::whole());
        let (cached, fresh) = (Answers::new(Reads::Cached, &budget), Answers::new(Reads::Fresh, &budget));
        for number in 0..MOST_READS - 1 {
            assert!(cached.ask(get(number), &cluster).is_ok());
        }
        // What was asked already costs nothing.
        assert!(cached.ask(get(0), &cluster).is_ok());
        assert!(fresh.ask(get(0), &cluster).is_ok());
        let refused = fresh.ask(get(1), &cluster).as_ref().unwrap_err();
        assert_eq!(
            (refused.cause, &*refused.detail),
            (LookupCause::TooManyReads, "at most 16 reads in one evaluation")
        );
        assert_eq!(cluster.0.get(), MOST_READS);
        assert_eq!(fresh.records().last().map(|record| &*record.result), Some("too many reads"));
    }
}
