//! Prints how the engine's answers compare with Cluster API's: the page `verification/conformance/README.md`.

fn main() -> anyhow::Result<()> {
    print!("{}", testkit::agreement::page()?);
    Ok(())
}
