//! `EFFECTS` says what spec/ says, the corpus has an edit for every row, and nothing that is written replaces Machines.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use metadata_propagation::{EFFECTS, Effect, Kind};
use serde_json::{Value, json};
use testkit::case::Case;
use testkit::runner::{admit, engine, patched};

/// The rows of one API version: kind, path from the object's root, effect.
fn rows(version: usize) -> Vec<(Kind, String, Effect)> {
    let of_block = |block: &'static metadata_propagation::Block| {
        block.rows.iter().filter_map(move |row| {
            row.paths(block).into_iter().nth(version).flatten().map(|path| (block.kind, path, row.effect))
        })
    };
    EFFECTS.iter().flat_map(of_block).collect()
}

fn check(spec: &str, version: usize) {
    let lines: Vec<String> =
        rows(version).iter().map(|(kind, path, effect)| format!("{kind} | {path} | {effect}")).collect();
    let spec: Vec<&str> = spec.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines, spec);
}

#[test]
fn the_rows_of_v1beta1_are_those_of_the_specification() {
    check(include_str!("../../../spec/effects-v1beta1.txt"), 0);
}

#[test]
fn the_rows_of_v1beta2_are_those_of_the_specification() {
    check(include_str!("../../../spec/effects-v1beta2.txt"), 1);
}

#[test]
fn no_path_of_a_kind_has_two_rows() {
    for version in [0, 1] {
        let mut seen = BTreeSet::new();
        for (kind, path, _) in rows(version) {
            assert!(seen.insert((kind, path.clone())), "{kind} {path}");
        }
    }
}

/// The kind of the table that a review's object is, by the object as it is stored.
fn kind(review: &Value) -> Option<Kind> {
    let text = |pointer| review.pointer(pointer).and_then(Value::as_str);
    let owner = text("/oldObject/metadata/ownerReferences/0/kind").unwrap_or_default();
    let is_made = text("/oldObject/metadata/labels/topology.cluster.x-k8s.io~1owned").is_some();
    let of_class = owner == "ClusterClass" || is_made;
    Some(match text("/kind/kind")? {
        "MachineDeployment" => Kind::MachineDeployment,
        "MachineSet" if owner == "MachineDeployment" => Kind::OwnedMachineSet,
        "MachineSet" => Kind::MachineSet,
        "MachinePool" => Kind::MachinePool,
        "KubeadmControlPlane" => Kind::KubeadmControlPlane,
        "Cluster" => Kind::Cluster,
        "ClusterClass" => Kind::ClusterClass,
        name if name.ends_with("Template") && !of_class => Kind::Template,
        "KubeadmControlPlaneTemplate" => Kind::ClassControlPlaneTemplate,
        "DockerClusterTemplate" => Kind::ClassClusterTemplate,
        "DockerMachinePoolTemplate" => Kind::ClassMachinePoolTemplate,
        name if name.ends_with("ControlPlaneTemplate") => Kind::ClassControlPlaneTemplate,
        name if name.ends_with("Template") => Kind::ClassTemplate,
        _ => return None,
    })
}

/// The path with the field that tells entries apart in the place of their names.
fn unnamed(kind: Kind, at: &str) -> String {
    let key = if kind == Kind::Cluster { "[name]" } else { "[class]" };
    let parts = at.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    parts.collect::<Vec<_>>().join(key)
}

/// Whether `path` is `row` or leads through it.
fn leads_through(path: &str, row: &str) -> bool {
    path.strip_prefix(row).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[test]
fn the_corpus_has_an_edit_for_every_row_and_the_longest_path_decides() -> Result<()> {
    let mut edited = BTreeSet::new();
    for case in Case::corpus()? {
        let mut cluster = case.cluster.clone();
        for review in &case.reviews {
            let answer = engine(review, &case.settings, &cluster)?;
            let version = usize::from(review["kind"]["version"] != "v1beta1");
            for edit in answer.report["rollout"]["edits"].as_array().into_iter().flatten() {
                let kind = kind(review).with_context(|| case.name.clone())?;
                let at = edit["at"].as_str().unwrap_or_default();
                let mut path = unnamed(kind, at);
                // An entry that comes or goes is for the row of the list.
                if at.ends_with(']') {
                    path.truncate(path.rfind('[').unwrap_or(path.len()));
                }
                let rows = rows(version);
                let above = rows.iter().filter(|row| row.0 == kind && leads_through(&path, &row.1));
                let (_, row, effect) = above.max_by_key(|row| row.1.len()).with_context(|| path.clone())?;
                assert_eq!(edit["effect"], json!(effect), "{}: {at}", case.name);
                edited.insert((version, kind, row.clone()));
            }
            admit(review, &answer, &mut cluster)?;
        }
    }
    let all = (0..2).flat_map(|version| rows(version).into_iter().map(move |(kind, path, _)| (version, kind, path)));
    let missing: Vec<_> = all.filter(|row| !edited.contains(row)).collect();
    assert_eq!(missing, []);
    Ok(())
}

#[test]
fn no_patch_of_the_corpus_replaces_machines() -> Result<()> {
    let mut seen = 0;
    for case in Case::corpus()? {
        let mut cluster = case.cluster.clone();
        for review in &case.reviews {
            let answer = engine(review, &case.settings, &cluster)?;
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
            admit(review, &answer, &mut cluster)?;
        }
    }
    assert!(seen > 100, "{seen}");
    Ok(())
}
