//! Intentional differences between the policy and Cluster API: `testdata/conformance/deviations.txt`.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

/// The list, and which of its lines were matched.
pub struct Deviations {
    lines: Vec<Deviation>,
    met: BTreeSet<usize>,
}

/// One line: `function | kind | map | key | reason`. `*` at the end of function, kind or key matches any rest, `but`
/// excludes the keys after it; the map is a path, or `labels` or `annotations` at any path.
#[derive(Debug, Clone)]
pub struct Deviation {
    patterns: [String; 4],
    /// Why the difference is correct.
    pub reason: String,
}

impl Deviations {
    /// Those of `testdata/conformance/deviations.txt`.
    pub fn read() -> Result<Deviations> {
        let text = fs::read_to_string(crate::root().join("testdata/conformance/deviations.txt"))?;
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let lines = lines.map(|line| Deviation::parse(line).with_context(|| format!("not a deviation: {line}")));
        Ok(Deviations { lines: lines.collect::<Result<_>>()?, met: BTreeSet::new() })
    }

    /// Whether a line lists this difference, found in a vector of this function and kind.
    pub fn list(&mut self, function: &str, kind: &str, difference: &EntryDeviation) -> bool {
        let told = [function, kind, &difference.map, &difference.key];
        let at = self.lines.iter().position(|line| line.matches(told));
        self.met.extend(at);
        at.is_some()
    }

    /// The lines that matched no difference.
    pub fn unused(&self) -> impl Iterator<Item = String> {
        let unused = self.lines.iter().enumerate().filter(|(at, _)| !self.met.contains(at));
        unused.map(|(_, line)| line.patterns.join(" | "))
    }

    /// The list as rows of a table.
    pub fn rows(&self) -> impl Iterator<Item = String> {
        self.lines.iter().map(|line| {
            let [function, kind, map, key] = &line.patterns;
            format!("| {function} | {kind} | {map} | `{key}` | {} |", line.reason)
        })
    }
}

impl Deviation {
    fn parse(line: &str) -> Option<Deviation> {
        let mut parts = line.splitn(5, " | ").map(|part| part.trim().to_owned());
        let mut next = || parts.next().filter(|part| !part.is_empty());
        Some(Deviation { patterns: [next()?, next()?, next()?, next()?], reason: next()? })
    }

    fn matches(&self, told: [&str; 4]) -> bool {
        let [function, kind, map, key] = told;
        let [of_function, of_kind, of_map, of_key] = &self.patterns;
        let of_any_place = map.rsplit('.').next() == Some(of_map);
        covers(of_function, function) && covers(of_kind, kind) && (of_map == map || of_any_place) && covers(of_key, key)
    }
}

fn covers(pattern: &str, text: &str) -> bool {
    let (pattern, but) = pattern.split_once(" but ").unwrap_or((pattern, ""));
    let meant = pattern.strip_suffix('*').map_or(pattern == text, |start| text.starts_with(start));
    meant && but.split(", ").all(|but| but != text)
}

/// One entry that differs from Cluster API's.
#[derive(Debug)]
pub struct EntryDeviation {
    /// The map, such as `metadata.labels`.
    pub map: String,
    /// The key.
    pub key: String,
    /// Cluster API's value.
    pub expected: Option<String>,
    /// The value after the policy.
    pub found: Option<String>,
    /// Whether that is the object's original value.
    pub untouched: bool,
    /// Why the policy did nothing, if it did nothing.
    pub inert: Value,
}

impl EntryDeviation {
    /// One line with the path, the found value and the expected value.
    pub fn told(&self) -> String {
        let inert = if self.inert.is_null() { String::new() } else { format!("; inert: {}", self.inert) };
        format!("{} {}: {:?}, and Cluster API says {:?}{inert}", self.map, self.key, self.found, self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_covers_its_function_kind_map_and_key() {
        let line = Deviation::parse("a.Set* | Machine | labels | x/* but x/forced | because").unwrap();
        for (told, expected) in [
            (["a.SetAll", "Machine", "metadata.labels", "x/y"], true),
            (["a.SetAll", "Machine", "spec.template.metadata.labels", "x/y"], true),
            (["a.SetAll", "Machine", "metadata.labels", "x/forced"], false),
            (["a.SetAll", "Machine", "metadata.annotations", "x/y"], false),
            (["a.SetAll", "MachineSet", "metadata.labels", "x/y"], false),
            (["a.Get", "Machine", "metadata.labels", "x/y"], false),
        ] {
            assert_eq!(line.matches(told), expected, "{told:?}");
        }
        assert_eq!(line.reason, "because");
    }

    #[test]
    fn a_line_without_a_reason_is_none() {
        assert!(Deviation::parse("a | Machine | labels | x").is_none());
        assert!(Deviation::parse("a | Machine | labels | x | ").is_none());
    }
}
