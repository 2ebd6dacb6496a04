//! The documents of this repository, and their contents.

use std::fs;

pub mod messages;
pub mod policies;

use anyhow::Result;
pub use testkit::read;

/// The documents at the root, and those next to the code that they describe.
const DOCUMENTS: [&str; 15] = [
    "README.md",
    "propagate/README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    ".github/SECURITY.md",
    "verification/README.md",
    "verification/benches/README.md",
    "verification/tools/policy-server/README.md",
    "verification/conformance/README.md",
    "verification/conformance/cluster/README.md",
    "verification/conformance/crossplane/README.md",
    "verification/model/README.md",
    "examples/blueprints/README.md",
    "testdata/recorded/README.md",
];

/// Every document for readers, by its path from the root.
pub fn documents() -> Result<Vec<String>> {
    let mut documents = DOCUMENTS.map(str::to_owned).to_vec();
    documents.extend(pages()?);
    Ok(documents)
}

/// The pages of docs/, by their paths from the root.
pub fn pages() -> Result<Vec<String>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(testkit::root().join("docs"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            pages.push(format!("docs/{name}"));
        }
    }
    pages.sort();
    Ok(pages)
}

/// A fenced block of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct FencedBlock {
    /// The document and the line of the fence.
    pub at: String,
    /// The words after the fence, such as `yaml settings`.
    pub kind: String,
    /// The text between the fences, without the indentation of the fence.
    pub text: String,
}

/// The fenced blocks of a document, and the text outside them.
pub fn blocks(document: &str) -> Result<(Vec<FencedBlock>, String)> {
    let (mut blocks, mut outside) = (Vec::new(), String::new());
    let mut open: Option<(usize, FencedBlock)> = None;
    for (number, line) in (1..).zip(read(document)?.lines()) {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut open, fence) {
            (None, None) => outside.extend([line, "\n"]),
            (None, Some(kind)) => {
                let at = format!("{document}:{number}");
                let indent = line.len() - line.trim_start().len();
                open = Some((indent, FencedBlock { at, kind: kind.to_owned(), text: String::new() }));
            }
            (Some((indent, block)), None) => block.text.extend([line.get(*indent..).unwrap_or_default(), "\n"]),
            (Some(_), Some(_)) => blocks.extend(open.take().map(|(_, block)| block)),
        }
    }
    anyhow::ensure!(open.is_none(), "{document}: a block does not end");
    Ok((blocks, outside))
}
