//! Where the input of a step has its template.

use serde_json::Value;

use super::StepFact;

/// The template of an input, and how it is read.
pub(super) struct TemplateSource {
    pub(super) text: String,
    pub(super) delims: [String; 2],
    pub(super) options: Vec<String>,
}

impl TemplateSource {
    /// # Errors
    /// The function refuses the input, or reads its template from elsewhere.
    pub(super) fn read(input: &Value) -> Result<TemplateSource, StepFact> {
        #[rustfmt::skip]
        const FIELDS: [&str; 10] = [
            "apiVersion", "kind", "metadata", "delims", "source", "inline", "fileSystem", "environment", "options", "ttl",
        ];
        const PARTS: [(&str, &[&str]); 4] = [
            ("delims", &["left", "right"]),
            ("inline", &["template", "templates"]),
            ("fileSystem", &["dirPath"]),
            ("environment", &["key"]),
        ];
        let text = |path| input.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let texts = |path| {
            let elements = input.pointer(path).and_then(Value::as_array).into_iter().flatten();
            elements.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let refused = |refusal: String| Err(StepFact::Refused(refusal));
        let unknown = |fields: &Value, known: &[&str]| {
            fields.as_object().and_then(|fields| fields.keys().find(|field| !known.contains(&&***field)).cloned())
        };
        let in_fields = PARTS.iter().find_map(|(part, known)| unknown(input.get(part)?, known));
        if let Some(unknown) = unknown(input, &FIELDS).or(in_fields) {
            return refused(format!("field `{unknown}` is unknown to the function"));
        }
        match text("/source") {
            "Inline" => {}
            "" => return refused("`source` is missing".to_owned()),
            source @ ("FileSystem" | "Environment") => return Err(StepFact::Source(source.to_owned())),
            other => return refused(format!("`{other}` is not a value of `source`")),
        }
        let template = match text("/inline/template") {
            "" => texts("/inline/templates").join("\n---\n"),
            template => template.to_owned(),
        };
        if template.is_empty() {
            return refused("`inline.template` is missing".to_owned());
        }
        let delim = |path| input.pointer(path).and_then(Value::as_str).map(str::to_owned);
        let delims = match [delim("/delims/left"), delim("/delims/right")] {
            [Some(left), Some(right)] => [left, right],
            _ => ["{{".to_owned(), "}}".to_owned()],
        };
        Ok(TemplateSource { text: template, delims, options: texts("/options") })
    }
}
