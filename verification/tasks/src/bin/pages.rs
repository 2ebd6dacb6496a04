//! Writes the generated pages of the documentation's site: `pages FOLDER`.

use std::path::Path;

use anyhow::{Context, Result};
use testkit::pages;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).context("usage: pages FOLDER")?;
    for (name, text) in
        [("sources", pages::sources()?), ("effects", pages::effects()?), ("tag-carriers", pages::carriers()?)]
    {
        std::fs::write(Path::new(&folder).join(format!("{name}.md")), text)?;
    }
    Ok(())
}
