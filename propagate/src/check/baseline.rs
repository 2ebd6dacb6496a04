//! Earlier findings, in a file.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::file;
use crate::output::report::FindingEntry;

/// The findings of a file, and which of them still exist.
pub(super) struct Baseline {
    known: BTreeSet<Known>,
    found: BTreeSet<Known>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    findings: BTreeSet<Known>,
}

/// A finding without its line, which changes when others are edited.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    file: String,
    object: String,
    check: String,
    message: String,
}

impl Baseline {
    pub(super) fn read(path: &Path) -> Result<Baseline, Failure> {
        let text = file::text(path).map_err(|reason| Failure(format!("cannot read `{}`: {reason}", path.display())))?;
        let content: Content = serde_json::from_str(&text)
            .map_err(|error| Failure(format!("`{}` is not a baseline: {error}", path.display())))?;
        Ok(Baseline { known: content.findings, found: BTreeSet::new() })
    }

    pub(super) fn write<'e>(path: &Path, findings: impl Iterator<Item = &'e FindingEntry>) -> Result<(), Failure> {
        let content = Content { findings: findings.map(Known::of).collect() };
        let mut text = serde_json::to_string_pretty(&content).map_err(|error| Failure(error.to_string()))?;
        text.push('\n');
        std::fs::write(path, text).map_err(|error| Failure(format!("cannot write `{}`: {error}", path.display())))
    }

    /// Whether it contains a finding.
    pub(super) fn has(&mut self, entry: &FindingEntry) -> bool {
        let known = Known::of(entry);
        let has = self.known.contains(&known);
        if has {
            self.found.insert(known);
        }
        has
    }

    /// How many of its findings were not looked up.
    pub(super) fn gone(&self) -> usize {
        self.known.len() - self.found.len()
    }
}

impl Known {
    fn of(entry: &FindingEntry) -> Known {
        Known {
            file: entry.place.file.clone(),
            object: entry.object.title.clone(),
            check: entry.check.to_owned(),
            message: entry.message.clone(),
        }
    }
}
