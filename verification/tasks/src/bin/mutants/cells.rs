//! The cells of the tables, each changed once. A table is a constant, which no switch can change: each mutant is a second
//! constant, and the table a function that returns the one that is switched on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::{Expr, Item, ItemConst, Lit, Type};

use crate::list::{Genre, Mutant, MutantSpan, MutatedFunction, SourcePosition};
use crate::syntax::offset;
use crate::weave::{Numbered, Woven};

/// A table, its file, and another file with constants that it is made of.
#[derive(Debug)]
struct Table {
    name: &'static str,
    file: &'static str,
    rows: Option<&'static str>,
}

/// The tables.
const TABLES: &[Table] = &[
    table("RULES", "crates/cluster-api/src/catalog/rules.rs"),
    table("FORCED", "crates/cluster-api/src/catalog/forced.rs"),
    table("FIELDS", "crates/cluster-api/src/catalog/fields.rs"),
    table("MACHINES", "crates/cluster-api/src/catalog/fields.rs"),
    table("APPLIERS", "crates/cluster-api/src/catalog/appliers.rs"),
    Table {
        rows: Some("crates/cluster-api/src/catalog/effects/rows.rs"),
        ..table("EFFECTS", "crates/cluster-api/src/catalog/effects/table.rs")
    },
    table("PROFILES", "crates/tag-rules/src/profiles.rs"),
];

const fn table(name: &'static str, file: &'static str) -> Table {
    Table { name, file, rows: None }
}

/// The files that `woven` returns.
pub(crate) fn files() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|table| table.file)
}

/// A constant of a table's file.
struct Constant {
    item: ItemConst,
    file: &'static str,
}

/// A file's text and constants.
fn constants(root: &Path, file: &'static str) -> Result<(String, Constants)> {
    let source = fs::read_to_string(root.join(file)).context(file)?;
    let items = syn::parse_file(&source).context(file)?.items;
    let constants = items.into_iter().filter_map(|item| match item {
        Item::Const(item) => Some((item.ident.to_string(), Constant { item, file })),
        _ => None,
    });
    Ok((source, constants.collect()))
}

/// The texts of files.
type Texts = BTreeMap<&'static str, String>;

/// Constants by their names.
type Constants = BTreeMap<String, Constant>;

impl Table {
    /// The texts of its files, and the constants that it is made of, itself included.
    fn read(&self, root: &Path) -> Result<(Texts, Constants)> {
        let (mut texts, mut all) = (BTreeMap::new(), BTreeMap::new());
        for file in [Some(self.file), self.rows].into_iter().flatten() {
            let (source, constants) = constants(root, file)?;
            texts.insert(file, source);
            all.extend(constants);
        }
        let used = closure(self.name, &all);
        all.retain(|name, _| used.contains(name));
        Ok((texts, all))
    }
}

/// The constants that one is made of.
fn closure(name: &str, all: &Constants) -> BTreeSet<String> {
    let (mut found, mut left) = (BTreeSet::new(), vec![name.to_owned()]);
    while let Some(name) = left.pop() {
        if let Some(constant) = all.get(&name).filter(|_| found.insert(name)) {
            left.extend(identifiers(&constant.item.expr));
        }
    }
    found
}

fn identifiers(of: &impl quote::ToTokens) -> Vec<String> {
    let mut found = Vec::new();
    each_identifier(of.to_token_stream(), &mut |name, _| found.push(name));
    found
}

/// Calls a function for each identifier that is no part of a `use`, with its range.
fn each_identifier(tokens: TokenStream, found: &mut impl FnMut(String, Range<usize>)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut is_import = false;
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) if name == "use" => {
                is_import = !matches!(tokens.get(index + 1), Some(TokenTree::Punct(next)) if next.as_char() == '<');
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => is_import = false,
            TokenTree::Ident(name) if !is_import => found(name.to_string(), name.span().byte_range()),
            TokenTree::Group(group) if !is_import || group.delimiter() != Delimiter::Brace => {
                each_identifier(group.stream(), found);
            }
            _ => {}
        }
    }
}

/// A cell, and what it is changed to.
#[derive(Debug)]
struct TableCell {
    range: Range<usize>,
    replacement: String,
}

/// The mutants of all tables.
pub(crate) fn listed(root: &Path) -> Result<Vec<Mutant>> {
    let mut mutants = Vec::new();
    for table in TABLES {
        let (texts, constants) = table.read(root)?;
        for constant in constants.values() {
            let source = texts.get(constant.file).context(constant.file)?;
            let package = constant.file.split('/').nth(1).unwrap_or_default();
            for cell in cells(source, &constant.item.expr) {
                let before = source.get(..cell.range.start).unwrap_or_default();
                let start = SourcePosition {
                    line: before.matches('\n').count() + 1,
                    column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
                };
                let text = source.get(cell.range.clone()).unwrap_or_default();
                let by = if cell.replacement.is_empty() { "nothing" } else { &cell.replacement };
                let row = source.lines().nth(start.line - 1).unwrap_or_default().trim();
                mutants.push(Mutant {
                    package: package.to_owned(),
                    file: constant.file.to_owned(),
                    genre: Genre::Cell { end: cell.range.end },
                    name: format!(
                        "{}:{}:{}: replace {text} with {by} in {}, {row}",
                        constant.file, start.line, start.column, constant.item.ident
                    ),
                    replacement: cell.replacement,
                    span: MutantSpan { start },
                    function: Some(MutatedFunction { function_name: table.name.to_owned() }),
                });
            }
        }
    }
    Ok(mutants)
}

/// The cells of a constant.
fn cells(source: &str, of: &Expr) -> Vec<TableCell> {
    let mut walk = CellWalk { source, found: Vec::new(), columns: BTreeMap::new() };
    walk.visit(of, "");
    let CellWalk { found, columns, .. } = walk;
    let change = |(range, column, replacement): (Range<usize>, String, Option<String>)| {
        let replacement = replacement.or_else(|| {
            // The next other value of the column.
            let text = source.get(range.clone())?;
            let of_column = columns.get(&column)?;
            let at = of_column.iter().position(|value| value == text)?;
            of_column.iter().cycle().skip(at + 1).take(of_column.len()).find(|value| *value != text).cloned()
        })?;
        Some(TableCell { range, replacement })
    };
    found.into_iter().filter_map(change).collect()
}

struct CellWalk<'s> {
    source: &'s str,
    /// A cell, its column, and what it is changed to; `None` for another value of its column.
    found: Vec<(Range<usize>, String, Option<String>)>,
    /// The values of each column, each once.
    columns: BTreeMap<String, Vec<String>>,
}

impl CellWalk<'_> {
    fn visit(&mut self, of: &Expr, column: &str) {
        let range = of.span().byte_range();
        match of {
            Expr::Reference(of) => self.visit(&of.expr, column),
            Expr::Array(of) => {
                for element in &of.elems {
                    if of.elems.len() > 1 && matches!(element, Expr::Path(_) | Expr::Lit(_)) {
                        let element = element.span().byte_range();
                        let comma = self.source.get(element.end..).is_some_and(|rest| rest.starts_with(','));
                        self.found.push((
                            element.start..element.end + usize::from(comma),
                            String::new(),
                            Some(String::new()),
                        ));
                    } else {
                        self.visit(element, &format!("{column}[]"));
                    }
                }
            }
            Expr::Tuple(of) => {
                for (index, element) in of.elems.iter().enumerate() {
                    self.visit(element, &format!("{column}.{index}"));
                }
            }
            Expr::Call(of) => {
                let name = self.source.get(of.func.span().byte_range()).unwrap_or_default().to_owned();
                for (index, argument) in of.args.iter().enumerate() {
                    self.visit(argument, &format!("{name}.{index}"));
                }
            }
            Expr::MethodCall(of) => {
                self.visit(&of.receiver, column);
                if of.args.is_empty() {
                    let dropped = of.dot_token.span().byte_range().start..range.end;
                    self.found.push((dropped, String::new(), Some(String::new())));
                }
                for argument in &of.args {
                    self.visit(argument, &of.method.to_string());
                }
            }
            Expr::Struct(of) => of.fields.iter().for_each(|field| self.visit(&field.expr, &format!("{column}.field"))),
            Expr::Lit(of) => {
                let other = match &of.lit {
                    Lit::Str(text) => format!("{:?}", text.value() + "x"),
                    Lit::Int(number) => format!("{} + 1", number.base10_digits()),
                    Lit::Bool(of) => (!of.value).to_string(),
                    _ => return,
                };
                self.found.push((range, String::new(), Some(other)));
            }
            Expr::Path(_) => {
                let text = self.source.get(range.clone()).unwrap_or_default().to_owned();
                let values = self.columns.entry(column.to_owned()).or_default();
                if !values.contains(&text) {
                    values.push(text);
                }
                self.found.push((range, column.to_owned(), None));
            }
            _ => {}
        }
    }
}

/// The files of the tables that have mutants, with a constant for each.
pub(crate) fn woven(root: &Path, mutants: &[Numbered<'_>]) -> Result<Vec<(&'static str, Woven)>> {
    let mut files: BTreeMap<&'static str, Woven> = BTreeMap::new();
    for table in TABLES {
        let of = |mutant: &Mutant| mutant.function.as_ref().is_some_and(|of| of.function_name == table.name);
        let mutants: Vec<&Numbered<'_>> = mutants.iter().filter(|(_, mutant)| of(mutant)).collect();
        let (texts, constants) = table.read(root)?;
        let itself = constants.get(table.name).context(table.name)?;
        let source = texts.get(table.file).context(table.file)?;
        let text = with_functions(table.file, source)?.unwrap_or_else(|| source.clone());
        let woven = files.entry(table.file).or_insert_with(|| Woven { text, parts: Vec::new(), left_out: Vec::new() });
        let kind = type_of(&itself.item.ty);
        let mut chosen = String::new();
        for (number, _) in &mutants {
            chosen += &format!("{number} => cell_{number}::CELLS, ");
        }
        let range = itself.item.const_token.span().byte_range().start..itself.item.span().byte_range().end;
        let numbers = || mutants.iter().map(|(number, _)| *number);
        let (first, last) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        let original = source.get(itself.item.expr.span().byte_range()).unwrap_or_default();
        let constant = source.get(range).context(table.name)?;
        let function = format!(
            "fn {}() -> {kind} {{ const CELLS: {kind} = {original}; match ::mutant_switch::among({first}, {last}) {{ {chosen}_ => CELLS }} }}",
            table.name
        );
        woven.text = woven.text.replacen(constant, &function, 1);
        for (number, mutant) in mutants {
            let begin = woven.text.len();
            woven.text += &module(table, *number, mutant, &texts, &constants)?;
            woven.parts.push((begin..woven.text.len(), vec![*number]));
        }
    }
    Ok(files.into_iter().collect())
}

/// A module with the table in which one cell is changed: with the constant that has the cell, and those made of it.
fn module(table: &Table, number: u32, mutant: &Mutant, texts: &Texts, constants: &Constants) -> Result<String> {
    let Genre::Cell { end } = mutant.genre else { return Ok(String::new()) };
    let source = texts.get(mutant.file.as_str()).context("a file of another table")?;
    let start = offset(source, mutant);
    let mut text =
        format!("\n#[allow(unused_imports, unused, non_snake_case, clippy::all)]\nmod cell_{number} {{ use super::*; ");
    if let Some(rows) = table.rows.and_then(|rows| texts.get(rows)) {
        text += "use super::super::rows::*; ";
        for item in syn::parse_file(rows)?.items {
            if let Item::Use(item) = item {
                let import = rows.get(item.span().byte_range()).unwrap_or_default();
                text += &import.replace("super::", "super::super::");
            }
        }
    }
    for (name, constant) in constants {
        let range = constant.item.expr.span().byte_range();
        let has = |constant: &Constant| {
            let range = constant.item.expr.span().byte_range();
            constant.file == mutant.file && range.start <= start && end <= range.end
        };
        if !closure(name, constants).iter().filter_map(|name| constants.get(name)).any(has) {
            continue;
        }
        let of = texts.get(constant.file).context(constant.file)?;
        let value = match has(constant) {
            true => [
                of.get(range.start..start).unwrap_or_default(),
                &mutant.replacement,
                of.get(end..range.end).unwrap_or_default(),
            ]
            .concat(),
            false => of.get(range).unwrap_or_default().to_owned(),
        };
        let (vis, name) = if name == table.name { ("pub(super) ", "CELLS") } else { ("", name.as_str()) };
        text += &format!("{vis}const {name}: {} = {value}; ", type_of(&constant.item.ty));
    }
    Ok(text + "}\n")
}

fn quote_text(of: &impl quote::ToTokens) -> String {
    of.to_token_stream().to_string()
}

/// A type with its lifetimes.
fn type_of(of: &Type) -> String {
    quote_text(of).replace('&', "&'static ").replace("'static  'static", "'static")
}

/// A file in which the tables are functions; `None` if it uses none.
pub(crate) fn with_functions(file: &str, source: &str) -> Result<Option<String>> {
    let tables: Vec<&str> = TABLES
        .iter()
        .filter(|table| table.file == file || !source.contains(&format!("const {}:", table.name)))
        .map(|table| table.name)
        .collect();
    let mut ends = Vec::new();
    let tokens: TokenStream = source.parse().map_err(|error| anyhow::anyhow!("{file}: {error}"))?;
    each_identifier(tokens, &mut |name, range| {
        let before = source.get(..range.start).unwrap_or_default().trim_end();
        // Its definition, or a constant of another module.
        let is_another = ["const", "fn", "::"].iter().any(|word| before.ends_with(word));
        if tables.contains(&name.as_str()) && !is_another {
            ends.push(range.end);
        }
    });
    if ends.is_empty() {
        return Ok(None);
    }
    let mut text = source.to_owned();
    for end in ends.into_iter().rev() {
        text.insert_str(end, "()");
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_is_changed_once() -> Result<()> {
        let source = r#"&[row(A, "x", &[B, C]).flag(), row(D, 1, &[B])]"#;
        let found = cells(source, &syn::parse_str(source)?);
        let found: Vec<(&str, &str)> =
            found.iter().map(|cell| (source.get(cell.range.clone()).unwrap_or_default(), &*cell.replacement)).collect();
        // The last `B` is the only value of its column.
        let expected =
            [("A", "D"), ("\"x\"", "\"xx\""), ("B,", ""), ("C", ""), (".flag()", ""), ("D", "A"), ("1", "1 + 1")];
        assert_eq!(found, expected);
        Ok(())
    }

    #[test]
    fn a_table_is_a_function_where_it_is_used() -> Result<()> {
        let source = "use a::FORCED; fn f() { FORCED.iter(); b::FORCED; }";
        let expected = "use a::FORCED; fn f() { FORCED().iter(); b::FORCED; }";
        assert_eq!(with_functions("crates/a/src/lib.rs", source)?.as_deref(), Some(expected));
        Ok(())
    }
}
