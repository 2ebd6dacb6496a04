//! All mutants of a file in one text, each behind a switch: one build serves all of them.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Context, Result};

use crate::list::{Genre, Mutant};
use crate::syntax::{SyntaxNode, SyntaxNodes, offset};

/// A mutant, and the number of its switch.
pub(crate) type Numbered<'m> = (u32, &'m Mutant);

/// A file with its mutants behind switches.
#[derive(Debug)]
pub(crate) struct Woven {
    pub(crate) text: String,
    /// The mutants of each part of the text, so that errors of the compiler find them.
    pub(crate) parts: Vec<(Range<usize>, Vec<u32>)>,
    /// The mutants that cannot be put behind a switch.
    pub(crate) left_out: Vec<u32>,
}

/// The mutants of the operands of `&&` and `||` in a file that has others too.
pub(crate) fn operands(source: &str, of: &[Mutant]) -> Result<Vec<Mutant>> {
    let nodes = SyntaxNodes::of(source)?;
    let mut found = Vec::new();
    for mutant in of.iter().filter(|mutant| mutant.genre == Genre::BinaryOperator) {
        let Some(SyntaxNode::Logic { operator, .. }) = nodes.at(mutant, source) else { continue };
        for side in ["left", "right"] {
            let mut operand = mutant.clone();
            operand.genre = Genre::Operand;
            side.clone_into(&mut operand.replacement);
            let place = mutant.name.splitn(4, ':').take(3).collect::<Vec<_>>().join(":");
            let function = mutant.function.as_ref().map(|function| format!(" in {}", function.function_name));
            operand.name =
                format!("{place}: replace {operator} with its {side} operand{}", function.unwrap_or_default());
            found.push(operand);
        }
    }
    Ok(found)
}

/// Puts mutants of a file behind switches.
pub(crate) fn woven(source: &str, mutants: &[Numbered<'_>]) -> Result<Woven> {
    let nodes = SyntaxNodes::of(source)?;
    let mut edits: BTreeMap<(usize, usize, bool), WeaveEdit> = BTreeMap::new();
    let mut left_out = Vec::new();
    for (number, mutant) in mutants {
        let at = offset(source, mutant);
        if mutant.genre == Genre::FnValue {
            let returned = format!("if {} {{ return {}; }} ", switch(*number), mutant.replacement);
            let key = (at, *number as usize, false);
            edits.insert(key, WeaveEdit { range: at..at, mutants: vec![*number], kind: Kind::Inserted(returned) });
            continue;
        }
        match nodes.at(mutant, source) {
            Some(node) => {
                let range = node.range();
                // Insertions come first, and an arm before the operator that is its whole guard.
                let key = (range.start, usize::MAX - range.len(), !matches!(node, SyntaxNode::Arm { .. }));
                let edit = edits.entry(key).or_insert_with(|| WeaveEdit {
                    range,
                    mutants: Vec::new(),
                    kind: Kind::Changed(node.clone(), Vec::new()),
                });
                edit.mutants.push(*number);
                if let Kind::Changed(_, by) = &mut edit.kind {
                    by.push((*number, mutant.genre, mutant.replacement.clone()));
                }
            }
            None => left_out.push(*number),
        }
    }
    let mut writer =
        WeaveWriter { source, edits: edits.into_values().map(Some).collect(), text: String::new(), parts: Vec::new() };
    writer.copy(0..source.len())?;
    Ok(Woven { text: writer.text, parts: writer.parts, left_out })
}

fn switch(number: u32) -> String {
    format!("::mutant_switch::is({number})")
}

/// A change at one place of the source.
#[derive(Debug)]
struct WeaveEdit {
    range: Range<usize>,
    mutants: Vec<u32>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Inserted(String),
    Changed(SyntaxNode, Vec<(u32, Genre, String)>),
}

/// Writes the text with its changes.
struct WeaveWriter<'s> {
    source: &'s str,
    /// In the order of their beginnings, the longest first.
    edits: Vec<Option<WeaveEdit>>,
    text: String,
    parts: Vec<(Range<usize>, Vec<u32>)>,
}

impl WeaveWriter<'_> {
    /// Copies a part of the source, with the changes that are in it.
    fn copy(&mut self, range: Range<usize>) -> Result<()> {
        let mut at = range.start;
        for index in 0..self.edits.len() {
            let fits = |edit: &WeaveEdit| edit.range.start >= at && edit.range.end <= range.end;
            if !self.edits.get(index).and_then(Option::as_ref).is_some_and(fits) {
                continue;
            }
            let Some(edit) = self.edits.get_mut(index).and_then(Option::take) else { continue };
            self.push(at..edit.range.start)?;
            let begin = self.text.len();
            at = edit.range.end;
            self.change(&edit)?;
            self.parts.push((begin..self.text.len(), edit.mutants));
        }
        self.push(at..range.end)
    }

    fn push(&mut self, range: Range<usize>) -> Result<()> {
        self.text.push_str(self.source.get(range).context("a span out of its file")?);
        Ok(())
    }

    fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn change(&mut self, edit: &WeaveEdit) -> Result<()> {
        let (node, by) = match &edit.kind {
            Kind::Inserted(text) => {
                self.say(text);
                return Ok(());
            }
            Kind::Changed(node, by) => (node, by),
        };
        let number = |genre: Genre, replacement: &str| {
            let is = |(_, of, with): &&(u32, Genre, String)| *of == genre && with == replacement;
            by.iter().find(is).map_or(0, |(number, ..)| *number)
        };
        match node {
            SyntaxNode::Logic { left, operator, right, .. } => {
                let (name, swapped) = if *operator == "&&" { ("and", "||") } else { ("or", "&&") };
                let swapped = number(Genre::BinaryOperator, swapped);
                let (only_left, only_right) = (number(Genre::Operand, "left"), number(Genre::Operand, "right"));
                self.say("({ let left: bool = ");
                self.copy(left.clone())?;
                self.say(&format!("; if ::mutant_switch::{name}(left, {swapped}, {only_left}, {only_right}) {{ "));
                self.copy(right.clone())?;
                self.say(" } else { left } })");
            }
            SyntaxNode::Binary { left, operator, right, .. } if matches!(operator.as_str(), "==" | "!=") => {
                self.say("((");
                self.copy(left.clone())?;
                self.say(&format!(" {operator} "));
                self.copy(right.clone())?;
                self.say(")");
                by.iter().for_each(|(number, ..)| self.say(&format!(" ^ {}", switch(*number))));
                self.say(")");
            }
            SyntaxNode::Binary { left, operator, right, assigns: true, .. } => {
                let target = self.source.get(left.clone()).context("a span out of its file")?.to_owned();
                self.say("match ");
                self.copy(right.clone())?;
                self.say(" { right => ");
                for (number, _, other) in by {
                    self.say(&format!("if {} {{ {target} {other} right; }} else ", switch(*number)));
                }
                self.say(&format!("{{ {target} {operator} right; }} }}"));
            }
            SyntaxNode::Binary { left, operator, right, .. } => {
                let compares = matches!(operator.as_str(), "<" | ">" | "<=" | ">=");
                let borrow = if compares { "&" } else { "" };
                self.say(&format!("(match ({borrow}("));
                self.copy(left.clone())?;
                self.say(&format!("), {borrow}("));
                self.copy(right.clone())?;
                self.say(")) { (left, right) => ");
                for (number, _, other) in by {
                    self.say(&format!("if {} {{ left {other} right }} else ", switch(*number)));
                }
                self.say(&format!("{{ left {operator} right }} }})"));
            }
            SyntaxNode::Unary { operator, operand, .. } => {
                self.say("(match ");
                self.copy(operand.clone())?;
                self.say(" { operand => ");
                by.iter().for_each(|(number, ..)| self.say(&format!("if {} {{ operand }} else ", switch(*number))));
                self.say(&format!("{{ {operator}operand }} }})"));
            }
            SyntaxNode::Arm { guard, .. } => {
                let off = match number(Genre::MatchArm, "") {
                    0 => "true".to_owned(),
                    number => format!("!{}", switch(number)),
                };
                let Some(guard) = guard else {
                    self.say(&format!(" if {off}"));
                    return Ok(());
                };
                let (always, never) = (number(Genre::MatchArmGuard, "true"), number(Genre::MatchArmGuard, "false"));
                self.say(&format!("({off}) && ({} || (!{} && (", switch(always), switch(never)));
                self.copy(guard.clone())?;
                self.say(")))");
            }
            SyntaxNode::Field { name, value, base, .. } => {
                let base = self.source.get(base.clone()).context("a span out of its file")?.to_owned();
                let [first, ..] = by.as_slice() else { return Ok(()) };
                self.say(&format!("{name}: if {} {{ ({base}).{name} }} else {{ ", switch(first.0)));
                self.copy(value.clone())?;
                self.say(" }");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{MutantSpan, SourcePosition};

    fn mutant(genre: Genre, line: usize, column: usize, replacement: &str) -> Mutant {
        Mutant {
            package: "p".to_owned(),
            file: "f.rs".to_owned(),
            genre,
            replacement: replacement.to_owned(),
            span: MutantSpan { start: SourcePosition { line, column } },
            function: None,
            name: format!("f.rs:{line}:{column}: {genre:?} {replacement}"),
        }
    }

    fn text(source: &str, mutants: &[Mutant]) -> String {
        let numbered: Vec<Numbered<'_>> = (1..).zip(mutants).collect();
        woven(source, &numbered).expect("it is Rust").text
    }

    #[test]
    fn a_function_returns_before_its_first_statement() {
        let source = "fn f() -> bool { a() }";
        let mutants = [mutant(Genre::FnValue, 1, 18, "true"), mutant(Genre::FnValue, 1, 18, "false")];
        assert_eq!(
            text(source, &mutants),
            "fn f() -> bool { if ::mutant_switch::is(1) { return true; } if ::mutant_switch::is(2) { return false; } a() }"
        );
    }

    #[test]
    fn operators_in_operators_have_switches_of_their_own() {
        let source = "fn f() -> bool { !a && b == c }";
        let mutants = [
            mutant(Genre::BinaryOperator, 1, 21, "||"),
            mutant(Genre::UnaryOperator, 1, 18, ""),
            mutant(Genre::BinaryOperator, 1, 26, "!="),
            mutant(Genre::Operand, 1, 21, "left"),
        ];
        assert_eq!(
            text(source, &mutants),
            "fn f() -> bool { ({ let left: bool = (match a { operand => if ::mutant_switch::is(2) { operand } else { !operand } }); \
             if ::mutant_switch::and(left, 1, 4, 0) { ((b == c) ^ ::mutant_switch::is(3)) } else { left } }) }"
        );
    }

    #[test]
    fn a_chain_that_binds_names_is_left_out() {
        let source = "fn f() { if let Some(a) = b && c { d() } }";
        let mutants = [mutant(Genre::BinaryOperator, 1, 29, "||")];
        let numbered: Vec<Numbered<'_>> = (1..).zip(&mutants).collect();
        let woven = woven(source, &numbered).expect("it is Rust");
        assert_eq!((woven.text.as_str(), woven.left_out), (source, vec![1]));
    }

    #[test]
    fn an_arm_and_its_guard_are_switched_in_one_place() {
        let source = "fn f() { match a { B(c) if c => 1, _ => 2 } }";
        let mutants = [mutant(Genre::MatchArm, 1, 20, ""), mutant(Genre::MatchArmGuard, 1, 28, "true")];
        assert_eq!(
            text(source, &mutants),
            "fn f() { match a { B(c) if (!::mutant_switch::is(1)) && (::mutant_switch::is(2) || (!::mutant_switch::is(0) && (c))) \
             => 1, _ => 2 } }"
        );
    }

    #[test]
    fn an_operator_that_is_a_whole_guard_has_a_switch_of_its_own() {
        let source = "fn f() { match a { B if c == d => 1, _ => 2 } }";
        let mutants = [mutant(Genre::MatchArmGuard, 1, 25, "true"), mutant(Genre::BinaryOperator, 1, 27, "!=")];
        assert_eq!(
            text(source, &mutants),
            "fn f() { match a { B if (true) && (::mutant_switch::is(1) || (!::mutant_switch::is(0) && \
             (((c == d) ^ ::mutant_switch::is(2))))) => 1, _ => 2 } }"
        );
    }

    #[test]
    fn a_field_takes_the_value_of_the_base() {
        let source = "fn f() -> A { A { b: 1, ..A::default() } }";
        let mutants = [mutant(Genre::StructField, 1, 19, "")];
        assert_eq!(
            text(source, &mutants),
            "fn f() -> A { A { b: if ::mutant_switch::is(1) { (A::default()).b } else { 1 }, ..A::default() } }"
        );
    }
}
