//! The parts of a Rust file that mutants change.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Context, Result};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Arm, BinOp, Expr, ExprBinary, ExprStruct, ExprUnary, UnOp};

use crate::list::{Genre, Mutant};

/// A part of the source that mutants change.
#[derive(Debug, Clone)]
pub(crate) enum SyntaxNode {
    /// `&&` and `||`.
    Logic {
        whole: Range<usize>,
        left: Range<usize>,
        operator: &'static str,
        right: Range<usize>,
    },
    /// Every other operator.
    Binary {
        whole: Range<usize>,
        left: Range<usize>,
        operator: String,
        right: Range<usize>,
        assigns: bool,
    },
    Unary {
        whole: Range<usize>,
        operator: char,
        operand: Range<usize>,
    },
    /// What is between the pattern and the arrow; the guard's expression if there is one.
    Arm {
        whole: Range<usize>,
        guard: Option<Range<usize>>,
    },
    Field {
        whole: Range<usize>,
        name: String,
        value: Range<usize>,
        base: Range<usize>,
    },
}

impl SyntaxNode {
    pub(crate) fn range(&self) -> Range<usize> {
        match self {
            Self::Logic { whole, .. }
            | Self::Binary { whole, .. }
            | Self::Unary { whole, .. }
            | Self::Arm { whole, .. }
            | Self::Field { whole, .. } => whole.clone(),
        }
    }
}

/// The parts of a source, by where cargo-mutants says that they are.
#[derive(Debug, Default)]
pub(crate) struct SyntaxNodes {
    operators: BTreeMap<usize, SyntaxNode>,
    arms: BTreeMap<usize, SyntaxNode>,
    guards: BTreeMap<usize, SyntaxNode>,
    fields: BTreeMap<usize, SyntaxNode>,
}

impl SyntaxNodes {
    pub(crate) fn of(source: &str) -> Result<Self> {
        let file = syn::parse_file(source).context("no Rust")?;
        let mut nodes = Self::default();
        nodes.visit_file(&file);
        Ok(nodes)
    }

    pub(crate) fn at(&self, mutant: &Mutant, source: &str) -> Option<&SyntaxNode> {
        let by = match mutant.genre {
            Genre::FnValue | Genre::Cell { .. } => return None,
            Genre::BinaryOperator | Genre::UnaryOperator | Genre::Operand => &self.operators,
            Genre::MatchArm => &self.arms,
            Genre::MatchArmGuard => &self.guards,
            Genre::StructField => &self.fields,
        };
        by.get(&offset(source, mutant))
    }
}

/// The offset of a mutant's place.
pub(crate) fn offset(source: &str, mutant: &Mutant) -> usize {
    let line_start: usize = source.split_inclusive('\n').take(mutant.span.start.line - 1).map(str::len).sum();
    let rest = source.get(line_start..).unwrap_or_default();
    line_start + rest.chars().take(mutant.span.start.column - 1).map(char::len_utf8).sum::<usize>()
}

fn range(of: &impl Spanned) -> Range<usize> {
    of.span().byte_range()
}

/// Whether an operand of a chain binds names: then it is no value.
fn binds(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(of) if matches!(of.op, BinOp::And(_)) => binds(&of.left) || binds(&of.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for SyntaxNodes {
    fn visit_expr_binary(&mut self, node: &'ast ExprBinary) {
        let (whole, left, right) = (range(node), range(&*node.left), range(&*node.right));
        let at = range(&node.op).start;
        let logic = match node.op {
            BinOp::And(_) => Some("&&"),
            BinOp::Or(_) => Some("||"),
            _ => None,
        };
        if let Some(operator) = logic {
            if !binds(&node.left) && !binds(&node.right) {
                self.operators.insert(at, SyntaxNode::Logic { whole, left, operator, right });
            }
        } else {
            let operator = quote_of(&node.op);
            let assigns = operator.ends_with('=') && !matches!(operator.as_str(), "==" | "!=" | "<=" | ">=");
            self.operators.insert(at, SyntaxNode::Binary { whole, left, operator, right, assigns });
        }
        syn::visit::visit_expr_binary(self, node);
    }

    fn visit_expr_unary(&mut self, node: &'ast ExprUnary) {
        let operator = match node.op {
            UnOp::Not(_) => Some('!'),
            UnOp::Neg(_) => Some('-'),
            _ => None,
        };
        if let Some(operator) = operator {
            let unary = SyntaxNode::Unary { whole: range(node), operator, operand: range(&*node.expr) };
            self.operators.insert(range(&node.op).start, unary);
        }
        syn::visit::visit_expr_unary(self, node);
    }

    fn visit_arm(&mut self, node: &'ast Arm) {
        let pattern = range(&node.pat);
        let guard = node.guard.as_ref().map(|(_, guard)| range(&**guard));
        let whole = guard.clone().unwrap_or(pattern.end..pattern.end);
        let arm = SyntaxNode::Arm { whole, guard: guard.clone() };
        self.arms.insert(range(node).start, arm.clone());
        self.arms.insert(pattern.start, arm.clone());
        if let Some(guard) = guard {
            self.guards.insert(guard.start, arm);
        }
        syn::visit::visit_arm(self, node);
    }

    fn visit_expr_struct(&mut self, node: &'ast ExprStruct) {
        if let Some(base) = &node.rest {
            for field in &node.fields {
                let whole = range(field);
                let name = quote_of(&field.member);
                let value = range(&field.expr);
                self.fields.insert(whole.start, SyntaxNode::Field { whole, name, value, base: range(&**base) });
            }
        }
        syn::visit::visit_expr_struct(self, node);
    }
}

/// Tokens as text, without spaces.
fn quote_of(tokens: &impl quote::ToTokens) -> String {
    tokens.to_token_stream().to_string().replace(' ', "")
}
