//! Functions of function-go-templating, as at the first reconcile: nothing is observed but the composite.
//!
//! Source: crossplane-contrib/function-go-templating, function_maps.go.

use std::sync::Arc;

use gotmpl::{Result, Value, ValueFunc};
use serde_json::Value as Json;

use super::{SprigFunction, at, guarded, list, string, text};
use crate::{Yaml, go};

/// Functions that return what later reconciles observe.
pub(crate) const OBSERVING: &[&str] = &[
    "getComposedConnectionDetails",
    "getComposedResource",
    "getCredentialData",
    "getExtraResources",
    "getExtraResourcesFromContext",
    "getResourceCondition",
];

/// Functions that depend on chance, time or the host. Cluster API does not admit those of sprig.
#[rustfmt::skip]
pub(crate) const NOT_EVALUATED: &[&str] = &[
    "date", "dateInZone", "dateModify", "date_in_zone", "date_modify", "getHostByName", "htmlDate", "htmlDateInZone",
    "mustDateModify", "must_date_modify", "now", "randAlpha", "randAlphaNum", "randAscii", "randBytes", "randNumeric",
    "randomChoice", "uuidv4",
];

/// The function of a name.
pub(crate) fn find(name: &str, yaml: Yaml) -> Option<ValueFunc> {
    let of_yaml = move |args: &[Value]| match yaml(&text(at(args, 0))) {
        Some(json) => Ok(go::value_of(&json, go::integer)),
        None => super::failed("yaml: the text cannot be read"),
    };
    let (known, function): (&str, SprigFunction) = match name {
        "fromYaml" => return Some(guarded("fromYaml", of_yaml)),
        "toYaml" => ("toYaml", |args| Ok(string(yaml_of(&go::json(at(args, 0)).unwrap_or_default())))),
        "setResourceNameAnnotation" => ("setResourceNameAnnotation", |args| {
            Ok(string(format!("gotemplating.fn.crossplane.io/composition-resource-name: {}", text(at(args, 0)))))
        }),
        "getCompositeResource" => ("getCompositeResource", |args| {
            let fields = ["observed", "composite", "resource"];
            let found = fields.iter().try_fold(at(args, 0), |value, field| value.field(field));
            Ok(found.cloned().unwrap_or_else(|| go::map([])))
        }),
        "getResourceCondition" => ("getResourceCondition", condition),
        "getExtraResources" => ("getExtraResources", |_| Ok(list([]))),
        "getExtraResourcesFromContext" => ("getExtraResourcesFromContext", |_| Ok(list([]))),
        "getComposedResource" => ("getComposedResource", |_| Ok(go::map([]))),
        "getComposedConnectionDetails" => ("getComposedConnectionDetails", |_| Ok(go::map([]))),
        "getCredentialData" => ("getCredentialData", |_| Ok(go::map([]))),
        _ => return None,
    };
    Some(guarded(known, function))
}

/// A condition that is not there yet.
fn condition(args: &[Value]) -> Result<Value> {
    let fields = [("Type", text(at(args, 0))), ("Status", "Unknown".to_owned())];
    let empty = ["Reason", "Message"].map(|name| (name, String::new()));
    Ok(go::map(fields.into_iter().chain(empty).map(|(name, value)| (Arc::from(name), string(value)))))
}

/// YAML with the lines and the indentation of Go's: templates indent it further. Scalars are JSON.
fn yaml_of(json: &Json) -> String {
    let mut lines = Vec::new();
    block(json, 0, &mut lines);
    lines.iter().map(|(indent, text)| format!("{:indent$}{text}\n", "")).collect()
}

/// The lines of a value, each with its indentation.
fn block(json: &Json, indent: usize, lines: &mut Vec<(usize, String)>) {
    match json {
        Json::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                let name = Json::from(&**name);
                if is_block(value) {
                    lines.push((indent, format!("{name}:")));
                    block(value, indent / 4 * 4 + 4, lines);
                } else {
                    lines.push((indent, format!("{name}: {value}")));
                }
            }
        }
        Json::Array(elements) if !elements.is_empty() => {
            for element in elements {
                let first = lines.len();
                block(element, indent + 2, lines);
                if let Some((at, text)) = lines.get_mut(first) {
                    *at = indent;
                    text.insert_str(0, "- ");
                }
            }
        }
        other => lines.push((indent, other.to_string())),
    }
}

fn is_block(json: &Json) -> bool {
    json.as_object().is_some_and(|fields| !fields.is_empty()) || json.as_array().is_some_and(|all| !all.is_empty())
}
