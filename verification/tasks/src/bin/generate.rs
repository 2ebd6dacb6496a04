//! Writes what is made of the corpus, of tables and of definitions:
//!
//!     generate carriers FOLDER RELEASE   the table of one provider, from the folder of its CustomResourceDefinitions
//!     generate pages FOLDER              the generated pages of the documentation's site
//!     generate seeds                     the inputs that fuzzing begins with, into verification/fuzz/corpus

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use testkit::{carriers, fuzz, pages, root};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["carriers", folder, release] => write_carriers(Path::new(folder), release),
        ["pages", folder] => write_pages(Path::new(folder)),
        ["seeds"] => write_seeds(),
        _ => bail!("usage: generate carriers FOLDER RELEASE\n       generate pages FOLDER\n       generate seeds"),
    }
}

fn write_carriers(folder: &Path, release: &str) -> Result<()> {
    let (provider, text) = carriers::table(folder, release)?;
    let file = root().join("crates/tag-delivery/carriers").join(provider.file).with_extension("txt");
    fs::write(&file, text)?;
    println!("{}: {release}", file.display());
    Ok(())
}

fn write_pages(folder: &Path) -> Result<()> {
    for (name, text) in
        [("sources", pages::sources()?), ("effects", pages::effects()?), ("tag-carriers", pages::carriers()?)]
    {
        fs::write(folder.join(name).with_extension("md"), text)?;
    }
    Ok(())
}

fn write_seeds() -> Result<()> {
    for (target, inputs) in fuzz::seeds()? {
        let folder = root().join("verification/fuzz/corpus").join(target);
        fs::create_dir_all(&folder)?;
        for (number, input) in inputs.iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:04}")), input)?;
        }
        println!("{target}: {} inputs to begin with", inputs.len());
    }
    Ok(())
}
