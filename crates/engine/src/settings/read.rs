//! Settings read by hand: every problem of shape with its path, in a fifth of the room that serde's code takes.

use std::collections::BTreeMap;

use super::words::Word;
use super::{Problem, RawCloudTags, RawClusterApi, RawLookup, RawSettings};
use crate::json::{Json, Malformed};

/// Settings as they are written. What has another shape is told to `problems`.
pub(super) fn read(written: &Json<'_>, problems: &mut Vec<Problem>) -> RawSettings {
    let mut raw = RawSettings::default();
    let [mode, lookup, cluster_api, guards, cloud_tags] =
        fields(written, ["mode", "lookup", "clusterApi", "guards", "cloudTags"], problems);
    set(&mut raw.mode, mode.map(|written| word(&written)), problems);
    if let Some(written) = lookup {
        read_lookup(&written, &mut raw.lookup, problems);
    }
    if let Some(written) = cluster_api {
        read_cluster_api(&written, &mut raw.cluster_api, problems);
    }
    if let Some(written) = guards {
        let guards = &mut raw.guards;
        let names = ["selectorLabels", "selectorChange", "adoption", "reservedKeys", "templateKeys", "nodeUnreachable"];
        let places = [
            &mut guards.selector_labels,
            &mut guards.selector_change,
            &mut guards.adoption,
            &mut guards.reserved_keys,
            &mut guards.template_keys,
            &mut guards.node_unreachable,
        ];
        for (place, written) in places.into_iter().zip(fields(&written, names, problems)) {
            set(place, written.map(|written| word(&written)), problems);
        }
    }
    if let Some(written) = cloud_tags {
        raw.cloud_tags = RawCloudTags::of(&written);
    }
    raw
}

fn read_lookup(written: &Json<'_>, lookup: &mut RawLookup, problems: &mut Vec<Problem>) {
    let [fresh, on_missing, on_failure, api_versions] =
        fields(written, ["fresh", "onMissing", "onFailure", "apiVersions"], problems);
    set(&mut lookup.fresh, fresh.map(|written| flag(&written)), problems);
    set(&mut lookup.on_missing, on_missing.map(|written| word(&written)), problems);
    set(&mut lookup.on_failure, on_failure.map(|written| word(&written)), problems);
    set(&mut lookup.api_versions, api_versions.map(|written| strings_by_key(&written)), problems);
}

fn read_cluster_api(written: &Json<'_>, cluster_api: &mut RawClusterApi, problems: &mut Vec<Problem>) {
    const NAMES: [&str; 9] =
        ["version", "controllers", "selfCheck", "onConflict", "fields", "taints", "rollout", "optIn", "node"];
    let [version, controllers, self_check, on_conflict, in_place, taints, rollout, opt_in, node] =
        fields(written, NAMES, problems);
    let version = version.map(|written| written.as_string().map(|text| text.into_owned()));
    set(&mut cluster_api.version, version, problems);
    if let Some(written) = controllers {
        cluster_api.controllers = strings(Some(written), problems);
    }
    set(&mut cluster_api.self_check, self_check.map(|written| flag(&written)), problems);
    set(&mut cluster_api.on_conflict, on_conflict.map(|written| word(&written)), problems);
    set(&mut cluster_api.fields, in_place.map(|written| flag(&written)), problems);
    set(&mut cluster_api.taints, taints.map(|written| flag(&written)), problems);
    set(&mut cluster_api.rollout, rollout.map(|written| word(&written)), problems);
    if let Some(written) = opt_in {
        let [cluster, machine, pool] =
            fields(&written, ["clusterToTopology", "machineToInfra", "poolToMachine"], problems);
        cluster_api.opt_in.cluster_to_topology = strings(cluster, problems);
        cluster_api.opt_in.machine_to_infra = strings(machine, problems);
        set(&mut cluster_api.opt_in.pool_to_machine, pool.map(|written| flag(&written)), problems);
    }
    if let Some(written) = node {
        let [labels, annotations] = fields(&written, ["additionalLabels", "additionalAnnotations"], problems);
        cluster_api.node.additional_labels = strings(labels, problems);
        cluster_api.node.additional_annotations = strings(annotations, problems);
    }
}

/// The fields of these names. Unknown ones are told to `problems`.
pub(super) fn fields<'a, const N: usize>(
    written: &Json<'a>,
    known: [&str; N],
    problems: &mut Vec<Problem>,
) -> [Option<Json<'a>>; N] {
    let mut found = [const { None }; N];
    each_field(written, &known, &mut found, problems);
    found
}

fn each_field<'a>(written: &Json<'a>, known: &[&str], found: &mut [Option<Json<'a>>], problems: &mut Vec<Problem>) {
    for (name, value) in told(Some(written.present_fields()), problems).into_iter().flatten() {
        match known.iter().position(|known| *known == name).and_then(|index| found.get_mut(index)) {
            Some(place) => *place = Some(value),
            None => {
                let path = match name.is_empty() {
                    true => [written.path(), "[``]"].concat(),
                    false => value.path().to_owned(),
                };
                let problem = ["unknown field, expected one of `", &known.join("`, `"), "`"].concat();
                problems.push(Problem { path, problem });
            }
        }
    }
}

/// Sets what was read; what could not be is told to `problems`.
fn set<T>(place: &mut T, read: Option<Result<T, Malformed>>, problems: &mut Vec<Problem>) {
    if let Some(value) = told(read, problems) {
        *place = value;
    }
}

/// The strings of a list; other elements are told to `problems`.
pub(super) fn strings(written: Option<Json<'_>>, problems: &mut Vec<Problem>) -> Vec<String> {
    let mut all = Vec::new();
    for element in told(written.map(|list| list.elements()), problems).unwrap_or_default() {
        if let Some(text) = told(Some(element.as_string()), problems) {
            all.push(text.into_owned());
        }
    }
    all
}

/// A map of strings.
pub(super) fn strings_by_key(written: &Json<'_>) -> Result<BTreeMap<String, String>, Malformed> {
    let mut all = BTreeMap::new();
    for (key, value) in written.as_map()? {
        all.insert(key.into_owned(), value.into_owned());
    }
    Ok(all)
}

/// What a word means.
pub(super) fn word<T: Word>(written: &Json<'_>) -> Result<T, Malformed> {
    T::meaning(&written.as_string()?).map_err(|problem| written.malformed(&problem))
}

fn flag(written: &Json<'_>) -> Result<bool, Malformed> {
    match written.text() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(written.malformed("is not a boolean")),
    }
}

/// What was read; what could not be is told to `problems`.
pub(super) fn told<T>(read: Option<Result<T, Malformed>>, problems: &mut Vec<Problem>) -> Option<T> {
    read?.map_err(|malformed| problems.push(malformed.into())).ok()
}

impl From<Malformed> for Problem {
    fn from(malformed: Malformed) -> Self {
        Problem { path: malformed.path, problem: malformed.problem }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_shape_is_read() {
        let written = r#"{"mode":"verify",
            "lookup":{"fresh":true,"onMissing":"warn","onFailure":"accept","apiVersions":{"A.b":"v1"}},
            "clusterApi":{"version":"v1.9","controllers":["a"],"selfCheck":true,"onConflict":"reject","fields":false,
                "taints":true,"optIn":{"clusterToTopology":["b"],"machineToInfra":["c"],"poolToMachine":true},
                "rollout":"ignore","node":{"additionalLabels":["d"],"additionalAnnotations":["e"]}},
            "guards":{"selectorLabels":"warn","selectorChange":"ignore","adoption":"warn","reservedKeys":"reject",
                "templateKeys":"ignore","nodeUnreachable":"reject"},
            "cloudTags":{"xrds":"declare"}}"#;
        let shape: serde_json::Value = serde_json::from_str(written).unwrap();
        let mut problems = Vec::new();
        let read = serde_json::to_value(read(&Json::new(written, ""), &mut problems)).unwrap();
        assert_eq!((&read, problems.as_slice()), (&shape, [].as_slice()));
        // What is written above is all there is, and no default.
        let defaults = serde_json::to_value(RawSettings::default()).unwrap();
        for (name, section) in defaults.as_object().unwrap() {
            for (field, default) in section.as_object().into_iter().flatten() {
                assert_ne!(&read[name][field], default, "{name}.{field}");
            }
        }
    }
}
