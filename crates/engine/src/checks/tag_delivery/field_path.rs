//! Crossplane's field paths: `spec.forProvider.tags`, `spec.settings[0].userLabels`, `spec["cloudTags"]`.

/// The field of a composite that holds its tags.
pub(super) const CLOUD_TAGS: &str = "spec.cloudTags";

/// The path in its plainest spelling, fields joined by periods. What stands for elements of a list (`[0]`, `[*]`) is
/// left out: where tags stand does not depend on which element it is.
///
/// Source: crossplane-runtime, pkg/fieldpath/fieldpath.go, `Parse`.
pub(super) fn plain(path: &str) -> String {
    let mut plain = String::with_capacity(path.len());
    let mut begin = 0;
    for letter in path.chars() {
        match letter {
            '"' | '\'' | ']' => {}
            '.' | '[' => begin = end(&mut plain, begin),
            letter => plain.push(letter),
        }
    }
    end(&mut plain, begin);
    plain.pop();
    plain
}

/// Ends the field that begins at `begin`; the next one begins at what is returned.
fn end(plain: &mut String, begin: usize) -> usize {
    let field = plain.get(begin..).unwrap_or_default();
    if field == "*" || field.bytes().all(|byte| byte.is_ascii_digit()) {
        plain.truncate(begin);
    } else {
        plain.push('.');
    }
    plain.len()
}

/// Whether a plain path leads to something below another one.
pub(super) fn below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_plain_spelling() {
        for (path, expected) in [
            ("spec.forProvider.tags", "spec.forProvider.tags"),
            ("spec[\"forProvider\"]['tags']", "spec.forProvider.tags"),
            ("spec[forProvider].tags[Name]", "spec.forProvider.tags.Name"),
            ("spec.settings[0].userLabels", "spec.settings.userLabels"),
            ("spec.disks[*].tags", "spec.disks.tags"),
            ("spec.disks[12]", "spec.disks"),
            ("spec.größe", "spec.größe"),
            ("", ""),
            ("[", ""),
            ("a..b.", "a.b"),
            ("a[b", "a.b"),
        ] {
            assert_eq!(plain(path), expected, "{path}");
        }
    }

    #[test]
    fn below_is_not_beside() {
        assert!(below("spec.forProvider.tags.Name", "spec.forProvider.tags"));
        assert!(!below("spec.forProvider.tags", "spec.forProvider.tags"));
        assert!(!below("spec.forProvider.tagsAll.a", "spec.forProvider.tags"));
    }
}
