//! A self-contained SVG.

use std::fmt::Write;

use super::layout::{BEHIND, BETWEEN_COLUMNS, ICON, LINE, Layout, MARGIN, NodeBox, PADDING};
use super::legend::legend;
use super::shapes::{class, class_of_text, escaped, icon, mark, rectangle, text};
use super::{Flow, Graph, GraphNode};

/// Each line has its own color, dashes and end, so that each of them is sufficient to distinguish it.
const STYLE: &str = "
.propagation text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:12px;fill:#1f2328}
.propagation .title{font-weight:700;font-size:14px}
.propagation .kind{font-weight:700}
.propagation .good{fill:#116329}
.propagation .wrong{fill:#953800}
.propagation .bad{fill:#a40e26}
.propagation .quiet{fill:#59636e}
.propagation .ground{fill:#fff}
.propagation .box{fill:#f6f8fa;stroke:#57606a}
.propagation .end-of-path{fill:#ddf4ff;stroke:#0550ae;stroke-width:2.5}
.propagation .predicted{stroke-dasharray:5 4}
.propagation .icon{fill:none;stroke:#1f2328;stroke-width:1.5;stroke-linejoin:round}
.propagation .nothing{fill:none;stroke:#8c959f}
.propagation .unknown{fill:none;stroke:#59636e;stroke-width:2;stroke-dasharray:2 4}
.propagation .reaches{fill:none;stroke:#1a7f37;stroke-width:2.5}
.propagation .lacks{fill:none;stroke:#bc4c00;stroke-width:2.5;stroke-dasharray:12 4}
.propagation .stops{fill:none;stroke:#cf222e;stroke-width:2;stroke-dasharray:6 4}
.propagation .mark{stroke-dasharray:none}
.propagation .open{fill:#fff}
@media screen and (prefers-color-scheme:dark){
.propagation text{fill:#e6edf3}
.propagation .good{fill:#7ee787}
.propagation .wrong{fill:#ffb77c}
.propagation .bad{fill:#ff9a92}
.propagation .quiet{fill:#9198a1}
.propagation .ground,.propagation .open{fill:#0d1117}
.propagation .box{fill:#161b22;stroke:#8b949e}
.propagation .end-of-path{fill:#10233c;stroke:#58a6ff}
.propagation .icon{stroke:#e6edf3}
.propagation .nothing{stroke:#6e7681}
.propagation .unknown{stroke:#9198a1}
.propagation .reaches{stroke:#3fb950}
.propagation .lacks{stroke:#f0883e}
.propagation .stops{stroke:#f85149}
}
";

pub(super) fn svg(graph: &Graph) -> String {
    let layout = Layout::of(graph);
    let mut drawn = String::new();
    // Lines from one object start as one: errors are drawn on top.
    let mut edges: Vec<(&GraphNode, &NodeBox)> = graph.nodes.iter().zip(&layout.places).collect();
    edges.sort_by_key(|(node, _)| node.propagation.flow);
    for (node, here) in edges {
        if let Some(above) = node.parent.and_then(|parent| layout.places.get(parent)) {
            edge(&mut drawn, node.propagation.flow, above, here);
        }
    }
    for (node, here) in graph.nodes.iter().zip(&layout.places) {
        object(&mut drawn, node, here);
    }
    let height = legend(&mut drawn, graph, layout.height, layout.width);
    let width = layout.width;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"propagation\" role=\"img\" \
         aria-labelledby=\"propagation-title propagation-description\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">"
    );
    let _ = writeln!(out, "<title id=\"propagation-title\">{}</title>", escaped(&graph.title));
    let _ = writeln!(out, "<desc id=\"propagation-description\">{}</desc>", escaped(&graph.description));
    let _ = writeln!(out, "<style>{STYLE}</style>");
    let _ = writeln!(out, "<rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>");
    text(&mut out, "title", MARGIN, MARGIN + LINE, &graph.title);
    out + &drawn + "</svg>\n"
}

/// A box with the text of an object.
fn object(out: &mut String, node: &GraphNode, here: &NodeBox) {
    let NodeBox { x, y, width, height, lines } = here;
    *out += "<g>\n";
    if !node.propagation.rules.is_empty() {
        let rules: Vec<&str> = node.propagation.rules.iter().map(|rule| &**rule).collect();
        let _ = writeln!(out, "<title>{}</title>", escaped(&rules.join("; ")));
    }
    let mut class = "box".to_owned();
    for (is_so, name) in [(node.sort.is_end(), " end-of-path"), (node.is_predicted, " predicted")] {
        class += if is_so { name } else { "" };
    }
    let round = if node.sort.is_end() { 14 } else { 4 };
    if node.count > 1 {
        rectangle(out, &format!("behind {class}"), [x + BEHIND, y + BEHIND, *width, *height], round);
    }
    rectangle(out, &class, [*x, *y, *width, *height], round);
    icon(out, node.sort.path(), x + PADDING - 2, y + PADDING - 1);
    for (index, line) in lines.iter().enumerate() {
        let (class, left) = if index == 0 { ("kind", ICON) } else { (class_of_text(line.flow), 0) };
        text(out, class, x + PADDING + left, y + PADDING + index * LINE + 12, &line.text);
    }
    *out += "</g>\n";
}

/// From one object to its child, with a mark at its end.
fn edge(out: &mut String, flow: Flow, above: &NodeBox, here: &NodeBox) {
    let (from, to) = (above.x + above.width, here.x);
    let (begin, end) = (above.y + PADDING + LINE / 2, here.y + PADDING + LINE / 2);
    let middle = from + BETWEEN_COLUMNS / 2;
    let _ = writeln!(out, "<path class=\"{}\" d=\"M{from} {begin}H{middle}V{end}H{to}\"/>", class(flow));
    mark(out, flow, to, end);
}
