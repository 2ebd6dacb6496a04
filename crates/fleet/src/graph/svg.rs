//! An SVG that stands alone: columns by depth, each object beside what it is made from.

use std::fmt::Write;

use super::lines::{columns, visible};
use super::{Flow, Graph, Note, Tone};

/// Lengths are in pixels. Fonts of one width have characters of about 0.6 em; a font of 12 px gets a little more.
const CHARACTER: usize = 15;
const CHARACTER_PER: usize = 2;
const LINE: usize = 16;
const PADDING: usize = 8;
const MARGIN: usize = 16;
const BETWEEN_COLUMNS: usize = 48;
const BETWEEN_ROWS: usize = 12;
/// Where the first object begins, below the title.
const TOP: usize = 48;
/// Characters on a line of an object.
const WIDTH: usize = 40;

const STYLE: &str = "
.propagation text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:12px;fill:#1f2328}
.propagation .title{font-weight:700;font-size:14px}
.propagation .kind{font-weight:700}
.propagation .good{fill:#116329}
.propagation .bad{fill:#a40e26}
.propagation .ground{fill:#fff}
.propagation .box{fill:#f6f8fa;stroke:#57606a}
.propagation .foretold{stroke-dasharray:4 3}
.propagation .nothing{fill:none;stroke:#8c959f}
.propagation .travels{fill:none;stroke:#1a7f37;stroke-width:2.5}
.propagation .stops{fill:none;stroke:#cf222e;stroke-width:2;stroke-dasharray:6 4}
.propagation .end{stroke-dasharray:none}
@media screen and (prefers-color-scheme:dark){
.propagation text{fill:#e6edf3}
.propagation .good{fill:#7ee787}
.propagation .bad{fill:#ff9a92}
.propagation .ground{fill:#0d1117}
.propagation .box{fill:#161b22;stroke:#8b949e}
.propagation .nothing{stroke:#6e7681}
.propagation .travels{stroke:#3fb950}
.propagation .stops{stroke:#f85149}
}
";

/// What the lines between objects mean.
const LEGEND: &[(Flow, &str)] =
    &[(Flow::Travels, "comes from above"), (Flow::Stops, "is not propagated"), (Flow::Nothing, "nothing comes")];

pub(super) fn svg(graph: &Graph) -> String {
    let boxes = Layout::of(graph);
    let (width, height) = (boxes.width, boxes.height + 2 * LINE);
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
    for (node, here) in graph.nodes.iter().zip(&boxes.places) {
        if let Some(above) = node.parent.and_then(|parent| boxes.places.get(parent)) {
            edge(&mut out, node.flow, above, here);
        }
    }
    for (node, here) in graph.nodes.iter().zip(&boxes.places) {
        let Place { x, y, width, height, lines } = here;
        let foretold = if node.is_foretold { " foretold" } else { "" };
        out += "<g>\n";
        if !node.rules.is_empty() {
            let rules: Vec<&str> = node.rules.iter().map(|rule| &**rule).collect();
            let _ = writeln!(out, "<title>{}</title>", escaped(&rules.join("; ")));
        }
        let _ = writeln!(
            out,
            "<rect class=\"box{foretold}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>"
        );
        for (index, line) in lines.iter().enumerate() {
            let class = match line.tone {
                _ if index == 0 => "kind",
                Tone::Plain => "plain",
                Tone::Good => "good",
                Tone::Bad => "bad",
            };
            text(&mut out, class, x + PADDING, y + PADDING + index * LINE + 12, &line.text);
        }
        out += "</g>\n";
    }
    legend(&mut out, graph, height - LINE);
    out + "</svg>\n"
}

/// Where everything stands.
struct Layout {
    places: Vec<Place>,
    width: usize,
    height: usize,
}

/// Where an object stands.
struct Place {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    lines: Vec<Note>,
}

impl Layout {
    fn of(graph: &Graph) -> Layout {
        let lines: Vec<Vec<Note>> = graph.nodes.iter().map(|node| node.lines(WIDTH)).collect();
        let mut widths: Vec<usize> = Vec::new();
        for (node, lines) in graph.nodes.iter().zip(&lines) {
            let width = lines.iter().map(|line| pixels(&line.text)).max().unwrap_or_default() + 2 * PADDING;
            widths.resize(widths.len().max(node.depth + 1), 0);
            if let Some(column) = widths.get_mut(node.depth) {
                *column = width.max(*column);
            }
        }
        let mut layout = Layout { places: Vec::new(), width: 0, height: TOP };
        // Where the next object of each column may begin. What is below an object stands beside it, or further down: so the
        // lines from different objects do not meet.
        let mut free = vec![TOP; widths.len()];
        for (node, lines) in graph.nodes.iter().zip(lines) {
            let above = node.parent.and_then(|parent| layout.places.get(parent)).map_or(TOP, |above| above.y);
            let y = free.iter().skip(node.depth).copied().max().unwrap_or(TOP).max(above);
            let x = MARGIN + widths.iter().take(node.depth).map(|width| width + BETWEEN_COLUMNS).sum::<usize>();
            let width = widths.get(node.depth).copied().unwrap_or_default();
            let height = lines.len() * LINE + 2 * PADDING;
            let bottom = y + height + BETWEEN_ROWS;
            if let Some(column) = free.get_mut(node.depth) {
                *column = bottom;
            }
            layout.height = layout.height.max(bottom);
            layout.places.push(Place { x, y, width, height, lines });
        }
        let below: usize = widths.iter().map(|width| width + BETWEEN_COLUMNS).sum();
        let title = 2 * MARGIN + pixels(&graph.title) * 7 / 6;
        layout.width = (2 * MARGIN + below).saturating_sub(BETWEEN_COLUMNS).max(title).max(640);
        layout
    }
}

/// From one object to the one below it, with an arrow or a cross at its end.
fn edge(out: &mut String, flow: Flow, above: &Place, here: &Place) {
    let (from, to) = (above.x + above.width, here.x);
    let (begin, end) = (above.y + PADDING + LINE / 2, here.y + PADDING + LINE / 2);
    let (middle, class) = (from + BETWEEN_COLUMNS / 2, class(flow));
    let _ = writeln!(out, "<path class=\"{class}\" d=\"M{from} {begin}H{middle}V{end}H{to}\"/>");
    mark(out, flow, to, end);
}

fn mark(out: &mut String, flow: Flow, x: usize, y: usize) {
    let (class, before, middle) = (class(flow), x.saturating_sub(7), x.saturating_sub(12));
    let (above, below) = (y.saturating_sub(5), y + 5);
    let _ = match flow {
        Flow::Nothing => Ok(()),
        Flow::Travels => {
            writeln!(out, "<path class=\"{class} end\" d=\"M{before} {above}L{x} {y}L{before} {below}\"/>")
        }
        Flow::Stops => {
            writeln!(out, "<path class=\"{class} end\" d=\"M{middle} {above}l10 10M{middle} {below}l10 -10\"/>")
        }
    };
}

fn legend(out: &mut String, graph: &Graph, y: usize) {
    let mut x = MARGIN;
    for (flow, words) in LEGEND {
        let is_shown = graph.nodes.iter().any(|node| node.parent.is_some() && node.flow == *flow);
        if is_shown {
            let end = x + 36;
            let _ = writeln!(out, "<path class=\"{}\" d=\"M{x} {y}H{end}\"/>", class(*flow));
            mark(out, *flow, end, y);
            text(out, "plain", end + PADDING, y + 4, words);
            x = end + 3 * PADDING + pixels(words);
        }
    }
}

fn class(flow: Flow) -> &'static str {
    match flow {
        Flow::Nothing => "nothing",
        Flow::Travels => "travels",
        Flow::Stops => "stops",
    }
}

fn text(out: &mut String, class: &str, x: usize, y: usize, text: &str) {
    let _ = writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text));
}

fn pixels(text: &str) -> usize {
    columns(text) * CHARACTER / CHARACTER_PER
}

fn escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
