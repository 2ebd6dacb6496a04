//! The formats in which a report is printed, and their destinations.

pub(crate) mod github;
pub(crate) mod junit;
pub(crate) mod report;
mod sarif;
pub(crate) mod text;

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use fleet::Fleet;
use serde::Deserialize;

use crate::args::FailOn;
use crate::output::report::CheckReport;
use crate::{Exit, Failure, progress};

/// A format, and the file that it is written to; standard output if there is none.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Output {
    format: Format,
    file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Json,
    Yaml,
    Sarif,
    Junit,
    Github,
}

const FORMATS: &[(&str, Format)] = &[
    ("text", Format::Text),
    ("json", Format::Json),
    ("yaml", Format::Yaml),
    ("sarif", Format::Sarif),
    ("junit", Format::Junit),
    ("github", Format::Github),
];

impl FromStr for Output {
    type Err = String;

    fn from_str(text: &str) -> Result<Output, String> {
        let (format, file) = match text.split_once('=') {
            Some((format, file)) => (format, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let known = FORMATS.iter().find(|(name, _)| *name == format);
        let Some(&(_, format)) = known else {
            let names: Vec<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
            return Err(format!("expected one of {}", names.join(", ")));
        };
        Ok(Output { format, file })
    }
}

impl TryFrom<String> for Output {
    type Error = String;

    fn try_from(text: String) -> Result<Output, String> {
        text.parse()
    }
}

/// Prints a report in every requested format; as text if there is none.
pub(crate) fn write(
    report: &CheckReport,
    fleet: &Fleet,
    outputs: &[Output],
    fail_on: FailOn,
    is_verbose: bool,
) -> Result<(), Failure> {
    each(outputs, |format| match format {
        Format::Text => Ok(text::text(report, fleet, is_verbose).into_bytes()),
        Format::Json => json(report),
        Format::Yaml => yaml(report),
        Format::Sarif => json(&sarif::sarif(report)),
        Format::Junit => junit::junit(report, fail_on),
        Format::Github => Ok(github::github(report).into_bytes()),
    })
}

/// Writes JUnit.
pub(crate) type Junit<'a> = &'a dyn Fn() -> Result<Vec<u8>, Failure>;

/// Prints as text, JSON, YAML, or JUnit if there is such a format, whichever was requested; as text if none was.
///
/// # Errors
/// When a file cannot be written, or another format was requested.
pub(crate) fn write_plain(
    outputs: &[Output],
    words: &str,
    value: &impl serde::Serialize,
    junit: Option<Junit<'_>>,
) -> Result<(), Failure> {
    each(outputs, |format| match format {
        Format::Text => Ok(words.as_bytes().to_vec()),
        Format::Json => json(value),
        Format::Yaml => yaml(value),
        Format::Junit if let Some(junit) = junit => junit(),
        Format::Sarif | Format::Junit | Format::Github => {
            let known = if junit.is_some() { "text, json, yaml or junit" } else { "text, json or yaml" };
            Err(Failure(format!("--output must be {known}")))
        }
    })
}

/// Writes what there is in each format; as text if there is none.
fn each(outputs: &[Output], bytes: impl Fn(Format) -> Result<Vec<u8>, Failure>) -> Result<(), Failure> {
    let text = [Output { format: Format::Text, file: None }];
    let outputs = if outputs.is_empty() { &text } else { outputs };
    outputs.iter().try_for_each(|output| write_to(output.file.as_deref(), &bytes(output.format)?))
}

/// Writes a file, or to standard output.
pub(crate) fn write_to(file: Option<&Path>, bytes: &[u8]) -> Result<(), Failure> {
    let Some(path) = file else { return print(bytes).map(|_| ()) };
    let written = File::create(path).and_then(|file| anstream::StripStream::new(file).write_all(bytes));
    written.map_err(|error| Failure(format!("cannot write `{}`: {error}", path.display())))
}

/// Prints to standard output; a reader that closes the pipe is not an error.
pub(crate) fn print(bytes: &[u8]) -> Result<Exit, Failure> {
    progress::end();
    let mut out = anstream::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(Exit::Clean),
    }
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, Failure> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| Failure(error.to_string()))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn yaml(value: &impl serde::Serialize) -> Result<Vec<u8>, Failure> {
    serde_saphyr::to_string(value).map(String::into_bytes).map_err(|error| Failure(error.to_string()))
}
