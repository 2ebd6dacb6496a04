//! How tables are written: enums whose variants are texts, functions that return a sentence, and columns of a row.

/// An enum whose variants have a name each, and a sentence or its end if that differs from the name. `Display` writes it.
#[macro_export]
macro_rules! names {
    (@last $name:literal) => { $name };
    (@last $name:literal, $sentence:literal) => { $sentence };
    ($(#[$of_enum:meta])* $Name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal $(: $sentence:literal)?;)+ }) => {
        $(#[$of_enum])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the text of a variant may say enough")]
        pub enum $Name {
            $($(#[$doc])* $variant,)+
        }

        impl $Name {
            /// The name in the row.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($Name::$variant => $text,)+
                }
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $($Name::$variant => $crate::names!(@last $text $(, $sentence)?),)+
                })
            }
        }
    };
}

/// Sentences with what is inserted into them: each row is a function that returns its text.
#[macro_export]
macro_rules! sentences {
    ($($(#[$doc:meta])* $visibility:vis $name:ident($($argument:ident: $type:ty),*) $text:literal;)+) => {
        $($(#[$doc])* $visibility fn $name($($argument: $type),*) -> String {
            format!($text)
        })+
    };
}

/// What a row of a table says beyond its constructor: each line is a function that returns the row with another value in one
/// column.
#[macro_export]
macro_rules! columns {
    ($($Row:ident { $($visibility:vis $name:ident($($argument:ident: $type:ty)?) => $column:ident: $value:expr,)+ })+) => {
        $(impl $Row {
            $($visibility const fn $name(self $(, $argument: $type)?) -> $Row {
                $Row { $column: $value, ..self }
            })+
        })+
    };
}
