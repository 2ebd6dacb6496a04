//! The generated pages of the documentation's site.

use anyhow::Result;
use testkit::pages;

/// Each rule, statement and profile of `sources` has cases: it returns an error otherwise.
#[test]
fn every_section_of_the_generated_pages_is_filled() -> Result<()> {
    for page in [pages::sources()?, pages::effects()?, pages::carriers()?] {
        assert!(page.contains("\n| ") && !page.contains("{{"), "{page}");
    }
    Ok(())
}
