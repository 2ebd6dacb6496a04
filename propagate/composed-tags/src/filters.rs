//! Resources that function-cel-filter may leave out.
//!
//! Source: function-cel-filter 327f8b2, fn.go, `RunFunction`.

use kubernetes::group_and_version;
use regex_lite::Regex;
use serde_json::Value;
use tag_delivery::functions::Function;

/// The filters of a Composition: expressions, which are not evaluated, by what the names of resources match.
#[derive(Default)]
pub(crate) struct Filters(Vec<(Regex, String)>);

impl Filters {
    /// Of a Composition, which is JSON.
    pub(crate) fn of(composition: &str) -> Filters {
        if !composition.contains("\"filters\"") {
            return Filters::default();
        }
        let composition: Value = serde_json::from_str(composition).unwrap_or_default();
        let steps = composition.pointer("/spec/pipeline").and_then(Value::as_array).into_iter().flatten();
        let filters =
            steps.filter(|step| is_of_filter(step)).filter_map(|step| step.pointer("/input/filters")?.as_array());
        let filter = |filter: &Value| {
            let text = |field| filter.get(field).and_then(Value::as_str);
            let expression = text("expression")?.trim();
            let name = Regex::new(&["^", text("name")?, "$"].concat()).ok()?;
            (expression != "true").then(|| (name, expression.to_owned()))
        };
        Filters(filters.flatten().filter_map(filter).collect())
    }

    /// The expressions that have to be true for a resource; empty if none has.
    pub(crate) fn of_resource(&self, name: &str) -> Vec<String> {
        let own = self.0.iter().filter(|(of, _)| of.is_match(name));
        own.map(|(_, expression)| expression.clone()).collect()
    }
}

fn is_of_filter(step: &Value) -> bool {
    let text = |path| step.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let function = Function::of(text("/functionRef/name"), group_and_version(text("/input/apiVersion")).0);
    function.is_some_and(|function| function.name == "function-cel-filter")
}
