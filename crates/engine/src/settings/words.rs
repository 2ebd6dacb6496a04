//! Words of the settings, and what they mean.

use super::{Mode, OnConflict, OnXrd, Reaction};
use crate::settings::Stance;

/// A setting that is one of a few words.
///
/// Read by one function: serde's code for an enum takes a kilobyte of the module, for each.
pub(crate) trait Word: Copy + 'static {
    /// All words, each with its meaning.
    const WORDS: &'static [(&'static str, Self)];

    /// What a word means.
    ///
    /// # Errors
    /// When it is none of them: what it could have been.
    fn meaning(word: &str) -> Result<Self, String> {
        match Self::WORDS.iter().find(|(known, _)| *known == word) {
            Some((_, meaning)) => Ok(*meaning),
            None => Err(unknown(word, Self::WORDS.iter().map(|(known, _)| *known).collect())),
        }
    }
}

fn unknown(word: &str, known: Vec<&str>) -> String {
    let expected = match known.as_slice() {
        [one, other] => ["`", one, "` or `", other, "`"].concat(),
        all => ["one of `", &all.join("`, `"), "`"].concat(),
    };
    ["unknown variant `", word, "`, expected ", &expected].concat()
}

impl Word for Mode {
    const WORDS: &'static [(&'static str, Self)] = &[("mutate", Mode::Mutate), ("verify", Mode::Verify)];
}

impl Word for Reaction {
    const WORDS: &'static [(&'static str, Self)] =
        &[("accept", Reaction::Accept), ("warn", Reaction::Warn), ("reject", Reaction::Reject)];
}

impl Word for OnConflict {
    const WORDS: &'static [(&'static str, Self)] =
        &[("restore", OnConflict::Restore), ("warn", OnConflict::Warn), ("reject", OnConflict::Reject)];
}

impl Word for Stance {
    const WORDS: &'static [(&'static str, Self)] =
        &[("ignore", Stance::Ignore), ("warn", Stance::Warn), ("reject", Stance::Reject)];
}

impl Word for OnXrd {
    const WORDS: &'static [(&'static str, Self)] =
        &[("ignore", OnXrd::Ignore), ("warn", OnXrd::Warn), ("reject", OnXrd::Reject), ("declare", OnXrd::Declare)];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_written_as_they_are_read<T: Word + serde::Serialize>() {
        for (word, meaning) in T::WORDS {
            assert_eq!(serde_json::to_value(meaning).unwrap(), *word);
        }
    }

    #[test]
    fn words_are_written_as_they_are_read() {
        are_written_as_they_are_read::<Mode>();
        are_written_as_they_are_read::<Reaction>();
        are_written_as_they_are_read::<OnConflict>();
        are_written_as_they_are_read::<Stance>();
        are_written_as_they_are_read::<OnXrd>();
    }

    #[test]
    fn what_is_no_word_is_told_the_words() {
        assert_eq!(Mode::meaning("both").unwrap_err(), "unknown variant `both`, expected `mutate` or `verify`");
        assert_eq!(Stance::meaning("").unwrap_err(), "unknown variant ``, expected one of `ignore`, `warn`, `reject`");
    }
}
