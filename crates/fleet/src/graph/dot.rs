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
        let label: String = node.lines(WIDTH).iter().map(|line| escaped(&line.text) + "\\l").collect();
        let style = if node.is_foretold { ", style=dashed" } else { "" };
        let _ = writeln!(out, "  n{index} [label=\"{label}\"{style}];");
        if let Some(parent) = node.parent {
            let style = match node.flow {
                Flow::Nothing => " [arrowhead=none]",
                Flow::Travels => " [style=bold]",
                Flow::Stops => " [style=dashed, arrowhead=tee]",
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
