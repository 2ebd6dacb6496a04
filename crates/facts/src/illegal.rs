//! Warnings about entries that the API server would reject.

use crate::change::EntryNoun;
use crate::change_warning::Detail;
use crate::messages::EntryName;
use crate::messages::propagation as messages;
use crate::shortening::{first_that_fits, short};
use crate::skipped::{Carried, SkipReason, Skipped};

/// What is omitted because the API server would reject it: a sentence for each entry, the warning for it, and both once
/// for all entries that do not fit.
pub fn of_illegal(skipped: &[Skipped]) -> Vec<(String, String)> {
    let without_room = skipped.iter().filter(|skip| skip.reason == SkipReason::AnnotationsTooLarge).count();
    let together = (without_room > 0).then(|| messages::no_room(without_room));
    let single = skipped.iter().filter(|skip| skip.reason != SkipReason::AnnotationsTooLarge).filter_map(|skip| {
        let wordings = Detail::ALL.into_iter().filter_map(|detail| skip.left_out(detail));
        Some((skip.left_out(Detail::Path)?, short(first_that_fits(wordings))))
    });
    single.chain(together.map(|sentence| (sentence.clone(), sentence))).collect()
}

impl Skipped {
    /// The sentence of the warning that the API server would reject the entry; `None` if it would not.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        self.left_out(Detail::Path)
    }

    fn left_out(&self, detail: Detail) -> Option<String> {
        let reason = match self.reason {
            SkipReason::IllegalKey => messages::INVALID_KEY,
            SkipReason::IllegalValue => messages::INVALID_VALUE,
            SkipReason::TooManyElements => messages::TOO_MANY,
            SkipReason::AnnotationsTooLarge => messages::NO_ROOM,
            _ => return None,
        };
        let (noun, map) = match self.carried {
            Carried::Map(map) => (EntryNoun::from(map), Some(map)),
            Carried::Field => (EntryNoun::Field, None),
        };
        let (noun, path) = (noun.as_str(), self.from.path_of(map));
        let source = detail.location(&self.from.object, Some(&path));
        Some(messages::not_propagated(EntryName { noun, key: &self.key }, reason, source))
    }
}
