//! How an enum without data is written as a table: each row is a variant and its text.

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
