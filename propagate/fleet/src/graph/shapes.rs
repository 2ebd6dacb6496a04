//! The elements of an SVG: boxes, marks, icons and texts.

use std::fmt::Write;

use super::Flow;
use super::lines::visible;

/// The end of a line: an arrow, a ring if something is missing, or a cross.
pub(super) fn mark(out: &mut String, flow: Flow, x: usize, y: usize) {
    let (class, before, middle) = (class(flow), x.saturating_sub(7), x.saturating_sub(12));
    let (above, below) = (y.saturating_sub(5), y + 5);
    let _ = match flow {
        Flow::Nothing | Flow::Unknown => Ok(()),
        Flow::Reaches => {
            writeln!(out, "<path class=\"{class} mark\" d=\"M{before} {above}L{x} {y}L{before} {below}\"/>")
        }
        Flow::Lacks => {
            writeln!(out, "<circle class=\"{class} mark open\" cx=\"{}\" cy=\"{y}\" r=\"5\"/>", x.saturating_sub(7))
        }
        Flow::Stops => {
            writeln!(out, "<path class=\"{class} mark\" d=\"M{middle} {above}l10 10M{middle} {below}l10 -10\"/>")
        }
    };
}

/// A box: its left and upper edge, width and height.
pub(super) fn rectangle(out: &mut String, class: &str, [x, y, width, height]: [usize; 4], round: usize) {
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{round}\"/>"
    );
}

pub(super) fn icon(out: &mut String, path: &str, x: usize, y: usize) {
    let _ = writeln!(out, "<path class=\"icon\" transform=\"translate({x} {y})\" d=\"{path}\"/>");
}

/// The class of a line and its mark.
pub(super) fn class(flow: Flow) -> &'static str {
    match flow {
        Flow::Nothing => "nothing",
        Flow::Reaches => "reaches",
        Flow::Lacks => "lacks",
        Flow::Stops => "stops",
        Flow::Unknown => "unknown",
    }
}

/// The class of a text.
pub(super) fn class_of_text(flow: Flow) -> &'static str {
    match flow {
        Flow::Nothing => "plain",
        Flow::Reaches => "good",
        Flow::Lacks => "wrong",
        Flow::Stops => "bad",
        Flow::Unknown => "quiet",
    }
}

pub(super) fn text(out: &mut String, class: &str, x: usize, y: usize, text: &str) {
    let _ = writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text));
}

pub(super) fn escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
