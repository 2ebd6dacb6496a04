//! The legend of an SVG: the lines, colors, boxes and icons that it contains.

use super::layout::{BEHIND, LINE, MARGIN, PADDING, pixels};
use super::shapes::{class, class_of_text, icon, mark, rectangle, text};
use super::sort::LOOKS;
use super::{Flow, Graph};

const FLOWS: &[(Flow, &str)] = &[
    (Flow::Reaches, "propagates"),
    (Flow::Lacks, "propagates, but is missing or different"),
    (Flow::Stops, "does not propagate"),
    (Flow::Unknown, "cannot tell"),
    (Flow::Nothing, "nothing propagates"),
];
const PREDICTED: &str = "predicted: created by controllers";
const ALIKE: &str = "several objects";
const END: &str = "end of a path";

/// The width of a sample, including the space after it.
const SAMPLE: usize = 36;

/// Draws a sample at a position.
type Sample = Box<dyn Fn(&mut String, usize, usize)>;

/// An entry: what is drawn at a position, and the text after it.
struct LegendEntry {
    /// Absent if the text itself is the sample.
    sample: Option<Sample>,
    class: &'static str,
    words: &'static str,
}

/// Draws the legend at a vertical position, and returns where it ends.
pub(super) fn legend(out: &mut String, graph: &Graph, top: usize, width: usize) -> usize {
    let (mut x, mut y) = (MARGIN, top + LINE / 2);
    for LegendEntry { sample, class, words } in entries(graph) {
        let left = if sample.is_some() { SAMPLE + PADDING } else { 0 };
        let wide = left + pixels(words) + 2 * PADDING;
        if x + wide > width && x > MARGIN {
            (x, y) = (MARGIN, y + LINE + PADDING);
        }
        if let Some(sample) = sample {
            sample(out, x, y);
        }
        text(out, class, x + left, y + 4, words);
        x += wide;
    }
    y + LINE
}

fn entries(graph: &Graph) -> Vec<LegendEntry> {
    let mut entries = Vec::new();
    for (flow, words) in FLOWS {
        let is_line = graph.nodes.iter().any(|node| node.parent.is_some() && node.propagation.flow == *flow);
        let is_color = *flow != Flow::Nothing
            && graph.nodes.iter().any(|node| node.propagation.notes.iter().any(|note| note.flow == *flow));
        let flow = *flow;
        let line = move |out: &mut String, x: usize, y: usize| {
            let end = x + SAMPLE;
            *out += &format!("<path class=\"{}\" d=\"M{x} {y}H{end}\"/>\n", class(flow));
            mark(out, flow, end, y);
        };
        let words_class = if is_color { class_of_text(flow) } else { "plain" };
        match (is_line, is_color) {
            (true, _) => entries.push(LegendEntry { sample: Some(Box::new(line)), class: words_class, words }),
            (false, true) => entries.push(LegendEntry { sample: None, class: words_class, words }),
            (false, false) => {}
        }
    }
    let has = |holds: &dyn Fn(&super::GraphNode) -> bool| graph.nodes.iter().any(holds);
    let boxes: [(bool, &str, bool, &str); 3] = [
        (has(&|node| node.is_predicted), "box predicted", false, PREDICTED),
        (has(&|node| node.count > 1), "box", true, ALIKE),
        (has(&|node| node.sort.is_end()), "box end-of-path", false, END),
    ];
    for (is_shown, class, is_several, words) in boxes {
        if is_shown {
            let sample = move |out: &mut String, x: usize, y: usize| {
                let (y, height) = (y - LINE / 2, LINE - 2);
                if is_several {
                    rectangle(out, class, [x + BEHIND, y + BEHIND, SAMPLE - BEHIND, height], 4);
                }
                rectangle(out, class, [x, y, SAMPLE - BEHIND, height], if class.contains("end") { 8 } else { 4 });
            };
            entries.push(LegendEntry { sample: Some(Box::new(sample)), class: "plain", words });
        }
    }
    for look in LOOKS.iter().filter(|look| has(&|node| node.sort == look.sort)) {
        let sample = move |out: &mut String, x: usize, y: usize| icon(out, look.path, x + SAMPLE - 16, y - 8);
        entries.push(LegendEntry { sample: Some(Box::new(sample)), class: "plain", words: look.words });
    }
    entries
}
