//! Writes the seed inputs of the fuzz targets into `verification/fuzz/corpus`, made from the corpus of cases.

use std::fs;

use anyhow::Result;

fn main() -> Result<()> {
    for (target, inputs) in testkit::fuzz::seeds()? {
        let folder = testkit::root().join("verification/fuzz/corpus").join(target);
        fs::create_dir_all(&folder)?;
        for (number, input) in inputs.iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:04}")), input)?;
        }
        println!("{target}: {} inputs to begin with", inputs.len());
    }
    Ok(())
}
