//! Templates of patches: Go's, with sprig's hermetic functions, over variables whose numbers are float64.
//!
//! Source: `renderValueTemplate` in `patches/inline/json_patch_generator.go` of Cluster API.

mod expressions;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use gotmpl::parse::{CommandNode, DefineNode, Expr, ListNode, Node, Parser};
use gotmpl::{FuncMap, MissingKey, Template, Value, ValueFunc};
use serde_json::Value as Json;

use self::expressions::has_whole;
pub(crate) use self::expressions::{each_expression, each_of};
use crate::assigned::{self, assign};
use crate::comments;
use crate::functions;
use crate::go;
use crate::no_output::NoOutput;

/// The largest output of a template in bytes: etcd refuses larger objects.
const MAX_OUTPUT: usize = 1 << 20;

/// The largest number of iterations of one template.
const MAX_ITERATIONS: u64 = 100_000;

/// The name of the template, as Cluster API has it.
pub(crate) const NAME: &str = "tpl";

/// A mark behind the end of a template.
const END: char = '\u{1}';

/// The name of the function that prints.
const PRINT: &str = "goPrint";

/// The output of a template with data that is converted already.
pub(crate) fn render_value(source: &str, data: &Value) -> Result<String, NoOutput> {
    let parsed = parsed(source);
    let template = parsed.template.as_ref().map_err(Clone::clone)?;
    output_of(template, NAME, data).map_err(NoOutput::from)
}

/// The name that a template of a class makes. What is not there is an error, as it is for Cluster API.
pub(crate) fn name_of(source: &str, data: &Json) -> Result<String, NoOutput> {
    let syntax = TemplateSyntax::parse(source, ["{{", "}}"])?;
    let functions = syntax.functions(|name| match GO_FUNCTIONS.contains(&name) {
        true => Ok(None),
        false => Err(NoOutput::Error(format!("function {name:?} not defined"))),
    })?;
    output_of(&syntax.template(functions, MissingKey::Error), NAME, &go::value(data)).map_err(NoOutput::from)
}

/// The output of a template.
///
/// # Errors
/// As in Go, and when it is too long.
pub(crate) fn output_of(template: &Template, name: &str, data: &Value) -> gotmpl::Result<String> {
    let mut output = Bounded(String::new());
    template.execute_template_fmt(&mut output, name, data)?;
    Ok(output.0)
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

/// Whether a template may read every variable: it uses all of them as one value, or cannot be parsed.
pub(crate) fn is_whole_read(source: &str) -> bool {
    parsed(source).is_whole_read
}

/// A template, or why it cannot be evaluated.
struct ParsedTemplate {
    template: Result<Template, NoOutput>,
    reads: BTreeSet<String>,
    is_whole_read: bool,
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
    let mut syntax = match TemplateSyntax::parse(source, ["{{", "}}"]) {
        Ok(syntax) => syntax,
        Err(error) => return ParsedTemplate { template: Err(error), reads: BTreeSet::new(), is_whole_read: true },
    };
    let mut reads = BTreeSet::new();
    let mut read = |expression: &Expr| match expression {
        Expr::Field(_, path) => _ = reads.insert(path.join(".")),
        Expr::Variable(_, name, path) if name == "$" && !path.is_empty() => _ = reads.insert(path.join(".")),
        _ => {}
    };
    syntax.lists().for_each(|list| each_expression(list, &mut read));
    let is_whole_read = syntax.lists().any(|list| has_whole(list, true));
    let functions = assign(syntax.lists_mut()).and_then(|()| syntax.functions(|name| Ok(assigned::find(name))));
    let template = functions.map(|called| syntax.template(called, MissingKey::default()));
    ParsedTemplate { template, reads, is_whole_read }
}

/// A template, and those that it defines.
pub(crate) struct TemplateSyntax {
    pub(crate) tree: ListNode,
    pub(crate) defines: Vec<DefineNode>,
}

impl TemplateSyntax {
    pub(crate) fn parse(source: &str, [left, right]: [&str; 2]) -> Result<TemplateSyntax, NoOutput> {
        // An empty delimiter is the default one.
        let [left, right] = [(left, "{{"), (right, "}}")].map(|(it, default)| if it.is_empty() { default } else { it });
        let source = format!("{}{END}", comments::as_in_go(source, [left, right])?);
        let (mut tree, defines) = Parser::new(&source, left, right).and_then(Parser::parse)?;
        // The parser accepts branches without an end, and ends at an end without a branch.
        match tree.nodes.last_mut() {
            Some(Node::Text(last)) if last.text.ends_with(END) => last.text = last.text.trim_end_matches(END).into(),
            _ => return Err(NoOutput::Error("unexpected EOF or {{end}}".to_owned())),
        }
        Ok(TemplateSyntax { tree, defines })
    }

    pub(crate) fn lists_mut(&mut self) -> impl Iterator<Item = &mut ListNode> {
        [&mut self.tree].into_iter().chain(self.defines.iter_mut().map(|define| &mut define.body))
    }

    pub(crate) fn lists(&self) -> impl Iterator<Item = &ListNode> {
        [&self.tree].into_iter().chain(self.defines.iter().map(|define| &define.body))
    }

    /// The functions that the templates call: sprig's, and those of a program.
    ///
    /// # Errors
    /// When one does not exist, or is not evaluated.
    pub(crate) fn functions(
        &self,
        own: impl Fn(&str) -> Result<Option<ValueFunc>, NoOutput>,
    ) -> Result<FuncMap, NoOutput> {
        let mut names = BTreeSet::new();
        self.lists().for_each(|list| {
            each_expression(list, &mut |expression| {
                if let Expr::Identifier(_, name) = expression {
                    names.insert(name.to_string());
                }
            });
        });
        let mut called = FuncMap::new();
        called.insert(PRINT.to_owned(), Arc::new(print));
        for name in names {
            if let Some(function) = own(&name)?.or_else(|| functions::find(&name)) {
                called.insert(name, function);
            } else if functions::NOT_EVALUATED.contains(&&*name) {
                return Err(NoOutput::Function(name));
            } else if !GO_FUNCTIONS.contains(&&*name) {
                return Err(NoOutput::Error(format!("function {name:?} not defined")));
            }
        }
        Ok(called)
    }

    pub(crate) fn template(mut self, functions: FuncMap, missing_key: MissingKey) -> Template {
        print_as_go(&mut self.tree);
        let mut template = Template::new(NAME).max_range_iters(MAX_ITERATIONS).missing_key(missing_key);
        for mut define in self.defines {
            print_as_go(&mut define.body);
            template = template.add_parse_tree(&define.name, define.body);
        }
        template.funcs(functions).add_parse_tree(NAME, self.tree)
    }
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
    "and", "call", "eq", "ge", "gt", "index", "le", "len", "lt", "ne", "not", "or", "print", "printf", "println",
    "slice", "break", "continue",
];

fn print(args: &[Value]) -> gotmpl::Result<Value> {
    Ok(Value::String(args.first().map_or_else(|| "<no value>".to_owned(), go::printed).into()))
}

/// Lets every action print numbers as Go does.
fn print_as_go(list: &mut ListNode) {
    for node in &mut list.nodes {
        match node {
            Node::Action(action) if action.pipe.decl.is_empty() => {
                let pos = action.pos;
                action.pipe.commands.push(CommandNode { pos, args: vec![Expr::Identifier(pos, PRINT.into())] });
            }
            Node::If(branch) | Node::Range(branch) | Node::With(branch) => {
                print_as_go(&mut branch.body);
                branch.else_body.iter_mut().for_each(print_as_go);
            }
            Node::List(list) => print_as_go(list),
            Node::Define(define) => print_as_go(&mut define.body),
            Node::Action(_) | Node::Template(_) | Node::Text(_) | Node::Break(_) | Node::Continue(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn render(source: &str, data: &Json) -> Result<String, NoOutput> {
        render_value(source, &go::value(data))
    }

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

    /// `verification/conformance/functions/topology` wrote the file. `TOPOLOGY_OUTPUTS=FILE` compares another one.
    fn outputs() -> Result<Json, Box<dyn std::error::Error>> {
        let file = std::env::var_os("TOPOLOGY_OUTPUTS");
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/topology/functions.json");
        Ok(serde_json::from_str(&std::fs::read_to_string(file.unwrap_or_else(|| own.into()))?)?)
    }

    #[test]
    fn functions_print_what_go_prints() -> Result<(), Box<dyn std::error::Error>> {
        let all = outputs()?;
        let (mut wrong, mut unknown) = (Vec::new(), Vec::new());
        for pair in all["outputs"].as_array().into_iter().flatten() {
            let (template, expected) = (pair[0].as_str().unwrap_or_default(), pair[1].as_str());
            match render(template, &all["data"]) {
                Ok(output) if Some(&*output) == expected => {}
                Err(NoOutput::Error(_)) if expected.is_none() => {}
                Ok(output) => wrong.push(format!("{template}: {output:?}, not {expected:?}")),
                Err(NoOutput::Error(error)) => wrong.push(format!("{template}: {error}, not {expected:?}")),
                Err(other) => unknown.push(format!("{template}: {other}")),
            }
        }
        println!("{} cannot tell:\n{}", unknown.len(), unknown.join("\n"));
        assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
        assert!(unknown.is_empty() || std::env::var_os("TOPOLOGY_OUTPUTS").is_some());
        Ok(())
    }

    #[test]
    fn every_function_that_cluster_api_admits_is_known() -> Result<(), Box<dyn std::error::Error>> {
        let all = outputs()?;
        let names = all["functions"].as_array().into_iter().flatten().filter_map(Json::as_str);
        let is_known = |name: &&str| functions::find(name).is_some() || functions::NOT_EVALUATED.contains(name);
        assert_eq!(names.filter(|name| !is_known(name)).collect::<Vec<_>>(), Vec::<&str>::new());
        Ok(())
    }

    #[test]
    fn what_is_not_evaluated_is_named() {
        let cases = [
            ("{{ now }}", NoOutput::Error("function \"now\" not defined".to_owned())),
            ("{{ genCA .text 1 }}", NoOutput::Function("genCA".to_owned())),
            ("{{ .text | b64dec }}", NoOutput::Function("b64dec".to_owned())),
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
