//! The modules of one crate, read from its files: what each defines, imports and names.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, Expr, ImplItem, Item, Lit, Meta, TraitItem, UseTree};

use crate::references::{References, segments};

/// The files of a crate: path from the root of the repository, and text.
pub(crate) type Files = BTreeMap<String, String>;

/// A path as it is written, one name for each segment.
pub(crate) type Segments = Vec<String>;

/// One crate, compiled from one root file.
#[derive(Debug, Default)]
pub(crate) struct Crate {
    /// The modules, root first.
    pub(crate) modules: Vec<Module>,
}

/// One module. An inline module has the file of its parent module.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) file: String,
    pub(crate) parent: Option<usize>,
    /// By name. Two modules with the same name differ in a `cfg`.
    pub(crate) children: BTreeMap<String, Vec<usize>>,
    /// The names of its types, traits, functions, constants and macros.
    pub(crate) items: BTreeSet<String>,
    /// The types and traits among them, except aliases.
    pub(crate) types: BTreeSet<String>,
    /// The path of each imported name.
    pub(crate) imports: BTreeMap<String, Vec<Segments>>,
    /// What it imports with `*`.
    pub(crate) globs: Vec<Segments>,
    /// What it names, `use` items included.
    pub(crate) references: Vec<Reference>,
    /// The functions of its `impl` blocks, except those of traits, and the functions of its traits.
    pub(crate) functions: Vec<Function>,
}

/// A reference, and its position.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) line: usize,
    pub(crate) to: Target,
}

/// What a module names.
#[derive(Debug)]
pub(crate) enum Target {
    Path(Segments),
    /// `x.name()`
    Method(String),
}

/// A function of an `impl` block or of a trait.
#[derive(Debug)]
pub(crate) struct Function {
    /// The type or trait, as it is written there.
    pub(crate) of: Segments,
    pub(crate) name: String,
    pub(crate) has_receiver: bool,
}

impl Crate {
    /// Reads the root file, and the files of its modules.
    pub(crate) fn read(root: &str, files: &Files) -> Result<Crate> {
        let mut read = Crate::default();
        let folder = folder_of(root).to_owned();
        read.file(root, &folder, None, files)?;
        Ok(read)
    }

    fn file(&mut self, file: &str, folder: &str, parent: Option<usize>, files: &Files) -> Result<usize> {
        let text = files.get(file).with_context(|| format!("{file} does not exist"))?;
        let items = syn::parse_file(text).with_context(|| format!("{file} cannot be parsed"))?.items;
        self.module(items, file, folder, parent, files)
    }

    /// `folder` contains the files of the module's children.
    fn module(
        &mut self,
        items: Vec<Item>,
        file: &str,
        folder: &str,
        parent: Option<usize>,
        files: &Files,
    ) -> Result<usize> {
        let index = self.modules.len();
        // It is added before its children, which need its index.
        self.modules.push(Module::default());
        let mut module = Module { file: file.to_owned(), parent, ..Module::default() };
        for item in items {
            if is_test(attributes(&item)) {
                continue;
            }
            let Item::Mod(child) = item else {
                module.add(&item);
                continue;
            };
            let name = child.ident.to_string();
            let below = format!("{folder}/{name}");
            let child = match (child.content, path_attribute(&child.attrs)) {
                (Some((_, items)), _) => self.module(items, file, &below, Some(index), files)?,
                (None, Some(path)) => {
                    let path = joined(folder_of(file), &path);
                    self.file(&path, folder_of(&path), Some(index), files)?
                }
                (None, None) => {
                    let paths = [format!("{below}.rs"), format!("{below}/mod.rs")];
                    let path = paths.iter().find(|path| files.contains_key(*path));
                    self.file(path.with_context(|| below.clone())?, &below, Some(index), files)?
                }
            };
            module.children.entry(name).or_default().push(child);
        }
        if let Some(place) = self.modules.get_mut(index) {
            *place = module;
        }
        Ok(index)
    }
}

impl Module {
    fn add(&mut self, item: &Item) {
        self.items.extend(name(item));
        let mut references = References::default();
        if matches!(item, Item::Enum(_) | Item::Struct(_) | Item::Trait(_) | Item::Union(_)) {
            self.types.extend(name(item));
        }
        match item {
            Item::Use(item) => {
                let mut leaves = Vec::new();
                expand(&item.tree, &mut Vec::new(), &mut leaves);
                let line = item.span().start().line;
                for (path, name) in leaves {
                    self.references.push(Reference { line, to: Target::Path(path.clone()) });
                    match name {
                        Some(name) => self.imports.entry(name).or_default().push(path),
                        None => self.globs.push(path),
                    }
                }
                return;
            }
            Item::Impl(item) => {
                let of = type_path(&item.self_ty);
                references.type_of_self.clone_from(&of);
                if let (Some(of), None) = (of, &item.trait_) {
                    for function in &item.items {
                        let ImplItem::Fn(function) = function else { continue };
                        let (name, has_receiver) = (function.sig.ident.to_string(), function.sig.receiver().is_some());
                        self.functions.push(Function { of: of.clone(), name, has_receiver });
                    }
                }
            }
            Item::Trait(item) => {
                let of = vec![item.ident.to_string()];
                for function in &item.items {
                    let TraitItem::Fn(function) = function else { continue };
                    let (name, has_receiver) = (function.sig.ident.to_string(), function.sig.receiver().is_some());
                    self.functions.push(Function { of: of.clone(), name, has_receiver });
                }
                references.type_of_self = Some(of);
            }
            _ => {}
        }
        references.visit_item(item);
        self.references.extend(references.found);
    }
}

/// Whether an item is compiled only for tests.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::NameValue(_) => false,
    })
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// The paths of a tree such as `crate::json::{Malformed, path::*}`, and the names that they get here.
fn expand(tree: &UseTree, before: &mut Segments, leaves: &mut Vec<(Segments, Option<String>)>) {
    let path = |last: &syn::Ident| [before.as_slice(), &[last.to_string()]].concat();
    match tree {
        UseTree::Path(tree) => {
            before.push(tree.ident.to_string());
            expand(&tree.tree, before, leaves);
            before.pop();
        }
        UseTree::Name(tree) if tree.ident == "self" => leaves.push((before.clone(), before.last().cloned())),
        UseTree::Name(tree) => leaves.push((path(&tree.ident), Some(tree.ident.to_string()))),
        UseTree::Rename(tree) if tree.ident == "self" => leaves.push((before.clone(), Some(tree.rename.to_string()))),
        UseTree::Rename(tree) => leaves.push((path(&tree.ident), Some(tree.rename.to_string()))),
        UseTree::Glob(_) => leaves.push((before.clone(), None)),
        UseTree::Group(group) => group.items.iter().for_each(|tree| expand(tree, before, leaves)),
    }
}

fn type_path(of: &syn::Type) -> Option<Segments> {
    match of {
        syn::Type::Path(path) => Some(segments(&path.path)),
        syn::Type::Reference(reference) => type_path(&reference.elem),
        _ => None,
    }
}

fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
