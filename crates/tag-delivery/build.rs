//! Makes `CARRIERS` of the tables in `carriers/`: a line says where one kind has its tags, or which other field it has.

#![expect(clippy::disallowed_methods, reason = "a build script reads files; the engine does not")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

type Failure = Box<dyn std::error::Error>;

/// The order of the tables.
const PROVIDERS: [&str; 9] =
    ["aws", "azure", "gcp", "hcloud", "hetzner", "openstack", "digitalocean", "oci", "alibabacloud"];

fn main() -> Result<(), Failure> {
    println!("cargo::rerun-if-changed=carriers");
    let mut text = "/// All known providers.\npub static CARRIERS: &[&ProviderCarriers] = &[\n".to_owned();
    for provider in PROVIDERS {
        text.push_str(&table(&fs::read_to_string(Path::new("carriers").join(provider).with_extension("txt"))?)?);
    }
    text.push_str("];\n");
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join("carriers.rs"), text)?)
}

/// The value of a [`ProviderCarriers`].
fn table(lines: &str) -> Result<String, Failure> {
    let (mut group, mut release, mut others) = ("", "", String::new());
    let mut kinds = BTreeMap::<(&str, String), Vec<&str>>::new();
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        let (of, rest) = line.split_once(' ').ok_or_else(|| unreadable(line))?;
        match (of, &*rest.split(' ').collect::<Vec<_>>()) {
            ("group", _) => group = rest,
            ("release", _) => release = rest,
            (of, [holds, path @ ..]) => {
                let (service, kind) = of.split_once('/').ok_or_else(|| unreadable(line))?;
                let path = path.first().map(|path| format!("\"spec.forProvider.{path}\""));
                let tags = match (*holds, path) {
                    ("other", Some(path)) => {
                        writeln!(others, "        ({service:?}, {kind:?}, {path}),")?;
                        continue;
                    }
                    ("none", None) => "Nowhere".to_owned(),
                    ("map", Some(path)) => format!("Map({path})"),
                    ("objects", Some(path)) => format!("List({path}, Item::Object)"),
                    ("strings", Some(path)) => format!("List({path}, Item::String)"),
                    _ => return Err(unreadable(line)),
                };
                kinds.entry((service, tags)).or_default().push(kind);
            }
            _ => return Err(unreadable(line)),
        }
    }
    let mut text = format!("    &ProviderCarriers {{ group: {group:?}, release: {release:?}, carriers: &[\n");
    for ((service, tags), kinds) in kinds {
        writeln!(text, "        Carrier {{ service: {service:?}, tags: Tags::{tags}, kinds: &{kinds:?} }},")?;
    }
    writeln!(text, "    ], others: &[\n{others}    ] }},")?;
    Ok(text)
}

fn unreadable(line: &str) -> Failure {
    format!("unreadable line: {line}").into()
}
