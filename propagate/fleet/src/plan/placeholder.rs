//! Values that are filled in before manifests are applied, such as `${SIZE:=3}`: two of them may be the same.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use metadata_propagation::Effect;
use serde_json::Value;
use topology::Gap;

use super::Planned;
use crate::object::FleetObject;
use crate::tree::braced;

/// Makes the effect of each edit unknown whose values may be the same.
pub(super) fn unsettle(planned: &mut Planned, objects: [&FleetObject; 2], [was, is]: [&Value; 2]) {
    if !objects.iter().any(|object| ["${", "\"$(", "\"<"].iter().any(|start| object.json.contains(start))) {
        return;
    }
    for planned in &mut planned.edits {
        let path = &planned.at;
        let written = deciding(path.value(was), path.value(is)).filter(|_| is_settled(planned.effect));
        if let Some(written) = written {
            planned.effect = Effect::CannotTell;
            planned.reason = Some(Gap::Placeholder(written.to_owned()).to_string().into());
        }
    }
    planned.edits.sort_by_key(|planned| Reverse(planned.effect));
}

/// Whether the effect of an edit is known, and is none of an edit to the same value. A number of Machines is not known in any
/// case.
pub(super) fn is_settled(effect: Effect) -> bool {
    !matches!(effect, Effect::Nothing | Effect::InPlace | Effect::Scale | Effect::CannotTell)
}

/// The first placeholder of two values that differ, if they are the same once all placeholders have the right values.
pub(super) fn deciding<'v>(was: Option<&'v Value>, is: Option<&'v Value>) -> Option<&'v str> {
    let mut found = None;
    may_be_same(was, is, &mut found).then_some(found).flatten()
}

fn may_be_same<'v>(was: Option<&'v Value>, is: Option<&'v Value>, found: &mut Option<&'v str>) -> bool {
    let mut is_filled_in = |written: Option<&'v str>| {
        *found = found.or(written);
        written.is_some()
    };
    match (was, is) {
        _ if was == is => true,
        (Some(Value::Object(was)), Some(Value::Object(is))) => {
            let keys: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
            keys.into_iter().all(|key| may_be_same(was.get(key), is.get(key), found))
        }
        (Some(Value::Array(was)), Some(Value::Array(is))) => {
            was.len() == is.len() && was.iter().zip(is).all(|(was, is)| may_be_same(Some(was), Some(is), found))
        }
        (Some(Value::String(was)), Some(Value::String(is))) => is_filled_in(in_difference(&tokens(was), &tokens(is))),
        // A number, or a default.
        (Some(Value::String(text)), None | Some(Value::Number(_) | Value::Bool(_)))
        | (None | Some(Value::Number(_) | Value::Bool(_)), Some(Value::String(text))) => {
            is_filled_in(Some(&**text).filter(|text| tokens(text) == [*text] && is_placeholder(text)))
        }
        _ => false,
    }
}

/// The first placeholder in that part of two texts in which they differ. A part of several lines is a script, whose
/// variables are its own.
fn in_difference<'v>(mut was: &[&'v str], mut is: &[&'v str]) -> Option<&'v str> {
    while let ([one, was_left @ ..], [other, is_left @ ..]) = (was, is)
        && one == other
    {
        (was, is) = (was_left, is_left);
    }
    while let ([was_left @ .., one], [is_left @ .., other]) = (was, is)
        && one == other
    {
        (was, is) = (was_left, is_left);
    }
    let mut differing = was.iter().chain(is);
    if differing.clone().any(|token| token.contains('\n')) {
        return None;
    }
    differing.find(|token| is_placeholder(token)).copied()
}

fn is_placeholder(token: &str) -> bool {
    token.starts_with("${") || is_whole(token)
}

/// Whether kustomize or a plugin of Argo CD fills in a whole value, such as `$(VERSION)` and `<path:secret#version>`.
fn is_whole(text: &str) -> bool {
    let inside =
        [("$(", ')'), ("<", '>')].into_iter().find_map(|(start, end)| text.strip_prefix(start)?.strip_suffix(end));
    inside.is_some_and(|name| !name.is_empty() && !name.contains([' ', '\n', '(', '<', '"']))
}

/// The placeholders of a text, and its other characters one by one. `$${` is no placeholder.
fn tokens(text: &str) -> Vec<&str> {
    if is_whole(text) {
        return vec![text];
    }
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match () {
            () if rest.starts_with("$$") => 2,
            () => braced(rest).unwrap_or(first.len_utf8()),
        };
        let (token, left) = rest.split_at(length);
        found.push(token);
        rest = left;
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_filled_in_may_be_what_was_there() {
        let deciding = |was: &str, is: &str| super::deciding(Some(&json!(was)), Some(&json!(is))).map(str::to_owned);
        let by = |written: &str| Some(written.to_owned());
        assert_eq!(deciding("v1.34.2", "${VERSION}"), by("${VERSION}"));
        assert_eq!(deciding("${REGION}-1", "${ZONE:=${REGION}-1}"), by("${REGION}"));
        assert_eq!(deciding("${A}+k3s2", "${A}"), None);
        assert_eq!(deciding("${A} x ${B}", "${A} y ${B}"), None);
        assert_eq!(deciding("$${A}", "$${B}"), None);
        assert_eq!(deciding("v1.34.2", "$(VERSION)"), by("$(VERSION)"));
        assert_eq!(deciding("<path:a#v>", "<path:b#v>"), by("<path:a#v>"));
        assert_eq!(deciding("$(cat a)", "$(cat b)"), None);
        assert_eq!(deciding("${A", "${B"), None);
        assert_eq!(deciding("echo ${A}\necho ${B}\n", "echo ${C}\n"), None);
    }

    #[test]
    fn all_that_differs_has_to_be_filled_in() {
        let was = json!({ "a": 3, "b": ["x", "y"], "c": true });
        let filled_in = json!({ "a": "${A}", "b": ["x", "${B}"], "c": true });
        let edited = json!({ "a": "${A}", "b": ["x", "${B}"], "c": false });
        let longer = json!({ "a": "${A}", "b": ["x", "${B}", "z"], "c": true });
        assert_eq!([&filled_in, &edited, &longer].map(|is| deciding(Some(&was), Some(is))), [Some("${A}"), None, None]);
        assert_eq!(deciding(Some(&json!(3)), Some(&json!("${A}0"))), None);
        let with_default = json!({ "a": 3, "b": ["x", "y"], "c": true, "d": "${D:=}" });
        assert_eq!(deciding(Some(&was), Some(&with_default)), Some("${D:=}"));
    }
}
