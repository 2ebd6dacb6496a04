//! API groups and keys of labels.

/// The API group of the label registry.
pub const LABELS: &str = "labels.plexsphere.com";

/// Contains labels that Kubernetes does not allow, such as the key `acme:checkout/owner`: a JSON map of strings.
pub const ASSIGNMENTS: &str = "labels.plexsphere.com/assignments";

/// Says whether a composite was provisioned or adopted.
pub const ORIGIN: &str = "platform/origin";

/// The value of [`ORIGIN`] on a composite that was adopted: it gets no tags, and new ones are removed.
pub const ADOPTED: &str = "adopted";
