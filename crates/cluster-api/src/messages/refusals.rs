//! What a refusal says besides the findings.

use kubernetes::decision::messages::SettingValue;

/// A finding, and the setting that makes it a refusal.
pub fn refused_by(finding: &str, setting: SettingValue<'_>) -> String {
    format!("{finding} ({setting})")
}

/// How to make a refused edit anyway. Pausing helps if the guard is about who controls the object. `by` says who may
/// set the annotation, if the user may not.
pub(crate) fn way_out(annotation: &str, pausing_helps: bool, by: Option<&str>) -> String {
    let pause = if pausing_helps { "pause the Cluster or " } else { "" };
    match by {
        None => format!("if this is intended, {pause}set annotation `{annotation}: <reason>`"),
        Some(by) => format!("if this is intended, {pause}have {by} set annotation `{annotation}: <reason>`"),
    }
}

/// How to make a refused edit anyway. An approval on the Cluster counts for everything that its topology owns. `by`
/// says who may set the annotation, if the user may not.
pub(crate) fn way_out_of_rollout(annotation: &str, is_topology_owned: bool, by: Option<&str>) -> String {
    let set = by.map_or_else(|| "set".to_owned(), |by| format!("have {by} set"));
    let on_cluster = if is_topology_owned { " here or on the Cluster" } else { "" };
    format!("if this is intended, {set} annotation `{annotation}: <reason>`{on_cluster}")
}
