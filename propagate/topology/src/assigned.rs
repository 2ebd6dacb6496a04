//! Functions that change a map in place: values do not change here, so their results are assigned.
//!
//! `{{ $_ := set $tags "a" "b" }}` becomes `{{ $tags = set $tags "a" "b" }}{{ $_ := $tags }}`, and with a map in a variable
//! such as `$all.tags` that one is replaced in its variable. A map that a variable has from another one, such as `$tags`
//! after `{{ $tags := $all.tags }}` or in `{{ range $tags := $all.list }}`, is replaced there too.

use std::collections::BTreeMap;
use std::sync::Arc;

use gotmpl::parse::{ActionNode, CommandNode, Expr, ListNode, Node, PipeNode, Pos, SmolStr};
use gotmpl::{TemplateError, Value, ValueFunc};

use crate::functions::with;
use crate::no_output::NoOutput;

/// Functions that return the map that they change.
const CHANGING: &[&str] = &["merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite", "set", "unset"];

/// The name of the function that replaces a value in a map.
const PUT: &str = "goPut";

/// The name of the function that refuses a whole number of an object where Go expects an int.
const INT: &str = "goInt";

/// Functions with an argument of type int, and its position. Whole numbers of objects are int64.
#[rustfmt::skip]
const OF_INTEGERS: &[(&str, usize)] = &[
    ("indent", 0), ("nindent", 0), ("repeat", 0), ("substr", 0), ("substr", 1), ("trunc", 0), ("until", 0),
    ("untilStep", 0), ("untilStep", 1), ("untilStep", 2),
];

/// The function of a name that only rewritten templates call.
pub(crate) fn find(name: &str) -> Option<ValueFunc> {
    match name {
        PUT => Some(Arc::new(|args: &[Value]| match args {
            [map, path @ .., value] => Ok(put(map, path, value)),
            _ => Ok(Value::Nil),
        })),
        INT => Some(Arc::new(|args: &[Value]| match args {
            [Value::Int(_)] => Err(TemplateError::Exec("wrong type for value; expected int; got int64".to_owned())),
            _ => Ok(args.first().cloned().unwrap_or(Value::Nil)),
        })),
        _ => None,
    }
}

fn put(map: &Value, path: &[Value], value: &Value) -> Value {
    match (path.split_first(), map) {
        (None, _) => value.clone(),
        (Some((Value::String(name), rest)), _) => {
            let inner = map.field(name).cloned().unwrap_or(Value::Nil);
            with(map, [(Arc::clone(name), put(&inner, rest, value))])
        }
        (Some((Value::Int(index), rest)), Value::List(elements)) => {
            let elements = elements.iter().zip(0..);
            let one = |(inner, number)| if number == *index { put(inner, rest, value) } else { inner.clone() };
            Value::List(elements.map(one).collect())
        }
        _ => map.clone(),
    }
}

/// Where a variable has its value from: the same map in another variable.
#[derive(Clone)]
struct SharedMap {
    of: SmolStr,
    path: Vec<Expr>,
}

type SharedMaps = BTreeMap<SmolStr, SharedMap>;

/// The map in a variable that is all of a pipeline.
fn shared(pipe: &PipeNode) -> Option<SharedMap> {
    let [CommandNode { args, .. }] = &*pipe.commands else { return None };
    let [Expr::Variable(pos, of, path)] = &**args else { return None };
    let path = path.iter().map(|name| Expr::String(*pos, Arc::from(&**name))).collect();
    (of != "$").then(|| SharedMap { of: of.clone(), path })
}

/// Notes what a declaration or an assignment does to variables.
fn declare(variables: &mut SharedMaps, declared: &[SmolStr], is_assign: bool, from: Option<SharedMap>) {
    let is_declared = |name: &SmolStr| declared.contains(name);
    variables.retain(|name, shared| !is_declared(name) && (is_assign || !is_declared(&shared.of)));
    if let (Some(variable), Some(from)) = (declared.last(), from.filter(|from| !is_declared(&from.of))) {
        variables.insert(variable.clone(), from);
    }
}

/// What a range declares, which then has a key.
fn declare_elements(variables: &mut SharedMaps, pipe: &mut PipeNode) {
    let mut from = shared(pipe);
    if let Some(from) = &mut from {
        if let [variable] = &*pipe.decl {
            let key = SmolStr::from(format!("{variable}GoKey"));
            pipe.decl.insert(0, key);
        }
        from.path.extend(pipe.decl.first().map(|key| Expr::Variable(pipe.pos, key.clone(), Vec::new())));
    }
    declare(variables, &pipe.decl, pipe.is_assign, from);
}

/// Rewrites the lists of a template: its own and those that it defines.
///
/// # Errors
/// When it changes a map that is not in a variable.
pub(crate) fn assign<'l>(mut lists: impl Iterator<Item = &'l mut ListNode>) -> Result<(), NoOutput> {
    lists.try_for_each(|list| in_list(list, SharedMaps::new()).map(|_| ()))
}

/// The variables at its end.
fn in_list(list: &mut ListNode, mut variables: SharedMaps) -> Result<SharedMaps, NoOutput> {
    let mut nodes = Vec::with_capacity(list.nodes.len());
    for mut node in std::mem::take(&mut list.nodes) {
        let is_range = matches!(node, Node::Range(_));
        match &mut node {
            Node::Action(action) => {
                let changed = action.pipe.commands.first().and_then(changed_variable);
                in_pipe(&mut action.pipe, changed.is_some())?;
                let changed_variable = changed.as_ref().map(|(_, variable, _)| variable.clone());
                if let Some(pipe) = changed.and_then(|changed| assignment(&mut action.pipe, changed)) {
                    nodes.push(Node::Action(ActionNode { pos: action.pos, pipe }));
                }
                let mut of = changed_variable.as_ref();
                while let Some((variable, shared)) = of.and_then(|of| variables.get_key_value(of)) {
                    nodes.push(Node::Action(ActionNode {
                        pos: action.pos,
                        pipe: replaced(action.pos, variable, shared),
                    }));
                    of = Some(&shared.of);
                }
                let is_same =
                    action.pipe.is_assign && changed_variable.is_some_and(|it| action.pipe.decl.contains(&it));
                if !is_same {
                    declare(&mut variables, &action.pipe.decl, action.pipe.is_assign, shared(&action.pipe));
                }
            }
            Node::If(branch) | Node::Range(branch) | Node::With(branch) => {
                in_pipe(&mut branch.pipe, false)?;
                let mut inner = variables.clone();
                match is_range {
                    true => declare_elements(&mut inner, &mut branch.pipe),
                    false => declare(&mut inner, &branch.pipe.decl, branch.pipe.is_assign, shared(&branch.pipe)),
                }
                for list in [&mut branch.body].into_iter().chain(&mut branch.else_body) {
                    // What a branch assigns may have another map.
                    let at_end = in_list(list, inner.clone())?;
                    variables.retain(|name, _| at_end.contains_key(name));
                }
            }
            Node::List(inner) => variables = in_list(inner, variables)?,
            Node::Define(define) => _ = in_list(&mut define.body, SharedMaps::new())?,
            Node::Template(template) => template.pipe.iter_mut().try_for_each(|pipe| in_pipe(pipe, false))?,
            Node::Text(_) | Node::Break(_) | Node::Continue(_) => {}
        }
        nodes.push(node);
    }
    list.nodes = nodes;
    Ok(variables)
}

/// Refuses changes in place, of which that of the first command may be assigned, and marks whole numbers of objects.
fn in_pipe(pipe: &mut PipeNode, is_assigned: bool) -> Result<(), NoOutput> {
    for (number, command) in pipe.commands.iter_mut().enumerate() {
        if let [Expr::Identifier(_, name), args @ ..] = &mut *command.args {
            if matches!(&**name, "set" | "unset") && !(number == 0 && is_assigned) && !args.first().is_some_and(is_new)
            {
                return Err(NoOutput::InPlace(name.to_string()));
            }
            for (_, position) in OF_INTEGERS.iter().filter(|(known, _)| **known == **name) {
                if let Some(arg) = args.get_mut(*position).filter(|arg| is_of_object(arg)) {
                    *arg = marked(arg);
                }
            }
        }
        for arg in &mut command.args {
            match arg {
                Expr::Pipe(_, inner) => in_pipe(inner, false)?,
                Expr::Chain(_, of, _) => {
                    if let Expr::Pipe(_, inner) = &mut **of {
                        in_pipe(inner, false)?;
                    }
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Whether a value is read from an object.
fn is_of_object(expression: &Expr) -> bool {
    match expression {
        Expr::Field(..) => true,
        Expr::Variable(_, _, path) => !path.is_empty(),
        _ => false,
    }
}

fn marked(arg: &Expr) -> Expr {
    let pos = arg.pos();
    let command = CommandNode { pos, args: vec![Expr::Identifier(pos, INT.into()), arg.clone()] };
    Expr::Pipe(pos, PipeNode { pos, decl: Vec::new(), commands: vec![command], is_assign: false })
}

/// Whether a map is made by the expression itself.
fn is_new(expression: &Expr) -> bool {
    const MAKING: &[&str] = &["deepCopy", "dict", "fromJson", "fromYaml", "omit", "pick", "set", "unset"];
    let Expr::Pipe(_, pipe) = expression else { return false };
    match pipe.commands.last().and_then(|command| command.args.split_first()) {
        Some((Expr::Identifier(_, name), args)) => {
            MAKING.contains(&&**name) || CHANGING.contains(&&**name) && args.first().is_some_and(is_new)
        }
        _ => false,
    }
}

/// The variable, and the path in it, that a command changes.
fn changed_variable(command: &CommandNode) -> Option<(Pos, SmolStr, Vec<SmolStr>)> {
    match &*command.args {
        [Expr::Identifier(pos, name), Expr::Variable(_, variable, path), ..]
            if CHANGING.contains(&&**name) && variable != "$" =>
        {
            Some((*pos, variable.clone(), path.clone()))
        }
        _ => None,
    }
}

/// The assignment of what the first command changes; the pipeline then begins with the variable.
fn assignment(pipe: &mut PipeNode, (pos, variable, path): (Pos, SmolStr, Vec<SmolStr>)) -> Option<PipeNode> {
    let command = pipe.commands.first_mut()?;
    let changed = Expr::Variable(pos, variable.clone(), path.clone());
    let change = CommandNode { pos, args: std::mem::replace(&mut command.args, vec![changed]) };
    let made = PipeNode { pos, decl: Vec::new(), commands: vec![change], is_assign: false };
    if path.is_empty() {
        return Some(PipeNode { decl: vec![variable], is_assign: true, ..made });
    }
    let path = path.iter().map(|name| Expr::String(pos, Arc::from(&**name)));
    Some(with_put(pos, variable, path, Expr::Pipe(pos, made)))
}

/// The assignment of a variable in which the map of another one is replaced.
fn replaced(pos: Pos, variable: &SmolStr, SharedMap { of, path }: &SharedMap) -> PipeNode {
    with_put(pos, of.clone(), path.iter().cloned(), Expr::Variable(pos, variable.clone(), Vec::new()))
}

fn with_put(pos: Pos, variable: SmolStr, path: impl Iterator<Item = Expr>, value: Expr) -> PipeNode {
    let whole = [Expr::Identifier(pos, PUT.into()), Expr::Variable(pos, variable.clone(), Vec::new())];
    let args = whole.into_iter().chain(path).chain([value]).collect();
    PipeNode { pos, decl: vec![variable], commands: vec![CommandNode { pos, args }], is_assign: true }
}
