//! Warnings about entries that the API server would reject.

use crate::change::EntryNoun;
use crate::change_reason::NamedSource;
use crate::datum::{EntryCount, NamedEntry};
use crate::fact::Fact;
use crate::skipped::{Carried, SkipReason, Skipped};

/// What is omitted because the API server would reject it: each entry, and once all entries that do not fit.
pub fn of_illegal(skipped: &[Skipped]) -> Vec<Fact> {
    let is_too_large = |skip: &&Skipped| skip.reason == SkipReason::AnnotationsTooLarge;
    let too_large = skipped.iter().filter(is_too_large).count();
    let together = (too_large > 0).then_some(Fact::AnnotationsTooLarge { entries: EntryCount(too_large) });
    let single = skipped.iter().filter(|skip| !is_too_large(skip)).filter_map(Skipped::refusal);
    single.chain(together).collect()
}

impl Skipped {
    /// The warning if the API server would reject the entry; `None` if it would not.
    #[must_use]
    pub fn refusal(&self) -> Option<Fact> {
        let fact: fn(NamedEntry, NamedSource) -> Fact = match self.reason {
            SkipReason::IllegalKey => |entry, source| Fact::InvalidKey { entry, source },
            SkipReason::IllegalValue => |entry, source| Fact::InvalidValue { entry, source },
            SkipReason::TooManyElements => |entry, source| Fact::ListTooLong { entry, source },
            SkipReason::AnnotationsTooLarge => |entry, source| Fact::AnnotationTooLarge { entry, source },
            _ => return None,
        };
        let (noun, map) = match self.carried {
            Carried::Map(map) => (EntryNoun::from(map), Some(map)),
            Carried::Field => (EntryNoun::Field, None),
        };
        let entry = NamedEntry { noun: noun.as_str(), key: self.key.clone() };
        Some(fact(entry, NamedSource::new(&self.from.object, Some(&self.from.path_of(map)))))
    }
}
