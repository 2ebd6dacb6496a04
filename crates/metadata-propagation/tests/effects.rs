//! `EFFECTS` says what spec/ says, the corpus has an edit for every row, and nothing that is written replaces Machines.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use metadata_propagation::{EFFECTS, EditedKind, Effect, Given, KeyEdit, Version};
use serde_json::{Value, json};
use testkit::patch::patched;
use testkit::runner::{engine, walk};

/// What one edit of a kind of object does in one API version.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    kind: EditedKind,
    /// From the object's root; `removed` or `changed` behind it where only that counts.
    path: String,
    effect: Effect,
    given: Given,
    since: Version,
    until: Option<Version>,
}

/// The lines of one API version.
fn lines(version: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for block in EFFECTS {
        for row in block.rows {
            let Some(path) = row.paths(block).into_iter().nth(version).flatten() else { continue };
            let given = block.condition(row);
            let line = Line { kind: block.kind, path, effect: row.effect, given, since: row.since, until: row.until };
            lines.push(line.clone());
            if let Some(effect) = row.removed {
                let path = format!("{} removed", line.path);
                lines.push(Line { path, effect, given: Given::Replicas, ..line.clone() });
            }
            for key in row.keys {
                let edit = match key.edit {
                    KeyEdit::Removed => "removed",
                    KeyEdit::Changed => "changed",
                };
                let path = format!("{}[{}] {edit}", line.path, key.key);
                lines.push(Line { path, effect: key.effect, given: key.given, since: key.since, ..line.clone() });
            }
        }
    }
    lines
}

/// As the specification writes it.
fn text(line: &Line) -> String {
    let mut conditions = vec![line.given.to_string()];
    conditions.extend((line.since > Version::OLDEST_EDITION).then(|| format!("since {}", line.since)));
    conditions.extend(line.until.map(|until| format!("before {until}")));
    conditions.retain(|condition| !condition.is_empty());
    let mut columns = vec![line.kind.to_string(), line.path.clone(), line.effect.to_string()];
    columns.extend((!conditions.is_empty()).then(|| conditions.join(", ")));
    columns.join(" | ")
}

fn check(spec: &str, version: usize) {
    let lines: Vec<String> = lines(version).iter().map(text).collect();
    let spec: Vec<&str> = spec.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines, spec);
}

#[test]
fn the_rows_of_v1beta1_are_those_of_the_specification() {
    check(include_str!("../../../testdata/spec/policy/effects-v1beta1.txt"), 0);
}

#[test]
fn the_rows_of_v1beta2_are_those_of_the_specification() {
    check(include_str!("../../../testdata/spec/policy/effects-v1beta2.txt"), 1);
}

#[test]
fn no_path_of_a_kind_has_two_rows() {
    for version in [0, 1] {
        let mut seen = BTreeSet::new();
        for Line { kind, path, .. } in lines(version) {
            assert!(seen.insert((kind, path.clone())), "{kind} {path}");
        }
    }
}

/// The kind of the table that a review's object is, by the object as it is stored.
fn kind(review: &Value) -> Option<EditedKind> {
    let text = |pointer| review.pointer(pointer).and_then(Value::as_str);
    let owner = text("/oldObject/metadata/ownerReferences/0/kind").unwrap_or_default();
    let is_made = text("/oldObject/metadata/labels/topology.cluster.x-k8s.io~1owned").is_some();
    let of_class = owner == "ClusterClass" || is_made;
    Some(match text("/kind/kind")? {
        "MachineDeployment" => EditedKind::MachineDeployment,
        "MachineSet" if owner == "MachineDeployment" => EditedKind::OwnedMachineSet,
        "MachineSet" => EditedKind::MachineSet,
        "MachinePool" => EditedKind::MachinePool,
        "KubeadmControlPlane" => EditedKind::KubeadmControlPlane,
        "Machine" if owner == "KubeadmControlPlane" => EditedKind::ControlPlaneMachine,
        "KubeadmConfig" if owner == "MachinePool" => EditedKind::MachinePoolKubeadmConfig,
        "KubeadmConfig" => EditedKind::ControlPlaneKubeadmConfig,
        "Cluster" => EditedKind::Cluster,
        "ClusterClass" => EditedKind::ClusterClass,
        name if name.ends_with("Template") && !of_class => EditedKind::Template,
        "KubeadmControlPlaneTemplate" => EditedKind::ClassControlPlaneTemplate,
        "DockerClusterTemplate" => EditedKind::ClassClusterTemplate,
        "DockerMachinePoolTemplate" => EditedKind::ClassMachinePoolTemplate,
        name if name.ends_with("ControlPlaneTemplate") => EditedKind::ClassControlPlaneTemplate,
        name if name.ends_with("Template") => EditedKind::ClassTemplate,
        name if name.ends_with("Machine") => EditedKind::ControlPlaneInfraMachine,
        _ => return None,
    })
}

/// The path with the field that identifies entries in the place of their names.
fn unnamed(kind: EditedKind, at: &str) -> String {
    let key = if kind == EditedKind::Cluster { "[name]" } else { "[class]" };
    let parts = at.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    parts.collect::<Vec<_>>().join(key)
}

/// Whether `path` is `row` or leads through it.
fn leads_through(path: &str, row: &str) -> bool {
    path.strip_prefix(row).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The line that is reported for an edit: the one with the longest path.
fn line<'a>(lines: &'a [Line], kind: EditedKind, at: &str, effect: &Value) -> Option<&'a Line> {
    let of_kind = || lines.iter().filter(|line| line.kind == kind);
    if let Some((map, key)) = at.strip_suffix(']').and_then(|at| at.split_once("metadata.annotations[")) {
        let map = unnamed(kind, map) + "metadata.annotations[";
        return of_kind().find(|line| {
            let of_row = line.path.strip_prefix(&map).and_then(|rest| rest.split_once(']'));
            of_row.is_some_and(|(of_row, _)| key == of_row || !of_row.contains('/') && key.starts_with(of_row))
        });
    }
    let mut path = unnamed(kind, at);
    // An entry that comes or goes is for the row of the list.
    if at.ends_with(']') {
        path.truncate(path.rfind('[').unwrap_or(path.len()));
        let removed = format!("{path} removed");
        let of_entry = of_kind().find(|line| line.path == removed && *effect == json!(line.effect));
        if of_entry.is_some() {
            return of_entry;
        }
    }
    of_kind().filter(|line| leads_through(&path, &line.path)).max_by_key(|line| line.path.len())
}

/// What an edit may do whose condition does not hold, or may not hold.
fn otherwise(given: Given) -> &'static [Effect] {
    match given {
        Given::Always => &[],
        Given::Replicas | Given::Topology | Given::NoInPlaceUpdate => &[Effect::Nothing],
        Given::PendingUpgrade | Given::HeldUpgrade | Given::OutdatedMachines => &[Effect::Nothing, Effect::CannotTell],
    }
}

#[test]
fn the_corpus_has_an_edit_for_every_row_and_the_longest_path_decides() -> Result<()> {
    let mut edited = BTreeSet::new();
    let mut unmet = BTreeSet::new();
    walk(|case, review, answer| {
        let known = case.settings["clusterApi"]["version"].as_str().map(str::parse).transpose();
        let known: Version = known.map_err(anyhow::Error::msg)?.unwrap_or(Version::NEWEST);
        let version = usize::from(review["kind"]["version"] != "v1beta1");
        for edit in answer.report["rollout"]["edits"].as_array().into_iter().flatten() {
            let kind = kind(review).with_context(|| case.name.clone())?;
            let at = edit["at"].as_str().unwrap_or_default();
            let mut lines = lines(version);
            lines.retain(|line| known >= line.since && line.until.is_none_or(|until| known < until));
            let line = line(&lines, kind, at, &edit["effect"]).with_context(|| at.to_owned())?;
            let is_of_row = edit["effect"] == json!(line.effect);
            let waits = [Effect::Rollout, Effect::Scheduled].contains(&line.effect)
                && edit["effect"] == json!(Effect::ReplacedWhenDeleted);
            if is_of_row || waits {
                edited.insert((version, kind, line.path.clone()));
            } else {
                let told = otherwise(line.given).iter().find(|effect| edit["effect"] == json!(effect));
                let told = told.with_context(|| format!("{}: {at}: {}", case.name, edit["effect"]))?;
                unmet.insert((version, line.given, *told));
            }
        }
        Ok(())
    })?;
    let all = (0..2).flat_map(|version| lines(version).into_iter().map(move |line| (version, line)));
    let missing: Vec<_> =
        all.clone().map(|(version, line)| (version, line.kind, line.path)).filter(|it| !edited.contains(it)).collect();
    assert_eq!(missing, []);
    let conditions =
        all.flat_map(|(version, line)| otherwise(line.given).iter().map(move |e| (version, line.given, *e)));
    assert_eq!(unmet, conditions.collect());
    Ok(())
}

#[test]
fn no_patch_of_the_corpus_replaces_machines() -> Result<()> {
    let mut seen = 0;
    walk(|case, review, answer| {
        if !answer.patch.is_empty() {
            let mut edit = review.clone();
            edit["operation"] = json!("UPDATE");
            edit["oldObject"] = review["object"].clone();
            edit["object"] = patched(&review["object"], &answer.patch)?;
            let settings = json!({ "clusterApi": { "controllers": [], "rollout": "reject" } });
            let judged = engine(&edit, &settings, &Default::default())?;
            for edit in judged.report["rollout"]["edits"].as_array().into_iter().flatten() {
                let effect = edit["effect"].as_str().unwrap_or_default();
                assert!(["no effect", "in place"].contains(&effect), "{}: {edit}", case.name);
                seen += 1;
            }
        }
        Ok(())
    })?;
    assert!(seen > 100, "{seen}");
    Ok(())
}
