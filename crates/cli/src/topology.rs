//! `propagate topology`: the objects that Cluster API makes for a Cluster from its ClusterClass.

use std::fmt::Write;

use fleet::ObjectId;

use crate::args::TopologyArgs;
use crate::live::{self, Question};
use crate::{Exit, Failure, input, output};

/// # Errors
/// When there is no such Cluster, its objects cannot be computed, or nothing can be printed.
pub(crate) fn run(args: &TopologyArgs) -> Result<Exit, Failure> {
    let paths = args.sources.named(&args.paths);
    let question = Question { object: None, is_for_clusters: true };
    let input = live::input(&args.live, &args.sources, &paths, &question)?;
    let is_unreadable = input::warn(&input);
    let ids = || input.fleet.objects().map(|object| &object.id);
    let Some(cluster) = ids().find(|id| is_meant(id, &args.cluster)) else {
        return Err(Failure(format!("no Cluster `{}` is among the objects", args.cluster)));
    };
    let Some(made) = input.fleet.made(cluster) else {
        return Err(Failure(format!("{cluster} has no topology")));
    };
    let made = made.map_err(|obstacle| Failure(format!("{cluster}: {obstacle}")))?;
    let mut out = String::new();
    for part in &made.parts {
        let yaml = serde_saphyr::to_string(&part.object).map_err(|error| Failure(error.to_string()))?;
        out += "---\n";
        if let Some(gap) = part.gap() {
            let _ = writeln!(out, "# Not complete: {gap}.");
        }
        out += &yaml;
    }
    output::print(out.as_bytes())?;
    Ok(if is_unreadable { Exit::Unreadable } else { Exit::Clean })
}

fn is_meant(id: &ObjectId, cluster: &str) -> bool {
    let is_name = match cluster.split_once('/') {
        Some((namespace, name)) => id.namespace == namespace && id.name == name,
        None => id.name == cluster,
    };
    is_name && id.kind == "Cluster" && id.group == "cluster.x-k8s.io"
}
