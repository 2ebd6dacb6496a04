//! Formats of texts and numbers that Kubernetes checks; it ignores others.
//!
//! Source: `pkg/apiserver/validation/formats.go` of apiextensions-apiserver, and `pkg/validation/strfmt` of kube-openapi.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use regex_lite::Regex;
use serde_json::Value;

use crate::fields::text;

/// Whether a text is of a format; true for formats that are not checked.
pub(super) fn fits(format: &str, value: &str) -> bool {
    if format.is_empty() {
        return true;
    }
    let format = format.replace('-', "");
    match &*format {
        "ipv4" => value.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => value.parse::<Ipv6Addr>().is_ok(),
        "cidr" => is_cidr(value),
        other => PATTERNS
            .iter()
            .find(|(name, _)| *name == other)
            .is_none_or(|(_, pattern)| is_match(pattern, value) == Some(true)),
    }
}

/// Formats with a pattern. A date is checked for its form only.
const PATTERNS: &[(&str, &str)] = &[
    ("byte", r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$"),
    ("date", r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"),
    (
        "datetime",
        r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
    ),
    ("duration", r"^0$|[0-9]\s*[A-Za-zµ]"),
    ("email", r"^[^@\s]+@[^@\s]+$"),
    ("hexcolor", r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"),
    ("hostname", r"^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$"),
    ("k8slongname", r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ("k8sshortname", r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"),
    ("mac", r"^[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5,19}$"),
    ("ssn", r"^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$"),
    ("uri", r"^(/|[a-zA-Z][a-zA-Z0-9+.-]*:)"),
    ("uuid", r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"),
    ("uuid3", r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"),
    ("uuid4", r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"),
    ("uuid5", r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"),
];

/// Why a whole number does not fit into the type of its schema.
///
/// Source: `IsValueValidAgainstRange` in `pkg/validation/validate/values.go` of kube-openapi.
pub(super) fn of_range(number: f64, schema: &Value) -> Option<String> {
    let (bits, format) = match text(schema, &["format"]) {
        "int32" => (31, " with format int32"),
        _ => (63, ""),
    };
    let end = 2_f64.powi(bits);
    let is_beyond = text(schema, &["type"]) == "integer" && !(-end..end).contains(&number);
    is_beyond.then(|| format!("must be of type integer{format}"))
}

/// Whether a text matches a pattern; `None` if the pattern is none. Definitions have few patterns, for many texts: each is
/// read once by a thread.
pub(super) fn is_match(pattern: &str, value: &str) -> Option<bool> {
    thread_local! {
        static READ: RefCell<BTreeMap<String, Option<Regex>>> = const { RefCell::new(BTreeMap::new()) };
    }
    READ.with_borrow_mut(|read| {
        if !read.contains_key(pattern) {
            read.insert(pattern.to_owned(), Regex::new(pattern).ok());
        }
        read.get(pattern)?.as_ref().map(|pattern| pattern.is_match(value))
    })
}

fn is_cidr(value: &str) -> bool {
    let Some((address, length)) = value.split_once('/') else { return false };
    let is_plain = length.bytes().all(|byte| byte.is_ascii_digit());
    let most = match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    is_plain && length.parse::<u8>().is_ok_and(|length| length <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_those_of_kubernetes() {
        let cases = [
            ("ipv4", "10.0.0.1", true),
            ("ipv4", "", false),
            ("ipv6", "fd00::1", true),
            ("cidr", "10.0.0.0/16", true),
            ("cidr", "10.0.0.0/33", false),
            ("cidr", "10.0.0.0", false),
            ("mac", "00:1a:2b:3c:4d:5e", true),
            ("uuid", "9b2f0c1e-7d6a-4c54-8c0a-1f2e3d4c5b6a", true),
            ("date-time", "2026-01-02T03:04:05Z", true),
            ("date-time", "2026-01-02T03:04:05", false),
            ("date", "2026-13-02", false),
            ("duration", "1h30m", true),
            ("duration", "soon", false),
            ("uri", "https://example.com", true),
            ("uri", "example.com", false),
            ("hostname", "a_b", false),
            ("k8s-short-name", "A", false),
            ("of-no-known-kind", "", true),
        ];
        for (format, value, expected) in cases {
            assert_eq!(fits(format, value), expected, "{format} {value}");
        }
    }
}
