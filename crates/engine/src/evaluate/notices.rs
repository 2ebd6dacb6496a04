//! What is said about a request.

use crate::report::outcome::{LogLevel, LogLine};
use facts::shortening::short;

/// What is said about a request: to the user as warnings, to the operator as log lines.
#[derive(Default)]
pub(super) struct Notices {
    pub(super) warnings: Vec<String>,
    pub(super) log: Vec<LogLine>,
}

impl Notices {
    pub(super) fn log<const N: usize>(
        &mut self,
        level: LogLevel,
        message: String,
        attributes: [(&'static str, String); N],
    ) {
        self.log.push(line(level, message, attributes));
    }

    /// A warning, shortened to what kubectl prints.
    pub(super) fn warn(&mut self, message: String) {
        self.warnings.push(short(message));
    }

    pub(super) fn append(&mut self, mut later: Notices) {
        self.warnings.append(&mut later.warnings);
        self.log.append(&mut later.log);
    }
}

pub(super) fn line<const N: usize>(
    level: LogLevel,
    message: String,
    attributes: [(&'static str, String); N],
) -> LogLine {
    LogLine { level, message, attributes: attributes.into() }
}
