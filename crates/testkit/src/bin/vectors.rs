//! Prints what the engine makes of Cluster API's own answers: the page `docs/conformance.md`.

fn main() -> anyhow::Result<()> {
    print!("{}", testkit::agreement::page()?);
    Ok(())
}
