//! When two JSON values mean the same to Cluster API.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::catalog::effects::Same;
use crate::json::{Json, equal};
use kubernetes::{duration, group_and_version};

/// Whether an edit from `old` to `new` changes nothing, by the values alone.
pub(super) fn same(how: Same, old: Json<'_>, new: Json<'_>) -> bool {
    let alike = equal(old, new);
    match how {
        Same::Value | Same::Selector => alike,
        Same::ListOrNone => same_config("", old, new) && old.is_null() == new.is_null(),
        // These are compared together with the selectors, the version or the field's name, next to the value.
        Same::FeatureGates | Same::Config => alike,
        Same::NotFromPaused => !old.is_true() || new.is_true(),
        Same::NotFromOnDelete => alike || old.as_str() != Some("OnDelete"),
        Same::Appointment => alike || equal(new, new.absent()),
        Same::OrFirst => alike || meaning(how, old).is_empty() || meaning(how, old) == meaning(how, new),
        Same::Text
        | Same::OrCloudConfig
        | Same::OrIfNotPresent
        | Same::Version
        | Same::Duration
        | Same::Seconds
        | Same::Reference => alike || meaning(how, old) == meaning(how, new),
    }
}

/// Whether two maps of feature gates are the same to a control plane with this `spec`: for Kubernetes v1.31 to v1.35
/// Cluster API adds `ControlPlaneKubeletLocalMode` if it is not set.
///
/// Source: controlplane/kubeadm/pkg/desiredstate/desired_state.go, `DefaultFeatureGates`.
pub(super) fn same_feature_gates(spec: Json<'_>, old: Json<'_>, new: Json<'_>) -> bool {
    const DEFAULTED: &str = "ControlPlaneKubeletLocalMode";
    let version = spec.string(&["version"]).ok().flatten();
    let minor = version.and_then(|version| version.split('.').nth(1)?.parse::<u16>().ok());
    let is_default = |(gate, value): &(&str, Json<'_>)| {
        *gate == DEFAULTED && value.is_true() && minor.is_some_and(|minor| (31..36).contains(&minor))
    };
    let own = |gates: Json<'_>| -> Option<BTreeMap<String, String>> {
        let own = gates.as_fields()?.filter(|gate| !is_default(gate));
        Some(own.map(|(gate, value)| (gate.to_owned(), value.text().to_owned())).collect())
    };
    match (own(old), own(new)) {
        (Some(old), Some(new)) => old == new,
        _ => equal(old, new),
    }
}

/// Values nested deeper than this are compared by their texts.
const DEEPEST: u8 = 64;

/// Fields whose zero or empty value differs from none, because Go has a pointer or keeps the list.
///
/// Source: api/bootstrap/kubeadm/v1beta1 and its conversion; `dropOmittableFields` in controlplane/kubeadm/pkg/filters.go;
/// found by editing every field, in verification/conformance/functions/vectors/converted.go.
const KEPT: &[&str] = &[
    "configMapKeyRef",
    "diskLayout",
    "enabled",
    "endpoints",
    "fieldRef",
    "fileKeyRef",
    "imagePullSerial",
    "inactive",
    "lockPassword",
    "optional",
    "overwrite",
    "resourceFieldRef",
    "secretKeyRef",
    "valueFrom",
    "verbosity",
];

/// Maps in which every key counts, whatever its value.
const MAPS: &[&str] = &["extraArgs", "featureGates", "kubeletExtraArgs"];

/// Whether a field of a kubeadm configuration in v1beta1 means the same to Go: an empty text, `false` and 0 are absent.
pub(super) fn same_config(field: &str, old: Json<'_>, new: Json<'_>) -> bool {
    same_to(DEEPEST, field, old, new)
}

fn same_to(depth: u8, field: &str, old: Json<'_>, new: Json<'_>) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return old == new };
    if old == new {
        return true;
    }
    if KEPT.contains(&field) && old.is_null() != new.is_null() {
        return false;
    }
    if let (Some(fields), Some(others)) = (old.as_fields(), new.as_fields()) {
        if MAPS.contains(&field) {
            return equal(old, new);
        }
        let (fields, others): (BTreeMap<_, _>, BTreeMap<_, _>) = (fields.collect(), others.collect());
        let other = |key| others.get(key).copied().unwrap_or(new.absent());
        return fields.iter().all(|(key, value)| same_to(depth, key, *value, other(key)))
            && others.iter().all(|(key, value)| fields.contains_key(key) || same_to(depth, key, old.absent(), *value));
    }
    if let (Some(elements), Some(others)) = (old.as_elements(), new.as_elements()) {
        return elements.len() == others.len() && elements.zip(others).all(|(old, new)| same_to(depth, "", old, new));
    }
    match (old.present(), new.present()) {
        (Some(value), None) | (None, Some(value)) => ["\"\"", "false", "0"].contains(&value.text()),
        _ => equal(old, new),
    }
}

/// The meaning of a value, in one spelling.
fn meaning(how: Same, value: Json<'_>) -> Cow<'_, str> {
    let text = value.as_str().or_else(|| value.present().map(Json::text)).unwrap_or_default();
    match how {
        Same::OrCloudConfig if text.is_empty() => "cloud-config".into(),
        Same::OrIfNotPresent if text.is_empty() => "IfNotPresent".into(),
        Same::Version => text.strip_prefix('v').unwrap_or(text).into(),
        Same::Duration | Same::Seconds => match duration::parse(text) {
            Some(value) if how == Same::Seconds => (value / 1_000_000_000).to_string().into(),
            Some(value) => value.to_string().into(),
            None => text.into(),
        },
        Same::Reference => reference(value).into(),
        _ => text.into(),
    }
}

/// Group, kind and name; v1beta1 has the group in an apiVersion, whose version does not matter.
fn reference(value: Json<'_>) -> String {
    let part = |key| value.string(&[key]).ok().flatten().unwrap_or_default();
    let group = match group_and_version(part("apiVersion")).0 {
        "" => part("apiGroup"),
        group => group,
    };
    [group, " ", part("kind"), " ", part("name")].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    #[rustfmt::skip]
    const PAIRS: &[(Same, &str, &str, bool)] = &[
        // Absent is null is empty, and keys have no order.
        (Same::Value, r#"{"a":1,"b":{"c":null,"d":[]}}"#, r#"{ "b" : {}, "a": 1 }"#, true),
        (Same::Value, "null", r#"{"a":{"b":[]}}"#, true),
        (Same::Value, "null", "[]", true),
        (Same::Value, r#"["a","b"]"#, r#"["b","a"]"#, false),
        (Same::Value, r#"["a"]"#, r#"["a","b"]"#, false),
        (Same::Value, r#""a""#, r#""\u0061""#, true),
        (Same::Value, r#"{"a":""}"#, "null", false),
        (Same::Value, r#"{"a":{"x":1}}"#, r#"{"a":{"x":1,"y":2}}"#, false),
        (Same::Value, "false", "null", false),
        (Same::Value, "1", "2", false),
        (Same::Value, "{}", "[]", true),
        (Same::Value, r#"{"a":[[]]}"#, "[]", false),
        (Same::Value, r#"{"a":1}"#, "1", false),
        (Same::Value, r#"{"a":1,"a":2}"#, r#"{"a":2}"#, true),
        (Same::ListOrNone, "null", "[]", false),
        (Same::ListOrNone, "[ ]", "[]", true),
        (Same::ListOrNone, "null", "null", true),
        (Same::ListOrNone, r#"["a"]"#, r#"["b"]"#, false),
        // What stays as it is is no edit.
        (Same::NotFromPaused, "true", "true", true),
        (Same::NotFromPaused, "true", "false", false),
        (Same::NotFromPaused, "false", "true", true),
        (Same::NotFromOnDelete, r#""OnDelete""#, r#""OnDelete""#, true),
        // An empty text is none.
        (Same::Text, "null", r#""""#, true),
        (Same::Text, r#""a""#, "null", false),
        (Same::Text, r#""a""#, r#""b""#, false),
        (Same::Text, r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, true),
        (Same::OrFirst, "null", r#""a""#, true),
        (Same::OrFirst, r#""""#, r#""a""#, true),
        (Same::OrFirst, r#""a""#, r#""b""#, false),
        (Same::OrFirst, r#""a""#, "null", false),
        (Same::OrFirst, r#""1""#, "1", true),
        (Same::OrFirst, r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, true),
        (Same::OrCloudConfig, "null", r#""cloud-config""#, true),
        (Same::OrCloudConfig, r#""""#, "null", true),
        (Same::OrCloudConfig, "null", r#""ignition""#, false),
        (Same::Version, r#""v1.31.0""#, r#""1.31.0""#, true),
        (Same::Version, r#""v1.31.0""#, r#""v1.31.1""#, false),
        (Same::Duration, r#""60s""#, r#""1m0s""#, true),
        (Same::Duration, r#""60s""#, "null", false),
        (Same::Duration, r#""0s""#, "null", false),
        (Same::Duration, "1", "2", false),
        // Durations in seconds are truncated.
        (Same::Seconds, r#""60s""#, r#""1m0.9s""#, true),
        (Same::Seconds, r#""60s""#, r#""61s""#, false),
        (Same::Seconds, r#""0s""#, "null", false),
        (Same::Reference, REFERENCE, r#"{"apiVersion":"g/v1beta2","kind":"K","name":"n"}"#, true),
        (Same::Reference, REFERENCE, r#"{"apiGroup":"g","kind":"K","name":"n"}"#, true),
        (Same::Reference, REFERENCE, r#"{"apiVersion":"h/v1beta1","kind":"K","name":"n"}"#, false),
        (Same::Reference, REFERENCE, r#"{"apiVersion":"g/v1beta1","kind":"K","name":"m"}"#, false),
        (Same::Reference, REFERENCE, r#"{"apiVersion":"g/v1beta1","kind":"L","name":"n"}"#, false),
        (Same::Reference, REFERENCE, "null", false),
        // Taking an appointment back changes nothing.
        (Same::Appointment, r#""2026-01-01""#, "null", true),
        (Same::Appointment, "null", r#""2026-01-01""#, false),
    ];
    const REFERENCE: &str = r#"{"apiVersion":"g/v1beta1","kind":"K","name":"n","namespace":"fleet"}"#;

    #[track_caller]
    fn check(how: Same, old: &str, new: &str, expected: bool) {
        let documents = [old, new].map(Document::new);
        let [old_root, new_root] = documents.each_ref().map(Document::root);
        assert_eq!(same(how, old_root, new_root), expected, "{how:?} {old} {new}");
    }

    #[test]
    fn values_are_compared_as_their_field_is() {
        PAIRS.iter().for_each(|(how, old, new, expected)| check(*how, old, new, *expected));
    }

    #[test]
    fn values_nested_too_deep_are_compared_as_written() {
        let nested = |inner: &str| format!("{}{inner}{}", "[".repeat(20_000), "]".repeat(20_000));
        check(Same::Value, &nested("1"), &nested("2"), false);
        check(Same::Value, &nested("1"), &nested(" 1"), false);
    }

    #[test]
    fn depth_does_not_multiply_the_work() {
        let nested = |inner: &str| format!("{}{inner}{}", r#"{"a":"#.repeat(60), "}".repeat(60));
        for (old, new, expected) in [
            ("1", nested("2"), false),
            ("1", nested(r#"{"b":1}"#), false),
            (r#"{"b":1,"c":null}"#, nested(r#"{"b":1}"#), true),
            ("[]", nested("{}"), true),
            ("[]", "null".to_owned(), true),
        ] {
            check(Same::Value, &nested(old), &new, expected);
        }
    }

    #[test]
    fn width_does_not_square_the_work() {
        let wide = |keys: &mut dyn Iterator<Item = usize>, last: &str| {
            let fields: Vec<String> = keys.map(|key| format!(r#""k{key}":"v""#)).collect();
            format!("{{{},{last}}}", fields.join(","))
        };
        let up = wide(&mut (0..40_000), r#""l":1"#);
        let down = |last| wide(&mut (0..40_000).rev(), last);
        for (last, expected) in
            [(r#""l":1"#, true), (r#""l":2"#, false), (r#""m":1"#, false), (r#""l":1,"m":{}"#, true)]
        {
            check(Same::Value, &up, &down(last), expected);
        }
    }

    #[test]
    fn zeros_of_a_configuration_are_absent_but_for_pointers_and_maps() {
        for (field, old, new, expected) in [
            ("certificatesDir", "null", r#""""#, true),
            ("certificatesDir", r#""a""#, r#""""#, false),
            ("files", r#"[{"path":"a"}]"#, r#"[{"path":"a","append":false}]"#, true),
            ("files", r#"[{"path":"a"}]"#, r#"[{"path":"a","append":true}]"#, false),
            ("files", "null", "[{}]", false),
            ("users", r#"[{"name":"a"}]"#, r#"[{"name":"a","inactive":false}]"#, false),
            ("users", r#"[{"name":"a"}]"#, r#"[{"name":"a","inactive":null,"shell":""}]"#, true),
            ("verbosity", "null", "0", false),
            ("controlPlane", "null", r#"{"localAPIEndpoint":{"bindPort":0}}"#, true),
            ("apiServer", "{}", r#"{"extraArgs":{"v":""}}"#, false),
            ("extraArgs", "null", "{}", true),
            ("endpoints", "null", "[]", false),
        ] {
            let [old, new] = [old, new].map(Document::new);
            assert_eq!(same_config(field, old.root(), new.root()), expected, "{field}");
        }
    }
}
