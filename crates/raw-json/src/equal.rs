//! When two JSON values mean the same to Kubernetes.

use std::collections::BTreeMap;

use super::document::Json;

/// Values nested deeper than this are compared by their texts.
const DEEPEST: u8 = 64;

/// Whether two values mean the same. The order of keys does not matter, and an absent value is equal to null, an empty
/// list, and an object of only such values.
pub fn equal(a: Json<'_>, b: Json<'_>) -> bool {
    equal_to(a, b, DEEPEST)
}

/// Every pair is compared once, and emptiness is only checked if there is nothing to compare with: checking at every
/// level would be exponential or quadratic in the depth.
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
