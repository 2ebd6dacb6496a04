//! What is generated: the table of carriers, here from invented definitions, and the pages of the documentation's site.

use anyhow::Result;
use testkit::pages;

const EXPECTED: &str = "\
# Made by `make carriers` of the release's CustomResourceDefinitions: not edited by hand.
group aws.upbound.io
release made-up v1.0.0
/Shelf map tags
market/Basket map tags
market/Basket other metadata
market/Basket other slots.tags
market/Filter none
market/Filter other tags
market/Group objects tag
market/Older map tags
market/Plain none
";

#[test]
fn definitions_make_a_table() -> Result<()> {
    let (provider, table) = testkit::carriers::table(&testkit::root().join("testdata/carriers"), "made-up v1.0.0")?;
    assert_eq!((provider.file, &*table), ("aws", EXPECTED));
    Ok(())
}

#[test]
fn a_folder_without_definitions_makes_none() {
    let error =
        testkit::carriers::table(&testkit::root().join("testdata"), "made-up v1.0.0").err().map(|it| it.to_string());
    assert!(error.is_some_and(|error| error.ends_with("testdata: no CustomResourceDefinitions")));
}

/// Each rule, statement and profile of `sources` has cases: it returns an error otherwise.
#[test]
fn every_section_of_the_generated_pages_is_filled() -> Result<()> {
    for page in [pages::sources()?, pages::effects()?, pages::carriers()?] {
        assert!(page.contains("\n| ") && !page.contains("{{"), "{page}");
    }
    Ok(())
}
