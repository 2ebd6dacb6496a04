//! Everything that ARCHITECTURE.md names exists.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use documents::{blocks, read};

/// The cells of the rows below a heading of ARCHITECTURE.md.
fn rows(heading: &str) -> Result<Vec<Vec<String>>> {
    let text = read("ARCHITECTURE.md")?;
    let (_, section) = text.split_once(&format!("## {heading}\n")).with_context(|| heading.to_owned())?;
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    Ok(rows.map(|row| row.split('|').map(|cell| cell.trim_matches([' ', '`']).to_owned()).collect()).collect())
}

#[test]
fn every_table_is_in_its_file() -> Result<()> {
    let rows = rows("Tables")?;
    for row in &rows {
        let [_, table, file, ..] = row.as_slice() else { continue };
        let text = read(file)?;
        let is_table = ["const", "static"].iter().any(|item| text.contains(&format!("{item} {table}: &[")));
        assert!(is_table, "{file} has no table {table}");
    }
    assert!(rows.len() > 10, "{rows:?}");
    Ok(())
}

/// All public tables of the policy are listed.
#[test]
fn every_public_table_is_listed() -> Result<()> {
    let listed: BTreeSet<String> = rows("Tables")?.into_iter().filter_map(|row| row.into_iter().nth(1)).collect();
    let crates = ["cloud-tags", "cluster-api", "kubernetes", "metadata-propagation", "tag-delivery", "tag-rules"];
    let mut folders: Vec<_> = crates.iter().map(|name| testkit::root().join(format!("crates/{name}/src"))).collect();
    let mut missing = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(path)?;
            let tables = text
                .lines()
                .filter_map(|line| line.strip_prefix("pub const ")?.split_once(": &[").map(|(name, _)| name));
            missing.extend(tables.filter(|name| !listed.contains(*name)).map(str::to_owned));
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    Ok(())
}

/// The folders and files that the first block and the code in the text name.
#[test]
fn every_path_exists() -> Result<()> {
    let (blocks, text) = blocks("ARCHITECTURE.md")?;
    let tree = blocks.first().context("no tree")?;
    let of_tree = tree.text.lines().filter_map(|line| line.split("  ").next());
    let of_text = text.split('`').skip(1).step_by(2).filter(|span| {
        span.contains('/') && !span.contains(['.', ' ', ':']) || span.ends_with(".rs") || span.ends_with(".txt")
    });
    let names = of_tree.flat_map(|names| names.split(' ')).chain(of_text.filter(|span| !span.contains("k8s.io")));
    let missing: Vec<&str> = names.filter(|name| !testkit::root().join(name).exists()).collect();
    assert_eq!(missing, Vec::<&str>::new());
    Ok(())
}

/// The crates of the policy, the lowest first. A crate depends on earlier ones only, so no product on another.
const LAYERS: [&[&str]; 6] = [
    &["raw-json"],
    &["kubernetes"],
    &["tag-rules"],
    &["cluster-api", "cloud-tags", "tag-delivery"],
    &["metadata-propagation"],
    &["metadata-propagation-policy"],
];

/// What others of them may depend on, invariant 1; and the entry point.
const OTHERS: [&str; 8] =
    ["regex", "regex-syntax", "schemars", "serde", "serde_json", "simdutf8", "unicode-properties", "k8s-openapi"];

#[test]
fn a_crate_of_the_policy_depends_on_lower_ones_only() -> Result<()> {
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(testkit::root()).output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    for (layer, name) in
        LAYERS.iter().enumerate().flat_map(|(layer, names)| names.iter().map(move |name| (layer, name)))
    {
        let package = packages.iter().find(|package| package["name"] == *name).with_context(|| (*name).to_owned())?;
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let of = dependency["name"].as_str().context("no name")?;
            let is_lower = LAYERS.iter().take(layer).any(|names| names.contains(&of));
            let is_sdk = *name == "metadata-propagation-policy" && of == "kubewarden-policy-sdk";
            assert!(!dependency["kind"].is_null() || is_lower || is_sdk || OTHERS.contains(&of), "{name} -> {of}");
        }
    }
    Ok(())
}
