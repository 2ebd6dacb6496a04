//! Objects below one another, with the values of some labels.

use std::collections::BTreeSet;

use fleet::World;

use super::columns::{aligned, cell};
use super::{BOLD, DIM};

/// The trees of these objects, without those that stand below another of them. Equal siblings share a line.
pub(crate) fn tree(world: &World, roots: &[usize], keys: &[String]) -> String {
    let mut rows = Vec::new();
    let is_below = |number: &usize| {
        let mut above = world.member(*number).and_then(|member| member.parent);
        while let Some(parent) = above {
            if roots.contains(&parent) {
                return true;
            }
            above = world.member(parent).and_then(|member| member.parent);
        }
        false
    };
    let tops: Vec<usize> = roots.iter().copied().filter(|number| !is_below(number)).collect();
    for group in groups(world, &tops, keys) {
        add(world, &group, "", "", keys, &mut rows);
    }
    let mut header = vec![format!("{BOLD}OBJECT{BOLD:#}")];
    // As kubectl names its label columns.
    let title = |key: &String| key.rsplit('/').next().unwrap_or_default().to_uppercase();
    header.extend(keys.iter().map(|key| format!("{BOLD}{}{BOLD:#}", title(key))));
    if !rows.is_empty() && !keys.is_empty() {
        rows.insert(0, header);
    }
    let mut out = aligned(&rows);
    if rows.iter().flatten().any(|cell| cell == "?") {
        let reasons: BTreeSet<String> = (0..world.members().len())
            .filter(|number| roots.contains(number) || is_below(number))
            .filter_map(|number| world.unknown(number))
            .map(|(member, reason)| format!("? {} is not compared: {reason}", member.id))
            .collect();
        for reason in reasons {
            out += &reason;
            out.push('\n');
        }
    }
    out
}

/// Adds the line of some equal siblings, and the lines of what is below the first of them.
fn add(world: &World, group: &[usize], here: &str, below: &str, keys: &[String], rows: &mut Vec<Vec<String>>) {
    let Some((first, member)) = group.first().and_then(|first| Some((*first, world.member(*first)?))) else { return };
    let foretold = if member.origin.is_none() { format!(" {DIM}(not among the files){DIM:#}") } else { String::new() };
    let names = match group.len() {
        1 => String::new(),
        count => format!(" and {} like it", count - 1),
    };
    let mut row = vec![format!("{here}{}{names}{foretold}", member.id)];
    row.extend(keys.iter().map(|key| cell(world, first, key)));
    rows.push(row);
    let groups = groups(world, &member.children, keys);
    for (index, group) in groups.iter().enumerate() {
        let is_last = index + 1 == groups.len();
        let (branch, rest) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        add(world, group, &format!("{below}{branch}"), &format!("{below}{rest}"), keys, rows);
    }
}

/// Siblings that look alike; without columns only kinds are told.
fn groups(world: &World, siblings: &[usize], keys: &[String]) -> Vec<Vec<usize>> {
    let cells = |number: usize| keys.iter().map(|key| cell(world, number, key)).collect::<Vec<_>>().join("\n");
    world.alike(siblings, &|number| Some(cells(number)))
}
