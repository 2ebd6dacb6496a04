//! `propagate topology`: the objects that Cluster API makes for a Cluster from its ClusterClass.

use std::path::{Path, PathBuf};

use fleet::{Fleet, ObjectId};
use serde_json::Value;
use similar::TextDiff;

use crate::args::TopologyArgs;
use crate::input::Input;
use crate::live::{self, Question};
use crate::{Exit, Failure, input, output, plan};

pub(crate) fn run(args: &TopologyArgs) -> Result<Exit, Failure> {
    let paths = args.sources.named(&args.paths);
    if let Some(sides) = &args.diff {
        return difference(args, sides, &paths);
    }
    let question = Question { object: None, is_for_clusters: true };
    let input = live::input(&args.live, &args.sources, &paths, &question)?;
    let is_unreadable = input::warn(&input);
    let made = objects(&args.cluster, &input.fleet, &Fleet::default())?;
    let out: String = made.iter().map(|object| format!("---\n{}", object.yaml)).collect();
    output::print(out.as_bytes())?;
    let is_refused = warn_of_refusal(&args.cluster, &input.fleet);
    Ok(Exit::first([(is_unreadable, Exit::Unreadable), (is_refused, Exit::Found)]))
}

/// Says what Cluster API refuses. Returns whether it does.
fn warn_of_refusal(cluster: &str, fleet: &Fleet) -> bool {
    let refused = find(cluster, fleet).and_then(|id| Some((id, fleet.topology_refusal(id)?)));
    if let Some((id, refusal)) = &refused {
        anstream::eprintln!("{id}: Cluster API refuses it: {refusal}");
    }
    refused.is_some()
}

/// Prints what differs between two sides: revisions, or files and folders.
fn difference(args: &TopologyArgs, written: &str, paths: &[PathBuf]) -> Result<Exit, Failure> {
    let folders = written.split_once("..").filter(|(old, new)| [old, new].iter().all(|path| Path::new(path).exists()));
    let [old, new] = match folders {
        Some((old, new)) => [old, new].map(|path| input::read(&[PathBuf::from(path)], &args.sources)),
        None => plan::revisions(written, paths, &args.sources, (&[], &[]))?,
    };
    let is_unreadable = [&old, &new].map(input::warn).contains(&true);
    let before = side(&args.cluster, &old, &Fleet::default())?;
    let after = side(&args.cluster, &new, &old.fleet)?;
    if before.is_empty() && after.is_empty() {
        return Err(no_cluster(&args.cluster));
    }
    let find = |side: &[MadeObject], name: &str| {
        let object = side.iter().find(|object| object.name == name);
        object.map(|object| object.yaml.clone()).unwrap_or_default()
    };
    let is_new = |object: &&MadeObject| !before.iter().any(|old| old.name == object.name);
    let mut text = String::new();
    for MadeObject { name, .. } in before.iter().chain(after.iter().filter(is_new)) {
        let [old, new] = [&before, &after].map(|side| find(side, name));
        let difference = TextDiff::from_lines(&old, &new);
        text += &difference.unified_diff().header(name, name).to_string();
    }
    output::print(text.as_bytes())?;
    let is_found = warn_of_refusal(&args.cluster, &new.fleet) || !text.is_empty();
    Ok(Exit::first([(is_unreadable, Exit::Unreadable), (is_found, Exit::Found)]))
}

/// One object that Cluster API makes.
struct MadeObject {
    /// Kind, namespace and name.
    name: String,
    /// The object, with a comment if it is not complete.
    yaml: String,
}

/// The objects of one side; none if the Cluster is only on the other one.
fn side(cluster: &str, input: &Input, before: &Fleet) -> Result<Vec<MadeObject>, Failure> {
    if find(cluster, &input.fleet).is_none() { Ok(Vec::new()) } else { objects(cluster, &input.fleet, before) }
}

/// The objects that Cluster API makes for a Cluster.
fn objects(cluster: &str, fleet: &Fleet, before: &Fleet) -> Result<Vec<MadeObject>, Failure> {
    let id = find(cluster, fleet).ok_or_else(|| no_cluster(cluster))?;
    let made = fleet.made_since(before, id).ok_or_else(|| Failure(format!("{id} has no topology")))?;
    let made = made.map_err(|obstacle| Failure(format!("{id}: {obstacle}")))?;
    let objects = made.parts.iter().map(|part| {
        let of = |pointer: &str| part.object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let gap = part.gap().map(|gap| format!("# Not complete: {gap}.\n")).unwrap_or_default();
        let yaml = serde_saphyr::to_string(&part.object).map_err(|error| Failure(error.to_string()))?;
        let name = format!("{} {}/{}", of("/kind"), of("/metadata/namespace"), of("/metadata/name"));
        Ok(MadeObject { name, yaml: gap + &yaml })
    });
    objects.collect()
}

fn find<'f>(cluster: &str, fleet: &'f Fleet) -> Option<&'f ObjectId> {
    fleet.objects().map(|object| &object.id).find(|id| is_meant(id, cluster))
}

fn no_cluster(cluster: &str) -> Failure {
    Failure(format!("no Cluster `{cluster}` is among the objects"))
}

fn is_meant(id: &ObjectId, cluster: &str) -> bool {
    let is_name = match cluster.split_once('/') {
        Some((namespace, name)) => id.namespace == namespace && id.name == name,
        None => id.name == cluster,
    };
    is_name && id.kind == "Cluster" && id.group == "cluster.x-k8s.io"
}
