//! A plan for a reader at a terminal.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use fleet::{EntryDifference, Plan, Planned};
use metadata_propagation::Effect;

use super::words::{alike, change, details, effect, happens, unknown, verdict, whole};
use crate::style::BOLD;

const CALM: Style = AnsiColor::Green.on_default();
const CAREFUL: Style = AnsiColor::Yellow.on_default();
const GRAVE: Style = AnsiColor::Red.on_default().bold();

/// The plan, colored; the stream that it is written to removes colors if they are off.
pub(super) fn text(plan: &Plan) -> String {
    let mut out = String::new();
    for planned in &plan.objects {
        let Planned { id, edits, entries, .. } = planned;
        let _ = writeln!(out, "{BOLD}{id}{BOLD:#} {}", happens(planned.happens));
        if let Some((effect, whole)) = planned.effect.zip(whole(planned)) {
            let style = style(effect);
            let _ = writeln!(out, "  {style}{whole}{style:#}");
        }
        for planned in edits {
            let style = style(planned.edit.effect);
            let (effect, details) = (effect(planned.edit.effect), details(planned));
            let _ = writeln!(out, "  {style}{effect}{style:#} {}{details}", planned.edit.at);
        }
        for entry in entries {
            let _ = writeln!(out, "  {}", line(entry));
        }
    }
    if !plan.further.is_empty() {
        let _ = writeln!(out, "{BOLD}Child objects{BOLD:#}");
    }
    for group in alike(plan) {
        let _ = writeln!(out, "  {}", group.title());
        for entry in group.entries {
            let _ = writeln!(out, "    {}", line(entry));
        }
    }
    if !plan.unknown.is_empty() {
        let _ = writeln!(out, "{BOLD}It is unknown what propagates to these objects{BOLD:#}");
    }
    for object in &plan.unknown {
        let _ = writeln!(out, "  {}", unknown(object));
    }
    if plan.is_empty() {
        return "nothing changes\n".to_owned();
    }
    format!("{out}\n{BOLD}{}{BOLD:#}\n", verdict(&plan.verdict))
}

fn line(entry: &EntryDifference) -> String {
    let (sign, rest) = change(entry);
    let style = match sign {
        '+' => CALM,
        '~' => CAREFUL,
        _ => GRAVE,
    };
    format!("{style}{sign}{style:#} {rest}")
}

fn style(effect: Effect) -> Style {
    match effect {
        Effect::Nothing | Effect::InPlace => CALM,
        Effect::Scale | Effect::CannotTell | Effect::Scheduled | Effect::ReplacedWhenDeleted => CAREFUL,
        Effect::Rollout | Effect::Destructive => GRAVE,
    }
}
