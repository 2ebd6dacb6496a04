//! A live cluster instead of files: `--live` and related flags. Nothing is written to it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use fleet::{ObjectId, plural};
use live::{Access, Connection, Query, Topic, has_kubeconfig, on_interrupt};
use metadata_propagation::{GRANTS, Settings};

use crate::input::{self, Input};
use crate::names::{is_kind, parts};
use crate::roots::distinct;
use crate::shell::quoted;
use crate::sources::InputSources;
use crate::{Failure, progress};

/// Which cluster is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Live cluster")]
pub(crate) struct LiveArgs {
    /// Read objects from the cluster of the kubeconfig's current context instead of files.
    #[arg(long)]
    live: bool,
    /// Read the cluster of this context.
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// Read the cluster of this kubeconfig [default: $KUBECONFIG, ~/.kube/config, the service account of the Pod].
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Read all namespaces of the cluster [default: --namespace, or the namespace of the context].
    #[arg(long, short = 'A', conflicts_with = "namespace")]
    all_namespaces: bool,
    /// Timeout of each request to the cluster, such as 30s or 2m; 0 means no timeout.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = time)]
    request_timeout: Time,
}

/// A timeout, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Time(Option<Duration>);

/// The question.
pub(crate) struct Question<'a> {
    /// The object or kind that the question names.
    pub(crate) object: Option<&'a str>,
    /// Whether a cluster is read if neither files nor a cluster are named and there is a kubeconfig, as kubectl does.
    pub(crate) is_for_clusters: bool,
}

/// The objects in the named files, in the cluster, or in the current directory.
///
/// # Errors
/// When both files and a cluster are named, or the cluster cannot be read.
pub(crate) fn input(
    args: &LiveArgs,
    sources: &InputSources,
    paths: &[PathBuf],
    question: &Question<'_>,
) -> Result<Input, Failure> {
    if let Some(input) = of_files(args, sources, paths, question.is_for_clusters)? {
        return Ok(input);
    }
    let connection = args.connection()?;
    let (kind, of_object, _) = question.object.map(parts).unwrap_or_default();
    let namespace = sources.namespace.as_deref().filter(|name| !name.is_empty()).or(of_object);
    let namespaces = [namespace.unwrap_or(connection.namespace()).to_owned()];
    let is_meant = |id: &ObjectId| question.object.is_some() && is_kind(id, kind);
    let query = Query {
        namespaces: Some(&namespaces[..]).filter(|_| !args.all_namespaces),
        topic: Topic::Both,
        kind: Some(&is_meant),
        versions: BTreeMap::new(),
        definitions: Vec::new(),
    };
    args.read(&connection, &query)
}

/// The installation of the policy: in the named files, in the cluster with all its namespaces, or in the current
/// directory. Definitions are read by name: those of the kinds that the policy reads, and further ones.
pub(crate) fn installation(
    args: &LiveArgs,
    sources: &InputSources,
    paths: &[PathBuf],
    definitions: impl Iterator<Item = String>,
) -> Result<Input, Failure> {
    if let Some(input) = of_files(args, sources, paths, true)? {
        return Ok(input);
    }
    let served = GRANTS.iter().filter(|grant| !grant.group.is_empty());
    let read = served.map(|grant| format!("{}.{}", plural(grant.kind), grant.group));
    let definitions = read.chain(definitions).collect();
    let query =
        Query { namespaces: None, topic: Topic::Installation, kind: None, versions: BTreeMap::new(), definitions };
    args.read(&args.connection()?, &query)
}

/// The objects in files, if the call is about files and not a cluster.
fn of_files(
    args: &LiveArgs,
    sources: &InputSources,
    paths: &[PathBuf],
    is_for_clusters: bool,
) -> Result<Option<Input>, Failure> {
    match (args.is_named(), paths) {
        (true, [path, ..]) => Err(Failure(format!(
            "cannot read both files and a cluster: remove `{}`, or --live, --context, --kubeconfig and --all-namespaces",
            path.display()
        ))),
        (false, []) if !(is_for_clusters && has_kubeconfig()) => Ok(Some(input::read(&[".".into()], sources))),
        (false, paths @ [_, ..]) => Ok(Some(input::read(paths, sources))),
        (_, []) => Ok(None),
    }
}

/// The cluster as it is, and as it is once the manifests of the paths are applied; `None` if the call is about files.
///
/// # Errors
/// When the cluster cannot be read, or an object is defined twice in different ways.
pub(crate) fn plan(
    args: &LiveArgs,
    sources: &InputSources,
    paths: &[PathBuf],
    settings: &Settings,
) -> Result<Option<[Input; 2]>, Failure> {
    let is_meant = args.is_named() || paths.len() == 1 && has_kubeconfig();
    if !is_meant {
        return Ok(None);
    }
    if paths.is_empty() {
        return Err(Failure("expected PATHs of the new manifests".to_owned()));
    }
    let connection = args.connection()?;
    let namespace = sources.namespace.as_deref().filter(|name| !name.is_empty()).unwrap_or(connection.namespace());
    let manifests = input::read(paths, &InputSources { namespace: Some(namespace.to_owned()), ..sources.clone() });
    // A cluster is one of the environments of a repository.
    distinct(&manifests.fleet, settings)
        .map_err(|Failure(problem)| Failure(format!("{problem}; pass the files of one of them")))?;
    let objects = || manifests.fleet.objects();
    let is_cluster_api = |id: &ObjectId| id.group.is_empty() || id.is_cluster_api();
    let named: BTreeSet<&String> =
        objects().map(|object| &object.id.namespace).filter(|name| !name.is_empty()).collect();
    let namespaces: Vec<String> = match named.is_empty() {
        true => vec![namespace.to_owned()],
        false => named.into_iter().cloned().collect(),
    };
    let topic = if objects().all(|object| is_cluster_api(&object.id)) { Topic::ClusterApi } else { Topic::Both };
    let versions =
        objects().map(|object| ((object.id.group.clone(), object.id.kind.clone()), object.version.clone())).collect();
    let namespaces = Some(&namespaces[..]).filter(|_| !args.all_namespaces);
    let stored = args.read(&connection, &Query { namespaces, topic, kind: None, versions, definitions: Vec::new() })?;
    let fleet = manifests.fleet.applied_to(&stored.fleet);
    Ok(Some([stored, Input { fleet, ..manifests }]))
}

impl LiveArgs {
    /// Whether a flag selects a cluster.
    pub(crate) fn is_named(&self) -> bool {
        self.live || self.context.is_some() || self.kubeconfig.is_some() || self.all_namespaces
    }

    fn connection(&self) -> Result<Connection, Failure> {
        progress::step("connecting to the cluster");
        on_interrupt(progress::end).map_err(failure)?;
        let (kubeconfig, context) = (self.kubeconfig.clone(), self.context.clone());
        Connection::new(&Access { kubeconfig, context, timeout: self.request_timeout.0 }).map_err(failure)
    }

    fn read(&self, connection: &Connection, query: &Query<'_>) -> Result<Input, Failure> {
        let found = connection.read(query, &|words| progress::step(words)).map_err(failure)?;
        let input = input::of(found.sources, found.unreadable, fleet::DEFAULT_NAMESPACE);
        let place = match query.namespaces {
            Some(names) => format!("namespace `{}` of {}", names.join("`, `"), connection.name()),
            None => connection.name(),
        };
        Ok(Input { kubectl: self.kubectl(connection.context()), asked: Some(place), ..input })
    }

    /// The flags with which kubectl reaches the same cluster.
    fn kubectl(&self, context: Option<&str>) -> Option<String> {
        let kubeconfig = self.kubeconfig.as_ref().map(|file| file.display().to_string());
        let flags = [("--kubeconfig", kubeconfig.as_deref()), ("--context", context)];
        let flags = flags.into_iter().filter_map(|(flag, value)| Some(format!("{flag}={}", quoted(value?))));
        Some(flags.collect::<Vec<_>>().join(" ")).filter(|flags| !flags.is_empty())
    }
}

fn failure(failure: live::LiveFailure) -> Failure {
    Failure(failure.to_string())
}

/// Seconds, or a number with a unit, as kubectl accepts it.
fn time(text: &str) -> Result<Time, String> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let number: u64 = number.parse().map_err(|_| "expected a duration such as 30, 30s or 2m".to_owned())?;
    let seconds = match unit {
        "" | "s" => number,
        "m" => number.saturating_mul(60),
        "h" => number.saturating_mul(3600),
        _ => return Err(format!("`{unit}` is not a unit; expected s, m or h")),
    };
    Ok(Time(Some(Duration::from_secs(seconds)).filter(|time| !time.is_zero())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_for_kubectl() {
        let seconds = |seconds| Ok(Time(Some(Duration::from_secs(seconds))));
        assert_eq!(["30", "30s", "2m", "1h"].map(time), [seconds(30), seconds(30), seconds(120), seconds(3600)]);
        assert_eq!(time("0"), Ok(Time(None)));
        assert_eq!(time("2 m"), Err("` m` is not a unit; expected s, m or h".to_owned()));
        assert_eq!(time("soon"), Err("expected a duration such as 30, 30s or 2m".to_owned()));
    }
}
