//! `ROUTES` says what is read: the corpus asks for nothing else, and takes every way.

use std::collections::BTreeSet;

use anyhow::Result;
use metadata_propagation::ROUTES;
use serde_json::Value;
use testkit::runner::walk;

/// A kind in the words of the routes.
fn word(kind: &str) -> &str {
    match kind {
        // The corpus has composites and tenants of these kinds.
        "XParent" => "Composite",
        "Project" => "Tenant",
        _ => ["ControlPlaneTemplate", "ControlPlane"].into_iter().find(|word| kind.ends_with(word)).unwrap_or(kind),
    }
}

/// The kinds that were asked for, a second try in another version counted once. What is asked once more past the cache,
/// before anything is written or refused, takes the same way again and is left out.
fn asked(report: &Value) -> Vec<String> {
    let lookups = report.get("lookups").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_fresh = |lookup: &&Value| lookup.get("fresh").is_some();
    let takes_cache = lookups.iter().any(|lookup| !is_fresh(&lookup));
    let mut gets: Vec<String> = Vec::new();
    for lookup in lookups.iter().filter(|lookup| !takes_cache || !is_fresh(lookup)) {
        let get = lookup.get("get").and_then(Value::as_str).unwrap_or_default();
        let (_, object) = get.split_once(' ').unwrap_or_default();
        if gets.last().is_none_or(|last| last != object) {
            gets.push(object.to_owned());
        }
    }
    let mut words: Vec<String> =
        gets.iter().map(|get| word(get.split(' ').next().unwrap_or_default()).to_owned()).collect();
    // Several registries are one, and so are several owners of a kind, of which one refers to the object.
    let are_one = ["Cluster", "Composite", "LabelRegistry", "Machine"];
    words.dedup_by(|word, last| word == last && are_one.contains(&&**word));
    words
}

fn of(review: &Value) -> &'static str {
    let kind =
        |name: &str| review.get("kind").and_then(|kind| kind.get(name)).and_then(Value::as_str).unwrap_or_default();
    match (kind("group"), kind("kind")) {
        ("infrastructure.cluster.x-k8s.io", kind) if kind.ends_with("Cluster") => "InfraCluster",
        ("infrastructure.cluster.x-k8s.io" | "bootstrap.cluster.x-k8s.io", _) => "InfraMachine, BootstrapConfig",
        ("controlplane.cluster.x-k8s.io", _) => "ControlPlane",
        ("labels.plexsphere.com", _) => "LabelRegistry",
        (group, _) if group.ends_with("plexsphere.com") => "Composite",
        (_, kind) => ROUTES.iter().map(|route| route.of).find(|of| *of == kind).unwrap_or("no such route"),
    }
}

#[test]
fn the_corpus_takes_every_route_and_no_other() -> Result<()> {
    let mut taken = BTreeSet::new();
    walk(|case, review, answer| {
        let asked = asked(&answer.report);
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        let allowed = ROUTES.iter().enumerate().filter(|(_, route)| route.of == of(review)).find(|(_, route)| {
            let gets: Vec<&str> = route.gets.iter().map(|(kind, _)| *kind).collect();
            // A get without an answer ends the way; the Cluster is asked at its end, when something would change, and the
            // stored owner, when a guard rail finds that something else becomes the owner.
            let ends: [&[&str]; 3] = [&["Cluster"], &["Cluster", "MachineSet"], &["Cluster", "MachineDeployment"]];
            gets.starts_with(&asked) || asked.strip_prefix(gets.as_slice()).is_some_and(|end| ends.contains(&end))
        });
        assert!(asked.is_empty() || allowed.is_some(), "{}: {asked:?}", case.name);
        for (index, route) in ROUTES.iter().enumerate() {
            if route.of == of(review)
                && route.gets.iter().map(|(kind, _)| *kind).eq(asked.iter().copied().take(route.gets.len()))
            {
                taken.insert(index);
            }
        }
        Ok(())
    })?;
    assert_eq!(taken, (0..ROUTES.len()).collect());
    Ok(())
}
