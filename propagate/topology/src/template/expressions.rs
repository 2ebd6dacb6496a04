//! The expressions of a template.

use gotmpl::parse::{Expr, ListNode, Node, PipeNode};

/// Calls a function with every expression of a list.
pub(crate) fn each_expression(list: &ListNode, call: &mut impl FnMut(&Expr)) {
    for node in &list.nodes {
        match node {
            Node::Action(action) => each_of_pipe(&action.pipe, call),
            Node::If(branch) | Node::Range(branch) | Node::With(branch) => {
                each_of_pipe(&branch.pipe, call);
                each_expression(&branch.body, call);
                branch.else_body.iter().for_each(|other| each_expression(other, call));
            }
            Node::List(list) => each_expression(list, call),
            Node::Define(define) => each_expression(&define.body, call),
            Node::Template(template) => template.pipe.iter().for_each(|pipe| each_of_pipe(pipe, call)),
            Node::Text(_) | Node::Break(_) | Node::Continue(_) => {}
        }
    }
}

/// The same for a pipeline.
fn each_of_pipe(pipe: &PipeNode, call: &mut impl FnMut(&Expr)) {
    each_of(pipe.commands.iter().flat_map(|command| &command.args), call);
}

/// The same for expressions.
pub(crate) fn each_of<'e>(expressions: impl IntoIterator<Item = &'e Expr>, call: &mut impl FnMut(&Expr)) {
    let mut next: Vec<&Expr> = expressions.into_iter().collect();
    while let Some(expression) = next.pop() {
        call(expression);
        match expression {
            Expr::Pipe(_, pipe) => next.extend(pipe.commands.iter().flat_map(|command| &command.args)),
            Expr::Chain(_, of, _) => next.push(of),
            _ => {}
        }
    }
}

/// Whether a list uses `$`, or `.` where it has all variables: outside of `range` and `with`. What another template gets
/// is read there.
pub(super) fn has_whole(list: &ListNode, is_root: bool) -> bool {
    list.nodes.iter().any(|node| match node {
        Node::Action(action) => is_whole(&action.pipe, is_root),
        Node::If(branch) | Node::Range(branch) | Node::With(branch) => {
            let is_same = is_root && matches!(node, Node::If(_));
            is_whole(&branch.pipe, is_root)
                || has_whole(&branch.body, is_same)
                || branch.else_body.as_ref().is_some_and(|other| has_whole(other, is_root))
        }
        Node::List(list) => has_whole(list, is_root),
        Node::Define(define) => has_whole(&define.body, true),
        Node::Template(_) | Node::Text(_) | Node::Break(_) | Node::Continue(_) => false,
    })
}

fn is_whole(pipe: &PipeNode, is_root: bool) -> bool {
    pipe.commands.iter().flat_map(|command| &command.args).any(|expression| match expression {
        Expr::Dot(_) => is_root,
        Expr::Variable(_, name, path) => name == "$" && path.is_empty(),
        Expr::Pipe(_, pipe) => is_whole(pipe, is_root),
        Expr::Chain(_, of, _) => match &**of {
            Expr::Pipe(_, pipe) => is_whole(pipe, is_root),
            of => matches!(of, Expr::Dot(_)) && is_root,
        },
        _ => false,
    })
}
