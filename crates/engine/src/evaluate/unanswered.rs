//! What becomes of a request when an object that it needs has no answer.

use crate::kube::cluster::{LookupCause, LookupError};
use crate::report::messages::{SettingValue, about, lookups as messages};
use crate::report::outcome::{Level, LogLine, Outcome, Rejection};
use crate::report::shortening::short;
use crate::settings::Reaction;

/// Accepts, warns about or refuses the object of this title, as `setting` says. That an object does not exist is no news where it is accepted.
pub(crate) fn unanswered(
    title: &str,
    get: &str,
    error: &LookupError,
    reaction: Reaction,
    setting: &'static str,
    outcome: &mut Outcome,
) {
    let missing = error.cause == LookupCause::NotFound;
    let message = messages::cannot_read(get, &error.cause.to_string());
    if !missing || reaction != Reaction::Accept {
        let level = if reaction == Reaction::Reject { Level::Error } else { Level::Warning };
        let attributes = vec![("setting", setting.to_owned()), ("detail", error.detail.clone())];
        outcome.log.push(LogLine { level, message: about(title, &message), attributes });
    }
    match reaction {
        Reaction::Accept => {}
        Reaction::Warn => outcome.warnings.push(short(message)),
        Reaction::Reject => {
            let setting = SettingValue { setting, value: "reject" };
            outcome.rejection = Some(match missing {
                true => Rejection::refused(messages::refused_missing(title, &message, setting)),
                false => Rejection::unavailable(messages::refused_failure(title, &message, &error.detail, setting)),
            });
        }
    }
}
