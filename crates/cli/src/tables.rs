//! `propagate rules`, `profiles` and `settings`: what the policy knows by itself.

use std::fmt::Write;

use metadata_propagation::tags::PROFILES;
use metadata_propagation::{FORCED, Keys, RULES, Rule, Settings, Version};
use serde::Deserialize;
use serde::de::value::StrDeserializer;

use crate::args::SettingsArgs;
use crate::style::BOLD;
use crate::{Exit, Failure, output, settings};

/// Written by the tests from the types that read the settings.
const SCHEMA: &str = include_str!("../../../settings.schema.json");

/// The rules of one version of Cluster API, in the words of its page.
///
/// # Errors
/// When they cannot be printed.
pub(crate) fn rules(version: Option<Version>) -> Result<Exit, Failure> {
    let version = version.unwrap_or(Version::NEWEST);
    let mut out = String::new();
    let _ = writeln!(out, "{BOLD}Rules of Cluster API {version}{BOLD:#}");
    for rule in RULES.iter().filter(|rule| rule.holds(version)) {
        let _ = writeln!(out, "{}", whole(rule));
    }
    let _ = writeln!(out, "\n{BOLD}Labels that Cluster API sets itself{BOLD:#}");
    for forced in FORCED {
        let _ = writeln!(out, "{forced}");
    }
    output::print(out.as_bytes())
}

/// A line of the page, and what the page says in other places: the object that is read, above the line, and the criteria
/// that keys have to meet.
fn whole(rule: &Rule) -> String {
    let line = rule.to_string();
    let line = format!("`{}{}", rule.from.owner(), line.strip_prefix('`').unwrap_or(&line));
    let keys = match rule.keys {
        Keys::Only(criteria) => criteria.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        Keys::Except(keys) => {
            format!("all but {}", keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", "))
        }
        Keys::OptIn => "those of `clusterApi.optIn.machineToInfra`".to_owned(),
        Keys::Every => return line,
    };
    format!("{line}; keys: {keys}")
}

/// A version as it is written in the settings.
pub(crate) fn version(text: &str) -> Result<Version, String> {
    let text: StrDeserializer<'_, serde::de::value::Error> = serde::de::IntoDeserializer::into_deserializer(text);
    Version::deserialize(text).map_err(|error| error.to_string())
}

/// What each provider admits in a tag.
///
/// # Errors
/// When they cannot be printed.
pub(crate) fn profiles() -> Result<Exit, Failure> {
    let mut out = format!("{BOLD}profile | tag key | value | tags | characters of a key | reserved{BOLD:#}\n");
    for profile in PROFILES {
        let _ = writeln!(out, "{profile}");
    }
    output::print(out.as_bytes())
}

/// The defaults, the schema, or what is wrong with a file.
///
/// # Errors
/// When the file cannot be used, or nothing can be printed.
pub(crate) fn settings(args: &SettingsArgs) -> Result<Exit, Failure> {
    if args.schema {
        return output::print(SCHEMA.as_bytes());
    }
    let read = settings::read(args.check.as_deref())?;
    if args.check.is_none() {
        let yaml = serde_saphyr::to_string(&Settings::default()).map_err(|error| Failure(error.to_string()))?;
        return output::print(yaml.as_bytes());
    }
    let version = read.cluster_api.version;
    if version > Version::NEWEST {
        let newest = Version::NEWEST;
        output::print(
            format!(
                "valid, but `clusterApi.version` {version} is newer than this program knows: the rules of {newest} apply\n"
            )
            .as_bytes(),
        )?;
        return Ok(Exit::Found);
    }
    output::print(b"valid\n")
}
