//! The service accounts that Crossplane runs as.

/// The service accounts that Crossplane's core runs as. `cloudTags.crossplane` lists them all by default. Providers and
/// functions are not among them: they write no composites.
///
/// Source: the chart's serviceaccount.yaml and its helper `crossplane.serviceAccountName`; the namespace is the one that
/// each project's instructions install it in.
pub(crate) const CROSSPLANE: &[&str] = &[
    "system:serviceaccount:crossplane-system:crossplane",
    // Upbound's distribution, UXP.
    "system:serviceaccount:upbound-system:crossplane",
];
