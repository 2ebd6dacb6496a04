//! When two JSON values mean the same to Kubernetes.

use std::collections::BTreeMap;

use super::document::Json;

/// Values nested deeper than this are compared as they are written.
const DEEPEST: u8 = 64;

/// Whether two values mean the same. The order of keys does not count, and what is absent is null, an empty list, or an
/// object of nothing but such.
pub(crate) fn equal(a: Json<'_>, b: Json<'_>) -> bool {
    equal_to(a, b, DEEPEST)
}

/// Every pair is compared once, and emptiness is asked for only where nothing is left to compare: to ask at every level
/// is exponential or quadratic in the depth.
fn equal_to(a: Json<'_>, b: Json<'_>, depth: u8) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return a == b };
    if a == b {
        return true;
    }
    if let (Some(fields), Some(others)) = (a.as_fields(), b.as_fields()) {
        let (fields, others): (BTreeMap<_, _>, BTreeMap<_, _>) = (fields.collect(), others.collect());
        let other = |key| others.get(key).copied().unwrap_or(b.absent());
        return fields.iter().all(|(key, value)| equal_to(*value, other(key), depth))
            && others.iter().all(|(key, value)| fields.contains_key(key) || equal_to(a.absent(), *value, depth));
    }
    if let (Some(elements), Some(others)) = (a.as_elements(), b.as_elements()) {
        return elements.len() == others.len() && elements.zip(others).all(|(a, b)| equal_to(a, b, depth));
    }
    if a.is_null() || b.is_null() {
        return false;
    }
    match (a.as_str(), b.as_str()) {
        (Some(a), Some(b)) => a == b,
        _ => equal_to(a, a.absent(), depth) && equal_to(b, b.absent(), depth),
    }
}
