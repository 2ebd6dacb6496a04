//! The differences between two texts, as a unified diff.

use serde::Serialize;
use similar::TextDiff;

/// The diff from the expected text to the found one, by lines; empty if they are equal.
pub fn lines(expected: &str, found: &str) -> String {
    TextDiff::from_lines(expected, found).unified_diff().context_radius(3).header("expected", "found").to_string()
}

/// The same for two values, as YAML.
pub fn values<E: Serialize, F: Serialize>(expected: &E, found: &F) -> String {
    lines(&yaml(expected), &yaml(found))
}

/// A value as YAML, or why it cannot be written as YAML.
pub(crate) fn yaml<T: Serialize>(value: &T) -> String {
    cases::yaml(value).unwrap_or_else(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown_with_its_surroundings() {
        let text = |team: &str| format!("a\nb\nc\nd\nteam: {team}\ne\nf\ng\nh\n");
        let diff = "--- expected\n+++ found\n@@ -2,7 +2,7 @@\n b\n c\n d\n-team: red\n+team: blue\n e\n f\n g\n";
        assert_eq!(lines(&text("red"), &text("blue")), diff);
        assert_eq!(lines(&text("red"), &text("red")), "");
    }
}
