//! A directed graph for Graphviz.

use std::fmt::Write;

use super::lines::visible;
use super::{Flow, Graph};

/// Characters on a line of a label.
const WIDTH: usize = 48;

pub(super) fn dot(graph: &Graph) -> String {
    let mut out = String::from("digraph propagation {\n");
    let _ = writeln!(out, "  graph [rankdir=LR, labelloc=t, label=\"{}\"];", escaped(&graph.title));
    out += "  node [shape=box, fontname=\"monospace\"];\n";
    for (index, node) in graph.nodes.iter().enumerate() {
        let label: String = node.lines_in_words(WIDTH).iter().map(|line| escaped(line) + "\\l").collect();
        let style = match (node.sort.is_end(), node.is_predicted) {
            (true, true) => ", style=\"rounded,dashed\"",
            (true, false) => ", style=rounded",
            (false, true) => ", style=dashed",
            (false, false) => "",
        };
        let _ = writeln!(out, "  n{index} [label=\"{label}\"{style}];");
        if let Some(parent) = node.parent {
            let style = match node.propagation.flow {
                Flow::Nothing => " [arrowhead=none]",
                Flow::Reaches => " [style=bold]",
                Flow::Lacks => " [style=dashed, arrowhead=odot]",
                Flow::Stops => " [style=dashed, arrowhead=tee]",
                Flow::Unknown => " [style=dotted, arrowhead=none]",
            };
            let _ = writeln!(out, "  n{parent} -> n{index}{style};");
        }
    }
    out + "}\n"
}

/// A backslash begins an escape, and `&` an entity.
///
/// Source: Graphviz, attribute types `escString` and `lblString`.
fn escaped(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}
