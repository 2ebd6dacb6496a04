//! Paths with patterns.

/// Whether a folder is the one of a path, in which `*` is any part of a name and `**` any number of names.
pub(super) fn is_path(folder: &str, pattern: &str) -> bool {
    let parts = |path: &'_ str| {
        let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
        parts.map(str::to_owned).collect::<Vec<_>>()
    };
    is_match(&parts(folder), &parts(pattern))
}

fn is_match(names: &[String], patterns: &[String]) -> bool {
    match (names, patterns) {
        ([], []) => true,
        (_, [first, rest @ ..]) if first == "**" => {
            is_match(names, rest) || names.split_first().is_some_and(|(_, names)| is_match(names, patterns))
        }
        ([name, names @ ..], [first, rest @ ..]) => is_name(name, first) && is_match(names, rest),
        _ => false,
    }
}

fn is_name(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((begin, rest)) => {
            let Some(left) = name.strip_prefix(begin) else { return false };
            left.char_indices()
                .map(|(at, _)| at)
                .chain([left.len()])
                .any(|at| left.get(at..).is_some_and(|left| is_name(left, rest)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_folders() {
        for (folder, pattern, expected) in [
            ("clusters/a", "./clusters/a/", true),
            ("clusters/a", "clusters/*", true),
            ("clusters/a/b", "clusters/*", false),
            ("clusters/a/b", "clusters/**", true),
            ("clusters/eu-a", "clusters/*-a", true),
            ("", "./", true),
            ("a", "./", false),
        ] {
            assert_eq!(is_path(folder, pattern), expected, "{folder} {pattern}");
        }
    }
}
