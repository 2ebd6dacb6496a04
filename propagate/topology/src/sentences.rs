//! Tables of what is said.

/// An enum in rows: a variant with its data, and its sentence, which `Display` writes: lower case, no final stop, input in
/// backticks. `with` is what `{}` in the sentence stands for.
#[macro_export]
macro_rules! sentences {
    ($(#[$of_enum:meta])* $vis:vis enum $Name:ident {
        $($(#[$doc:meta])* $variant:ident $(($($value:ident: $of:ty),+))? $({ $($field:ident: $type:ty),+ })?
            $sentence:literal $(with $argument:expr)?;)+
    }) => {
        $(#[$of_enum])*
        #[allow(missing_docs, reason = "the sentence of a variant says what its data is")]
        $vis enum $Name {
            $($(#[$doc])* $variant $(($($of),+))? $({ $($field: $type),+ })?,)+
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($Name::$variant $(($($value),+))? $({ $($field),+ })? => {
                        $($(let _ = $value;)+)?
                        $($(let _ = $field;)+)?
                        write!(f, $sentence $(, $argument)?)
                    })+
                }
            }
        }
    };
}
