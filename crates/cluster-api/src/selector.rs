//! The selector of an object that controls others.

use crate::catalog::keys::CLUSTER_NAME;
use crate::json::{Malformed, Map};
use kubernetes::Object;

/// Whether the `spec.selector` is unchanged. The name of the object's own Cluster does not count: defaulting and the
/// MachineSet controller add it.
///
/// Source: core/webhooks/admission/machinedeployment.go and machineset.go, `Default`.
pub(crate) fn same_selector(old: &Object<'_>, new: &Object<'_>) -> Result<bool, Malformed> {
    let ((labels, expressions), (old_labels, old_expressions)) = (selector(new)?, selector(old)?);
    let cluster = new.spec.string(&["clusterName"])?;
    let counts = |(key, value): &(&str, &str)| *key != CLUSTER_NAME || cluster != Some(value);
    Ok(expressions == old_expressions && labels.iter().filter(counts).eq(old_labels.iter().filter(counts)))
}

/// The labels of the selector, and its expressions as written.
fn selector<'a>(object: &Object<'a>) -> Result<(Map<'a>, &'a str), Malformed> {
    let selector = object.spec.get("selector")?;
    let expressions = match selector.get("matchExpressions")?.text() {
        "null" => "[]",
        text => text,
    };
    Ok((selector.get("matchLabels")?.as_map()?, expressions))
}
