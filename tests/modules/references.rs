//! The paths and method calls in an item.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::source::{Reference, Segments, Target, is_test};

/// Collects what an item names.
#[derive(Debug, Default)]
pub(crate) struct References {
    pub(crate) found: Vec<Reference>,
    /// What `Self` is, in an `impl` block or a trait.
    pub(crate) type_of_self: Option<Segments>,
}

impl References {
    fn path(&mut self, mut path: Segments, line: usize) {
        if let (Some("Self"), Some(of)) = (path.first().map(String::as_str), &self.type_of_self) {
            path.splice(..1, of.iter().cloned());
        }
        self.found.push(Reference { line, to: Target::Path(path) });
    }

    /// `self.name()` is a function of the type of the `impl` block; any other method is known by its name alone.
    fn method(&mut self, name: &str, is_of_self: bool, line: usize) {
        match &self.type_of_self {
            Some(of) if is_of_self => {
                let path = [of.as_slice(), &[name.to_owned()]].concat();
                self.found.push(Reference { line, to: Target::Path(path) });
            }
            _ => self.found.push(Reference { line, to: Target::Method(name.to_owned()) }),
        }
    }

    /// In the tokens of a macro every `a::b` is a path, and every `.name(` a method call.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |at: usize, letter: char| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == letter);
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(ident) if at > 0 && is(at - 1, '.') && !(at > 1 && is(at - 2, '.')) => {
                    let is_call = matches!(tokens.get(at + 1), Some(TokenTree::Group(group))
                        if group.delimiter() == Delimiter::Parenthesis);
                    let is_of_self = matches!(at.checked_sub(2).and_then(|at| tokens.get(at)), Some(TokenTree::Ident(ident)) if ident == "self")
                        && !(at > 2 && is(at - 3, '.'));
                    if is_call {
                        self.method(&ident.to_string(), is_of_self, ident.span().start().line);
                    }
                }
                TokenTree::Ident(ident) => {
                    let (line, mut path) = (ident.span().start().line, vec![ident.to_string()]);
                    while is(at + 1, ':')
                        && is(at + 2, ':')
                        && let Some(TokenTree::Ident(next)) = tokens.get(at + 3)
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    self.path(path, line);
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            at += 1;
        }
    }
}

impl<'ast> Visit<'ast> for References {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.path(segments(path), path.span().start().line);
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let is_of_self = matches!(&*call.receiver, syn::Expr::Path(path) if path.path.is_ident("self"));
        self.method(&call.method.to_string(), is_of_self, call.method.span().start().line);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }

    /// Attributes do not name items of the crate.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    /// A visibility such as `pub(super)` or `pub(in crate::report)` uses nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }
}

/// The names of a path, without generic arguments.
pub(crate) fn segments(path: &syn::Path) -> Segments {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}
