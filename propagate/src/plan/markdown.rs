//! A plan as a comment of a pull request.

use std::fmt::Write;

use fleet::{Plan, Planned};

use super::answer::PlanAnswer;
use super::words::{self, alike, change, details, effect, total, unknown, verdict, whole};

/// The verdict, and for each root a table of edits, the labels and annotations in a collapsed section, and what is not
/// compared.
pub(super) fn markdown(answer: &PlanAnswer) -> String {
    let mut out = format!("**propagate plan**: {}\n", total(answer));
    for root in &answer.roots {
        let has_words = !root.plan.is_empty() || !root.not_read.is_empty();
        if answer.roots.len() > 1 && has_words {
            let verdict = match root.plan.is_empty() {
                true => String::new(),
                false => format!(": {}", verdict(&root.plan.verdict)),
            };
            let _ = writeln!(out, "\n#### {}{verdict}", code(words::root(&root.pair)));
        }
        if !root.plan.is_empty() {
            of_plan(&root.plan, &mut out);
        }
        if !root.not_read.is_empty() {
            out += "\nNot compared:\n\n";
        }
        for not_read in &root.not_read {
            let _ = writeln!(out, "- {}", one_line(&words::not_read(not_read)));
        }
    }
    out
}

fn of_plan(plan: &Plan, out: &mut String) {
    let objects = || plan.objects.iter().filter(|planned| !words::is_silent(planned));
    if objects().next().is_some() {
        *out += "\n| object | effect | path |\n|---|---|---|\n";
    }
    for planned in objects() {
        let object = code(&planned.id.to_string());
        if planned.edits.is_empty() || planned.effect.is_some() {
            let effect = whole(planned).unwrap_or_default();
            let _ = writeln!(out, "| {object} {} | {} | |", planned.happens, cell(&effect));
        }
        for edit in &planned.edits {
            let (effect, at, details) = (effect(edit.edit.effect), code(&edit.edit.at), cell(&details(edit)));
            let owners = plan.owners_of(&planned.id, &edit.edit.at).iter();
            let affected: String = owners.map(|owner| format!("<br>{}", cell(&owner.to_string()))).collect();
            let _ = writeln!(out, "| {object} | {effect} | {at}{details}{affected} |");
        }
    }
    if let Some(objects) = words::silent(plan) {
        let _ = writeln!(out, "\nOther objects: {}", one_line(&objects));
    }
    if !plan.unknown.is_empty() {
        *out += "\nIt is unknown what propagates to these objects:\n\n";
    }
    for object in &plan.unknown {
        let _ = writeln!(out, "- {}", one_line(&unknown(object)));
    }
    let mut lines = String::new();
    for Planned { id, entries, .. } in plan.objects.iter().filter(|object| !object.entries.is_empty()) {
        let _ = writeln!(lines, "  {id}");
        for entry in entries {
            let (sign, rest) = change(entry);
            let _ = writeln!(lines, "{} {}", diff(sign), one_line(&rest));
        }
    }
    for group in alike(plan) {
        let _ = writeln!(lines, "  {}", group.title());
        for entry in group.entries {
            let (sign, rest) = change(entry);
            let _ = writeln!(lines, "{} {}", diff(sign), one_line(&rest));
        }
    }
    if !lines.is_empty() {
        let fence = fence(&lines);
        let _ = write!(
            out,
            "\n<details><summary>Labels, annotations and cloud tags</summary>\n\n{fence}diff\n{lines}{fence}\n\n</details>\n"
        );
    }
}

/// The character that colors a line in a `diff` block.
fn diff(sign: char) -> char {
    if sign == '~' { '!' } else { sign }
}

fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ")
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

fn code(text: &str) -> String {
    format!("`{}`", cell(text).replace('`', "'"))
}

/// A fence that is longer than any within.
fn fence(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    fence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_cell_or_a_block_is_kept_from_it() {
        assert_eq!(cell("a|b\nc"), "a\\|b c");
        assert_eq!(code("a`b"), "`a'b`");
        assert_eq!(fence("x ```` y"), "`````");
    }
}
