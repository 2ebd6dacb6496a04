//! The fields of the report, and the reasons in it, are those that the documents explain.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;
use testkit::runner::walk;

use documents::{pages, read};

/// The contents of the reports of the corpus.
#[derive(Default)]
struct Seen {
    fields: BTreeSet<String>,
    inert: BTreeSet<String>,
    skipped: BTreeSet<String>,
    no_tags: BTreeSet<String>,
}

fn seen() -> Result<Seen> {
    let mut seen = Seen::default();
    walk(|_, _, answer| {
        let report = &answer.report;
        seen.fields.extend(report.as_object().into_iter().flat_map(|fields| fields.keys().cloned()));
        seen.inert.extend(report["inert"]["reason"].as_str().map(str::to_owned));
        for (list, reasons) in
            [(&report["skipped"], &mut seen.skipped), (&report["cloudTags"]["skipped"], &mut seen.no_tags)]
        {
            let list = list.as_array().into_iter().flatten();
            reasons.extend(list.filter_map(|skip| skip["reason"].as_str()).map(str::to_owned));
        }
        Ok(())
    })?;
    Ok(seen)
}

/// The code in the first column of the first table below a heading.
fn explained(page: &str, heading: &str) -> Result<BTreeSet<String>> {
    let text = read(page)?;
    let (_, section) = text.split_once(&format!("# {heading}\n")).with_context(|| format!("{page}: no {heading}"))?;
    let rows = section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = rows.skip(2).filter_map(|row| row.split('|').nth(1));
    Ok(cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect())
}

#[test]
fn the_pages_explain_every_field_and_every_reason_of_a_report() -> Result<()> {
    let seen = seen()?;
    let pages = [
        ("docs/reports.md", "Reading what the policy says", seen.fields),
        ("docs/reasons.md", "When nothing is done", seen.inert),
        ("docs/reasons.md", "When a single key is not propagated", seen.skipped),
        ("docs/tag-profiles.md", "Labels that do not become tags", seen.no_tags),
    ];
    for (page, heading, seen) in pages {
        assert_eq!(explained(page, heading)?, seen, "{page}, {heading}");
    }
    Ok(())
}

/// Settings that documents name exist.
#[test]
fn the_documents_name_settings_that_exist() -> Result<()> {
    let schema: Value = serde_json::from_str(&read("docs/settings.schema.json")?)?;
    let sections: Vec<&String> = schema["properties"].as_object().context("no properties")?.keys().collect();
    let page = read("docs/settings.md")?;
    let mut unknown = BTreeSet::new();
    let documents = pages()?.into_iter().chain(["README.md", "docs/usage.md"].map(str::to_owned));
    for document in documents {
        for span in read(&document)?.split('`').skip(1).step_by(2) {
            let path = span.split(':').next().unwrap_or_default();
            let names_one =
                path.split_once('.').is_some_and(|(section, _)| sections.iter().any(|name| *name == section));
            // `cloudTags` is a section of the report as well.
            let of_report = ["notPropagating", "forwarded", "cloud", "headroom", "missing", "ignoredDefinitions"]
                .iter()
                .any(|field| path.strip_prefix("cloudTags.") == Some(*field));
            if names_one && !path.ends_with('…') && !of_report && !page.contains(&format!("| `{path}")) {
                unknown.insert(format!("{document}: {path}"));
            }
        }
    }
    assert_eq!(unknown, BTreeSet::new());
    Ok(())
}
