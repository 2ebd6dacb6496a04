//! Replaces `live` if this program is built without the feature `cluster`: objects are read from files.

use std::path::PathBuf;

use clap::Args;

use crate::Failure;
use crate::input::{self, Input};
use crate::sources::InputSources;

/// No flags: no cluster can be named.
#[derive(Debug, Args)]
pub(crate) struct LiveArgs {}

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
/// None.
#[expect(clippy::unnecessary_wraps, reason = "a cluster may be out of reach")]
pub(crate) fn input(
    _: &LiveArgs,
    sources: &InputSources,
    paths: &[PathBuf],
    _: &Question<'_>,
) -> Result<Input, Failure> {
    let here = [PathBuf::from(".")];
    Ok(input::read(if paths.is_empty() { &here } else { paths }, sources))
}

/// The objects in the named files, or in the current directory.
///
/// # Errors
/// None.
#[expect(clippy::unnecessary_wraps, reason = "a cluster may be out of reach")]
pub(crate) fn installation(_: &LiveArgs, sources: &InputSources, paths: &[PathBuf]) -> Result<Input, Failure> {
    let here = [PathBuf::from(".")];
    Ok(input::read(if paths.is_empty() { &here } else { paths }, sources))
}

/// Nothing: the call is about files.
///
/// # Errors
/// None.
#[expect(clippy::unnecessary_wraps, reason = "a cluster may be out of reach")]
pub(crate) fn plan(_: &LiveArgs, _: &InputSources, _: &[PathBuf]) -> Result<Option<[Input; 2]>, Failure> {
    Ok(None)
}
