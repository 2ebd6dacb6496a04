//! Messages about a request.

use crate::fact::Fact;
use crate::report::{LogLevel, LogLine};
use kubernetes::about;

/// Messages about a request: warnings for the user, log lines for the operator.
#[derive(Default)]
pub(super) struct Notices {
    pub(super) warnings: Vec<Fact>,
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

    /// A warning that is also logged, with the object that it is about.
    pub(super) fn warn<const N: usize>(
        &mut self,
        object: &str,
        fact: impl Into<Fact>,
        attributes: [(&'static str, String); N],
    ) {
        let fact = fact.into();
        self.log(LogLevel::Warning, about(object, &fact.to_string()), attributes);
        self.warnings.push(fact);
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
