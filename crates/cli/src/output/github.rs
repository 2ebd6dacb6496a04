//! Workflow commands of GitHub Actions, which become annotations of a pull request.
//!
//! Source: docs.github.com, "Workflow commands for GitHub Actions".

use fleet::{FindingLevel, Severity};

use super::report::{CheckReport, LineColumn, Where};

/// One line for each finding, and for each document that cannot be read as intended.
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
        };
        line(command, &entry.place, entry.check, &format!("{}: {}", entry.object.title, entry.message))
    });
    problems.chain(findings).collect()
}

/// One workflow command.
pub(crate) fn line(command: &str, place: &Where, title: &str, message: &str) -> String {
    let position = place.position.map(|LineColumn { line, column }| format!(",line={line},col={column}"));
    let (file, position) = (property(&place.file), position.unwrap_or_default());
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
