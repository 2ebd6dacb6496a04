//! The path of one label, hop by hop, with the rule at each.

use serde_json::Value;

use crate::{AnsweredObject, text};

/// Prints the longest propagation path of an entry of the last object.
pub(crate) fn print(written: &[AnsweredObject]) {
    let Some(last) = written.last() else { return };
    let ways = last.list("changes").iter().map(|change| way(written, text(change, "key"), last));
    let Some(hops) = ways.max_by_key(Vec::len) else { return };
    let Some((first, last)) = hops.first().zip(hops.last()) else { return };
    let (key, value) = (text(first.change, "key"), text(first.change, "to"));
    let kind = |id: &str| id.split_once(' ').map_or(id, |(kind, _)| kind).to_owned();
    println!("One label, from {} to {}: {key}={value}\n", kind(text(first.change, "source")), kind(&last.to.id()));
    println!("  {}\n      set by alice", text(first.change, "source"));
    for hop in &hops {
        println!(
            "  {}\n      added to {}\n      rule {}",
            hop.to.id(),
            hop.places().join(" and "),
            text(hop.change, "rule")
        );
    }
}

/// One object on the path, and what was added to it.
struct PathHop<'a> {
    to: &'a AnsweredObject,
    change: &'a Value,
}

impl PathHop<'_> {
    /// The maps of the object that the rule writes to.
    fn places(&self) -> Vec<&str> {
        let same =
            |change: &&Value| ["key", "rule"].iter().all(|field| text(change, field) == text(self.change, field));
        self.to.list("changes").iter().filter(same).map(|change| text(change, "at")).collect()
    }
}

/// How a key propagated to an object, first hop first: found by its source, the source's source, and so on.
fn way<'a>(written: &'a [AnsweredObject], key: &str, to: &'a AnsweredObject) -> Vec<PathHop<'a>> {
    let mut hops = Vec::new();
    let mut next = Some(to);
    while let Some(object) = next {
        let Some(change) = object.list("changes").iter().find(|change| text(change, "key") == key) else { break };
        hops.push(PathHop { to: object, change });
        next = written.iter().find(|other| other.id() == text(change, "source"));
    }
    hops.reverse();
    hops
}
