//! Writes the table of one provider's carriers: `carriers FOLDER RELEASE`, the folder of its CustomResourceDefinitions
//! and the name of the release.

use std::path::Path;

use anyhow::bail;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, release] = arguments.as_slice() else {
        bail!("usage: carriers FOLDER RELEASE, such as: carriers /tmp/crds \"provider-upjet-aws v2.6.0\"");
    };
    let (provider, text) = testkit::carriers::table(Path::new(folder), release)?;
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/tag-delivery/carriers");
    let file = tables.join(provider.file).with_extension("txt");
    std::fs::write(&file, text)?;
    println!("{}: {release}", file.display());
    Ok(())
}
