//! What of later reconciles decides which resources a template composes.

use std::collections::{BTreeMap, BTreeSet};

use gotmpl::parse::{BranchNode, Expr, ListNode, Node, PipeNode, SmolStr};

use crate::functions::of_compositions::OBSERVING;
use crate::template::{TemplateSyntax, each_expression, each_of};

/// A condition or a loop around resources, or around tags, whose value the first reconcile does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependence {
    /// What it reads, such as `.observed.resources`.
    pub reads: String,
    /// Its line in the template.
    pub line: usize,
    /// Whether it is around tags in a resource.
    pub is_of_tags: bool,
}

/// Parts of the request that are empty at the first reconcile.
const LATER: &[&[&str]] = &[&["observed", "resources"], &["observed", "composite", "connectionDetails"]];

/// Parts that other functions or Crossplane fill.
#[rustfmt::skip]
const OF_OTHERS: &[&[&str]] = &[
    &["extraResources"], &["requiredResources"], &["context"], &["desired"], &["credentials"],
];

/// The field of an object that its controller writes.
const STATUS: &str = "status";

pub(super) fn dependences(syntax: &TemplateSyntax) -> Vec<Dependence> {
    let mut search = DependenceSearch { syntax, variables: BTreeMap::new(), tags: BTreeSet::new(), found: Vec::new() };
    syntax.lists().for_each(|list| search.list(list, None));
    search.found
}

/// What a template reads that other functions or Crossplane provide.
pub(super) fn read_of_others(syntax: &TemplateSyntax) -> Option<String> {
    let mut found = None;
    syntax.lists().for_each(|list| {
        each_expression(list, &mut |expression| {
            let reads = match expression {
                Expr::Field(_, path) | Expr::Variable(_, _, path) | Expr::Chain(_, _, path) => part(path, OF_OTHERS),
                Expr::Identifier(_, name) => OF_OTHERS_FUNCTIONS.contains(&&**name).then(|| name.to_string()),
                _ => None,
            };
            found = found.take().or(reads);
        });
    });
    found
}

/// Functions that return these parts.
const OF_OTHERS_FUNCTIONS: &[&str] = &["getCredentialData", "getExtraResources", "getExtraResourcesFromContext"];

struct DependenceSearch<'s> {
    syntax: &'s TemplateSyntax,
    /// Variables that hold what later reconciles decide, each with what it was read from.
    variables: BTreeMap<SmolStr, String>,
    /// Variables that hold tags.
    tags: BTreeSet<SmolStr>,
    found: Vec<Dependence>,
}

impl DependenceSearch<'_> {
    /// `dot` is what the value of `.` was read from, if later reconciles decide it.
    fn list(&mut self, list: &ListNode, dot: Option<&str>) {
        for node in &list.nodes {
            match node {
                Node::Action(action) => {
                    let reads = self.reads(&action.pipe, dot);
                    if let Some(reads) = reads.clone().filter(|_| self.mixes(&action.pipe, dot)) {
                        self.found.push(Dependence { reads, line: action.pos.line, is_of_tags: true });
                    }
                    self.declare(&action.pipe, reads.as_deref());
                }
                Node::If(branch) => self.branch(branch, dot, false),
                Node::Range(branch) | Node::With(branch) => self.branch(branch, dot, true),
                Node::List(inner) => self.list(inner, dot),
                Node::Define(_) | Node::Template(_) | Node::Text(_) | Node::Break(_) | Node::Continue(_) => {}
            }
        }
    }

    fn branch(&mut self, branch: &BranchNode, dot: Option<&str>, has_own_dot: bool) {
        let reads = self.reads(&branch.pipe, dot);
        self.declare(&branch.pipe, reads.as_deref());
        let lists = || [&branch.body].into_iter().chain(&branch.else_body);
        if let Some(reads) = &reads {
            let composes = lists().any(|list| self.composes(list, &mut BTreeSet::new()));
            if composes || lists().any(has_tags) {
                let line = branch.pos.line;
                self.found.push(Dependence { reads: reads.clone(), line, is_of_tags: !composes });
            }
        }
        self.list(&branch.body, if has_own_dot { reads.as_deref() } else { dot });
        branch.else_body.iter().for_each(|other| self.list(other, dot));
    }

    /// Whether a pipeline reads tags, and what it reads besides may replace them.
    fn mixes(&self, pipe: &PipeNode, dot: Option<&str>) -> bool {
        if !self.has_tags(all_of(pipe)) {
            return false;
        }
        // Of the arguments of `merge`, an earlier one has precedence; of `mergeOverwrite`, a later one.
        let [command, rest @ ..] = &*pipe.commands else { return true };
        let (name, arguments) = match &*command.args {
            _ if self.reads_in(rest.iter().flat_map(|command| &command.args), dot).is_some() => return true,
            [Expr::Pipe(_, inner)] => return self.mixes(inner, dot),
            [Expr::Identifier(_, name), arguments @ ..] => (name, arguments),
            _ => return true,
        };
        let first = |is: &dyn Fn(&Expr) -> bool, backward: bool| match backward {
            false => arguments.iter().position(is),
            true => arguments.iter().rev().position(is),
        };
        let tags = |argument: &Expr| self.has_tags([argument]);
        let others = |argument: &Expr| self.reads_in([argument], dot).is_some();
        match &**name {
            "merge" => first(&tags, false) >= first(&others, false),
            "mergeOverwrite" => first(&tags, true) >= first(&others, true),
            _ => true,
        }
    }

    /// Whether expressions read tags.
    fn has_tags<'e>(&self, expressions: impl IntoIterator<Item = &'e Expr>) -> bool {
        let mut has = false;
        each_of(expressions, &mut |expression| {
            has |= match expression {
                Expr::Variable(_, name, path) => self.tags.contains(name) || has_tags_in(path),
                Expr::Field(_, path) | Expr::Chain(_, _, path) => has_tags_in(path),
                _ => false,
            };
        });
        has
    }

    fn declare(&mut self, pipe: &PipeNode, reads: Option<&str>) {
        if self.has_tags(all_of(pipe)) {
            self.tags.extend(pipe.decl.iter().cloned());
        }
        for variable in &pipe.decl {
            match reads {
                Some(reads) => _ = self.variables.insert(variable.clone(), reads.to_owned()),
                None if !pipe.is_assign => _ = self.variables.remove(variable),
                None => {}
            }
        }
    }

    /// What a pipeline reads that later reconciles decide.
    fn reads(&self, pipe: &PipeNode, dot: Option<&str>) -> Option<String> {
        self.reads_in(all_of(pipe), dot)
    }

    fn reads_in<'e>(&self, expressions: impl IntoIterator<Item = &'e Expr>, dot: Option<&str>) -> Option<String> {
        let mut found = None;
        each_of(expressions, &mut |expression| {
            let reads = match expression {
                Expr::Dot(_) => dot.map(str::to_owned),
                Expr::Field(_, path) => dot.map(str::to_owned).or_else(|| later(path)),
                Expr::Variable(_, name, path) => self.variables.get(name).cloned().or_else(|| later(path)),
                Expr::Chain(_, _, path) => later(path),
                Expr::Identifier(_, name) if OBSERVING.contains(&&**name) => Some(name.to_string()),
                _ => None,
            };
            found = found.take().or(reads);
        });
        found
    }

    /// Whether a list has a part of an object that makes it a resource.
    fn composes(&self, list: &ListNode, seen: &mut BTreeSet<String>) -> bool {
        let mut included = BTreeSet::new();
        let mut composes = false;
        each_expression(list, &mut |expression| match expression {
            Expr::Identifier(_, name) => composes |= name == "setResourceNameAnnotation",
            // The name of a template that is included.
            Expr::String(_, text) => _ = included.insert(text.to_string()),
            _ => {}
        });
        composes |= has_text(list, &mut included);
        let is_included = |name: &SmolStr| included.contains(&**name);
        composes
            || self.syntax.defines.iter().any(|define| {
                is_included(&define.name) && seen.insert(define.name.to_string()) && self.composes(&define.body, seen)
            })
    }
}

/// Whether the text of a list begins an object; collects the names of the templates in it.
fn has_text(list: &ListNode, templates: &mut BTreeSet<String>) -> bool {
    list.nodes.iter().any(|node| match node {
        Node::Text(text) => {
            let is_key = |line: &str| line.starts_with("---") || line.trim_start().starts_with("kind:");
            text.text.lines().any(is_key) || text.text.contains("composition-resource-name")
        }
        Node::If(branch) | Node::Range(branch) | Node::With(branch) => {
            has_text(&branch.body, templates)
                || branch.else_body.as_ref().is_some_and(|other| has_text(other, templates))
        }
        Node::List(inner) => has_text(inner, templates),
        Node::Template(template) => {
            templates.insert(template.name.to_string());
            false
        }
        Node::Define(_) | Node::Action(_) | Node::Break(_) | Node::Continue(_) => false,
    })
}

/// Whether a list reads the tags.
fn has_tags(list: &ListNode) -> bool {
    let mut has = false;
    each_expression(list, &mut |expression| {
        if let Expr::Field(_, path) | Expr::Variable(_, _, path) | Expr::Chain(_, _, path) = expression {
            has |= has_tags_in(path);
        }
    });
    has
}

/// The expressions of a pipeline.
fn all_of(pipe: &PipeNode) -> impl Iterator<Item = &Expr> {
    pipe.commands.iter().flat_map(|command| &command.args)
}

fn has_tags_in(path: &[SmolStr]) -> bool {
    path.iter().any(|name| name == "cloudTags")
}

/// What a path leads to, if later reconciles decide it.
fn later(path: &[SmolStr]) -> Option<String> {
    let known = part(path, LATER).or_else(|| part(path, OF_OTHERS));
    known.or_else(|| path.iter().any(|name| name == STATUS).then(|| STATUS.to_owned()))
}

/// The part of the request that a path begins with.
fn part(path: &[SmolStr], parts: &[&[&str]]) -> Option<String> {
    let begins = |part: &&&[&str]| path.len() >= part.len() && path.iter().zip(**part).all(|(a, b)| a == b);
    parts.iter().find(begins).map(|known| format!(".{}", known.join(".")))
}
