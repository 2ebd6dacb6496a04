//! A plan as a comment of a pull request.

use std::fmt::Write;

use fleet::{Plan, Planned, count};

use super::answer::PlanAnswer;
use super::tags::{self, TagLine};
use super::words::{self, alike, change, details, effect, total, unknown, verdict, whole};

/// The maximum number of characters of a comment on GitHub is 65,536; a pipeline may add its own.
const MOST: usize = 64_000;

/// The verdict, and for each root a table of edits and one of owners, the labels and annotations in a collapsed section, and what is not
/// compared. What is too long for a comment is left out, labels and annotations first.
pub(super) fn markdown(answer: &PlanAnswer) -> String {
    let whole = written(answer, true);
    if whole.chars().count() <= MOST {
        return whole;
    }
    shortened(&written(answer, false), MOST)
}

/// The first lines of a comment without its labels and annotations.
fn shortened(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut left_out = 0;
    for line in text.split_inclusive('\n') {
        length += line.chars().count();
        if length < most { out += line } else { left_out += 1 }
    }
    let lines = match left_out {
        0 => String::new(),
        left_out => format!(" and {}", count(left_out, "line")),
    };
    out + &format!(
        "\nToo long for a comment: labels and annotations{lines} are left out; `propagate plan` prints them.\n"
    )
}

fn written(answer: &PlanAnswer, has_labels: bool) -> String {
    let mut out = format!("**propagate plan**: {}\n", total(answer));
    for root in &answer.roots {
        let has_words = !root.plan.is_empty() || !root.not_read.is_empty();
        if answer.roots.len() > 1 && has_words {
            let verdict = match root.plan.is_empty() {
                true => String::new(),
                false => format!(": {}", verdict(&root.plan.verdict, root.others())),
            };
            let _ = writeln!(out, "\n#### {}{verdict}", code(words::root(&root.pair)));
        }
        if !root.plan.is_empty() {
            of_plan(&root.plan, has_labels, &mut out);
        }
        for (title, said) in ["What is applied", "Not compared"].into_iter().zip(root.said()) {
            if !said.is_empty() {
                let _ = write!(out, "\n{title}:\n\n");
            }
            for said in said {
                let _ = writeln!(out, "- {}", one_line(&words::not_read(said)));
            }
        }
    }
    if let Some(entries) = words::entries(answer) {
        let _ = writeln!(out, "\n{}", one_line(&entries));
    }
    out
}

fn of_plan(plan: &Plan, has_labels: bool, out: &mut String) {
    let objects = words::in_order(plan);
    if !objects.is_empty() {
        *out += "\n| object | effect | path |\n|---|---|---|\n";
    }
    for planned in &objects {
        let object = code(&planned.id.to_string());
        if planned.edits.is_empty() || planned.effect.is_some() {
            let effect = whole(planned).unwrap_or_default();
            let _ = writeln!(out, "| {object} {} | {} | |", planned.happens, cell(&effect));
        }
        for edit in &planned.edits {
            let (effect, at, details) = (effect(edit.effect), code(&edit.at.to_string()), cell(&details(edit)));
            let _ = writeln!(out, "| {object} | {effect} | {at}{details} |");
        }
    }
    if !plan.owners.is_empty() {
        *out += "\n| owner | because of |\n|---|---|\n";
    }
    for owner in &plan.owners {
        let chains: Vec<String> = owner.chains().iter().map(|chain| cell(chain)).collect();
        let _ = writeln!(out, "| {} | {} |", cell(&owner.to_string()), chains.join("<br>"));
    }
    if !plan.notes.is_empty() {
        *out += "\nNotes:\n\n";
    }
    plan.notes.iter().for_each(|note| *out += &format!("- {}\n", one_line(&note.to_string())));
    of_tags(plan, out);
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
    for Planned { id, entries, .. } in objects.into_iter().filter(|object| !object.entries.is_empty()) {
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
    if has_labels && !lines.is_empty() {
        let fence = fence(&lines);
        let _ = write!(
            out,
            "\n<details><summary>Labels and annotations</summary>\n\n{fence}diff\n{lines}{fence}\n\n</details>\n"
        );
    }
}

/// What becomes of cloud tags.
fn of_tags(plan: &Plan, out: &mut String) {
    let lines = tags::lines(&plan.tags, false).into_iter().map(|line| match line {
        TagLine::Title(title) => format!("  {}\n", one_line(&title)),
        TagLine::Change(sign, rest) => format!("{} {}\n", diff(sign), one_line(&rest)),
        TagLine::Fate(_, text) => format!("    {}\n", one_line(&text)),
    });
    let lines: String = lines.collect();
    if !lines.is_empty() {
        let fence = fence(&lines);
        let _ = write!(out, "\nCloud tags:\n\n{fence}diff\n{lines}{fence}\n");
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
    fn a_long_comment_says_what_is_left_out() {
        let text = "**propagate plan**: a\n\n| b |\n| c |\n";
        let left_out = "are left out; `propagate plan` prints them.\n";
        let expected =
            format!("**propagate plan**: a\n\n\nToo long for a comment: labels and annotations and 2 lines {left_out}");
        assert_eq!(shortened(text, 25), expected);
        assert_eq!(shortened(text, 99), format!("{text}\nToo long for a comment: labels and annotations {left_out}"));
    }

    #[test]
    fn what_ends_a_cell_or_a_block_is_kept_from_it() {
        assert_eq!(cell("a|b\nc"), "a\\|b c");
        assert_eq!(code("a`b"), "`a'b`");
        assert_eq!(fence("x ```` y"), "`````");
    }
}
