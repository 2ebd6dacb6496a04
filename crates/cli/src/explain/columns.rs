//! Cells of a tree, and their widths.

use fleet::{Hierarchy, Member, State};

use super::is_absent;
use crate::output::text::visible;

/// A key in an object: the value that the rules set, and the actual value.
pub(crate) fn cell(hierarchy: &Hierarchy, number: usize, key: &str) -> String {
    let placements = hierarchy.own_placements(number, key);
    let mut placements = placements.iter().filter(|placement| !is_absent(&placement.state)).peekable();
    if placements.peek().is_none() {
        return if hierarchy.unknown(number).is_some() { "?" } else { "-" }.to_owned();
    }
    let of_stand = |placement: &fleet::Placement| {
        let value = visible(placement.value.as_deref().unwrap_or_default());
        match &placement.state {
            State::Missing => format!("{value} (missing)"),
            State::Differs(found) => format!("{value} (found {})", visible(found)),
            _ => value.to_owned(),
        }
    };
    let mut values: Vec<String> = placements.map(of_stand).collect();
    values.dedup();
    values.join(", ")
}

/// A cell for a reader: with the reason if there is no value.
pub(crate) fn cell_with_reason(hierarchy: &Hierarchy, number: usize, key: &str) -> String {
    let cell = cell(hierarchy, number, key);
    if cell != "-" {
        return cell;
    }
    if let Some(why) = hierarchy.own_placements(number, key).into_iter().find_map(|placement| placement.why) {
        return format!("- ({why})");
    }
    match source(hierarchy, number, key) {
        Some(member) => format!("- (set on {}, and does not propagate here)", member.id),
        None => "- (not set)".to_owned(),
    }
}

/// The nearest object above in which a key is set.
fn source<'h>(hierarchy: &'h Hierarchy, number: usize, key: &str) -> Option<&'h Member> {
    let parent = hierarchy.member(number)?.parent?;
    let is_set = hierarchy.own_placements(parent, key).iter().any(|placement| !is_absent(&placement.state));
    if is_set { hierarchy.member(parent) } else { source(hierarchy, parent, key) }
}

/// What to do about a key that is set in an object and does not propagate from there.
pub(crate) fn help(hierarchy: &Hierarchy, number: usize, key: &str) -> Option<String> {
    let member = hierarchy.member(number)?;
    let placements = hierarchy.own_placements(number, key);
    let help = placements.into_iter().filter(|placement| !is_absent(&placement.state)).find_map(|it| it.help)?;
    Some(format!("`{key}` of {}: {help}", member.id))
}

/// Rows with aligned columns; styles have no width.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let width = |text: &String| anstream::adapter::strip_str(text).to_string().chars().count();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(width).max().unwrap_or_default())
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, wide) in row.iter().zip(&widths) {
            line += cell;
            line += &" ".repeat(wide - width(cell) + 2);
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}
