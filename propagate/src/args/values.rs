//! What the values of flags may be.

use clap::ValueEnum;
use fleet::FindingLevel;
use metadata_propagation::{Effect, Version};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;

use crate::output::report::FindingEntry;

/// How a graph is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Picture {
    /// A self-contained SVG image.
    Svg,
    /// A flowchart for Markdown that renders Mermaid.
    Mermaid,
    /// A graph for Graphviz.
    Dot,
}

/// How a plan is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanFormat {
    /// For a reader.
    Text,
    /// For a program: docs/plan.schema.json describes it.
    Json,
    /// For the comment of a pull request.
    Markdown,
    /// Workflow commands of GitHub Actions.
    Github,
}

/// The least severe effect that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanFailOn {
    /// A cloud tag is lost or changes, or it is not known what becomes of one, or worse.
    Tags,
    /// Machines may be replaced, or worse.
    CannotTell,
    /// Machines are replaced, created or deleted later, such as when a pause ends, or worse.
    Waits,
    /// Machines are replaced, now or at a scheduled time, or worse.
    Rollout,
    /// A webhook refuses an edit, or Machines are deleted or orphaned.
    Refused,
    /// Machines are deleted or orphaned, also by scaling down.
    Destructive,
}

impl PlanFailOn {
    /// The least severe effect.
    pub(crate) fn effect(self) -> Effect {
        match self {
            PlanFailOn::Tags | PlanFailOn::CannotTell => Effect::CannotTell,
            PlanFailOn::Waits => Effect::Waits,
            PlanFailOn::Rollout => Effect::Scheduled,
            PlanFailOn::Refused => Effect::Refused,
            PlanFailOn::Destructive => Effect::Destructive,
        }
    }
}

/// For a reader, or for a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlainFormat {
    Text,
    Json,
}

/// When to use color.
#[derive(Debug, Clone, Copy, Default, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    pub(crate) fn write_global(self) {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// The lowest level that counts.
#[derive(Debug, Clone, Copy, Default, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FailOn {
    #[default]
    #[value(alias = "warn")]
    #[serde(alias = "warn")]
    Warning,
    #[value(alias = "reject")]
    #[serde(alias = "reject")]
    Error,
    /// Warnings, and what is not known about cloud tags.
    CannotTell,
}

impl FailOn {
    pub(crate) fn level(self) -> FindingLevel {
        match self {
            FailOn::Warning | FailOn::CannotTell => FindingLevel::Warning,
            FailOn::Error => FindingLevel::Error,
        }
    }

    /// Whether a finding counts.
    pub(crate) fn counts(self, finding: &FindingEntry) -> bool {
        finding.level >= self.level() || (matches!(self, FailOn::CannotTell) && finding.is_unknown())
    }
}

/// A version as it is written in the settings.
pub(super) fn version(text: &str) -> Result<Version, String> {
    let text: StrDeserializer<'_, serde::de::value::Error> = text.into_deserializer();
    Version::deserialize(text).map_err(|error| error.to_string())
}
