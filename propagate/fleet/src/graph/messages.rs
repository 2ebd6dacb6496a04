//! Every sentence of a picture.

use crate::count::count;
use crate::session::plural;

pub(super) const TITLE: &str = "Objects, and the labels and annotations that propagate to them";
pub(super) const PREDICTED: &str = "predicted";
pub(super) const ONLY_CLUSTER_API: &str = "only labels that Cluster API sets itself";

/// The maximum number of listed keys; more are counted.
const LISTED: usize = 6;

pub(super) fn title(key: Option<&str>, within: &[String]) -> String {
    let title = key.map_or(TITLE.to_owned(), |key| format!("Propagation path of {key}"));
    match within {
        [] => title,
        [object] => format!("{object}. {title}"),
        [object, others @ ..] => format!("{object} and {} more. {title}", others.len()),
    }
}

/// The text for several objects that look the same: `200 Machines alike`, and one of them.
pub(super) fn alike(kind: &str, count: usize, name: &str) -> (String, String) {
    let plural = plural(kind);
    let common = kind.to_lowercase().chars().zip(plural.chars()).take_while(|(a, b)| a == b).count();
    let kinds: String = kind.chars().take(common).chain(plural.chars().skip(common)).collect();
    (format!("{count} similar {kinds}"), format!("for example {name}"))
}

pub(super) fn objects(number: usize) -> String {
    format!("{}, each next to its owner.", count(number, "object"))
}

pub(super) fn reached(key: &str, reached: usize, objects: usize) -> String {
    format!("{key} propagates to {reached} of {}.", count(objects, "object"))
}

pub(super) fn lacking(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " 1 of them lacks a propagated entry or has a different value.".to_owned(),
        _ => format!(" {count} of them lack a propagated entry or have a different value."),
    }
}

pub(super) fn missing(keys: &[&str]) -> String {
    format!("{} (missing)", listed(keys))
}

pub(super) fn different(keys: &[&str]) -> String {
    format!("{} (different)", listed(keys))
}

pub(super) fn tags(tags: &[&str], profile: &str) -> String {
    format!("cloud tags (profile `{profile}`): {}", listed(tags))
}

pub(super) fn no_tags(keys: &[&str]) -> String {
    format!("not added as cloud tags: {}", listed(keys))
}

pub(super) fn not_compared(reason: &str) -> String {
    format!("skipped: {reason}")
}

/// Keys on a line; of many, the first ones and the number of the others.
pub(super) fn listed(keys: &[&str]) -> String {
    match keys.get(LISTED..) {
        Some(others) if others.len() > 1 => {
            let first: Vec<&str> = keys.iter().take(LISTED).copied().collect();
            format!("{} and {} more", first.join(", "), others.len())
        }
        _ => keys.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_that_look_alike_are_counted_by_their_kind() {
        for (kind, expected) in [
            ("Machine", "200 similar Machines"),
            ("ClusterClass", "200 similar ClusterClasses"),
            ("MachinePolicy", "200 similar MachinePolicies"),
        ] {
            assert_eq!(alike(kind, 200, "m"), (expected.to_owned(), "for example m".to_owned()));
        }
    }

    #[test]
    fn the_first_keys_are_listed_and_one_more_is_not_counted() {
        let keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
        assert_eq!(listed(&keys[..7]), "a, b, c, d, e, f, g");
        assert_eq!(listed(&keys), "a, b, c, d, e, f and 2 more");
    }
}
