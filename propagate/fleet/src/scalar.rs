//! What kubectl reads a plain YAML scalar as.
//!
//! Source: go.yaml.in/yaml/v2, `resolve`, with which sigs.k8s.io/yaml reads manifests: the types of YAML 1.1 (`on` is a
//! boolean and `010` an octal number), without its base 60 and its dates.

use std::borrow::Cow;

/// A scalar in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scalar<'t> {
    Null,
    Bool(bool),
    /// The JSON text.
    Number(String),
    Text(Cow<'t, str>),
    /// Infinity or NaN, which JSON does not have.
    NotFinite,
}

/// A scalar without quotes and tag.
pub(crate) fn plain(text: Cow<'_, str>) -> Scalar<'_> {
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => return Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Scalar::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf"
        | "-.INF" => return Scalar::NotFinite,
        _ => {}
    }
    match text.bytes().next() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => match number(&text) {
            Some(number) => number,
            None => Scalar::Text(text),
        },
        _ => Scalar::Text(text),
    }
}

fn number(text: &str) -> Option<Scalar<'static>> {
    let plain = text.replace('_', "");
    if let Some(integer) = integer(&plain) {
        return Some(Scalar::Number(integer.to_string()));
    }
    let is_decimal = plain.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        && plain.bytes().any(|byte| byte.is_ascii_digit());
    let float: f64 = plain.parse().ok().filter(|_| is_decimal)?;
    // Go's JSON writes integers without a decimal point.
    #[expect(clippy::cast_possible_truncation, reason = "in range, and without a fraction")]
    let whole = (float.fract() == 0.0 && float.abs() < 1e15).then_some(float as i64);
    Some(match whole {
        Some(whole) => Scalar::Number(whole.to_string()),
        None if float.is_finite() => Scalar::Number(serde_json::to_string(&float).ok()?),
        None => Scalar::NotFinite,
    })
}

/// An integer with a prefix for its base, as Go reads it.
fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix(['-', '+']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let based = [("0x", 16), ("0o", 8), ("0b", 2)];
    let (digits, radix) = match based.iter().find_map(|(prefix, radix)| Some((lower.strip_prefix(prefix)?, *radix))) {
        Some(based) => based,
        None if lower.len() > 1 && lower.starts_with('0') => (lower.get(1..)?, 8),
        None => (&*lower, 10),
    };
    if digits.starts_with(['-', '+']) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    let value = if negative { -value } else { value };
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_what_kubectl_makes_of_them() {
        let number = |text: &str| Scalar::Number(text.to_owned());
        for (text, expected) in [
            ("", Scalar::Null),
            ("~", Scalar::Null),
            ("yes", Scalar::Bool(true)),
            ("on", Scalar::Bool(true)),
            ("y", Scalar::Bool(true)),
            ("False", Scalar::Bool(false)),
            ("n", Scalar::Bool(false)),
            ("12", number("12")),
            ("-7", number("-7")),
            ("+7", number("7")),
            ("010", number("8")),
            ("0o10", number("8")),
            ("0x1F", number("31")),
            ("0b101", number("5")),
            ("1_000", number("1000")),
            ("1e3", number("1000")),
            ("0.5", number("0.5")),
            (".5", number("0.5")),
            ("089", number("89")),
            ("18446744073709551615", number("18446744073709551615")),
            (".inf", Scalar::NotFinite),
            ("1e999", Scalar::NotFinite),
        ] {
            assert_eq!(plain(text.into()), expected, "{text}");
        }
    }

    #[test]
    fn everything_else_is_text() {
        for text in [
            "yEs",
            "v1.34.2",
            "1.2.3",
            "2001-01-01",
            "0x",
            "0b12",
            "--1",
            "-",
            ".",
            "+",
            "1h",
            "12:30:45",
            "1e",
            "nan",
            "inf",
            "-inf",
            "infinity",
            "0x-1",
            "tRUE",
        ] {
            assert_eq!(plain(text.into()), Scalar::Text(text.into()), "{text}");
        }
    }
}
