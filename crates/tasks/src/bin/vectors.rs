//! Prints what the engine makes of Cluster API's own answers: the page `conformance/README.md`.

fn main() -> anyhow::Result<()> {
    print!("{}", testkit::agreement::page()?);
    Ok(())
}
