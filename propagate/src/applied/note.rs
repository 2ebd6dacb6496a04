//! What is said of what is applied.

use std::collections::BTreeSet;
use std::fmt;

/// Something that is applied in another way than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AppliedNote {
    /// Folders and files that nothing includes or names any more.
    Dropped { names: Vec<String>, parents: Vec<String>, appliers: BTreeSet<String> },
    /// Entry points that something includes or names now, and whether that existed before.
    Gained { folders: Vec<String>, by: String, was_known: bool },
    /// An entry point whose former parent is gone.
    Orphaned { folder: String, parent: String },
}

impl AppliedNote {
    /// The folders that it is about.
    pub(crate) fn folders(&self) -> &[String] {
        match self {
            AppliedNote::Orphaned { folder, .. } => std::slice::from_ref(folder),
            AppliedNote::Gained { folders, .. } | AppliedNote::Dropped { names: folders, .. } => folders,
        }
    }

    /// Whether what happens to the objects is not known.
    pub(crate) fn is_uncertain(&self) -> bool {
        match self {
            AppliedNote::Dropped { .. } => false,
            AppliedNote::Gained { was_known, .. } => *was_known,
            AppliedNote::Orphaned { .. } => true,
        }
    }
}

impl fmt::Display for AppliedNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppliedNote::Dropped { names, parents, appliers } => {
                write!(f, "{} no longer ", they(names))?;
                match (appliers.first(), parents.first()) {
                    (Some(applier), None) => write!(f, "applied by {applier}"),
                    (Some(applier), Some(parent)) => {
                        write!(f, "included by {}, which {applier} applies", shown(parent))
                    }
                    (None, parent) => {
                        let parent = shown(parent.map_or("", String::as_str));
                        write!(f, "included by {parent}: what is in it is deleted, if what applies {parent} prunes")
                    }
                }
            }
            AppliedNote::Gained { folders, by, was_known } => {
                write!(f, "{} now applied through {}", they(folders), shown(by))?;
                if *was_known {
                    f.write_str(", and unless something else applied it before, its objects are created")?;
                }
                Ok(())
            }
            AppliedNote::Orphaned { folder, parent } => {
                write!(f, "{} was included by {}, which is gone", shown(folder), shown(parent))?;
                f.write_str(": whether anything applies it is not known")
            }
        }
    }
}

/// Such as `clusters/a and 1 more are`.
fn they(names: &[String]) -> String {
    let first = shown(names.first().map_or("", String::as_str));
    match names.len().saturating_sub(1) {
        0 => format!("{first} is"),
        more => format!("{first} and {more} more are"),
    }
}

/// A folder as it is printed.
pub(crate) fn shown(folder: &str) -> String {
    if folder.is_empty() { "the top folder".to_owned() } else { folder.to_owned() }
}
