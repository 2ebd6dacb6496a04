//! Requests that cannot be decided: their bytes, their settings or their object do not have the required structure.

use std::fmt::Display;

use crate::json::Malformed;
use cluster_api::catalog::Version;
use kubernetes::sentences;

sentences! {
    /// The payload is not UTF-8.
    pub(crate) not_utf8(valid_up_to: usize) "cannot read the request: not UTF-8 at byte {valid_up_to}";
    /// The payload is not JSON, or its request does not have the structure of an AdmissionRequest.
    pub(crate) unreadable_request(malformed: &Malformed) "cannot read the request: {malformed}";
    /// The settings of the request are not valid.
    pub(crate) unusable_settings(problems: &dyn Display) "cannot use the settings: {problems}";
}

/// A CREATE or UPDATE has no object.
pub(crate) const NO_OBJECT: &str = "the request has no `object`";

/// The object of a CREATE or UPDATE is not an object.
pub(crate) const NOT_AN_OBJECT: &str = "`object` is not an object";

sentences! {
    /// The object under review does not have the structure of a Kubernetes object.
    pub(crate) unreadable_object(object: &str, malformed: &Malformed) "cannot read {object}: {malformed}";
    /// A value in the object under review that must be written has another type.
    pub(crate) unwritable_object(error: &dyn Display) "cannot change `object`: {error}";
    /// The settings name a version of Cluster API that is newer than the rules.
    pub(crate) newer_version(version: Version, newest: Version)
        "`clusterApi.version` {version} is newer than this policy supports: the rules of Cluster API {newest} apply";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_named() {
        let malformed = Malformed { path: "metadata.labels".to_owned(), problem: "is not a map of strings".to_owned() };
        for (message, expected) in [
            (not_utf8(6), "cannot read the request: not UTF-8 at byte 6"),
            (unreadable_request(&malformed), "cannot read the request: `metadata.labels` is not a map of strings"),
            (unusable_settings(&"mode: unknown"), "cannot use the settings: mode: unknown"),
            (
                unreadable_object("Machine fleet/m-1", &malformed),
                "cannot read Machine fleet/m-1: `metadata.labels` is not a map of strings",
            ),
            (unwritable_object(&"expected `:`"), "cannot change `object`: expected `:`"),
        ] {
            assert_eq!(message, expected);
        }
    }
}
