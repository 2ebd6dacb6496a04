//! How a table of facts is written: each row is a variant with its data, its code in the report, and its sentence.

/// A table of facts: a variant with its data, its code in the report, and its sentence. Variants in
/// the braces before the rows wrap another fact and have its code. What is only a warning has no entry in the report.
macro_rules! facts {
    (
        $(#[$of_enum:meta])* $Fact:ident {
            $($(#[$outer_doc:meta])* $outer:ident { $inner:ident: $inner_type:ty $(, $other:ident: $other_type:ty)* }
                $outer_sentence:literal $(with $argument:expr)?;)*
        }
        $($(#[$doc:meta])* $name:ident $({ $($field:ident: $type:ty),* })? $reason:literal $sentence:literal;)+
    ) => {
        $(#[$of_enum])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
        pub enum $Fact {
            $($(#[$doc])* $name $({ $($field: $type),* })?,)+
            $($(#[$outer_doc])* $outer { $inner: $inner_type $(, $other: $other_type)* },)*
        }

        impl $Fact {
            #[cfg(test)]
            pub(crate) const REASONS: &'static [&'static str] = &[$($reason),+];

            /// The code of the fact in the report: it stays when the sentence changes.
            #[must_use]
            pub fn reason(&self) -> &'static str {
                match self {
                    $($Fact::$name { .. } => $reason,)+
                    $($Fact::$outer { $inner, .. } => $inner.reason(),)*
                }
            }

            /// The keys and paths that it is about.
            #[must_use]
            pub fn names(&self) -> Vec<&str> {
                match self {
                    $($Fact::$name { $($($field),*)? } => [Vec::new(), $($($field.names()),*)?].concat(),)+
                    $($Fact::$outer { $inner, .. } => $inner.names(),)*
                }
            }

            /// The same, to be elided.
            pub(crate) fn names_mut(&mut self) -> Vec<&mut String> {
                match self {
                    $($Fact::$name { $($($field),*)? } => {
                        std::iter::empty()$($(.chain($field.names_mut()))*)?.collect()
                    })+
                    $($Fact::$outer { $inner, .. } => $inner.names_mut(),)*
                }
            }

            /// Makes a datum less exact, if one can be.
            pub(crate) fn generalize(&mut self) -> bool {
                match self {
                    $($Fact::$name { $($($field),*)? } => false $($(|| $field.generalize())*)?,)+
                    $($Fact::$outer { $inner, .. } => $inner.generalize(),)*
                }
            }

            /// Abbreviates a datum, if one can be.
            pub(crate) fn abbreviate(&mut self) -> bool {
                match self {
                    $($Fact::$name { $($($field),*)? } => false $($(|| $field.abbreviate())*)?,)+
                    $($Fact::$outer { $inner, .. } => $inner.abbreviate(),)*
                }
            }

            /// The sentence without the advice.
            fn write_sentence(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($Fact::$name { $($($field),*)? } => {
                        $($(let _ = $field;)*)?
                        write!(f, $sentence)
                    })+
                    $($Fact::$outer { $inner $(, $other)* } => write!(f, $outer_sentence $(, $argument)?),)*
                }
            }
        }
    };
}

pub(crate) use facts;
