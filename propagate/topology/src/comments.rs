//! Comments of templates, as Go reads them: the parser trims the text after `{{- /* a comment */}}`, and accepts other
//! spaces.

use crate::no_output::NoOutput;

const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

/// A template in which an empty action follows each comment that does not trim the text after it.
pub(crate) fn as_in_go(source: &str, [left, right]: [&str; 2]) -> Result<String, NoOutput> {
    let refused = |reason: &str| NoOutput::Error(reason.to_owned());
    let mut read = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((text, action)) = rest.split_once(left) {
        read.extend([text, left]);
        let inner = action.strip_prefix('-').and_then(|inner| inner.strip_prefix(SPACES)).unwrap_or(action);
        let (after, is_untrimmed) = if let Some(comment) = inner.strip_prefix("/*") {
            let (_, end) = comment.split_once("*/").ok_or_else(|| refused("unclosed comment"))?;
            let trimmed = end.strip_prefix(SPACES).and_then(|end| end.strip_prefix('-')?.strip_prefix(right));
            match end.strip_prefix(right) {
                Some(after) => (after, true),
                None => (trimmed.ok_or_else(|| refused("comment ends before closing delimiter"))?, false),
            }
        } else if action.trim_start_matches('-').trim_start_matches(SPACES).starts_with("/*") {
            return Err(refused("unexpected \"/\" in command"));
        } else {
            (after_action(action, right), false)
        };
        read.push_str(action.strip_suffix(after).unwrap_or_default());
        if is_untrimmed {
            read.extend([left, "\"\"", right]);
        }
        rest = after;
    }
    read.push_str(rest);
    Ok(read)
}

/// What follows an action. A delimiter in one of its strings does not end it.
fn after_action<'s>(action: &'s str, right: &str) -> &'s str {
    let mut quote = None;
    let mut chars = action.chars();
    loop {
        let rest = chars.as_str();
        if let Some(after) = rest.strip_prefix(right).filter(|_| quote.is_none()) {
            return after;
        }
        let Some(char) = chars.next() else { return "" };
        match quote {
            None => quote = ['"', '\'', '`'].into_iter().find(|it| *it == char),
            Some(open) if open == char => quote = None,
            Some('"' | '\'') if char == '\\' => _ = chars.next(),
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Option<String> {
        as_in_go(source, ["{{", "}}"]).ok()
    }

    #[test]
    fn only_comments_that_do_not_trim_are_followed_by_an_action() {
        for same in [
            "",
            "a",
            "{{ .a }}",
            "{{- /* a */ -}} b",
            "{{/* }} */ -}}",
            "{{ \"{{/* a */}}\" }}",
            "{{ `\\` }}{{ '\"' }}",
            "{{ a",
        ] {
            assert_eq!(read(same).as_deref(), Some(same));
        }
        for (source, expected) in [
            ("a {{- /* b */}}\nc", "a {{- /* b */}}{{\"\"}}\nc"),
            ("{{/* b }} */}}{{/* c */}}", "{{/* b }} */}}{{\"\"}}{{/* c */}}{{\"\"}}"),
            ("{{ \"\\\"{{\" }}{{-\n/* c */}}", "{{ \"\\\"{{\" }}{{-\n/* c */}}{{\"\"}}"),
        ] {
            assert_eq!(read(source).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_spaces_are_refused() {
        for source in ["{{ /* a */}}", "{{/* a */ }}", "{{-  /* a */}}", "{{- /* a */  -}}", "{{/* a */-}}", "{{/* a"] {
            assert_eq!(read(source), None, "{source}");
        }
    }
}
