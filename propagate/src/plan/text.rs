//! A plan for a reader at a terminal.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use fleet::{EntryDifference, Plan, Planned};
use metadata_propagation::Effect;

use super::answer::{PlanAnswer, RootAnswer};
use super::tags::{self, TagLine};
use super::words::{self, alike, change, details, effect, total, unknown, verdict, whole};
use crate::style::BOLD;

const CALM: Style = AnsiColor::Green.on_default();
const CAREFUL: Style = AnsiColor::Yellow.on_default();
const GRAVE: Style = AnsiColor::Red.on_default().bold();

/// The answer, colored; the stream that it is written to removes colors if they are off.
pub(super) fn text(answer: &PlanAnswer, is_verbose: bool) -> String {
    let mut out = String::new();
    let is_one = answer.roots.len() < 2;
    for root in &answer.roots {
        let body = body(root, is_verbose);
        if body.is_empty() {
            continue;
        }
        if is_one {
            out += &body;
        } else {
            let _ = writeln!(out, "{BOLD}{}{BOLD:#}", words::root(&root.pair));
            body.lines().for_each(|line| out += &format!("  {line}\n"));
            if !root.plan.is_empty() {
                let _ = writeln!(out, "  {}", verdict(&root.plan.verdict, root.others()));
            }
        }
    }
    let separator = if out.is_empty() { "" } else { "\n" };
    let unchanged = answer.roots.iter().filter(|root| root.plan.is_empty() && root.not_read.is_empty());
    let unchanged: Vec<&str> = unchanged.map(|root| words::root(&root.pair)).collect();
    let unchanged = match unchanged.is_empty() || is_one || answer.is_empty() {
        true => String::new(),
        false => format!("nothing changes in {}\n", words::some(&unchanged)),
    };
    let entries = words::entries(answer).map(|entries| format!("{entries}\n")).unwrap_or_default();
    let total = total(answer);
    match answer.has_no_change() {
        true => format!("{out}{separator}{entries}{total}\n"),
        false => format!("{out}{separator}{entries}{unchanged}{BOLD}{total}{BOLD:#}\n"),
    }
}

/// The plan of one root, and what it does not include.
fn body(root: &RootAnswer, is_verbose: bool) -> String {
    let plan = &root.plan;
    let mut out = String::new();
    for planned in words::in_order(plan) {
        let Planned { id, edits, entries, .. } = planned;
        let _ = writeln!(out, "{BOLD}{id}{BOLD:#} {}", planned.happens);
        if let Some((effect, whole)) = planned.effect.zip(whole(planned)) {
            let style = style(effect);
            let _ = writeln!(out, "  {style}{whole}{style:#}");
        }
        for planned in edits {
            let style = if planned.deletes() { GRAVE } else { style(planned.effect) };
            let (effect, details) = (effect(planned.effect), details(planned));
            let _ = writeln!(out, "  {style}{effect}{style:#} {}{details}", planned.at);
        }
        for entry in entries {
            let _ = writeln!(out, "  {}", line(entry));
        }
    }
    if !plan.owners.is_empty() {
        let _ = writeln!(out, "{BOLD}Owners{BOLD:#}");
    }
    for owner in &plan.owners {
        let style = style(owner.effect);
        let _ = writeln!(out, "  {style}{owner}{style:#}");
        owner.chains().iter().for_each(|chain| out += &format!("    {chain}\n"));
    }
    if !plan.notes.is_empty() {
        let _ = writeln!(out, "{BOLD}Notes{BOLD:#}");
    }
    plan.notes.iter().for_each(|note| out += &format!("  {note}\n"));
    if !plan.further.is_empty() {
        let _ = writeln!(out, "{BOLD}Child objects{BOLD:#}");
    }
    for group in alike(plan) {
        let _ = writeln!(out, "  {}", group.title());
        for entry in group.entries {
            let _ = writeln!(out, "    {}", line(entry));
        }
    }
    of_tags(plan, is_verbose, &mut out);
    if let Some(objects) = words::silent(plan) {
        let _ = writeln!(out, "{BOLD}Other objects{BOLD:#}\n  {objects}");
    }
    if !plan.unknown.is_empty() {
        let _ = writeln!(out, "{BOLD}It is unknown what propagates to these objects{BOLD:#}");
    }
    for object in &plan.unknown {
        let _ = writeln!(out, "  {}", unknown(object));
    }
    for (title, said) in ["What is applied", "Not compared"].into_iter().zip(root.said()) {
        if !said.is_empty() {
            let _ = writeln!(out, "{BOLD}{title}{BOLD:#}");
        }
        for said in said {
            let _ = writeln!(out, "  {}", words::not_read(said));
        }
    }
    out
}

/// What becomes of cloud tags.
fn of_tags(plan: &Plan, is_verbose: bool, out: &mut String) {
    let lines = tags::lines(&plan.tags, is_verbose);
    if !lines.is_empty() {
        let _ = writeln!(out, "{BOLD}Cloud tags{BOLD:#}");
    }
    let indent = if matches!(lines.first(), Some(TagLine::Title(_))) { "    " } else { "  " };
    for line in lines {
        let _ = match line {
            TagLine::Title(title) => writeln!(out, "  {title}"),
            TagLine::Change(sign, rest) => writeln!(out, "{indent}{}", colored(sign, &rest)),
            TagLine::Fate(is_doubtful, text) => {
                let style = if is_doubtful { CAREFUL } else { CALM };
                writeln!(out, "{indent}{style}{text}{style:#}")
            }
        };
    }
}

fn line(entry: &EntryDifference) -> String {
    let (sign, rest) = change(entry);
    colored(sign, &rest)
}

fn colored(sign: char, rest: &str) -> String {
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
        Effect::Scale | Effect::CannotTell | Effect::Waits | Effect::Scheduled | Effect::ReplacedWhenDeleted => CAREFUL,
        Effect::Rollout | Effect::Refused | Effect::Destructive => GRAVE,
    }
}
