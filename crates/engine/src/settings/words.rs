//! Words of the settings, and what they mean.

use super::{Mode, OnConflict, OnXrd, Reaction};
use crate::finding::Stance;

/// A setting that is one of a few words.
///
/// Read from a text of its own: serde's code for an enum takes a kilobyte of the module, for each.
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

macro_rules! words {
    ($type:ident: $($word:literal => $meaning:ident),+) => {
        impl Word for $type {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, $type::$meaning)),+];
        }

        impl TryFrom<String> for $type {
            type Error = String;

            fn try_from(word: String) -> Result<Self, String> {
                Self::meaning(&word)
            }
        }
    };
}

words!(Mode: "mutate" => Mutate, "verify" => Verify);
words!(Reaction: "accept" => Accept, "warn" => Warn, "reject" => Reject);
words!(OnConflict: "restore" => Restore, "warn" => Warn, "reject" => Reject);
words!(Stance: "ignore" => Ignore, "warn" => Warn, "reject" => Reject);
words!(OnXrd: "ignore" => Ignore, "warn" => Warn, "reject" => Reject, "declare" => Declare);

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
