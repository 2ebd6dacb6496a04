//! A flowchart for Mermaid.

use std::fmt::Write;

use super::lines::visible;
use super::{Flow, Graph};

/// Characters on a line of a label.
const WIDTH: usize = 48;

pub(super) fn mermaid(graph: &Graph) -> String {
    let mut out = String::from("flowchart LR\n");
    let _ = writeln!(out, "  accTitle: {}", escaped(&graph.title));
    let _ = writeln!(out, "  accDescr: {}", escaped(&graph.description));
    for (index, node) in graph.nodes.iter().enumerate() {
        let lines: Vec<String> = node.lines_in_words(WIDTH).iter().map(|line| escaped(line)).collect();
        let class = if node.is_predicted { ":::predicted" } else { "" };
        let (left, right) = if node.sort.is_end() { ("([", "])") } else { ("[", "]") };
        let _ = writeln!(out, "  n{index}{left}\"{}\"{right}{class}", lines.join("<br/>"));
        if let Some(parent) = node.parent {
            let arrow = match node.propagation.flow {
                Flow::Nothing => "---",
                Flow::Reaches => "==>",
                Flow::Lacks => "-.-o",
                Flow::Stops => "-.-x",
                Flow::Unknown => "-.-",
            };
            let _ = writeln!(out, "  n{parent} {arrow} n{index}");
        }
    }
    if graph.nodes.iter().any(|node| node.is_predicted) {
        out += "  classDef predicted stroke-dasharray: 4 3\n";
    }
    out
}

/// Everything that Mermaid or HTML could treat as markup, as character codes.
///
/// Source: Mermaid, flowchart syntax, "Entity codes to escape characters".
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in visible(text).chars() {
        if character.is_alphanumeric() || " -_./,()".contains(character) {
            out.push(character);
        } else {
            let _ = write!(out, "#{};", u32::from(character));
        }
    }
    out
}
