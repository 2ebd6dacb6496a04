//! Cycles in small crates: each kind of dependency is found, and nothing else is.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::circles::circles;
use crate::dependencies::dependencies;
use crate::source::{Crate, Files};

fn read(files: &[(&str, &str)]) -> Result<Crate> {
    let path = |file: &str| format!("crates/engine/src/{file}");
    let files: Files = files.iter().map(|(file, text)| (path(file), (*text).to_owned())).collect();
    Crate::read("crates/engine/src/lib.rs", &files)
}

/// The cycles, with paths relative to `src`.
fn found(files: &[(&str, &str)]) -> Result<Vec<String>> {
    let circles = circles(&read(files)?, &BTreeSet::from(["get".to_owned()]));
    Ok(circles.into_iter().map(|circle| circle.join(", ").replace("crates/engine/src/", "")).collect())
}

#[test]
fn a_circle_by_use_items() -> Result<()> {
    let files = [
        ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
        ("a.rs", "use std::fmt;\nuse crate::{\n    b::{B as Other},\n};\npub struct A;\n"),
        ("b.rs", "\nuse super::c::*;\npub struct B;\n"),
        ("c.rs", "pub use crate::a::A;\n"),
    ];
    let circle = "a.rs:2 uses crate::b::B of b.rs, b.rs:2 uses super::c of c.rs, c.rs:1 uses crate::a::A of a.rs";
    assert_eq!(found(&files)?, [circle]);
    Ok(())
}

#[test]
fn a_circle_by_paths() -> Result<()> {
    let files = [
        ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
        ("a.rs", "pub fn a() -> u8 {\n    crate::b::B::ONE\n}\n"),
        ("b.rs", "use crate::c;\n\npub struct B;\n\nimpl B {\n    pub const ONE: u8 = 1;\n}\n\nfn b(_: &c::C) {}\n"),
        ("c.rs", "pub struct C;\n\nfn c() {\n    println!(\"{}\", super::a::a());\n}\n"),
    ];
    let circle = "a.rs:2 uses crate::b::B::ONE of b.rs, b.rs:1 uses crate::c of c.rs, c.rs:4 uses super::a::a of a.rs";
    assert_eq!(found(&files)?, [circle]);
    Ok(())
}

#[test]
fn a_circle_by_a_method_call() -> Result<()> {
    let with = |call: &str| {
        [
            ("lib.rs", "mod a;\nmod b;\nmod catalog;\n".to_owned()),
            ("catalog.rs", "pub struct Field;\n".to_owned()),
            ("a.rs", format!("use crate::catalog::Field;\n\npub fn a(field: Field) {{\n    {call};\n}}\n")),
            (
                "b.rs",
                "use crate::a::a;\nuse crate::catalog::Field;\n\nimpl Field {\n    pub fn loaded(&self) { a(Field) }\n    \
                 pub fn get(&self) {}\n}\n"
                    .to_owned(),
            ),
        ]
    };
    let of = |call: &str| {
        let files = with(call);
        found(&files.each_ref().map(|(file, text)| (*file, text.as_str())))
    };
    let circle = |what: &str| vec![format!("a.rs:4 uses {what} of b.rs, b.rs:1 uses crate::a::a of a.rs")];
    assert_eq!(of("field.loaded()")?, circle(".loaded()"));
    assert_eq!(of("assert!(field.loaded() == ())")?, circle(".loaded()"));
    assert_eq!(of("Field::loaded(&field)")?, circle("Field::loaded"));
    // A method name that is ambiguous, and a field of the same name.
    assert_eq!(of("field.get()")?, Vec::<String>::new());
    assert_eq!(of("field.loaded")?, Vec::<String>::new());
    Ok(())
}

#[test]
fn a_method_of_two_types_is_not_resolved_but_that_of_self_is() -> Result<()> {
    let files = [
        ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
        ("a.rs", "pub struct A;\nimpl A {\n    pub fn one(&self) { self.two() }\n}\nfn f(x: u8) { x.two() }\n"),
        ("b.rs", "use crate::a::A;\nimpl A {\n    pub fn two(&self) {}\n}\n"),
        ("c.rs", "use crate::a::A;\npub struct C;\nimpl C {\n    pub fn two(&self) {}\n}\n"),
    ];
    assert_eq!(found(&files)?, ["a.rs:3 uses A::two of b.rs, b.rs:1 uses crate::a::A of a.rs"]);
    Ok(())
}

#[test]
fn parents_and_children_are_no_circle_but_siblings_and_others_are() -> Result<()> {
    let parent = ("a.rs", "mod one;\nmod two;\npub struct A;\npub fn a() { one::one(); two::two() }\n");
    let two = ("a/two.rs", "use super::A;\npub fn two() {}\n");
    let harmless = [("lib.rs", "mod a;\n"), parent, two, ("a/one.rs", "use super::{A, two::two};\npub fn one() {}\n")];
    assert_eq!(found(&harmless)?, Vec::<String>::new());

    let two_of_one = ("a/two.rs", "use super::one::one;\npub fn two() {}\n");
    let siblings = [("lib.rs", "mod a;\n"), parent, two_of_one, harmless[3]];
    let circle = "a/one.rs:1 uses super::two::two of a/two.rs, a/two.rs:1 uses super::one::one of a/one.rs";
    assert_eq!(found(&siblings)?, [circle]);

    let of_other = ("a/one.rs", "pub fn one() { crate::b::b() }\n");
    let other = [("lib.rs", "mod a;\nmod b;\n"), parent, two, of_other, ("b.rs", "use crate::a::A;\npub fn b() {}\n")];
    let circle = "a.rs:4 uses one::one of a/one.rs, a.rs:4 uses two::two of a/two.rs, a/one.rs:1 uses crate::b::b of b.rs, \
                  a/two.rs:1 uses super::A of a.rs, b.rs:1 uses crate::a::A of a.rs";
    assert_eq!(found(&other)?, [circle]);
    Ok(())
}

#[test]
fn tests_and_variables_are_no_dependencies() -> Result<()> {
    let files = [
        ("lib.rs", "mod a;\nmod b;\n"),
        (
            "a.rs",
            "pub struct A;\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n#[test]\nfn t() { crate::b::b() }\n",
        ),
        ("b.rs", "use crate::a::A;\npub struct B;\npub fn b(a: A) -> A { a }\n"),
    ];
    assert_eq!(found(&files)?, Vec::<String>::new());
    Ok(())
}

#[test]
fn another_crate_under_a_name_of_this_one_is_no_dependency() -> Result<()> {
    let files = [
        ("lib.rs", "mod a;\nuse raw_json as json;\n"),
        ("a.rs", "use crate::json::Malformed;\nfn a() { crate::json::string() }\n"),
    ];
    assert!(dependencies(&read(&files)?, &BTreeSet::new()).is_empty());
    Ok(())
}
