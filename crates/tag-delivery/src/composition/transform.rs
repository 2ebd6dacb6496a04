//! What transforms do to a value.
//!
//! Source: function-patch-and-transform, transforms.go, `Resolve`, and what it calls; Crossplane 1.20,
//! internal/controller/apiextensions/composite/composition_transforms.go, which does the same.

use super::value::ScalarType;
use crate::fault::TagFault;
use crate::json::{Json, Malformed};

/// One transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transform<'a> {
    /// Converts every value to a text.
    String,
    /// Does not accept maps: `math` takes numbers, `map` texts, numbers and booleans.
    NoMap(&'a str),
    /// Like `map`, and makes a value of this type.
    Convert(&'a str),
    /// Compares texts with patterns, so it does not accept maps if it has patterns.
    Match {
        has_patterns: bool,
        /// Whether a value that no pattern matches is unchanged.
        falls_back_to_input: bool,
    },
    Other,
}

/// The result of transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TransformedValue {
    /// Their input.
    Same,
    Scalar(ScalarType),
    Unknown,
}

impl<'a> Transform<'a> {
    pub(super) fn read(patch: Json<'a>) -> Result<Vec<Self>, Malformed> {
        patch.get("transforms")?.elements()?.map(Transform::of).collect()
    }

    fn of(at: Json<'a>) -> Result<Self, Malformed> {
        Ok(match at.string(&["type"])?.unwrap_or_default() {
            "string" => Transform::String,
            name @ ("math" | "map") => Transform::NoMap(name),
            "convert" => Transform::Convert(at.string(&["convert", "toType"])?.unwrap_or_default()),
            "match" => Transform::Match {
                has_patterns: at.at(&["match", "patterns"])?.elements()?.next().is_some(),
                falls_back_to_input: at.string(&["match", "fallbackTo"])? == Some("Input"),
            },
            _ => Transform::Other,
        })
    }
}

/// The result for a value, which may be a map.
pub(super) fn transformed(transforms: &[Transform<'_>], is_map: bool) -> Result<TransformedValue, TagFault> {
    let fault = |name: &str| TagFault::TransformOfAMap { transform: name.into() };
    let mut is = TransformedValue::Same;
    for transform in transforms {
        let is_given_map = is_map && is == TransformedValue::Same;
        is = match transform {
            Transform::String => TransformedValue::Scalar(ScalarType::Text),
            Transform::NoMap(name) if is_given_map => return Err(fault(name)),
            Transform::Convert(_) if is_given_map => return Err(fault("convert")),
            Transform::NoMap("math") | Transform::Convert("int" | "int64" | "float64") => {
                TransformedValue::Scalar(ScalarType::Number)
            }
            Transform::Convert("string") => TransformedValue::Scalar(ScalarType::Text),
            Transform::Convert("bool") => TransformedValue::Scalar(ScalarType::Boolean),
            Transform::Match { has_patterns: true, .. } if is_given_map => return Err(fault("match")),
            Transform::Match { has_patterns: false, falls_back_to_input: true } => is,
            Transform::NoMap(_) | Transform::Convert(_) | Transform::Match { .. } | Transform::Other => {
                TransformedValue::Unknown
            }
        };
    }
    Ok(is)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ScalarType::{Boolean, Number, Text};
    use TransformedValue::{Same, Scalar, Unknown};

    const INPUT: Transform<'_> = Transform::Match { has_patterns: false, falls_back_to_input: true };
    const PATTERNS: Transform<'_> = Transform::Match { has_patterns: true, falls_back_to_input: true };
    const CONSTANT: Transform<'_> = Transform::Match { has_patterns: false, falls_back_to_input: false };

    #[test]
    fn a_map_is_taken_by_few_transforms() {
        let of_map = |transforms: &[Transform<'_>]| transformed(transforms, true);
        let refused = |name: &str| Err(TagFault::TransformOfAMap { transform: name.into() });
        for transform in [Transform::NoMap("math"), Transform::NoMap("map"), Transform::Convert("string")] {
            let name = if let Transform::NoMap(name) = transform { name } else { "convert" };
            assert_eq!(of_map(&[transform]), refused(name));
            assert_eq!(of_map(&[INPUT, transform]), refused(name));
        }
        assert_eq!(of_map(&[PATTERNS]), refused("match"));
        assert_eq!((of_map(&[]), of_map(&[INPUT]), of_map(&[CONSTANT])), (Ok(Same), Ok(Same), Ok(Unknown)));
        assert_eq!((of_map(&[Transform::String]), of_map(&[Transform::Other])), (Ok(Scalar(Text)), Ok(Unknown)));
    }

    /// A map as JSON text is converted to a map again.
    #[test]
    fn what_a_text_becomes_is_unknown() {
        let chain = [Transform::String, Transform::Convert("object")];
        assert_eq!(transformed(&chain, true), Ok(Unknown));
        assert_eq!(transformed(&[Transform::NoMap("map")], false), Ok(Unknown));
        assert_eq!(transformed(&[Transform::NoMap("math")], false), Ok(Scalar(Number)));
        let converted = ["string", "int64", "bool", "array"].map(|of| transformed(&[Transform::Convert(of)], false));
        assert_eq!(converted, [Ok(Scalar(Text)), Ok(Scalar(Number)), Ok(Scalar(Boolean)), Ok(Unknown)]);
    }
}
