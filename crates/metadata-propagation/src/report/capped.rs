//! Limits of what one answer says.

use std::collections::BTreeSet;

use kubernetes::and_more;

use crate::report::outcome::{LogLevel, LogLine};

/// The maximum number of warnings for one request; the report in the audit annotation has all.
const MOST_MESSAGES: usize = 20;

/// A limited number of warnings without duplicates; the last says how many more there are.
pub(crate) fn capped(all: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    up_to_most(all.into_iter().filter(|warning| seen.insert(warning.clone())).collect(), |more| more)
}

/// A limited number of lines; the last says how many more there are.
pub(crate) fn capped_lines(lines: Vec<LogLine>) -> Vec<LogLine> {
    up_to_most(lines, |message| LogLine { level: LogLevel::Warning, message, attributes: Vec::new() })
}

fn up_to_most<T>(mut all: Vec<T>, last: impl FnOnce(String) -> T) -> Vec<T> {
    if all.len() > MOST_MESSAGES {
        let more = all.split_off(MOST_MESSAGES - 1).len();
        all.push(last(and_more(more)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_warnings_end_in_a_count() {
        let warnings = capped((0..25).map(|number| number.to_string()).collect());
        assert_eq!(warnings.len(), MOST_MESSAGES);
        assert_eq!(warnings.last().unwrap(), "and 6 more: see the audit annotation `report`");
        assert_eq!(capped(vec!["one".to_owned()]), ["one"]);
    }

    #[test]
    fn many_log_lines_end_in_a_count() {
        let line =
            |number: usize| LogLine { level: LogLevel::Warning, message: number.to_string(), attributes: Vec::new() };
        let lines = capped_lines((0..25).map(line).collect());
        assert_eq!(lines.len(), MOST_MESSAGES);
        assert_eq!(lines.last().unwrap().message, "and 6 more: see the audit annotation `report`");
        assert_eq!(capped_lines((0..MOST_MESSAGES).map(line).collect()).last().unwrap().message, "19");
    }

    #[test]
    fn as_many_warnings_as_anybody_reads_stay_whole() {
        let warnings: Vec<String> = (0..MOST_MESSAGES).map(|number| number.to_string()).collect();
        assert_eq!(capped(warnings.clone()), warnings);
    }
}
