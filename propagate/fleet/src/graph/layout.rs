//! Positions in an SVG: columns by depth, each object beside its parent, and Nodes in the last column.

use super::lines::columns;
use super::sort::Sort;
use super::{Graph, Note};

/// Lengths are in pixels. Monospaced fonts have characters of about 0.6 em; a font of 12 px gets a little more.
const CHARACTER: usize = 15;
const CHARACTER_PER: usize = 2;
pub(super) const LINE: usize = 16;
pub(super) const PADDING: usize = 10;
pub(super) const MARGIN: usize = 16;
pub(super) const BETWEEN_COLUMNS: usize = 56;
const BETWEEN_ROWS: usize = 14;
/// The width of an icon, including the space after it.
pub(super) const ICON: usize = 22;
/// How far the boxes behind the first one of several are offset.
pub(super) const BEHIND: usize = 4;
/// The position of the first object, below the title.
const TOP: usize = 48;
/// Characters on a line of an object.
const WIDTH: usize = 40;

/// All positions.
pub(super) struct Layout {
    pub(super) places: Vec<NodeBox>,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// The position of an object.
pub(super) struct NodeBox {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) lines: Vec<Note>,
}

impl Layout {
    pub(super) fn of(graph: &Graph) -> Layout {
        let last = graph.nodes.iter().map(|node| node.depth).max().unwrap_or_default();
        let column = |index: usize| match graph.nodes.get(index) {
            // The ends of all paths are aligned vertically.
            Some(node) if node.sort == Sort::Node && node.parent.is_some() => last,
            Some(node) => node.depth,
            None => 0,
        };
        let lines: Vec<Vec<Note>> = graph.nodes.iter().map(|node| node.lines(WIDTH)).collect();
        let mut widths = vec![0; last + 1];
        for (index, lines) in lines.iter().enumerate() {
            let head = lines.first().map_or(0, |line| ICON + pixels(&line.text));
            let width = lines.iter().map(|line| pixels(&line.text)).max().unwrap_or_default().max(head) + 2 * PADDING;
            if let Some(widest) = widths.get_mut(column(index)) {
                *widest = width.max(*widest);
            }
        }
        let mut layout = Layout { places: Vec::new(), width: 0, height: TOP };
        // The position of the next object in each column. The children of an object are beside it, or further down: so
        // the lines from different objects do not cross, and a line to the last column crosses no box.
        let mut free = vec![TOP; widths.len()];
        for (index, (node, lines)) in graph.nodes.iter().zip(lines).enumerate() {
            let above = node.parent.and_then(|parent| layout.places.get(parent)).map_or(TOP, |above| above.y);
            let y = free.iter().skip(node.depth).copied().max().unwrap_or(TOP).max(above);
            let column = column(index);
            let x = MARGIN + widths.iter().take(column).map(|width| width + BETWEEN_COLUMNS).sum::<usize>();
            let width = widths.get(column).copied().unwrap_or_default();
            let height = lines.len() * LINE + 2 * PADDING;
            let bottom = y + height + BETWEEN_ROWS;
            if let Some(free) = free.get_mut(column) {
                *free = bottom;
            }
            layout.height = layout.height.max(bottom);
            layout.places.push(NodeBox { x, y, width, height, lines });
        }
        let all: usize = widths.iter().map(|width| width + BETWEEN_COLUMNS).sum();
        let title = 2 * MARGIN + pixels(&graph.title) * 7 / 6;
        layout.width = (2 * MARGIN + 2 * BEHIND + all).saturating_sub(BETWEEN_COLUMNS).max(title).max(640);
        layout
    }
}

pub(super) fn pixels(text: &str) -> usize {
    columns(text) * CHARACTER / CHARACTER_PER
}
