//! For a reader at a terminal: each finding with the line it is about.

use std::borrow::Cow;
use std::fmt::Write;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level as Severities, Renderer, Snippet};
use fleet::{FindingLevel, Fleet, Severity, count};

use super::report::{CheckReport, FindingSummary, NotChecked, Where};

/// The maximum number of objects that were not compared, and of documents that are not objects, that are listed without
/// `--verbose`.
const NAMED: usize = 5;

/// The report, colored; the stream that it is written to removes colors if they are off.
pub(crate) fn text(report: &CheckReport, fleet: &Fleet, is_verbose: bool) -> String {
    let mut out = String::new();
    let mut notes = Vec::new();
    for problem in &report.problems {
        match problem.severity {
            Severity::Note => notes.push(format!("{}: {}", problem.place, problem.message)),
            severity => {
                let level = if severity == Severity::Error { Severities::ERROR } else { Severities::WARNING };
                out += &shown(fleet, level, "document", &problem.message, &problem.place, ("", ""));
            }
        }
    }
    for (index, entry) in report.findings.iter().enumerate() {
        let level = level(entry.level);
        // Findings at one position are printed together, up to one with help of its own.
        let next = report.findings.get(index + 1);
        let is_last = next.is_none_or(|next| next.place != entry.place);
        let help = if next.is_none_or(|next| is_last || next.help != entry.help) { &*entry.help } else { "" };
        out += &if is_last || !help.is_empty() {
            shown(fleet, level, entry.check, &entry.message, &entry.place, (&entry.object.title, help))
        } else {
            let title = Group::with_title(level.primary_title(&entry.message).id(entry.check));
            format!("{}\n", Renderer::styled().render(&[helped(title, help)]))
        };
    }
    let not_compared = report.not_compared.iter();
    notes.extend(not_compared.map(|it| format!("{}: {} is skipped: {}", it.place, it.object.title, it.reason)));
    let unchecked = report.unchecked.iter();
    notes.extend(unchecked.map(|it| format!("{}: {} is not checked: {}", it.place, it.object.title, it.reason)));
    let ignored = report.ignored.iter().map(|it| (&it.entry, it.ignored.reason()));
    notes.extend(ignored.map(|(entry, reason)| {
        format!("{}: `{}` of {} is ignored: {reason}", entry.place, entry.check, entry.object.title)
    }));
    if report.summary.gone > 0 {
        notes.push(format!(
            "{} of the baseline no longer found: update it with `--write-baseline`",
            count(report.summary.gone, "finding")
        ));
    }
    if !report.roots.is_empty() {
        notes.insert(0, format!("checked separately: {}", report.roots.join(", ")));
    }
    let named = if is_verbose { notes.len() } else { NAMED };
    let has_notes = !notes.is_empty() || !report.not_checked.is_empty();
    let note = Renderer::styled();
    for message in notes.iter().take(named) {
        let group = [Group::with_title(Severities::NOTE.primary_title(message))];
        let _ = writeln!(out, "{}", note.render(&group));
    }
    if notes.len() > named {
        let _ = writeln!(out, "and {}; `--verbose` prints all", count(notes.len() - named, "more note"));
    }
    for NotChecked { root, message, settings, place } in &report.not_checked {
        let root = root.as_ref().map(|root| format!("{root}: ")).unwrap_or_default();
        let message = format!("{place}: {root}{message}");
        let group = Group::with_title(Severities::NOTE.primary_title(&message));
        let group = helped(group, settings.as_deref().unwrap_or_default());
        let _ = writeln!(out, "{}", note.render(&[group]));
    }
    if has_notes {
        out.push('\n');
    }
    out + &summary(&report.summary, report.roots.len())
}

/// One finding above its line.
fn shown(
    fleet: &Fleet,
    level: Severities<'_>,
    check: &str,
    message: &str,
    place: &Where,
    (object, help): (&str, &str),
) -> String {
    let title = level.primary_title(message).id(check);
    let group = match snippet(fleet, place, object) {
        Some(snippet) => title.element(snippet),
        None => Group::with_title(title),
    };
    format!("{}\n\n", Renderer::styled().render(&[helped(group, help)]))
}

/// The line of a position, with a label at it unless it is empty.
pub(crate) fn snippet<'t>(fleet: &'t Fleet, place: &'t Where, label: &'t str) -> Option<Snippet<'t, Annotation<'t>>> {
    let text = &*fleet.sources().get(place.source)?.text;
    let position = place.position?;
    let begin = text.get(..place.span.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(begin..).unwrap_or_default().lines().next().unwrap_or_default();
    let start = (place.span.start - begin).min(line.len());
    let end = (place.span.end - begin).clamp(start, line.len());
    let annotation = AnnotationKind::Primary.span(start..end);
    let annotation = if label.is_empty() { annotation } else { annotation.label(label) };
    Some(Snippet::source(line).line_start(position.line).path(&*place.file).annotation(annotation))
}

/// What to do, below the finding.
fn helped<'t>(group: Group<'t>, help: &'t str) -> Group<'t> {
    if help.is_empty() { group } else { group.element(Severities::HELP.message(help)) }
}

/// The numbers of the results, on one line.
pub(super) fn summary(summary: &FindingSummary, roots: usize) -> String {
    let FindingSummary {
        objects,
        checked,
        errors,
        warnings,
        notes,
        cannot_tell,
        unreadable,
        skipped,
        not_compared,
        ignored,
        ..
    } = summary;
    let found = match (errors, warnings) {
        _ if *checked == 0 => "nothing to check".to_owned(),
        (0, 0) if *notes > 0 => count(*notes, "note"),
        (errors, warnings) => found(*errors, *warnings),
    };
    let besides = [
        (*cannot_tell, format!("{cannot_tell} cannot tell")),
        (*unreadable, format!("{unreadable} unreadable")),
        (*skipped, format!("{} skipped", count(*skipped, "document"))),
        (*not_compared, format!("{} skipped", count(*not_compared, "object"))),
        (*ignored, format!("{} ignored", count(*ignored, "finding"))),
    ];
    let besides = besides.iter().filter(|(number, _)| *number > 0).map(|(_, what)| format!("; {what}"));
    let roots = if roots > 1 { format!(" in {roots} roots") } else { String::new() };
    format!("{checked} of {} checked{roots}: {found}{}\n", count(*objects, "object"), besides.collect::<String>())
}

/// The number of errors and warnings.
pub(crate) fn found(errors: usize, warnings: usize) -> String {
    match (errors, warnings) {
        (0, 0) => "nothing found".to_owned(),
        (errors, 0) => count(errors, "error"),
        (0, warnings) => count(warnings, "warning"),
        (errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    }
}

/// The level of a finding, as the renderer of snippets has it.
pub(crate) fn level(of: FindingLevel) -> Severities<'static> {
    match of {
        FindingLevel::Error => Severities::ERROR,
        FindingLevel::Warning => Severities::WARNING,
        FindingLevel::Note => Severities::NOTE,
    }
}

/// A value on one line, in quotes if it is empty or has several.
pub(crate) fn visible(value: &str) -> Cow<'_, str> {
    if value.is_empty() || value.contains(char::is_control) { format!("{value:?}").into() } else { value.into() }
}
