//! The bytes of one call, as a host passes them to an entry point.

use crate::evaluate::evaluate_objects;
use crate::json::utf8;
use crate::report::messages::requests;
use crate::report::outcome::{Outcome, Rejection};
use crate::settings::Settings;
use kubernetes::{Call, Cluster};

/// Decides the request of a payload `{"request": …, "settings": …}`.
///
/// Every payload has an outcome: one that cannot be read is refused with the reason.
///
/// ```
/// use metadata_propagation::{Manifests, evaluate_payload};
///
/// let outcome = evaluate_payload(b"{}", &Manifests::default());
/// let message = outcome.rejection.map(|rejection| rejection.message);
/// assert_eq!(message.as_deref(), Some("cannot read the request: `request` is missing"));
/// ```
pub fn evaluate_payload(payload: &[u8], cluster: &dyn Cluster) -> Outcome {
    decide(payload, cluster)
        .unwrap_or_else(|message| Outcome { rejection: Some(Rejection::unreadable(message)), ..Outcome::default() })
}

fn decide(payload: &[u8], cluster: &dyn Cluster) -> Result<Outcome, String> {
    let text = utf8(payload).map_err(|error| requests::not_utf8(error.valid_up_to()))?;
    let (call, objects) = Call::with_objects(text).map_err(|malformed| requests::unreadable_request(&malformed))?;
    let settings = Settings::from_json(call.settings).map_err(|error| requests::unusable_settings(&error))?;
    Ok(evaluate_objects(&call.review, objects, &settings, cluster, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubernetes::Manifests;

    #[test]
    fn what_cannot_be_read_is_refused_with_its_reason() {
        for (payload, expected) in [
            (&b"{\"a\":\"\xff\"}"[..], "cannot read the request: not UTF-8 at byte 6"),
            (b"{}", "cannot read the request: `request` is missing"),
            (
                br#"{"request":{"operation":"CREATE","userInfo":{}},"settings":{"mode":"x"}}"#,
                "cannot use the settings: mode: unknown value `x`, expected `mutate` or `verify`",
            ),
        ] {
            let outcome = evaluate_payload(payload, &Manifests::default());
            assert_eq!(outcome.rejection, Some(Rejection::unreadable(expected)));
        }
    }
}
