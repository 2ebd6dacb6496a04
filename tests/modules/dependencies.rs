//! The dependencies between the files of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::source::{Crate, Reference, Segments, Target};

/// A file uses another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dependency {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) line: usize,
    /// What is used, as it is written.
    pub(crate) what: String,
}

impl fmt::Display for Dependency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Dependency { from, to, line, what } = self;
        write!(f, "{from}:{line} uses {what} of {to}")
    }
}

/// An item, by the module that defines it, or a module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Definition {
    Module(usize),
    Item(usize, String),
}

/// The dependencies between the files of a crate. Methods with a name of `ambiguous` are not resolved.
pub(crate) fn dependencies(of: &Crate, ambiguous: &BTreeSet<String>) -> BTreeSet<Dependency> {
    let resolver = Resolver::new(of, ambiguous);
    let mut found = BTreeSet::new();
    for (index, module) in of.modules.iter().enumerate() {
        for Reference { line, to } in &module.references {
            let (targets, what) = match to {
                Target::Path(path) => (resolver.modules_of(index, path), path.join("::")),
                Target::Method(name) => (resolver.methods(name), format!(".{name}()")),
            };
            let files = targets.into_iter().filter_map(|target| Some(&of.modules.get(target)?.file));
            found.extend(files.filter(|file| **file != module.file).map(|to| Dependency {
                from: module.file.clone(),
                to: to.clone(),
                line: *line,
                what: what.clone(),
            }));
        }
    }
    found
}

struct Resolver<'a> {
    of: &'a Crate,
    /// The modules with the function of a type or trait, by the definition of the type and the name of the function.
    functions: BTreeMap<(Definition, String), BTreeSet<usize>>,
    /// The types and traits that define a method, by its name.
    methods: BTreeMap<String, BTreeSet<Definition>>,
    ambiguous: &'a BTreeSet<String>,
}

impl<'a> Resolver<'a> {
    fn new(of: &'a Crate, ambiguous: &'a BTreeSet<String>) -> Resolver<'a> {
        let mut resolver = Resolver { of, functions: BTreeMap::new(), methods: BTreeMap::new(), ambiguous };
        for (index, module) in of.modules.iter().enumerate() {
            for function in &module.functions {
                for definition in resolver.resolve(index, &function.of).0 {
                    if function.has_receiver {
                        let types = resolver.methods.entry(function.name.clone()).or_default();
                        types.insert(definition.clone());
                    }
                    let key = (definition, function.name.clone());
                    resolver.functions.entry(key).or_default().insert(index);
                }
            }
        }
        resolver
    }

    /// The modules that define the target of a path.
    fn modules_of(&self, from: usize, path: &[String]) -> BTreeSet<usize> {
        let (definitions, rest) = self.resolve(from, path);
        let modules = definitions.into_iter().flat_map(|definition| {
            let key = (definition, rest.first().cloned().unwrap_or_default());
            match (self.functions.get(&key), key.0) {
                (Some(modules), _) => modules.clone(),
                // A variable with the name of a module: an expression cannot be a module.
                (None, Definition::Module(_)) if path.len() == 1 => BTreeSet::new(),
                (None, Definition::Item(module, _) | Definition::Module(module)) => BTreeSet::from([module]),
            }
        });
        modules.collect()
    }

    /// The module of the one type that has such a method.
    fn methods(&self, name: &str) -> BTreeSet<usize> {
        let types = self.methods.get(name).filter(|types| types.len() == 1 && !self.ambiguous.contains(name));
        let modules = types.into_iter().flatten().filter_map(|of| self.functions.get(&(of.clone(), name.to_owned())));
        modules.flatten().copied().collect()
    }

    /// The target of a path, and the remaining segments: variants and functions of a type.
    fn resolve(&self, from: usize, path: &[String]) -> (BTreeSet<Definition>, Segments) {
        self.resolve_unless(from, path, &mut BTreeSet::new())
    }

    /// `open` are the names whose imports are being followed.
    fn resolve_unless(
        &self,
        from: usize,
        path: &[String],
        open: &mut BTreeSet<(usize, String)>,
    ) -> (BTreeSet<Definition>, Segments) {
        let mut rest = path;
        let mut here = from;
        let mut is_absolute = false;
        while let Some((first, others)) = rest.split_first() {
            here = match first.as_str() {
                "crate" => 0,
                "self" if !others.is_empty() => here,
                "super" => self.of.modules.get(here).and_then(|module| module.parent).unwrap_or(here),
                _ => break,
            };
            (rest, is_absolute) = (others, true);
        }
        let mut definitions = BTreeSet::from([Definition::Module(here)]);
        if !is_absolute {
            let Some((first, others)) = rest.split_first() else { return (BTreeSet::new(), Vec::new()) };
            // A single name that is not imported with `*` is defined in the module, or its `use` item was counted.
            definitions = self.named(here, first, open);
            rest = others;
        }
        while let Some((first, others)) = rest.split_first() {
            let modules = definitions.iter().filter_map(|definition| match definition {
                Definition::Module(module) => Some(*module),
                Definition::Item(..) => None,
            });
            let next: BTreeSet<Definition> = modules.flat_map(|module| self.named(module, first, open)).collect();
            if next.is_empty() {
                // What is imported and not defined in this crate is defined in another one.
                let imports =
                    |module: &usize| self.of.modules.get(*module).is_some_and(|it| it.imports.contains_key(first));
                if is_absolute
                    && definitions.iter().any(|it| matches!(it, Definition::Module(module) if imports(module)))
                {
                    return (BTreeSet::new(), Vec::new());
                }
                break;
            }
            (definitions, rest) = (next, others);
        }
        // A module and a function may have the same name. A `use` item imports both, and the function is enough.
        let is_item = |definition: &Definition| matches!(definition, Definition::Item(..));
        if definitions.iter().any(is_item) {
            definitions.retain(is_item);
        }
        (definitions, rest.to_vec())
    }

    fn named(&self, module: usize, name: &str, open: &mut BTreeSet<(usize, String)>) -> BTreeSet<Definition> {
        let mut found = BTreeSet::new();
        let Some(scope) = self.of.modules.get(module) else { return found };
        if !open.insert((module, name.to_owned())) {
            return found;
        }
        found.extend(scope.children.get(name).into_iter().flatten().map(|child| Definition::Module(*child)));
        if scope.items.contains(name) {
            found.insert(Definition::Item(module, name.to_owned()));
        }
        for path in scope.imports.get(name).into_iter().flatten() {
            found.extend(self.imported(module, path, open));
        }
        if found.is_empty() {
            for path in &scope.globs {
                let path = [path.as_slice(), &[name.to_owned()]].concat();
                found.extend(self.imported(module, &path, open));
            }
        }
        open.remove(&(module, name.to_owned()));
        found
    }

    /// The whole path, or nothing: a part of it would be a different item.
    fn imported(&self, module: usize, path: &[String], open: &mut BTreeSet<(usize, String)>) -> BTreeSet<Definition> {
        let (definitions, rest) = self.resolve_unless(module, path, open);
        if rest.is_empty() { definitions } else { BTreeSet::new() }
    }
}
