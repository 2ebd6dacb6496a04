//! The cluster's answers in one pass over a request.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::cluster::{Cluster, Get, LookupCause, LookupError};
use crate::json::Document;
use serde::Serialize;

/// The maximum number of reads of one evaluation, including those past the cache: twice what the longest route takes,
/// because some kinds are requested in two versions. A host rejects an evaluation that takes too long, and a module has
/// no clock.
pub const MOST_READS: usize = 16;

/// How the objects above are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// Through the host's cache: an answer may be some seconds old. Sufficient to find that nothing has to be done.
    Cached,
    /// Past the cache. What is written or refused depends on these: an older answer would override a user who has
    /// changed the object above in the meantime, and Cluster API would not correct it.
    Fresh,
}

/// The questions of one pass and their answers. Values that are read of an object borrow from them.
pub struct Answers {
    reads: Reads,
    /// The number of reads that are left. Each pass has its own: otherwise a request that needs more than half of them could
    /// never be confirmed.
    left: Cell<usize>,
    first: OnceCell<Box<ReadAnswer>>,
    records: RefCell<Vec<LookupRecord>>,
    names: OnceCell<Box<ComputedNames>>,
    /// The questions that there were no reads left for, and the answer to each of them.
    beyond: RefCell<Beyond>,
    too_many: OnceCell<Result<Document<'static>, LookupError>>,
}

/// Questions that there were no reads left for.
#[derive(Default)]
struct Beyond {
    gets: Vec<Get>,
    printed: BTreeSet<String>,
}

/// Names that no object has, and that are asked for.
struct ComputedNames {
    names: Vec<String>,
    next: OnceCell<Box<ComputedNames>>,
}

struct ReadAnswer {
    asked: Rc<Asked>,
    next: OnceCell<Box<ReadAnswer>>,
}

struct Asked {
    get: Get,
    given: Result<Document<'static>, LookupError>,
}

impl Answers {
    pub fn new(reads: Reads) -> Self {
        let (first, names, too_many) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        let (left, records, beyond) = (Cell::new(MOST_READS), RefCell::default(), RefCell::default());
        Answers { reads, left, first, records, names, beyond, too_many }
    }

    /// Keeps names for questions: names of objects are otherwise parts of what was read.
    pub fn names(&self, names: Vec<String>) -> &[String] {
        let mut end = &self.names;
        while let Some(known) = end.get() {
            end = &known.next;
        }
        &end.get_or_init(|| Box::new(ComputedNames { names, next: OnceCell::new() })).names
    }

    /// The answer to a question. The same question is only asked once.
    pub fn ask(&self, get: Get, cluster: &dyn Cluster) -> &Result<Document<'static>, LookupError> {
        let mut end = &self.first;
        while let Some(ReadAnswer { asked, next }) = end.get().map(|answer| &**answer) {
            if asked.get == get {
                return &asked.given;
            }
            end = next;
        }
        let given = self.read(&get, cluster).map(Document::new);
        if given.as_ref().is_err_and(is_over_the_limit) {
            // A request may need thousands.
            let mut beyond = self.beyond.borrow_mut();
            if beyond.printed.insert(get.to_string()) {
                self.record_of(&get, &given);
                beyond.gets.push(get);
            }
            return self.too_many.get_or_init(|| given);
        }
        &self.keep(end, Rc::new(Asked { get, given })).asked.given
    }

    /// Repeats the questions of an earlier pass, until an answer differs. Returns whether none does. An answer that does
    /// not differ is shared with the earlier pass.
    pub fn confirm(&self, earlier: &Answers, cluster: &dyn Cluster) -> bool {
        let (mut next, mut end) = (&earlier.first, &self.first);
        while let Some(ReadAnswer { asked, next: after }) = next.get().map(|answer| &**answer) {
            if !cluster.is_fixed() {
                let now = self.read(&asked.get, cluster);
                let is_same = match (&now, &asked.given) {
                    (Ok(now), Ok(then)) => now.trim_ascii() == then.root().text(),
                    (Err(now), Err(then)) => now == then,
                    _ => false,
                };
                if !is_same {
                    self.keep(end, Rc::new(Asked { get: asked.get.clone(), given: now.map(Document::new) }));
                    return false;
                }
                // What was read is dropped before anything else is allocated: so its memory is used again.
            }
            (next, end) = (after, &self.keep(end, Rc::clone(asked)).next);
        }
        let beyond = earlier.beyond.borrow();
        beyond.gets.iter().all(|get| self.ask(get.clone(), cluster).as_ref().is_err_and(is_over_the_limit))
    }

    fn read(&self, get: &Get, cluster: &dyn Cluster) -> Result<String, LookupError> {
        if ![Some(&get.name), get.namespace.as_ref()].into_iter().flatten().all(|name| is_path_segment(name)) {
            return Err(LookupError { cause: LookupCause::NotFound, detail: "no object has such a name".to_owned() });
        }
        let Some(left) = self.left.get().checked_sub(1) else {
            let detail = format!("at most {MOST_READS} reads in one pass");
            return Err(LookupError { cause: LookupCause::TooManyReads, detail });
        };
        self.left.set(left);
        cluster.get(&Get { fresh: self.reads == Reads::Fresh, ..get.clone() })
    }

    fn keep<'a>(&self, end: &'a OnceCell<Box<ReadAnswer>>, asked: Rc<Asked>) -> &'a ReadAnswer {
        self.record_of(&asked.get, &asked.given);
        end.get_or_init(|| Box::new(ReadAnswer { asked, next: OnceCell::new() }))
    }

    fn record_of(&self, get: &Get, given: &Result<Document<'static>, LookupError>) {
        let result = given.as_ref().map_or_else(|error| error.cause.to_string(), |_| "found".to_owned());
        self.record(LookupRecord { get: get.to_string(), result, fresh: self.reads == Reads::Fresh });
    }

    pub fn record(&self, record: LookupRecord) {
        self.records.borrow_mut().push(record);
    }

    /// The report of the questions, in the order in which they were asked.
    pub fn records(&self) -> Vec<LookupRecord> {
        self.records.borrow().clone()
    }
}

fn is_over_the_limit(error: &LookupError) -> bool {
    error.cause == LookupCause::TooManyReads
}

/// Whether a host can ask for an object or a Namespace of this name, and not for another path of the API server.
fn is_path_segment(name: &str) -> bool {
    !name.contains(['/', '?', '#', '%', '\\']) && ![".", ".."].contains(&name)
}

/// One read, and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LookupRecord {
    /// Version, kind, namespace and name.
    pub get: String,
    /// `found`, or why there is no answer, or why it was not sent.
    pub result: String,
    /// Whether the read bypassed the host's cache.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Masks;

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
    fn names_and_namespaces_that_would_be_another_path_are_not_asked_for() {
        let (cluster, answers) = (Counting(Cell::new(0)), Answers::new(Reads::Cached));
        for name in ["c1/status", "../secrets/s", "md?watch=true", "a%2Fb", "a#b", "a\\b", ".", ".."] {
            let asked = answers.ask(Get { name: name.to_owned(), ..get(0) }, &cluster);
            assert_eq!(asked.as_ref().map_err(|error| error.cause).unwrap_err(), LookupCause::NotFound, "{name}");
            let asked = answers.ask(Get { namespace: Some(name.to_owned()), ..get(0) }, &cluster);
            assert_eq!(asked.as_ref().map_err(|error| error.cause).unwrap_err(), LookupCause::NotFound, "{name}");
        }
        assert_eq!(cluster.0.get(), 0);
    }

    #[test]
    fn each_pass_has_its_own_reads() {
        let cluster = Counting(Cell::new(0));
        let [cached, fresh] = [Reads::Cached, Reads::Fresh].map(Answers::new);
        for number in 0..MOST_READS {
            assert!(cached.ask(get(number), &cluster).is_ok());
        }
        // What was asked already costs nothing.
        assert!(cached.ask(get(0), &cluster).is_ok());
        let refused = cached.ask(get(MOST_READS), &cluster).as_ref().unwrap_err();
        assert_eq!((refused.cause, &*refused.detail), (LookupCause::TooManyReads, "at most 16 reads in one pass"));
        assert_eq!(cluster.0.get(), MOST_READS);
        assert_eq!(cached.records().last().map(|record| &*record.result), Some("too many reads"));
        // An answer that was refused for the number of reads is the same in the next pass.
        assert!(fresh.confirm(&cached, &cluster));
        assert_eq!(cluster.0.get(), 2 * MOST_READS);
    }
}
