//! The selector of an object that controls others.

use std::collections::BTreeSet;

use crate::catalog::keys::CLUSTER_NAME;
use crate::json::{Json, Malformed};
use kubernetes::Object;

/// Whether the `spec.selector` is unchanged. The name of the object's own Cluster does not count: defaulting and the
/// MachineSet controller add it.
///
/// Source: core/webhooks/admission/machinedeployment.go and machineset.go, `Default`.
pub(crate) fn same_selector(old: &Object<'_>, new: &Object<'_>) -> Result<bool, Malformed> {
    let cluster = new.spec.string(&["clusterName"])?.map(|cluster| (CLUSTER_NAME, IN, [cluster].into()));
    let (mut now, mut before) = (requirements(new)?, requirements(old)?);
    if let Some(cluster) = cluster {
        now.remove(&cluster);
        before.remove(&cluster);
    }
    Ok(now == before)
}

/// The operator whose one value means what a label in `matchLabels` does.
const IN: &str = "In";

/// What a selector requires of one label: its key, the operator, and the values. Their order means nothing.
type Requirement<'a> = (&'a str, &'a str, BTreeSet<&'a str>);

fn requirements<'a>(object: &Object<'a>) -> Result<BTreeSet<Requirement<'a>>, Malformed> {
    let selector = object.spec.get("selector")?;
    let labels = selector.get("matchLabels")?.as_map()?;
    let mut required: BTreeSet<_> = labels.iter().map(|(key, value)| (key, IN, [value].into())).collect();
    for expression in selector.get("matchExpressions")?.elements()? {
        let text = |field| Ok(expression.string(&[field])?.unwrap_or_default());
        let values = expression.get("values")?.elements()?.filter_map(Json::as_str).collect();
        required.insert((text("key")?, text("operator")?, values));
    }
    Ok(required)
}
