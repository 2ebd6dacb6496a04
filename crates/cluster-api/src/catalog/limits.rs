//! What the API server rejects in annotations and in-place fields, in addition to their syntax.

/// The maximum size in bytes of the keys and values of all annotations of an object together.
///
/// Source: k8s.io/apimachinery, pkg/api/validation/objectmeta.go, `TotalAnnotationSizeLimitB`.
pub(crate) const MOST_ANNOTATION_BYTES: usize = 256 * 1024;

/// The maximum number of elements of a list, or of characters of a text, in an in-place field, in both versions.
///
/// Source: the CustomResourceDefinitions of Cluster API v1.14 for Machines, MachineSets, MachineDeployments,
/// MachinePools and KubeadmControlPlanes: `maxItems` and `maxLength`. Numbers have `minimum: 0` in v1beta2. The limits
/// of a list's elements and of enumerations are the same in parent and child, so values from a parent are valid.
#[rustfmt::skip]
const FIELD_LIMITS: &[(&str, usize)] = &[
    ("readinessGates", 32),
    ("taints", 64),
    ("machineNaming", 256),
];

/// The maximum number of elements of a list, or of characters of a text; `None` if nothing limits it.
pub(crate) fn most(field: &str) -> Option<usize> {
    FIELD_LIMITS.iter().find(|(name, _)| *name == field).map(|(_, most)| *most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{FIELDS, Shape};

    #[test]
    fn every_list_has_a_limit() {
        for field in FIELDS {
            assert!(!matches!(field.shape, Shape::List(_)) || most(field.name).is_some(), "{}", field.name);
        }
    }

    #[test]
    fn every_limit_is_that_of_a_field() {
        for (name, _) in FIELD_LIMITS {
            assert!(FIELDS.iter().any(|field| field.name == *name), "{name}");
        }
    }
}
