//! What function-patch-and-transform accepts as its input. It refuses anything else as a whole, and composes nothing.
//!
//! Source: function-patch-and-transform, validate.go, and the types in input/v1beta1, which are decoded strictly.

use self::FieldType::{Anything, Integer, List, Map, Object, Text};
use super::halt::Halt;
use super::patch::{Patch, only};
use crate::fault::TagFault;
use crate::json::Json;
use kubernetes::settings::Pattern;

/// The type of a field.
#[derive(Debug, Clone, Copy)]
enum FieldType {
    Text,
    Integer,
    /// The function does not read it as a whole.
    Anything,
    /// With any fields.
    Map,
    Object(&'static [InputField]),
    List(&'static FieldType),
}

/// A field of an object, and its type.
type InputField = (&'static str, FieldType);

#[rustfmt::skip]
const INPUT: &[InputField] = &[
    ("apiVersion", Text), ("kind", Text), ("metadata", Anything),
    ("patchSets", List(&Object(&[("name", Text), ("patches", List(&Object(RESOURCE_PATCH)))]))),
    ("environment", Object(&[("patches", List(&Object(PATCH)))])),
    ("resources", List(&Object(RESOURCE))),
    ("writeConnectionSecretToRef", Object(&[("name", Text), ("namespace", Text), ("patches", List(&Object(PATCH)))])),
];
#[rustfmt::skip]
const RESOURCE: &[InputField] = &[
    ("name", Text), ("base", Anything), ("patches", List(&Object(RESOURCE_PATCH))),
    ("connectionDetails", List(&Object(DETAIL))), ("readinessChecks", List(&Object(CHECK))),
];
#[rustfmt::skip]
const PATCH: &[InputField] = &[
    ("type", Text), ("fromFieldPath", Text), ("combine", Object(COMBINE)), ("toFieldPath", Text),
    ("transforms", List(&Object(TRANSFORM))), ("policy", Object(&[("fromFieldPath", Text), ("toFieldPath", Text)])),
];
#[rustfmt::skip]
const RESOURCE_PATCH: &[InputField] = &[
    ("type", Text), ("fromFieldPath", Text), ("combine", Object(COMBINE)), ("toFieldPath", Text), ("patchSetName", Text),
    ("transforms", List(&Object(TRANSFORM))), ("policy", Object(&[("fromFieldPath", Text), ("toFieldPath", Text)])),
];
#[rustfmt::skip]
const COMBINE: &[InputField] = &[
    ("variables", List(&Object(&[("fromFieldPath", Text)]))), ("strategy", Text), ("string", Object(&[("fmt", Text)])),
];
#[rustfmt::skip]
const TRANSFORM: &[InputField] = &[
    ("type", Text), ("map", Map),
    ("math", Object(&[("type", Text), ("multiply", Integer), ("clampMin", Integer), ("clampMax", Integer)])),
    ("match", Object(&[
        ("patterns", List(&Object(&[("type", Text), ("literal", Text), ("regexp", Text), ("result", Anything)]))),
        ("fallbackValue", Anything), ("fallbackTo", Text),
    ])),
    ("string", Object(&[
        ("type", Text), ("fmt", Text), ("convert", Text), ("trim", Text),
        ("regexp", Object(&[("match", Text), ("group", Integer)])), ("join", Object(&[("separator", Text)])),
        ("replace", Object(&[("search", Text), ("replace", Text)])),
    ])),
    ("convert", Object(&[("toType", Text), ("format", Text)])),
];
#[rustfmt::skip]
const DETAIL: &[InputField] = &[
    ("name", Text), ("type", Text), ("fromConnectionSecretKey", Text), ("fromFieldPath", Text), ("value", Text),
];
#[rustfmt::skip]
const CHECK: &[InputField] = &[
    ("type", Text), ("fieldPath", Text), ("matchString", Text), ("matchInteger", Integer),
    ("matchCondition", Object(&[("type", Text), ("status", Text)])),
];

/// The values of a field, and the fields that an object with this value must have.
type Variants = &'static [(&'static str, &'static [&'static str])];

#[rustfmt::skip]
const TRANSFORMS: Variants = &[
    ("math", &["math"]), ("map", &["map"]), ("match", &["match"]), ("string", &["string"]), ("convert", &["convert"]),
];
const MATHS: Variants = &[("Multiply", &["multiply"]), ("ClampMin", &["clampMin"]), ("ClampMax", &["clampMax"])];
const PATTERNS: Variants = &[("literal", &["literal"]), ("", &["literal"]), ("regexp", &["regexp"])];
#[rustfmt::skip]
const STRINGS: Variants = &[
    ("Format", &["fmt"]), ("Convert", &["convert"]), ("TrimPrefix", &["trim"]), ("TrimSuffix", &["trim"]),
    ("Regexp", &["regexp"]), ("Join", &["join"]), ("Replace", &["replace"]),
];
const COMBINES: Variants = &[("string", &["string"])];
#[rustfmt::skip]
const CHECKS: Variants = &[
    ("NonEmpty", &["fieldPath"]), ("MatchString", &["matchString", "fieldPath"]),
    ("MatchInteger", &["matchInteger", "fieldPath"]), ("MatchTrue", &["fieldPath"]), ("MatchFalse", &["fieldPath"]),
    ("MatchCondition", &[]), ("None", &[]),
];
#[rustfmt::skip]
const DETAILS: Variants = &[
    ("FromConnectionSecretKey", &["fromConnectionSecretKey"]), ("FromFieldPath", &["fromFieldPath"]),
    ("FromValue", &["value"]),
];
#[rustfmt::skip]
const TYPES: Variants = &[
    ("string", &[]), ("bool", &[]), ("int", &[]), ("int64", &[]), ("float64", &[]), ("object", &[]), ("array", &[]),
];
const FORMATS: Variants = &[("none", &[]), ("quantity", &[]), ("json", &[])];
const FROM_POLICIES: Variants = &[("Required", &[]), ("Optional", &[])];

/// Whether the input has the function's fields only.
pub(super) fn is_decoded(input: Json<'_>) -> bool {
    decode(input, &Object(INPUT)).is_ok()
}

/// Refuses what the function refuses, apart from the types of patches and what they read and write.
pub(super) fn validate<'a>(input: Json<'a>) -> Result<(), Halt<'a>> {
    decode(input, &Object(INPUT))?;
    for set in elements(input, "patchSets")? {
        not_empty(set, "name")?;
        for at in elements(set, "patches")? {
            Patch::validate(at)?;
            patch(at)?;
        }
    }
    let of_environment = elements(input.get("environment")?, "patches")?.count();
    if elements(input, "resources")?.count() == 0 && of_environment == 0 {
        return Err(missing(input, "resources"));
    }
    for resource in elements(input, "resources")? {
        not_empty(resource, "name")?;
        elements(resource, "patches")?.try_for_each(patch)?;
        for detail in elements(resource, "connectionDetails")? {
            variant(detail, "type", DETAILS)?;
            not_empty(detail, "name")?;
        }
        elements(resource, "readinessChecks")?.try_for_each(readiness_check)?;
    }
    elements(input.get("environment")?, "patches")?.try_for_each(patch)
}

fn readiness_check<'a>(check: Json<'a>) -> Result<(), Halt<'a>> {
    variant(check, "type", CHECKS)?;
    let condition = check.get("matchCondition")?;
    if check.string(&["type"])? == Some("MatchCondition") && !condition.is_null() {
        not_empty(condition, "type")?;
        not_empty(condition, "status")?;
    }
    Ok(())
}

/// A patch that combines values has no other rules.
fn patch<'a>(patch: Json<'a>) -> Result<(), Halt<'a>> {
    let kind = patch.string(&["type"])?.unwrap_or_default();
    let combine = patch.get("combine")?;
    if kind.starts_with("Combine") && !combine.is_null() {
        variant(combine, "strategy", COMBINES)?;
        if elements(combine, "variables")?.count() == 0 {
            return Err(missing(combine, "variables"));
        }
        return elements(combine, "variables")?.try_for_each(|variable| not_empty(variable, "fromFieldPath"));
    }
    elements(patch, "transforms")?.try_for_each(transform)?;
    let policy = patch.get("policy")?;
    match policy.get("fromFieldPath")?.is_null() {
        true => Ok(()),
        false => variant(policy, "fromFieldPath", FROM_POLICIES),
    }
}

fn transform<'a>(transform: Json<'a>) -> Result<(), Halt<'a>> {
    variant(transform, "type", TRANSFORMS)?;
    match transform.string(&["type"])?.unwrap_or_default() {
        "math" => variant(transform.get("math")?, "type", MATHS),
        "map" => match transform.get("map")?.fields()?.next() {
            None => Err(missing(transform, "map")),
            Some(_) => Ok(()),
        },
        "match" => {
            let matches = transform.get("match")?;
            if elements(matches, "patterns")?.count() == 0 {
                return Err(missing(matches, "patterns"));
            }
            elements(matches, "patterns")?.try_for_each(|pattern| {
                variant(pattern, "type", PATTERNS)?;
                match pattern.string(&["type"])? {
                    Some("regexp") => compiles(pattern, "regexp"),
                    _ => Ok(()),
                }
            })
        }
        "string" => {
            let string = transform.get("string")?;
            variant(string, "type", STRINGS)?;
            match string.string(&["type"])? {
                Some("Regexp") => {
                    let expression = string.get("regexp")?;
                    not_empty(expression, "match")?;
                    compiles(expression, "match")
                }
                Some("Replace") => not_empty(string.get("replace")?, "search"),
                _ => Ok(()),
            }
        }
        _ => {
            let convert = transform.get("convert")?;
            if !convert.get("format")?.is_null() {
                variant(convert, "format", FORMATS)?;
            }
            variant(convert, "toType", TYPES)
        }
    }
}

/// Refuses an unknown value of a field, and an object that lacks what its value needs.
fn variant<'a>(at: Json<'a>, field: &'static str, variants: Variants) -> Result<(), Halt<'a>> {
    let value = at.string(&[field])?.unwrap_or_default();
    let Some((_, needs)) = variants.iter().find(|(known, _)| *known == value) else {
        return Err(match value {
            "" => missing(at, field),
            _ => Halt::Fails(at, TagFault::UnknownInputValue { value: value.into(), field: field.into() }),
        });
    };
    for need in *needs {
        if at.get(need)?.is_null() {
            return Err(missing(at, need));
        }
    }
    Ok(())
}

fn not_empty<'a>(at: Json<'a>, field: &'static str) -> Result<(), Halt<'a>> {
    match at.string(&[field])?.unwrap_or_default() {
        "" => Err(missing(at, field)),
        _ => Ok(()),
    }
}

/// Refuses an expression that Go does not compile, as far as that is known.
fn compiles<'a>(at: Json<'a>, field: &'static str) -> Result<(), Halt<'a>> {
    match Pattern::parse(at.string(&[field])?.unwrap_or_default()) {
        Err(error) if error.is_of_go() => {
            Err(Halt::Fails(at, TagFault::InvalidExpression { field: field.into(), error }))
        }
        _ => Ok(()),
    }
}

fn missing<'a>(at: Json<'a>, field: &str) -> Halt<'a> {
    Halt::Fails(at, TagFault::MissingInputField { field: field.into() })
}

fn elements<'a>(at: Json<'a>, field: &str) -> Result<impl Iterator<Item = Json<'a>>, Halt<'a>> {
    Ok(at.get(field)?.elements()?)
}

/// Refuses unknown fields and values of another type.
fn decode<'a>(at: Json<'a>, expected: &FieldType) -> Result<(), Halt<'a>> {
    if at.is_null() {
        return Ok(());
    }
    let is_of_type = match expected {
        // Whoever reads a text refuses another value.
        Anything | Text => true,
        Integer => at.text().parse::<i64>().is_ok(),
        Map => at.as_fields().is_some(),
        Object(fields) => {
            let known: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
            only(at, &known)?;
            for (name, expected) in *fields {
                decode(at.get(name)?, expected)?;
            }
            true
        }
        List(of) => return at.elements()?.try_for_each(|element| decode(element, of)),
    };
    if is_of_type { Ok(()) } else { Err(Halt::Fails(at, TagFault::UnusableInputValue)) }
}
