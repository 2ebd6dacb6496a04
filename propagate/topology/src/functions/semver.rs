//! Versions and constraints of them.
//!
//! Source: Masterminds/semver v3, which sprig calls.

use std::cmp::Ordering;

use gotmpl::{Result, Value};

use super::{SprigFunction, at, failed, string, text};
use crate::go;

pub(super) const TABLE: &[(&str, SprigFunction)] = &[("semver", semver), ("semverCompare", compare)];

/// A version; `parts` has how many of its numbers are written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SemVersion {
    numbers: [u64; 3],
    parts: usize,
    prerelease: String,
    metadata: String,
}

fn semver(args: &[Value]) -> Result<Value> {
    let original = text(at(args, 0));
    let Some(version) = SemVersion::of(&original) else { return failed("invalid semantic version") };
    let [major, minor, patch] = version.numbers.map(Value::Uint);
    let with = |sign: char, part: &str| if part.is_empty() { String::new() } else { format!("{sign}{part}") };
    let [a, b, c] = version.numbers;
    let whole = format!("{a}.{b}.{c}{}{}", with('-', &version.prerelease), with('+', &version.metadata));
    let [prerelease, metadata, original] = [version.prerelease, version.metadata, original].map(string);
    let numbers = [("Major", major), ("Minor", minor), ("Patch", patch)];
    let texts = [("Prerelease", prerelease), ("Metadata", metadata), ("Original", original)];
    let texts = texts.into_iter().chain([("String", string(&whole)), (go::PRINTED, string(&whole))]);
    Ok(go::map(numbers.into_iter().chain(texts).map(|(name, value)| (name.into(), value))))
}

fn compare(args: &[Value]) -> Result<Value> {
    let (constraint, version) = (text(at(args, 0)), text(at(args, 1)));
    let Some(version) = SemVersion::of(&version) else { return failed("invalid semantic version") };
    match admits(&constraint, &version) {
        Some(admits) => Ok(Value::Bool(admits)),
        None => failed(format!("improper constraint: {constraint}")),
    }
}

/// Whether a constraint admits a version; `None` if it is not one.
fn admits(constraint: &str, version: &SemVersion) -> Option<bool> {
    let mut result = false;
    for alternative in constraint.split("||") {
        let parts = parts(alternative);
        if parts.is_empty() {
            return None;
        }
        // Prereleases are admitted if any part of the alternative has one.
        let parts = parts.iter().map(|part| VersionBound::of(part)).collect::<Option<Vec<_>>>()?;
        let has_prerelease = parts.iter().any(|part| !part.version.prerelease.is_empty());
        let mut all = version.prerelease.is_empty() || has_prerelease;
        for part in &parts {
            all &= part.admits(version)?;
        }
        result |= all;
    }
    Some(result)
}

/// The parts of an alternative, with ranges such as `1.2 - 1.4` as two.
fn parts(alternative: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut words = alternative.split([',', ' ']).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        if word == "-" {
            if let (Some(first), Some(last)) = (parts.pop(), words.next()) {
                parts.extend([format!(">={first}"), format!("<={last}")]);
            }
        } else if word.trim_start_matches(OPERATORS).is_empty() {
            parts.push(format!("{word}{}", words.next().unwrap_or_default()));
        } else {
            parts.push(word.to_owned());
        }
    }
    parts
}

const OPERATORS: [char; 6] = ['=', '!', '<', '>', '~', '^'];

/// An operator and a version.
struct VersionBound<'p> {
    operator: &'p str,
    version: SemVersion,
}

impl VersionBound<'_> {
    fn of(part: &str) -> Option<VersionBound<'_>> {
        let rest = part.trim_start_matches(OPERATORS);
        Some(VersionBound { operator: part.strip_suffix(rest)?, version: SemVersion::of_constraint(rest)? })
    }

    fn admits(&self, version: &SemVersion) -> Option<bool> {
        let bound = &self.version;
        let order = version.order(bound);
        let is_same = |parts: usize| version.numbers.iter().zip(&bound.numbers).take(parts).all(|(a, b)| a == b);
        let is_partial = bound.parts < 3;
        Some(match self.operator {
            "" | "=" if is_partial => order != Ordering::Less && is_same(bound.parts),
            "" | "=" => order == Ordering::Equal,
            // A bound such as `x` is version 0.0.0 for some operators.
            "<=" | "=<" if bound.parts == 0 => is_same(2),
            "^" if bound.parts == 0 => order != Ordering::Less && is_same(3),
            "!=" if bound.parts == 2 && is_same(2) => version.prerelease != bound.prerelease,
            "!=" if bound.parts > 0 && is_partial => !is_same(bound.parts),
            "!=" => order != Ordering::Equal,
            ">" if bound.parts > 0 && is_partial => order == Ordering::Greater && !is_same(bound.parts),
            ">" => order == Ordering::Greater,
            "<" => order == Ordering::Less,
            ">=" | "=>" => order != Ordering::Less,
            "<=" | "=<" if is_partial => order != Ordering::Greater || is_same(bound.parts),
            "<=" | "=<" => order != Ordering::Greater,
            "~" | "~>" if bound.parts == 3 && bound.numbers == [0; 3] => order != Ordering::Less,
            "~" | "~>" => order != Ordering::Less && is_same(bound.parts.min(2)),
            "^" => {
                let first = bound.numbers.iter().position(|number| *number > 0).unwrap_or(2);
                order != Ordering::Less && is_same((first + 1).min(bound.parts))
            }
            _ => return None,
        })
    }
}

impl SemVersion {
    fn of(text: &str) -> Option<SemVersion> {
        let version = SemVersion::of_constraint(text)?;
        (version.parts > 0).then_some(version)
    }

    /// A version whose last numbers may be missing or `x`.
    fn of_constraint(text: &str) -> Option<SemVersion> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (text, metadata) = text.split_once('+').unwrap_or((text, ""));
        let (text, prerelease) = match text.split_once('-') {
            Some((text, prerelease)) if prerelease.split('.').all(is_identifier) => (text, prerelease),
            Some(_) => return None,
            None => (text, ""),
        };
        let mut numbers = [0; 3];
        let mut parts = 0;
        let mut is_open = false;
        let mut written = text.split('.');
        for number in &mut numbers {
            let Some(part) = written.next() else { break };
            if matches!(part, "x" | "X" | "*") {
                is_open = true;
            } else if !is_open {
                *number = part.parse().ok()?;
                parts += 1;
            }
        }
        let version = SemVersion { numbers, parts, prerelease: prerelease.to_owned(), metadata: metadata.to_owned() };
        written.next().is_none().then_some(version)
    }

    fn order(&self, other: &SemVersion) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (&*self.prerelease, &*other.prerelease) {
            ("", "") => Ordering::Equal,
            ("", _) => Ordering::Greater,
            (_, "") => Ordering::Less,
            (a, b) => identifiers(a, b),
        })
    }
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn identifiers(a: &str, b: &str) -> Ordering {
    let [mut left, mut right] = [a.split('.'), b.split('.')];
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, _) => Ordering::Less,
            (_, None) => Ordering::Greater,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                _ => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_admit_what_they_admit_in_go() {
        let cases = [
            (">= 1.24.0", "v1.24.0", true),
            (">= 1.24.0", "v1.25.0-rc.1", false),
            (">= 1.24.0-0", "v1.25.0-rc.1", true),
            ("< 1.24.0", "1.23.9", true),
            ("^1.2.3", "1.9.0", true),
            ("^0.2.3", "0.3.0", false),
            ("~1.2.3", "1.2.9", true),
            ("~1.2", "1.3.0", false),
            ("1.2.x", "1.2.7", true),
            ("*", "4.5.6", true),
            (">= 1.22.0, < 1.24.0", "1.23.0", true),
            ("<1.22 || >=1.30", "1.31.0", true),
            ("1.2 - 1.4.5", "1.4.5", true),
            ("> 1.11", "1.11.2", false),
            ("!= 1.2.3", "1.2.4", true),
        ];
        for (constraint, version, expected) in cases {
            let version = SemVersion::of(version).filter(|version| version.parts > 0);
            assert_eq!(version.and_then(|version| admits(constraint, &version)), Some(expected), "{constraint}");
        }
        assert_eq!(
            admits(
                "~>>1",
                &SemVersion { numbers: [1, 0, 0], parts: 3, prerelease: String::new(), metadata: String::new() }
            ),
            None
        );
    }
}
