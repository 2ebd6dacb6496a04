//! Workflow commands of GitHub Actions, which become annotations of a pull request.
//!
//! Source: docs.github.com, "Workflow commands for GitHub Actions".

use fleet::{FindingLevel, Severity};

use super::report::{CheckReport, LineColumn, Where};
use super::text::summary;

/// One line for each finding, for each document that cannot be read as intended, and for what is not checked; the last one has the
/// numbers.
pub(crate) fn github(report: &CheckReport) -> String {
    let problems = report.problems.iter().filter_map(|problem| {
        let command = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => return None,
        };
        Some(line(command, &problem.place, "document", &problem.message))
    });
    let findings = report.findings.iter().map(|entry| {
        let command = match entry.level {
            FindingLevel::Error => "error",
            FindingLevel::Warning => "warning",
            FindingLevel::Note => "notice",
        };
        line(command, &entry.place, entry.check, &format!("{}: {}", entry.object.title, entry.message))
    });
    let not_checked = report.not_checked.iter().map(|it| line("notice", &it.place, "not checked", &it.whole()));
    let skipped = skipped(report);
    let numbers = summary(&report.summary, report.roots.len());
    let numbers = format!("::notice title=propagate check::{}\n", data(numbers.trim_end()));
    problems.chain(findings).chain(not_checked).chain(skipped).chain([numbers]).collect()
}

/// The maximum number of documents and objects that are named; more are counted: a step has few annotations.
const NAMED: usize = 10;

/// What is skipped, in one annotation.
fn skipped(report: &CheckReport) -> Option<String> {
    let notes = report.problems.iter().filter(|problem| problem.severity == Severity::Note);
    let notes = notes.map(|problem| (&problem.place, format!("{}: {}", problem.place, problem.message)));
    let objects = report.not_compared.iter();
    let objects = objects.map(|it| (&it.place, format!("{}: {} is skipped: {}", it.place, it.object.title, it.reason)));
    let all: Vec<(&Where, String)> = notes.chain(objects).collect();
    let (place, _) = all.first()?;
    let mut lines: Vec<&str> = all.iter().take(NAMED).map(|(_, line)| &**line).collect();
    let more = format!("and {} more", all.len().saturating_sub(NAMED));
    lines.extend((all.len() > NAMED).then_some(&*more));
    Some(line("notice", place, "skipped", &lines.join("\n")))
}

/// One workflow command.
pub(crate) fn line(command: &str, place: &Where, title: &str, message: &str) -> String {
    let (file, position) = place.existing();
    let position = position.map(|LineColumn { line, column }| format!(",line={line},col={column}"));
    let (file, position) = (property(file), position.unwrap_or_default());
    format!("::{command} file={file}{position},title={}::{}\n", property(title), data(message))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_command_is_escaped() {
        let place = Where { file: "a,b:c".to_owned(), ..Where::default() };
        assert_eq!(line("error", &place, "x", "50 %\na"), "::error file=a%2Cb%3Ac,title=x::50 %25%0Aa\n");
    }
}
