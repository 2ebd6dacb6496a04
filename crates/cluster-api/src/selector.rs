//! The selector of an object that controls others.

use std::collections::BTreeSet;

use crate::catalog::keys::CLUSTER_NAME;
use crate::json::{Json, Malformed, Map};
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

/// The labels of a selector, and its expressions: key, operator and values. Their order means nothing.
type Requirements<'a> = (Map<'a>, BTreeSet<(&'a str, &'a str, BTreeSet<&'a str>)>);

fn selector<'a>(object: &Object<'a>) -> Result<Requirements<'a>, Malformed> {
    let selector = object.spec.get("selector")?;
    let mut expressions = BTreeSet::new();
    for expression in selector.get("matchExpressions")?.elements()? {
        let text = |field| Ok(expression.string(&[field])?.unwrap_or_default());
        let values = expression.get("values")?.elements()?.filter_map(Json::as_str).collect();
        expressions.insert((text("key")?, text("operator")?, values));
    }
    Ok((selector.get("matchLabels")?.as_map()?, expressions))
}
