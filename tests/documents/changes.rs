//! Compares the costs of a change in CONTRIBUTING.md with the files of the patches in testdata/changes, which
//! `scripts/changes.sh` tries.

use std::fs;

use anyhow::{Context, Result};
use regex::Regex;

use crate::documents::read;

/// The files that a row of the table names. `NAME` and `N` are placeholders for values that the change chooses.
fn files_of_row(page: &str, row: &str) -> Result<Vec<Regex>> {
    let line = page.lines().find(|line| line.starts_with(&format!("| {row} | ")));
    let cell = line.and_then(|line| line.split(" | ").nth(1)).with_context(|| format!("no row `{row}`"))?;
    let paths = cell.split('`').skip(1).step_by(2).filter(|span| span.contains(['.', '/']) && !span.contains(' '));
    let mut files = Vec::new();
    for path in paths {
        let pattern = regex::escape(path).replace("NAME", "[a-z_]+").replace("v1\\.N", r"v1\.\d+");
        let end = if path.ends_with('/') { "" } else { "$" };
        files.push(Regex::new(&format!("(^|/){pattern}{end}"))?);
    }
    if cell.contains("the code that reads it") {
        files.push(Regex::new("^crates/(engine|cluster-api|cloud-tags|tag-delivery)/src/")?);
    }
    Ok(files)
}

#[test]
fn the_table_names_each_file_of_each_patch() -> Result<()> {
    let page = read("CONTRIBUTING.md")?;
    let mut rows = Vec::new();
    let mut missing = Vec::new();
    for entry in fs::read_dir(testkit::root().join("testdata/changes"))? {
        let patch = fs::read_to_string(entry?.path())?;
        let row = patch.lines().next().context("an empty patch")?.to_owned();
        let files = files_of_row(&page, &row)?;
        for file in patch.lines().filter_map(|line| line.strip_prefix("+++ b/")) {
            if !file.starts_with("testdata/cases/") && !files.iter().any(|pattern| pattern.is_match(file)) {
                missing.push(format!("{row}: {file}"));
            }
        }
        rows.push(row);
    }
    rows.sort();
    assert_eq!(missing, Vec::<String>::new());
    let expected =
        ["a guard rail", "a provider's profile", "a rule of a new edition", "a setting", "a verb of `propagate`"];
    assert_eq!(rows, expected);
    Ok(())
}
