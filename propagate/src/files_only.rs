//! Replaces `live` if this program is built without the feature `cluster`: objects are read from files.

use std::iter;
use std::path::PathBuf;

use clap::Args;
use metadata_propagation::Settings;

use crate::Failure;
use crate::input::{self, Input};
use crate::sources::InputSources;

/// The flags that name a cluster, which this build cannot read: the message says which build can.
#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    #[arg(long, hide = true)]
    live: bool,
    #[arg(long, hide = true)]
    context: Option<String>,
    #[arg(long, hide = true)]
    kubeconfig: Option<PathBuf>,
    #[arg(long, short = 'A', hide = true)]
    all_namespaces: bool,
    #[arg(long, hide = true)]
    request_timeout: Option<String>,
}

impl LiveArgs {
    /// Whether a flag selects a cluster.
    pub(crate) fn is_named(&self) -> bool {
        let LiveArgs { live, context, kubeconfig, all_namespaces, request_timeout } = self;
        *live || context.is_some() || kubeconfig.is_some() || *all_namespaces || request_timeout.is_some()
    }

    /// # Errors
    /// When a cluster is named.
    fn only_files(&self) -> Result<(), Failure> {
        if !self.is_named() {
            return Ok(());
        }
        Err(Failure(
            "this build reads only files; for a live cluster build it with `cargo install --path propagate --features cluster`, or \
             use a release"
                .to_owned(),
        ))
    }
}

/// The question: the same for files in every case.
pub(crate) struct Question<'a> {
    /// The object or kind that the question names.
    #[expect(dead_code, reason = "decides which kinds of a cluster are listed")]
    pub(crate) object: Option<&'a str>,
    /// Whether the question is usually about clusters.
    #[expect(dead_code, reason = "decides whether a cluster is asked")]
    pub(crate) is_for_clusters: bool,
}

/// The objects in the named files, or in the current directory.
///
/// # Errors
/// When a cluster is named.
pub(crate) fn input(
    args: &LiveArgs,
    sources: &InputSources,
    paths: &[PathBuf],
    _: &Question<'_>,
) -> Result<Input, Failure> {
    installation(args, sources, paths, iter::empty())
}

/// The same.
pub(crate) fn installation(
    args: &LiveArgs,
    sources: &InputSources,
    paths: &[PathBuf],
    _: impl Iterator<Item = String>,
) -> Result<Input, Failure> {
    args.only_files()?;
    let here = [PathBuf::from(".")];
    Ok(input::read(if paths.is_empty() { &here } else { paths }, sources))
}

/// Nothing: the call is about files.
///
/// # Errors
/// When a cluster is named.
pub(crate) fn plan(
    args: &LiveArgs,
    _: &InputSources,
    _: &[PathBuf],
    _: &Settings,
) -> Result<Option<[Input; 2]>, Failure> {
    args.only_files().map(|()| None)
}
