//! Objects that could not be read.

use kubernetes::{SettingValue, sentences};

sentences! {
    /// An object could not be read that the request does not need; `message` says so.
    pub(crate) passes_unread(message: &str)
        "{message}; the request is accepted, because it changes nothing that the policy sets";
    /// The same as a refusal of the object under review, if the object that is needed does not exist.
    pub(crate) refused_missing(under_review: &str, message: &str, setting: SettingValue<'_>)
        "{under_review}: {message} ({setting})";
    /// The same if the lookup failed; `detail` is the message of the host or the API server.
    pub(crate) refused_failure(under_review: &str, message: &str, detail: &str, setting: SettingValue<'_>)
        "{under_review}: {message}: {detail} ({setting})";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_both_objects_the_cause_and_the_setting() {
        assert_eq!(
            refused_missing(
                "Machine fleet/m-1",
                "cannot read cluster.x-k8s.io/v1beta2 MachineSet fleet/ms: not found",
                SettingValue { setting: "lookup.onMissing", value: "reject" }
            ),
            "Machine fleet/m-1: cannot read cluster.x-k8s.io/v1beta2 MachineSet fleet/ms: not found \
             (`lookup.onMissing` is `reject`)"
        );
        assert_eq!(
            refused_failure(
                "Machine fleet/m-1",
                "cannot read cluster.x-k8s.io/v1beta2 Cluster fleet/c1: the Kubernetes API could not be queried",
                "connection refused",
                SettingValue { setting: "lookup.onFailure", value: "reject" }
            ),
            "Machine fleet/m-1: cannot read cluster.x-k8s.io/v1beta2 Cluster fleet/c1: the Kubernetes API could not be \
             queried: connection refused (`lookup.onFailure` is `reject`)"
        );
    }
}
