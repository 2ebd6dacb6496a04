//! Templates of patches: Go's, with sprig's hermetic functions, over variables whose numbers are float64.
//!
//! Source: `renderValueTemplate` in `patches/inline/json_patch_generator.go` of Cluster API.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use gotmpl::parse::{CommandNode, Expr, ListNode, Node, Parser, PipeNode};
use gotmpl::{FuncMap, Template, TemplateError, Value};
use serde_json::Value as Json;

use crate::functions;
use crate::go;

/// The largest output of a template in bytes: etcd refuses larger objects.
const MAX_OUTPUT: usize = 1 << 20;

/// The largest number of iterations of one template.
const MAX_ITERATIONS: u64 = 100_000;

/// The name of the template, as Cluster API has it.
const NAME: &str = "tpl";

/// The name of the function that prints.
const PRINT: &str = "goPrint";

/// Why a template has no output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoOutput {
    /// As in Go.
    Error(String),
    /// A function of sprig that is not evaluated here.
    Function(String),
    TooLong,
}

/// The output of a template.
pub(crate) fn render(source: &str, data: &Json) -> Result<String, NoOutput> {
    render_value(source, &go::value(data))
}

/// The output of a template with data that is converted already.
pub(crate) fn render_value(source: &str, data: &Value) -> Result<String, NoOutput> {
    let parsed = parsed(source);
    let template = parsed.template.as_ref().map_err(Clone::clone)?;
    let mut output = Bounded(String::new());
    match template.execute_template_fmt(&mut output, NAME, data) {
        Ok(()) => Ok(output.0),
        Err(TemplateError::Write | TemplateError::RangeIterLimit | TemplateError::RecursionLimit) => {
            Err(NoOutput::TooLong)
        }
        Err(other) => Err(NoOutput::Error(other.to_string())),
    }
}

/// Checks that a template can be parsed and that its functions exist.
pub(crate) fn syntax(source: &str) -> Result<(), String> {
    match &parsed(source).template {
        Err(NoOutput::Error(error)) => Err(error.clone()),
        _ => Ok(()),
    }
}

/// The variables that a template reads, each as a path such as `builtin.cluster.name`. Fields of elements count as
/// their lists.
pub(crate) fn reads(source: &str) -> BTreeSet<String> {
    parsed(source).reads.clone()
}

/// A template, or why it cannot be evaluated.
struct ParsedTemplate {
    template: Result<Template, NoOutput>,
    reads: BTreeSet<String>,
}

thread_local! {
    /// The templates that this thread parsed: thousands of Clusters have the same class.
    static PARSED: RefCell<BTreeMap<String, Rc<ParsedTemplate>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The largest number of templates that are kept.
const MAX_PARSED: usize = 1024;

fn parsed(source: &str) -> Rc<ParsedTemplate> {
    if let Some(known) = PARSED.with_borrow(|all| all.get(source).map(Rc::clone)) {
        return known;
    }
    let parsed = Rc::new(parse(source));
    PARSED.with_borrow_mut(|all| {
        if all.len() >= MAX_PARSED {
            all.clear();
        }
        all.insert(source.to_owned(), Rc::clone(&parsed));
    });
    parsed
}

fn parse(source: &str) -> ParsedTemplate {
    let mut reads = BTreeSet::new();
    let (mut tree, defines) = match Parser::new(source, "{{", "}}").and_then(Parser::parse) {
        Ok(parsed) => parsed,
        Err(error) => return ParsedTemplate { template: Err(NoOutput::Error(error.to_string())), reads },
    };
    fields(&tree, &mut reads);
    let mut names = BTreeSet::new();
    print_as_go(&mut tree, &mut names);
    let mut template = Template::new(NAME).max_range_iters(MAX_ITERATIONS);
    for mut define in defines {
        fields(&define.body, &mut reads);
        print_as_go(&mut define.body, &mut names);
        template = template.add_parse_tree(&define.name, define.body);
    }
    let template = functions_of(names).map(|called| template.funcs(called).add_parse_tree(NAME, tree));
    ParsedTemplate { template, reads }
}

/// The functions that a template calls.
fn functions_of(names: BTreeSet<String>) -> Result<FuncMap, NoOutput> {
    let mut called = FuncMap::new();
    called.insert(PRINT.to_owned(), Arc::new(print));
    for name in names {
        match functions::find(&name) {
            Some(function) => _ = called.insert(name, Arc::new(function)),
            None if GO_FUNCTIONS.contains(&&*name) => {}
            None if functions::NOT_EVALUATED.contains(&&*name) => return Err(NoOutput::Function(name)),
            None => return Err(NoOutput::Error(format!("function {name:?} not defined"))),
        }
    }
    Ok(called)
}

struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_OUTPUT {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// The functions of Go's templates.
const GO_FUNCTIONS: &[&str] = &[
    "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print", "printf",
    "println", "slice", "urlquery", "break", "continue",
];

fn print(args: &[Value]) -> gotmpl::Result<Value> {
    Ok(Value::String(args.first().map_or_else(|| "<no value>".to_owned(), go::printed).into()))
}

/// Lets every action print numbers as Go does, and collects the names of functions.
fn print_as_go(list: &mut ListNode, names: &mut BTreeSet<String>) {
    for node in &mut list.nodes {
        match node {
            Node::Action(action) => {
                pipe_names(&action.pipe, names);
                if action.pipe.decl.is_empty() {
                    let pos = action.pos;
                    action.pipe.commands.push(CommandNode { pos, args: vec![Expr::Identifier(pos, PRINT.into())] });
                }
            }
            Node::If(branch) | Node::Range(branch) | Node::With(branch) => {
                pipe_names(&branch.pipe, names);
                print_as_go(&mut branch.body, names);
                if let Some(other) = &mut branch.else_body {
                    print_as_go(other, names);
                }
            }
            Node::List(list) => print_as_go(list, names),
            Node::Define(define) => print_as_go(&mut define.body, names),
            Node::Template(template) => {
                if let Some(pipe) = &template.pipe {
                    pipe_names(pipe, names);
                }
            }
            Node::Text(_) | Node::Break(_) | Node::Continue(_) => {}
        }
    }
}

fn pipe_names(pipe: &PipeNode, names: &mut BTreeSet<String>) {
    for expression in pipe.commands.iter().flat_map(|command| &command.args) {
        match expression {
            Expr::Identifier(_, name) => _ = names.insert(name.to_string()),
            Expr::Pipe(_, pipe) => pipe_names(pipe, names),
            Expr::Chain(_, of, _) => {
                if let Expr::Pipe(_, pipe) = &**of {
                    pipe_names(pipe, names);
                }
            }
            _ => {}
        }
    }
}

fn fields(list: &ListNode, found: &mut BTreeSet<String>) {
    for node in &list.nodes {
        match node {
            Node::Action(action) => pipe_fields(&action.pipe, found),
            Node::If(branch) | Node::Range(branch) | Node::With(branch) => {
                pipe_fields(&branch.pipe, found);
                fields(&branch.body, found);
                branch.else_body.iter().for_each(|other| fields(other, found));
            }
            Node::List(list) => fields(list, found),
            Node::Define(define) => fields(&define.body, found),
            Node::Template(template) => template.pipe.iter().for_each(|pipe| pipe_fields(pipe, found)),
            Node::Text(_) | Node::Break(_) | Node::Continue(_) => {}
        }
    }
}

fn pipe_fields(pipe: &PipeNode, found: &mut BTreeSet<String>) {
    let mut next: Vec<&Expr> = pipe.commands.iter().flat_map(|command| &command.args).collect();
    while let Some(expression) = next.pop() {
        match expression {
            Expr::Field(_, path) => _ = found.insert(path.join(".")),
            Expr::Variable(_, name, path) if name == "$" && !path.is_empty() => _ = found.insert(path.join(".")),
            Expr::Pipe(_, pipe) => next.extend(pipe.commands.iter().flat_map(|command| &command.args)),
            Expr::Chain(_, of, _) => next.push(of),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Template and output with these variables; checked with Go and sprig v3.3.0, as are those of
    /// testdata/topology/functions.json.
    const VECTORS: &[(&str, &str)] = &[
        ("{{ .n }}", "1e+06"),
        ("{{ .n | int }}", "1000000"),
        ("{{ .n | toString | quote }}", "\"1e+06\""),
        ("{{ .n | toJson }}", "1000000"),
        ("{{ printf \"%.0f\" .n }}", "1000000"),
        ("{{ .small }} {{ .half }}", "3 2.5"),
        ("{{ .absent }}|{{ .absent.further }}|{{ .absent | default \"x\" }}", "<no value>|<no value>|x"),
        ("{{ .list }} {{ .map }}", "[1 2e+06] map[a:x b:1.5]"),
        ("{{ range .list }}<{{ . }}>{{ end }}", "<1><2e+06>"),
        ("{{ range $k, $v := .map }}{{ $k }}={{ $v }};{{ end }}", "a=x;b=1.5;"),
        ("{{ if semverCompare \">= 1.30.0-0\" .version }}new{{ else }}old{{ end }}", "new"),
        ("{{ ne .text \"\" }}", "true"),
        ("{{- if eq .small 3.0 }}three{{ end }}", "three"),
        ("{{ .text | upper | quote }}", "\"ABC\""),
        ("{{ list 1 2 3 | join \",\" }}", "1,2,3"),
        ("{{ indent 2 \"a\\nb\" }}", "  a\n  b"),
        ("{{ .text | b64enc }} {{ \"YWJj\" | b64dec }}", "YWJj abc"),
        ("{{ ternary \"a\" \"b\" true }}", "a"),
        ("{{ regexReplaceAll \"a(b)\" .text \"<${1}>\" }}", "<b>c"),
        ("{{ dict \"a\" 1 \"b\" \"x\" | toJson }}", "{\"a\":1,\"b\":\"x\"}"),
        ("{{ trimPrefix \"v\" .version }}", "1.31.2"),
        ("{{ (semver .version).Minor }}", "31"),
    ];

    fn data() -> Json {
        json!({"n": 1_000_000, "small": 3, "half": 2.5, "text": "abc", "version": "v1.31.2", "list": [1, 2_000_000],
            "map": {"b": 1.5, "a": "x"}})
    }

    #[test]
    fn templates_print_what_go_prints() {
        for (template, expected) in VECTORS {
            assert_eq!(render(template, &data()), Ok((*expected).to_owned()), "{template}");
        }
    }

    #[test]
    fn functions_print_what_go_prints() -> serde_json::Result<()> {
        let vectors: Vec<(String, String)> =
            serde_json::from_str(include_str!("../../../testdata/topology/functions.json"))?;
        for (template, expected) in vectors {
            assert_eq!(render(&template, &data()), Ok(expected), "{template}");
        }
        Ok(())
    }

    #[test]
    fn what_is_not_evaluated_is_named() {
        let cases = [
            ("{{ now }}", NoOutput::Error("function \"now\" not defined".to_owned())),
            ("{{ sha256sum .text }}", NoOutput::Function("sha256sum".to_owned())),
            ("{{ range until 200000 }}x{{ end }}", NoOutput::TooLong),
        ];
        for (template, expected) in cases {
            assert_eq!(render(template, &data()), Err(expected), "{template}");
        }
    }

    #[test]
    fn variables_are_found() {
        let found = reads("{{ if .a.b }}{{ range .list }}{{ $.c }}{{ end }}{{ end }}{{ printf \"%s\" (.d | quote) }}");
        assert_eq!(found, ["a.b", "c", "d", "list"].map(str::to_owned).into());
    }
}
