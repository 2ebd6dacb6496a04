//! Why a cluster cannot be read: one sentence.

use std::error::Error;
use std::fmt;

/// Why there is no answer. The sentence names the server and the context if they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveFailure(pub(crate) String);

impl fmt::Display for LiveFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An error with its causes, without repetitions.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut sentence = error.to_string();
    for cause in causes(error).skip(1) {
        let cause = cause.to_string();
        if !sentence.contains(&cause) {
            sentence = format!("{sentence}: {cause}");
        }
    }
    sentence
}

/// An error and its causes.
pub(crate) fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (**error).source())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Outer(std::io::Error);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("client error (Connect)")
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn a_sentence_has_each_cause_once() {
        let error = Outer(std::io::Error::other("connection refused"));
        assert_eq!(chain(&error), "client error (Connect): connection refused");
        assert_eq!(chain(&std::io::Error::other("refused")), "refused");
    }
}
