//! How a table of facts is written: each row is a variant with its data, its code in the report, and its sentence.

use std::fmt;

/// The length, in characters, that kubectl and the API server print without truncating.
pub const LONGEST_WARNING: usize = 120;

/// Whether a text is short enough for a warning.
#[must_use]
pub fn fits(text: &str) -> bool {
    text.len() <= LONGEST_WARNING || text.chars().count() <= LONGEST_WARNING
}

/// A fact with its data: what a check found, or what a warning says.
pub trait Sentence: fmt::Display {
    /// The code of the fact in the report: it stays when the sentence changes.
    fn reason(&self) -> &'static str;

    /// What happens to the tags of a resource, in the report; `None` for a fact about anything else.
    fn verdict(&self) -> Option<&'static str> {
        None
    }

    /// The keys and paths that it is about.
    fn names(&self) -> Vec<&str>;

    /// The same, to be elided.
    fn names_mut(&mut self) -> Vec<&mut String>;

    /// Makes a datum less exact, if one can be.
    fn generalize(&mut self) -> bool;

    /// Abbreviates a datum, if one can be.
    fn abbreviate(&mut self) -> bool;

    /// Writes the sentence without the advice.
    ///
    /// # Errors
    /// When the formatter fails.
    fn write_sentence(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// What the user can do instead: text to type, which is never elided.
    fn advice(&self) -> Option<String> {
        None
    }

    /// The sentence without the advice.
    fn without_advice(&self) -> String {
        fmt::from_fn(|f| self.write_sentence(f)).to_string()
    }
}

/// A table of facts: a variant with its data, its code in the report, its sentence, and the advice that follows it after a
/// semicolon. A sentence is lower case and has no final stop, input is in backticks. Variants in the braces before the rows
/// wrap another fact and have its code. What is only a warning has no entry in the report.
#[macro_export]
macro_rules! facts {
    (
        $(#[$of_enum:meta])* $Fact:ident {
            $($(#[$outer_doc:meta])* $outer:ident { $inner:ident: $inner_type:ty $(, $other:ident: $other_type:ty)* }
                $outer_sentence:literal $(with $argument:expr)?;)*
        }
        $($(#[$doc:meta])* $name:ident $({ $($field:ident: $type:ty),* })? $reason:literal $sentence:literal
            $(advice $advice:literal)?;)+
    ) => {
        $(#[$of_enum])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
        pub enum $Fact {
            $($(#[$doc])* $name $({ $($field: $type),* })?,)+
            $($(#[$outer_doc])* $outer { $inner: $inner_type $(, $other: $other_type)* },)*
        }

        impl $Fact {
            /// The codes of all rows.
            pub const REASONS: &'static [&'static str] = &[$($reason),+];
        }

        impl $crate::decision::fact::Sentence for $Fact {
            fn reason(&self) -> &'static str {
                match self {
                    $($Fact::$name { .. } => $reason,)+
                    $($Fact::$outer { $inner, .. } => $inner.reason(),)*
                }
            }

            fn verdict(&self) -> Option<&'static str> {
                match self {
                    $($Fact::$outer { $inner, .. } => $inner.verdict(),)*
                    _ => None,
                }
            }

            fn names(&self) -> Vec<&str> {
                match self {
                    $($Fact::$name { $($($field),*)? } => [Vec::new(), $($($field.names()),*)?].concat(),)+
                    $($Fact::$outer { $inner, .. } => $inner.names(),)*
                }
            }

            fn names_mut(&mut self) -> Vec<&mut String> {
                match self {
                    $($Fact::$name { $($($field),*)? } => {
                        std::iter::empty()$($(.chain($field.names_mut()))*)?.collect()
                    })+
                    $($Fact::$outer { $inner, .. } => $inner.names_mut(),)*
                }
            }

            fn generalize(&mut self) -> bool {
                match self {
                    $($Fact::$name { $($($field),*)? } => false $($(|| $field.generalize())*)?,)+
                    $($Fact::$outer { $inner, .. } => $inner.generalize(),)*
                }
            }

            fn abbreviate(&mut self) -> bool {
                match self {
                    $($Fact::$name { $($($field),*)? } => false $($(|| $field.abbreviate())*)?,)+
                    $($Fact::$outer { $inner, .. } => $inner.abbreviate(),)*
                }
            }

            fn write_sentence(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($Fact::$name { $($($field),*)? } => {
                        $($(let _ = $field;)*)?
                        write!(f, $sentence)
                    })+
                    $($Fact::$outer { $inner $(, $other)* } => write!(f, $outer_sentence $(, $argument)?),)*
                }
            }

            fn advice(&self) -> Option<String> {
                match self {
                    $($Fact::$name { $($($field),*)? } => {
                        $($(let _ = $field;)*)?
                        std::iter::empty()$(.chain([format!($advice)]))?.next()
                    })+
                    $($Fact::$outer { $inner, .. } => $inner.advice(),)*
                }
            }
        }

        impl std::fmt::Display for $Fact {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.write_sentence(f)?;
                self.advice().map_or(Ok(()), |advice| write!(f, "; {advice}"))
            }
        }
    };
}
