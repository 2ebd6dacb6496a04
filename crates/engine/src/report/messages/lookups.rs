//! Objects that could not be read.

use facts::messages::SettingValue;
use kube::cluster::LookupCause;

/// An object that is needed could not be read.
pub(crate) fn cannot_read(object: &str, cause: LookupCause) -> String {
    format!("cannot read {object}: {cause}")
}

/// The same for a request that does not need it; `message` is [`cannot_read`].
pub(crate) fn passes_unread(message: &str) -> String {
    format!("{message}; the request is accepted, because it changes nothing that the policy sets")
}

/// The same as a refusal of the object under review, if the object that is needed does not exist.
pub(crate) fn refused_missing(under_review: &str, message: &str, setting: SettingValue<'_>) -> String {
    format!("{under_review}: {message} ({setting})")
}

/// The same if the lookup failed; `detail` is the message of the host or the API server.
pub(crate) fn refused_failure(under_review: &str, message: &str, detail: &str, setting: SettingValue<'_>) -> String {
    format!("{under_review}: {message}: {detail} ({setting})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_names_the_object_and_the_cause() {
        for (cause, expected) in [
            (LookupCause::NotFound, "cannot read v1 Kind a/b: not found"),
            (LookupCause::NotServed, "cannot read v1 Kind a/b: not served by the API server in this version"),
            (LookupCause::NotGranted, "cannot read v1 Kind a/b: not listed in the policy's `contextAwareResources`"),
            (LookupCause::NoCapability, "cannot read v1 Kind a/b: capability `kubernetes/get_resource` is not granted"),
            (LookupCause::Forbidden, "cannot read v1 Kind a/b: forbidden for the PolicyServer's ServiceAccount"),
            (LookupCause::Unavailable, "cannot read v1 Kind a/b: the Kubernetes API could not be queried"),
            (LookupCause::Unreadable, "cannot read v1 Kind a/b: not of the expected shape"),
            (LookupCause::TooManyReads, "cannot read v1 Kind a/b: too many reads"),
        ] {
            assert_eq!(cannot_read("v1 Kind a/b", cause), expected);
        }
    }

    #[test]
    fn a_refusal_names_both_objects_the_cause_and_the_setting() {
        let message = cannot_read("cluster.x-k8s.io/v1beta2 MachineSet fleet/ms", LookupCause::NotFound);
        assert_eq!(message, "cannot read cluster.x-k8s.io/v1beta2 MachineSet fleet/ms: not found");
        assert_eq!(
            refused_missing(
                "Machine fleet/m-1",
                &message,
                SettingValue { setting: "lookup.onMissing", value: "reject" }
            ),
            "Machine fleet/m-1: cannot read cluster.x-k8s.io/v1beta2 MachineSet fleet/ms: not found \
             (`lookup.onMissing` is `reject`)"
        );
        assert_eq!(
            refused_failure(
                "Machine fleet/m-1",
                &cannot_read("cluster.x-k8s.io/v1beta2 Cluster fleet/c1", LookupCause::Unavailable),
                "connection refused",
                SettingValue { setting: "lookup.onFailure", value: "reject" }
            ),
            "Machine fleet/m-1: cannot read cluster.x-k8s.io/v1beta2 Cluster fleet/c1: the Kubernetes API could not be \
             queried: connection refused (`lookup.onFailure` is `reject`)"
        );
    }
}
