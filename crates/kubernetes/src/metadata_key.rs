//! Keys of labels and annotations, as the API server validates them.

/// A name of at most 63 letters, digits, `-`, `_` and `.`, the first and last a letter or digit; optionally preceded by
/// a DNS subdomain and a slash.
///
/// Source: k8s.io/apimachinery, pkg/api/validate/content/kube.go, `IsLabelKey`.
pub fn is_label_key(key: &str) -> bool {
    match key.split_once('/') {
        Some((prefix, name)) => is_subdomain(prefix) && is_name(name),
        None => is_name(key),
    }
}

/// Like [`is_label_key`], in lower case.
///
/// Source: k8s.io/apimachinery, pkg/api/validation/objectmeta.go, `ValidateAnnotations`.
pub fn is_annotation_key(key: &str) -> bool {
    is_label_key(key) || is_label_key(&key.chars().map(lower).collect::<String>())
}

/// Go's lower case of a character, as far as that is ASCII.
fn lower(character: char) -> char {
    match character {
        '\u{212a}' => 'k',
        '\u{130}' => 'i',
        _ => character.to_ascii_lowercase(),
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && is_label_value(name)
}

/// At most 63 characters of letters, digits, `-`, `_` and `.`, the first and last a letter or digit; or nothing.
///
/// Source: like [`is_label_key`], `IsLabelValue`.
pub fn is_label_value(value: &str) -> bool {
    let outer = |byte: Option<u8>| byte.is_none_or(|byte| byte.is_ascii_alphanumeric());
    value.len() <= 63
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && outer(value.bytes().next())
        && outer(value.bytes().next_back())
}

/// At most 253 characters: labels of lower-case letters, digits and `-`, the first and last no `-`, between dots.
///
/// Source: pkg/api/validate/content/dns.go, `IsDNS1123Subdomain`.
pub fn is_subdomain(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(is_inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each as `IsLabelKey` answers, and as `ValidateAnnotations` does.
    #[test]
    fn keys_are_those_of_the_api_server() {
        let (longest_name, longest_prefix) = ("a".repeat(63), "a".repeat(253));
        for (key, label, annotation) in [
            ("team", true, true),
            ("Team_1.x", true, true),
            ("example.com/team", true, true),
            ("a-b.c0/team", true, true),
            (&*longest_name, true, true),
            (&*format!("{longest_prefix}/{longest_name}"), true, true),
            ("Example.com/team", false, true),
            ("EXAMPLE.COM/\u{212a}ey", false, true),
            ("\u{130}d", false, true),
            ("", false, false),
            ("/team", false, false),
            ("example.com/", false, false),
            ("example.com/team/red", false, false),
            ("-team", false, false),
            ("team.", false, false),
            ("cost center", false, false),
            ("größe", false, false),
            ("team\n", false, false),
            ("example..com/team", false, false),
            ("-example.com/team", false, false),
            ("example-.com/team", false, false),
            ("exam_ple.com/team", false, false),
            (&*format!("a{longest_name}"), false, false),
            (&*format!("a{longest_prefix}/team"), false, false),
        ] {
            assert_eq!((is_label_key(key), is_annotation_key(key)), (label, annotation), "{key}");
        }
    }

    #[test]
    fn values_are_those_of_the_api_server() {
        let longest = "a".repeat(63);
        for (value, expected) in [
            ("", true),
            ("a", true),
            ("A_b-c.0", true),
            (&*longest, true),
            (&*format!("a{longest}"), false),
            ("red team", false),
            ("-a", false),
            ("a_", false),
            ("a/b", false),
            ("ä", false),
        ] {
            assert_eq!(is_label_value(value), expected, "{value}");
        }
    }
}
