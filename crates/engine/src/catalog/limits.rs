//! What the API server refuses in annotations and in-place fields, whatever their syntax.

/// Bytes that the keys and values of all annotations of an object may have together.
///
/// Source: k8s.io/apimachinery, pkg/api/validation/objectmeta.go, `TotalAnnotationSizeLimitB`.
pub(crate) const MOST_ANNOTATION_BYTES: usize = 256 * 1024;

/// How many elements the list, or characters the text, of an in-place field may have, in both versions.
///
/// Source: the CustomResourceDefinitions of Cluster API v1.14 for Machines, MachineSets, MachineDeployments, MachinePools
/// and KubeadmControlPlanes: `maxItems` and `maxLength`. Numbers have `minimum: 0` in v1beta2. What a list's elements and
/// an enumeration may hold is the same above and below, so that it was legal where it comes from.
#[rustfmt::skip]
const MOST: &[(&str, usize)] = &[
    ("readinessGates", 32),
    ("taints", 64),
    ("machineNaming", 256),
];

/// The most elements of a list, or characters of a text, that a field may have; `None` where nothing limits it.
pub(crate) fn most(field: &str) -> Option<usize> {
    MOST.iter().find(|(name, _)| *name == field).map(|(_, most)| *most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::fields::{FIELDS, Shape};

    #[test]
    fn every_list_has_a_limit() {
        for field in FIELDS {
            assert!(!matches!(field.shape, Shape::List(_)) || most(field.name).is_some(), "{}", field.name);
        }
    }

    #[test]
    fn every_limit_is_that_of_a_field() {
        for (name, _) in MOST {
            assert!(FIELDS.iter().any(|field| field.name == *name), "{name}");
        }
    }
}
