//! What becomes of a request when an object that it needs has no answer.

use crate::kube::cluster::{LookupCause, LookupError};
use crate::report::outcome::{Level, LogLine, Outcome, Rejection};
use crate::report::warnings;
use crate::settings::Reaction;

/// Accepts, warns or refuses, as `setting` says. That an object does not exist is no news where it is accepted.
pub(crate) fn unanswered(
    get: &str,
    error: &LookupError,
    reaction: Reaction,
    setting: &'static str,
    outcome: &mut Outcome,
) {
    let missing = error.cause == LookupCause::NotFound;
    let message = format!("cannot read {get}: {}", error.cause);
    if !missing || reaction != Reaction::Accept {
        let level = if reaction == Reaction::Reject { Level::Error } else { Level::Warning };
        let attributes = vec![("setting", setting.to_owned()), ("detail", error.detail.clone())];
        outcome.log.push(LogLine { level, message: message.clone(), attributes });
    }
    match reaction {
        Reaction::Accept => {}
        Reaction::Warn => outcome.warnings.push(warnings::short(&message, "")),
        Reaction::Reject if missing => {
            outcome.rejection = Some(Rejection::refused(format!("{message}; `{setting}` is `reject`")));
        }
        Reaction::Reject => {
            let message = format!("{message} ({}); `{setting}` is `reject`", error.detail);
            outcome.rejection = Some(Rejection::unavailable(message));
        }
    }
}
