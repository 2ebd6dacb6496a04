//! How a table of facts is written: each row is a variant with its data, its code in the report, and its sentence; and what
//! a check finds in an object as it would be stored.

use std::fmt;

use super::datum::Datum;
use crate::settings::Stance;
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

/// The length, in characters, that kubectl and the API server print without truncating.
pub const LONGEST_WARNING: usize = 120;

/// A fact with its data: what a check found, or what a warning says.
pub trait Sentence: fmt::Display {
    /// The code of the fact in the report: it stays when the sentence changes.
    fn reason(&self) -> &'static str;

    /// What happens to the tags of a resource, in the report; `None` for a fact about anything else.
    fn verdict(&self) -> Option<&'static str> {
        None
    }

    /// Its data.
    fn data(&self) -> Vec<&dyn Datum>;

    /// The same, to be cut.
    fn data_mut(&mut self) -> Vec<&mut dyn Datum>;

    /// The keys and paths that it is about.
    fn names(&self) -> Vec<&str> {
        self.data().into_iter().flat_map(Datum::names).collect()
    }

    /// Writes the sentence without the advice.
    fn write_sentence(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// What the user can do instead: text to type, which is never cut.
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

        impl $crate::Sentence for $Fact {
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

            fn data(&self) -> Vec<&dyn $crate::Datum> {
                match self {
                    $($Fact::$name { $($($field),*)? } => vec![$($($field),*)?],)+
                    $($Fact::$outer { $inner $(, $other)* } => {
                        let data = $inner.data();
                        $(let data = [data, vec![$other]].concat();)*
                        data
                    })*
                }
            }

            fn data_mut(&mut self) -> Vec<&mut dyn $crate::Datum> {
                match self {
                    $($Fact::$name { $($($field),*)? } => vec![$($($field),*)?],)+
                    $($Fact::$outer { $inner $(, $other)* } => {
                        let data = $inner.data_mut();
                        $(let mut data = data; data.push($other);)*
                        data
                    })*
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

/// What one check found; `F` is a product's facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<F> {
    /// The setting that decides how the policy reacts, such as `guards.selectorLabels`.
    pub check: &'static str,
    /// Where in the object, such as `spec.template.spec.version`.
    pub at: String,
    /// What was found: its sentence, and its code in the report.
    pub message: F,
    /// How the policy reacts. [`Stance::Ignore`] for what cannot be known: only in the report.
    pub stance: Stance,
}

impl<F> Finding<F> {
    /// The same, of the facts of several products.
    pub fn widen<W: From<F>>(self) -> Finding<W> {
        let Finding { check, at, message, stance } = self;
        Finding { check, at, message: message.into(), stance }
    }
}

impl<F: Sentence> Serialize for Finding<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut finding = serializer.serialize_struct("Finding", 6)?;
        finding.serialize_field("check", self.check)?;
        finding.serialize_field("reason", self.message.reason())?;
        finding.serialize_field("at", &self.at)?;
        finding.serialize_field("message", &self.message.to_string())?;
        finding.serialize_field("stance", &self.stance)?;
        if let Some(verdict) = self.message.verdict() {
            finding.serialize_field("verdict", verdict)?;
        }
        finding.end()
    }
}
