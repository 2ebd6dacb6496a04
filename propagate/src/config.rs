//! Defaults for flags that are not set: propagate.toml.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::Failure;
use crate::args::{CheckArgs, Cli, Color, FailOn, Verb};
use crate::output::Output;

/// The name of the file.
pub(crate) const FILE: &str = "propagate.toml";

/// The file. Paths in it are relative to its directory.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Config {
    settings: Option<PathBuf>,
    output: Option<Vec<Output>>,
    fail_on: Option<FailOn>,
    color: Option<Color>,
    namespace: Option<String>,
    #[serde(default)]
    ignore: Vec<IgnoredPaths>,
    /// API groups from whose objects no Machines are made; `*.example.com` are all groups of a domain.
    #[serde(default)]
    harmless_groups: Vec<String>,
    /// Commands that print manifests.
    #[serde(default)]
    render: Vec<String>,
}

/// Findings that `check` ignores.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IgnoredPaths {
    /// Files and folders, as in .gitignore.
    pub(crate) paths: Vec<String>,
    /// Checks, or groups of checks.
    pub(crate) checks: Vec<String>,
    pub(crate) reason: String,
    /// The folder that the paths are relative to.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
}

/// What a change must not decide about itself: it is read from the base.
#[derive(Debug, Clone, Default)]
pub(crate) struct BaseConfig {
    pub(crate) harmless_groups: Vec<String>,
    pub(crate) render: Vec<String>,
}

impl BaseConfig {
    /// What a file of the base says.
    pub(crate) fn of(text: Option<&str>) -> Result<BaseConfig, Failure> {
        let config: Config = toml::from_str(text.unwrap_or_default())
            .map_err(|error| Failure(format!("cannot use `{FILE}` of the base: {}", error.to_string().trim_end())))?;
        Ok(BaseConfig { harmless_groups: config.harmless_groups, render: config.render })
    }
}

impl Cli {
    /// The call, with the values of the file for flags that are set neither on the command line nor by an environment
    /// variable.
    pub(crate) fn completed(mut self) -> Result<Cli, Failure> {
        let path = self.config.clone().unwrap_or_else(|| FILE.into());
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if self.config.is_none() && error.kind() == ErrorKind::NotFound => return Ok(self),
            Err(error) => return Err(Failure(format!("cannot read `{}`: {error}", path.display()))),
        };
        let config: Config = toml::from_str(&text)
            .map_err(|error| Failure(format!("cannot use `{}`: {}", path.display(), error.to_string().trim_end())))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        self.color = self.color.or(config.color);
        let sources = match &mut self.verb {
            Verb::Check(CheckArgs { sources, output, fail_on, ignores, .. }) => {
                ignores.extend(config.ignore);
                ignores.iter_mut().for_each(|ignore| ignore.folder = folder.to_owned());
                if output.is_empty() {
                    *output = config.output.unwrap_or_default();
                }
                *fail_on = fail_on.or(config.fail_on);
                sources
            }
            Verb::Explain(args) => &mut args.sources,
            Verb::Plan(args) => {
                let base = BaseConfig { harmless_groups: config.harmless_groups, render: config.render };
                args.base = self.config.is_some().then_some(base);
                &mut args.sources
            }
            Verb::Apply(args) => &mut args.sources,
            Verb::Backfill(args) => &mut args.sources,
            Verb::Graph(args) => &mut args.sources,
            Verb::Topology(args) => &mut args.sources,
            Verb::Autoscaler(args) => &mut args.sources,
            Verb::Session(args) => &mut args.sources,
            Verb::Test(args) => {
                if args.settings.is_none() {
                    args.settings = config.settings.map(|settings| folder.join(settings));
                }
                return Ok(self);
            }
            Verb::Doctor(args) => {
                args.fail_on = args.fail_on.or(config.fail_on);
                if args.namespace.is_none() {
                    args.namespace = config.namespace;
                }
                return Ok(self);
            }
            Verb::Rules { .. } | Verb::Profiles | Verb::Settings(_) | Verb::Completions { .. } | Verb::Man { .. } => {
                return Ok(self);
            }
        };
        if sources.settings.is_none() {
            sources.settings = config.settings.map(|settings| folder.join(settings));
        }
        if sources.namespace.is_none() {
            sources.namespace = config.namespace;
        }
        Ok(self)
    }
}
