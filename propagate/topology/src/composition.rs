//! Templates of function-go-templating, as Crossplane runs it at the first reconcile of a composite.
//!
//! Source: crossplane-contrib/function-go-templating, fn.go and function_maps.go.

mod dependence;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gotmpl::{MissingKey, Template, TemplateError, Value, ValueFunc};
use serde_json::Value as Json;

pub use self::dependence::Dependence;
use self::dependence::{dependences, read_of_others};
use crate::assigned::{self, assign};
use crate::functions::of_compositions::{NOT_EVALUATED, find};
use crate::no_output::NoOutput;
use crate::template::{NAME, TemplateSyntax, output_of};
use crate::{Yaml, go};

/// A template that composes resources.
pub struct CompositionTemplate {
    template: Arc<Template>,
    dependences: Vec<Dependence>,
    reads_of_others: Option<String>,
}

/// The largest number of calls of `include` in one evaluation, and how many are in each other.
const MAX_INCLUDED: usize = 2000;
const MAX_NESTED: usize = 32;

impl CompositionTemplate {
    /// Reads a template between delimiters; `options` are those of Go's templates.
    ///
    /// # Errors
    /// When the function refuses it, or calls of functions that are not evaluated.
    ///
    /// ```
    /// use topology::CompositionTemplate;
    ///
    /// let read = |text| CompositionTemplate::read(text, ["{{", "}}"], &[], |_| None);
    /// let rendered = read("a: {{ .input.kind | lower }}").and_then(|it| it.render(&serde_json::json!({"input": {"kind": "B"}})));
    /// assert_eq!(rendered.as_deref(), Ok("a: b"));
    /// assert_eq!(read("{{ now }}").err().map(|error| error.to_string()).as_deref(), Some("function `now` is not evaluated"));
    /// ```
    pub fn read(text: &str, delims: [&str; 2], options: &[&str], yaml: Yaml) -> Result<Self, NoOutput> {
        let mut syntax = TemplateSyntax::parse(text, delims)?;
        assign(syntax.lists_mut())?;
        let mut missing_key = MissingKey::default();
        for option in options {
            let value = option.strip_prefix("missingkey=").and_then(|value| value.parse().ok());
            missing_key = value.ok_or_else(|| NoOutput::Error(format!("unrecognized option: {option}")))?;
        }
        let own = |name: &str| match name {
            _ if NOT_EVALUATED.contains(&name) => Err(NoOutput::Function(name.to_owned())),
            "include" => Ok(Some(Arc::new(|_: &[Value]| Ok(Value::Nil)) as ValueFunc)),
            _ => Ok(find(name, yaml).or_else(|| assigned::find(name))),
        };
        let mut functions = syntax.functions(own)?;
        let (dependences, reads_of_others) = (dependences(&syntax), read_of_others(&syntax));
        let template = Arc::new_cyclic(|template| {
            let (template, calls) = (template.clone(), [AtomicUsize::new(0), AtomicUsize::new(0)]);
            let include = move |args: &[Value]| include(template.upgrade().as_deref(), &calls, args);
            if functions.contains_key("include") {
                functions.insert("include".to_owned(), Arc::new(include));
            }
            syntax.template(functions, missing_key)
        });
        Ok(CompositionTemplate { template, dependences, reads_of_others })
    }

    /// What of later reconciles decides which resources the template composes.
    pub fn dependences(&self) -> &[Dependence] {
        &self.dependences
    }

    /// What the template reads that is not known here, because other functions or Crossplane provide it.
    pub fn reads_of_others(&self) -> Option<&str> {
        self.reads_of_others.as_deref()
    }

    /// The output for a request.
    ///
    /// # Errors
    /// When the function refuses to evaluate it, or it is too long.
    pub fn render(&self, request: &Json) -> Result<String, NoOutput> {
        output_of(&self.template, NAME, &go::value_of(request, go::integer)).map_err(NoOutput::from)
    }
}

/// The output of a named template. Each evaluation of it has its own limits, so its calls are counted.
fn include(template: Option<&Template>, [all, nested]: &[AtomicUsize; 2], args: &[Value]) -> gotmpl::Result<Value> {
    let [Value::String(name), data] = args else {
        return Err(TemplateError::Exec("include needs a name and a value".to_owned()));
    };
    let Some(template) = template else { return Ok(Value::Nil) };
    if all.fetch_add(1, Ordering::Relaxed) > MAX_INCLUDED || nested.load(Ordering::Relaxed) > MAX_NESTED {
        return Err(TemplateError::RecursionLimit);
    }
    nested.fetch_add(1, Ordering::Relaxed);
    let output = output_of(template, name, data);
    nested.fetch_sub(1, Ordering::Relaxed);
    output.map(|text| Value::String(text.into()))
}
