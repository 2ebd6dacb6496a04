//! The arguments of the command line.

mod values;

use std::path::PathBuf;

use anstyle::AnsiColor;
use clap::builder::Styles;
use clap::{Args, Parser, Subcommand};
use metadata_propagation::Version;

pub(crate) use self::values::{Color, FailOn, Picture, PlainFormat, PlanFailOn, PlanFormat};
use crate::config::{BaseConfig, IgnoredPaths};
use crate::live::LiveArgs;
use crate::output::Output;
use crate::sources::InputSources;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const ENDS: &str = "\
Exit codes: 0 nothing found, 1 something found, 2 wrong usage or unreadable input, 3 nothing to check.

Flags take precedence over environment variables, and environment variables over propagate.toml.";

/// Check manifests against the metadata propagation rules before they are applied.
#[derive(Debug, Parser)]
#[command(name = "propagate", version, styles = STYLES, after_help = ENDS)]
pub(crate) struct Cli {
    /// When to use color.
    #[arg(long, global = true, value_name = "WHEN", env = "PROPAGATE_COLOR")]
    pub(crate) color: Option<Color>,
    /// Configuration file with defaults for flags that are not set [default: propagate.toml, if it exists].
    #[arg(long, global = true, value_name = "FILE", env = "PROPAGATE_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Report differences from the rules, harmful edits, and entries that are not propagated.
    ///
    /// Each object is evaluated as if it were stored in a cluster with all other objects, as the audit scanner does.
    Check(CheckArgs),
    /// Show where labels and annotations are set, and to which objects they propagate.
    ///
    /// Objects that controllers would create and that are not in the input are predicted.
    Explain(ExplainArgs),
    /// Show what a change of manifests does to Machines, labels and annotations.
    ///
    /// What each edit does is classified as by the policy: in place, scale, replaced when deleted, rollout, scheduled
    /// rollout, destructive, or cannot tell; an edit that a webhook refuses is refused. The last line is a summary. Exits
    /// with 0 if there is no difference and with 1 if there is one, like `kubectl diff`; with `--fail-on`, less severe effects
    /// do not count.
    Plan(PlanArgs),
    /// Print the manifests with everything that the rules set.
    ///
    /// Everything else is unchanged, byte for byte, including comments, order and style.
    Apply(ApplyArgs),
    /// Print commands that complete stored objects.
    ///
    /// For a dump of a live cluster, as `kubectl get --output yaml` prints it. Each command is an empty patch that only
    /// triggers the policy. Objects that the policy would reject are not printed but reported on standard error, with the
    /// reason, and the exit code is 1.
    Backfill(BackfillArgs),
    /// Draw objects and what propagates to them.
    Graph(GraphArgs),
    /// Print the objects that Cluster API makes for a Cluster from its ClusterClass.
    ///
    /// The control plane, the infrastructure, MachineDeployments, MachinePools and their templates, with variables and patches
    /// evaluated, as YAML. `*` is what Cluster API appends to names. What an extension patches is a comment.
    Topology(TopologyArgs),
    /// Compare annotations for scaling node groups from zero with the labels and taints that Nodes get.
    ///
    /// Prints the differences as comments, followed by commands that correct the annotations.
    Autoscaler(AutoscalerArgs),
    /// Check whether the policy is installed correctly.
    ///
    /// Compares policies, settings, permissions and match conditions with one another, and with the managers, kinds and
    /// definitions that are installed. Each finding has its reason and its fix. What cannot be read is named and does not pass.
    Doctor(DoctorArgs),
    /// Write an admission request and the answers to its lookups to files that `kwctl run` can replay without a cluster.
    Session(SessionArgs),
    /// Run cases: files with a request and the answer that is expected of the policy.
    ///
    /// Exits with 1 if an answer differs from the expected one, and with 2 if a file is not a case.
    Test(TestArgs),
    /// Print the propagation rules in the notation of the Cluster API documentation.
    Rules {
        /// The version of Cluster API [default: the newest known].
        #[arg(long, value_parser = values::version)]
        version: Option<Version>,
    },
    /// Print what each provider allows in a cloud tag.
    Profiles,
    /// Print the default settings or their schema, or validate a settings file.
    Settings(SettingsArgs),
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man {
        /// Write this page and one for each command to a directory instead.
        #[arg(long, value_name = "FOLDER")]
        directory: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Files, folders, or `-` for standard input: YAML, JSON, and lists as `kubectl get` prints them [default: the current
    /// folder].
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) sources: InputSources,
    /// How to print, and where to: text, json, yaml, sarif, junit or github. May be given several times.
    #[arg(
        long,
        short,
        alias = "format",
        value_name = "FORMAT[=FILE]",
        env = "PROPAGATE_OUTPUT",
        value_delimiter = ','
    )]
    pub(crate) output: Vec<Output>,
    /// A folder or file whose objects are a cluster or environment of their own; files in no root belong to each. May be given
    /// several times [default: the folders that define objects of one name in different ways].
    #[arg(long, value_name = "PATH")]
    pub(crate) root: Vec<PathBuf>,
    /// The lowest level of findings for which the exit code is 1 [default: warning].
    #[arg(long, value_name = "LEVEL", env = "PROPAGATE_FAIL_ON")]
    pub(crate) fail_on: Option<FailOn>,
    /// Ignore the findings in this file, written by `--write-baseline`.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all findings to a file for `--baseline`.
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Print every object that is not checked or not compared, every document that is not a Kubernetes object and every finding
    /// that is ignored, each with its reason.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Cluster API's feature gate MachineTaintPropagation is on, like the setting `clusterApi.taints`.
    #[arg(long)]
    pub(crate) taints: bool,
    /// What propagate.toml ignores.
    #[arg(skip)]
    pub(crate) ignores: Vec<IgnoredPaths>,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    /// Files, folders, or `-` for standard input: YAML, JSON, and lists as `kubectl get` prints them [default: the current
    /// folder].
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) sources: InputSources,
    /// Print a diff; exits with 1 if there is one.
    #[arg(long, conflicts_with = "in_place")]
    pub(crate) diff: bool,
    /// Write the files, and print their names.
    #[arg(long)]
    pub(crate) in_place: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BackfillArgs {
    /// Files, folders, or `-` for standard input: YAML, JSON, and lists as `kubectl get` prints them [default: the current
    /// folder].
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Print manifests for server-side apply instead of commands; for clusters without the policy.
    #[arg(long, conflicts_with = "release")]
    pub(crate) server_side: bool,
    /// Print manifests with which server-side apply gives up fields that controllers own, too.
    #[arg(long)]
    pub(crate) release: bool,
    /// Write the objects below third-party control planes to a file instead, for `kubectl annotate --filename FILE
    /// metadata-propagation.plexsphere.com/touched-`; an empty list if they lack nothing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["server_side", "release"])]
    pub(crate) third_party: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) sources: InputSources,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// An object, as KIND/NAME or KIND/NAMESPACE/NAME: with its sources and its children, and nothing else. KIND alone for all
    /// objects of a kind [default: all objects].
    #[arg(value_name = "KIND[/NAME]")]
    pub(crate) object: Option<String>,
    /// A label or annotation: where it is set, what it reaches, and where it stops and why. May be given without a flag.
    pub(crate) key: Option<String>,
    /// Files, folders, or `-` for standard input: YAML, JSON, and lists as `kubectl get` prints them [default: the current
    /// folder].
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// How to draw.
    #[arg(long, value_name = "FORMAT", default_value = "svg")]
    pub(crate) format: Picture,
    #[command(flatten)]
    pub(crate) sources: InputSources,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TopologyArgs {
    /// The Cluster, as NAME or NAMESPACE/NAME.
    #[arg(value_name = "CLUSTER")]
    pub(crate) cluster: String,
    /// Print the difference between two revisions, or between a revision and the working tree; OLD..NEW may also be two files
    /// or folders.
    #[arg(long, value_name = "REV[..REV]")]
    pub(crate) diff: Option<String>,
    /// Files, folders, or `-` for standard input: YAML, JSON, and lists as `kubectl get` prints them [default: the current
    /// folder].
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) sources: InputSources,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AutoscalerArgs {
    /// Files, folders, or `-` for standard input: YAML, JSON, and lists as `kubectl get` prints them [default: the cluster of
    /// the kubeconfig; where there is none, the current folder].
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) sources: InputSources,
    /// How to print, and where to: text, json or yaml. May be given several times.
    #[arg(long, short, alias = "format", value_name = "FORMAT[=FILE]", value_delimiter = ',')]
    pub(crate) output: Vec<Output>,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Files, folders, or `-` for standard input: YAML, JSON, and lists as `kubectl get` prints them [default: the cluster of
    /// the kubeconfig; where there is none, the current folder].
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Same as PATH; may be given several times.
    #[arg(long, short, value_name = "PATH")]
    pub(crate) filename: Vec<PathBuf>,
    /// The namespace of objects that do not set one [default: default].
    #[arg(long, short, value_name = "NAME", env = "PROPAGATE_NAMESPACE")]
    pub(crate) namespace: Option<String>,
    /// Render folders that have a kustomization with `kustomize` or `kubectl`, and read the result.
    #[arg(long)]
    pub(crate) kustomize: bool,
    /// How to print, and where to: text, json or yaml. May be given several times.
    #[arg(long, short, alias = "format", value_name = "FORMAT[=FILE]", value_delimiter = ',')]
    pub(crate) output: Vec<Output>,
    /// The lowest level of findings for which the exit code is 1 [default: warning].
    #[arg(long, value_name = "LEVEL", env = "PROPAGATE_FAIL_ON")]
    pub(crate) fail_on: Option<FailOn>,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// The object that is written, as KIND/NAME or KIND/NAMESPACE/NAME.
    #[arg(value_name = "KIND/NAME")]
    pub(crate) object: String,
    /// Files, folders, or `-` for standard input: YAML, JSON, and lists as `kubectl get` prints them [default: the current
    /// folder].
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The stored manifests; if they contain the object, the request is an UPDATE, otherwise a CREATE.
    #[arg(long, value_name = "PATH")]
    pub(crate) old: Option<PathBuf>,
    /// The user who writes it.
    #[arg(long, value_name = "NAME", default_value = "alice")]
    pub(crate) user: String,
    /// The directory to which request.json and session.yml are written.
    #[arg(long, short, value_name = "FOLDER", default_value = ".")]
    pub(crate) directory: PathBuf,
    #[command(flatten)]
    pub(crate) sources: InputSources,
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Files and folders of cases: every .yaml, .yml and .json file in a folder has some [default: the current folder].
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The settings of cases that have none: the policy's settings, or a manifest of the policy that has them [default: the
    /// defaults].
    #[arg(long, short, value_name = "FILE", env = "PROPAGATE_SETTINGS")]
    pub(crate) settings: Option<PathBuf>,
    /// How to print, and where to: text, json, yaml or junit. May be given several times.
    #[arg(long, short, alias = "format", value_name = "FORMAT[=FILE]", value_delimiter = ',')]
    pub(crate) output: Vec<Output>,
    /// Write the actual answers to the files as `expect`, and print the names of changed files.
    #[arg(long, conflicts_with = "output")]
    pub(crate) write: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// Print the JSON Schema.
    #[arg(long, conflicts_with = "check")]
    pub(crate) schema: bool,
    /// Validate these settings, or those in a manifest of the policy.
    #[arg(long, value_name = "FILE")]
    pub(crate) check: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The old and the new manifests: files or directories. With --git, paths in the repository [default: the current folder].
    /// With a cluster, only the new manifests.
    #[arg(value_name = "OLD NEW")]
    pub(crate) paths: Vec<PathBuf>,
    /// Compare two revisions (A..B), one with the working tree (A), or the commit at which the branch left A with it (A...).
    #[arg(long, value_name = "REVISIONS")]
    pub(crate) git: Option<String>,
    /// A folder or file whose objects are a cluster or environment of their own, relative to OLD and NEW: compared with itself.
    /// May be given several times [default: the folders that define objects of one name].
    #[arg(long, value_name = "PATH")]
    pub(crate) root: Vec<PathBuf>,
    /// A command that prints manifests, such as `helm template charts/prod`: it is run in the folder or revision of each side, and
    /// its output is compared instead of files, unless paths are named. NAME=COMMAND names a root. May be given several times
    /// [default: `render` in propagate.toml of the base].
    #[arg(long, value_name = "COMMAND")]
    pub(crate) render: Vec<String>,
    /// Cluster API's feature gate InPlaceUpdates is on: name the owners whose Machines an extension may update in place.
    #[arg(long)]
    pub(crate) in_place_updates: bool,
    /// Cluster API's feature gate MachineTaintPropagation is on, like the setting `clusterApi.taints`.
    #[arg(long)]
    pub(crate) taints: bool,
    /// How to print.
    #[arg(long, short, alias = "format", value_name = "FORMAT", default_value = "text")]
    pub(crate) output: PlanFormat,
    /// The least severe effect for which the exit code is 1 [default: any change].
    #[arg(long, value_name = "EFFECT")]
    pub(crate) fail_on: Option<PlanFailOn>,
    /// The policy's settings before the change [default: with --git, the file of --settings before it; otherwise --settings].
    #[arg(long, value_name = "FILE")]
    pub(crate) old_settings: Option<PathBuf>,
    /// Print every object whose cloud tags change; otherwise, of more than 5, each key has a line with their number.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// What `--config` says; otherwise the revision before the change does.
    #[arg(skip)]
    pub(crate) base: Option<BaseConfig>,
    #[command(flatten)]
    pub(crate) sources: InputSources,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// An object, as KIND/NAME or KIND/NAMESPACE/NAME; or KIND alone for the trees of all objects of a kind.
    #[arg(value_name = "KIND[/NAME]")]
    pub(crate) object: String,
    /// A label or annotation: prints its propagation path, from ClusterClass to Node or to a cloud tag. With KIND alone,
    /// adds a column for it.
    pub(crate) key: Option<String>,
    /// Files, folders, or `-` for standard input: YAML, JSON, and lists as `kubectl get` prints them [default: the current
    /// folder].
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// How to print.
    #[arg(long, short, alias = "format", value_name = "FORMAT", default_value = "text")]
    pub(crate) output: PlainFormat,
    /// Keys to print as columns of a tree.
    #[arg(long, short = 'L', value_name = "KEY", value_delimiter = ',')]
    pub(crate) label_columns: Vec<String>,
    #[command(flatten)]
    pub(crate) sources: InputSources,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}
