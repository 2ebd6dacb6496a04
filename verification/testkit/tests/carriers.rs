//! The table of carriers, generated from invented definitions.

const EXPECTED: &str = r#"//! Made by `make carriers` of the CustomResourceDefinitions of made-up v1.0.0: not edited by hand.

use super::{Carrier, ProviderCarriers, Tags};

pub(crate) const PROVIDER: ProviderCarriers = ProviderCarriers {
    group: "aws.upbound.io",
    release: "made-up v1.0.0",
    carriers: &[
        Carrier { service: "", tags: Tags::Map("spec.forProvider.tags"), kinds: &[
            "Shelf",
        ] },
        Carrier { service: "market", tags: Tags::Nowhere, kinds: &[
            "Filter",
            "Plain",
        ] },
        Carrier { service: "market", tags: Tags::Map("spec.forProvider.tags"), kinds: &[
            "Basket",
            "Older",
        ] },
        Carrier { service: "market", tags: Tags::List("spec.forProvider.tag"), kinds: &[
            "Group",
        ] },
    ],
    others: &[
        ("market", "Basket", "spec.forProvider.metadata"),
        ("market", "Basket", "spec.forProvider.slots.tags"),
        ("market", "Filter", "spec.forProvider.tags"),
    ],
};
"#;

#[test]
fn definitions_make_a_table() -> anyhow::Result<()> {
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
