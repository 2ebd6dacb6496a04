//! Tag fields by kind: `CARRIERS`.

use std::fmt::Write as _;

use anyhow::Result;
use metadata_propagation::{CARRIERS, Carrier, Item, Tags};

/// The page.
pub fn carriers() -> Result<String> {
    let mut text = include_str!("tag-carriers.md").to_owned();
    for provider in CARRIERS {
        let (group, release) = (provider.group, provider.release);
        let (maps, lists, none) = (
            provider.count(|tags| matches!(tags, Tags::Map(_))),
            provider.count(|tags| matches!(tags, Tags::List(..))),
            provider.count(|tags| tags == Tags::Nowhere),
        );
        writeln!(
            text,
            "\n## {group}\n\n{release}: {maps} kinds with a map of tags, {lists} with a list, {none} with none.\n"
        )?;
        writeln!(text, "| group | tags | kinds |\n|---|---|---|")?;
        for Carrier { service, tags, kinds } in provider.carriers {
            let service = if service.is_empty() { group.to_owned() } else { format!("{service}.{group}") };
            let tags = match tags {
                Tags::Map(path) => format!("`{path}`"),
                Tags::List(path, Item::Object) => format!("`{path}`, a list of objects"),
                Tags::List(path, Item::String) => format!("`{path}`, a list of strings"),
                Tags::Nowhere => "none".to_owned(),
            };
            writeln!(text, "| {service} | {tags} | {} |", kinds.join(", "))?;
        }
    }
    Ok(text)
}
