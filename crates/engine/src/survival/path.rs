//! Crossplane's field paths: `spec.forProvider.tags`, `spec.settings[0].userLabels`, `spec["cloudTags"]`.

use std::borrow::Cow;

/// The fields that a path leads through. What stands for elements of a list (`[0]`, `[*]`) is left out: where tags
/// stand does not depend on which element it is.
///
/// Source: crossplane-runtime, pkg/fieldpath/fieldpath.go, `Parse`.
pub(super) fn fields(path: &str) -> Vec<&str> {
    let mut fields = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (field, after) = match rest.strip_prefix('[') {
            // Periods mean nothing between brackets.
            Some(inner) => inner.split_once(']').unwrap_or((inner, "")),
            None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
        };
        let is_element = rest.starts_with('[') && (field == "*" || field.bytes().all(|byte| byte.is_ascii_digit()));
        let field = field.trim_matches(['\'', '"']);
        if !is_element && !field.is_empty() {
            fields.push(field);
        }
        rest = after.strip_prefix('.').unwrap_or(after);
    }
    fields
}

/// Whether two paths lead through the same fields.
pub(super) fn same(path: &str, other: &str) -> bool {
    fields(path) == fields(other)
}

/// Whether a path leads to something below another one.
pub(super) fn below(path: &str, above: &str) -> bool {
    let (path, above) = (fields(path), fields(above));
    path.len() > above.len() && path.starts_with(&above)
}

/// The path as its reader wrote it, short enough for a message.
pub(super) fn shown(path: &str) -> Cow<'_, str> {
    const LONGEST: usize = 48;
    if path.chars().count() <= LONGEST {
        return Cow::Borrowed(path);
    }
    Cow::Owned(path.chars().take(LONGEST - 1).chain(['…']).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_its_fields() {
        for (path, expected) in [
            ("spec.forProvider.tags", vec!["spec", "forProvider", "tags"]),
            ("spec[\"forProvider\"]['tags']", vec!["spec", "forProvider", "tags"]),
            ("spec[forProvider].tags[Name.of]", vec!["spec", "forProvider", "tags", "Name.of"]),
            ("spec.settings[0].userLabels", vec!["spec", "settings", "userLabels"]),
            ("spec.disks[*].tags", vec!["spec", "disks", "tags"]),
            ("", vec![]),
            ("[", vec![]),
            ("a..b.", vec!["a", "b"]),
            ("a[b", vec!["a", "b"]),
        ] {
            assert_eq!(fields(path), expected, "{path}");
        }
    }

    #[test]
    fn below_is_not_beside() {
        assert!(below("spec.forProvider.tags[Name]", "spec.forProvider.tags"));
        assert!(!below("spec.forProvider.tags", "spec.forProvider.tags"));
        assert!(!below("spec.forProvider.tagsAll.a", "spec.forProvider.tags"));
    }
}
