//! What transforms do to a value.
//!
//! Source: function-patch-and-transform, transforms.go, `Resolve`, and what it calls; Crossplane 1.20,
//! internal/controller/apiextensions/composite/composition_transforms.go, which does the same.

use crate::json::Malformed;
use crate::json::document::Json;
use facts::tag_fault::TagFault;

/// One transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transform<'a> {
    /// Converts every value to a text.
    String,
    /// Does not accept maps: `math` takes numbers, `map` and `convert` texts, numbers and booleans.
    NoMap(&'a str),
    /// Compares texts with patterns, so it does not accept maps if it has patterns.
    Match {
        has_patterns: bool,
        /// Whether a value that no pattern matches is unchanged.
        falls_back_to_input: bool,
    },
    /// An unknown one.
    Other,
}

/// The result of transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TransformedValue {
    /// Their input.
    Same,
    /// A text or a number.
    Scalar,
    Unknown,
}

impl<'a> Transform<'a> {
    /// The transforms of a patch.
    ///
    /// # Errors
    /// When they do not have the structure that Crossplane defines.
    pub(super) fn read(patch: Json<'a>) -> Result<Vec<Self>, Malformed> {
        patch.get("transforms")?.elements()?.map(Transform::of).collect()
    }

    fn of(at: Json<'a>) -> Result<Self, Malformed> {
        Ok(match at.string(&["type"])?.unwrap_or_default() {
            "string" => Transform::String,
            name @ ("math" | "map" | "convert") => Transform::NoMap(name),
            "match" => Transform::Match {
                has_patterns: at.at(&["match", "patterns"])?.elements()?.next().is_some(),
                falls_back_to_input: at.string(&["match", "fallbackTo"])? == Some("Input"),
            },
            _ => Transform::Other,
        })
    }
}

/// The result for a value, which may be a map.
///
/// # Errors
/// When a transform that does not accept maps is given one.
pub(super) fn transformed(transforms: &[Transform<'_>], is_map: bool) -> Result<TransformedValue, TagFault> {
    let fault = |name: &str| TagFault::TransformOfAMap { transform: name.into() };
    let mut is = TransformedValue::Same;
    for transform in transforms {
        let is_given_map = is_map && is == TransformedValue::Same;
        is = match transform {
            Transform::String => TransformedValue::Scalar,
            Transform::NoMap(name) if is_given_map => return Err(fault(name)),
            Transform::NoMap("math") => TransformedValue::Scalar,
            Transform::Match { has_patterns: true, .. } if is_given_map => return Err(fault("match")),
            Transform::Match { has_patterns: false, falls_back_to_input: true } => is,
            Transform::NoMap(_) | Transform::Match { .. } | Transform::Other => TransformedValue::Unknown,
        };
    }
    Ok(is)
}

#[cfg(test)]
mod tests {
    use super::*;
    use TransformedValue::{Same, Scalar, Unknown};

    const INPUT: Transform<'_> = Transform::Match { has_patterns: false, falls_back_to_input: true };
    const PATTERNS: Transform<'_> = Transform::Match { has_patterns: true, falls_back_to_input: true };
    const CONSTANT: Transform<'_> = Transform::Match { has_patterns: false, falls_back_to_input: false };

    #[test]
    fn a_map_is_taken_by_few_transforms() {
        let of_map = |transforms: &[Transform<'_>]| transformed(transforms, true);
        let refused = |name: &str| Err(TagFault::TransformOfAMap { transform: name.into() });
        for name in ["math", "map", "convert"] {
            assert_eq!(of_map(&[Transform::NoMap(name)]), refused(name));
            assert_eq!(of_map(&[INPUT, Transform::NoMap(name)]), refused(name));
        }
        assert_eq!(of_map(&[PATTERNS]), refused("match"));
        assert_eq!((of_map(&[]), of_map(&[INPUT]), of_map(&[CONSTANT])), (Ok(Same), Ok(Same), Ok(Unknown)));
        assert_eq!((of_map(&[Transform::String]), of_map(&[Transform::Other])), (Ok(Scalar), Ok(Unknown)));
    }

    /// A map as JSON text is converted to a map again.
    #[test]
    fn what_a_text_becomes_is_unknown() {
        let chain = [Transform::String, Transform::NoMap("convert")];
        assert_eq!(transformed(&chain, true), Ok(Unknown));
        assert_eq!(transformed(&[Transform::NoMap("map")], false), Ok(Unknown));
        assert_eq!(transformed(&[Transform::NoMap("math")], false), Ok(Scalar));
    }
}
