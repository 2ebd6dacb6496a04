//! Cells of a tree, and their widths.

use fleet::{Hierarchy, State};

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
            State::Differs(found) => format!("{value} (is {})", visible(found)),
            _ => value.to_owned(),
        }
    };
    let mut values: Vec<String> = placements.map(of_stand).collect();
    values.dedup();
    values.join(", ")
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
