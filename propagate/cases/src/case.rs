//! The format of a case: one YAML or JSON document.
//!
//! ```yaml
//! # Free text: why this is so.
//! versions: []          # such as [v1beta1, v1beta2]: a case for each. `$version` in a text is its version, and a mapping may have
//!                       # versions as keys: in each, its value takes the mapping's place or adds fields to the others
//! settings: {}          # the policy's settings; the caller's where absent
//! cluster: []           # objects as the API server holds them, in the version they are written in
//! fresh:                # what changed since the host cached it, by kind and name: merged onto the object (RFC 7386), null
//!   MachineSet ms: {}   # where it is gone. Reads past the cache find it so, cached ones find what is in `cluster`
//! failures:             # gets that fail, by apiVersion and kind; `only: cached` or `only: fresh` where one of them does not
//!   - { get: cluster.x-k8s.io/v1beta2 MachineSet, cause: forbidden, text: "what the host says" }
//! review:               # an AdmissionRequest; what the object and the operation determine may be left out
//!   operation: CREATE
//!   username: alice     # short for userInfo
//!   object: {}
//! expect: {}            # the answer: all of it, or its facts, see the module `facts`
//! ```
//!
//! A chain has `steps`, a list of reviews, and as many answers in `expect`. What a step stores, the next one finds in
//! the cluster. Owners of fields may be in short: see the module `owners`.

use std::collections::BTreeMap;

use metadata_propagation::Settings;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cluster::{ApiServer, QuestionFailure};
use crate::difference::{Difference, differences};
use crate::engine::{admit, engine};
use crate::facts::AnswerForm;
use crate::fault::CaseFault;
use crate::owners::with_owners;
use crate::request::request;

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name that the caller gives its file, with that of its document after a slash.
    pub name: String,
    /// The version, if the file has cases for several.
    pub version: Option<String>,
    /// The settings, as JSON.
    pub settings: Value,
    /// The cluster before the first step.
    pub cluster: ApiServer,
    /// AdmissionRequests, in order.
    pub reviews: Vec<Value>,
    /// What is expected of the answers, one for each review; `None` while the case expects nothing yet.
    pub expect: Option<Vec<Value>>,
    /// What `expect` states of an answer.
    pub form: AnswerForm,
    is_chain: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFields {
    #[serde(default)]
    settings: Option<Value>,
    #[serde(default)]
    cluster: Option<Vec<Value>>,
    #[serde(default)]
    fresh: BTreeMap<String, Value>,
    #[serde(default)]
    failures: Vec<Value>,
    #[serde(default)]
    review: Option<Value>,
    #[serde(default)]
    steps: Option<Vec<Value>>,
    #[serde(default)]
    expect: Option<Value>,
}

impl Case {
    pub(crate) fn read(name: &str, mut fields: Value, settings: &Value) -> Result<Case, CaseFault> {
        for name in ["cluster", "fresh", "review", "steps"] {
            fields.get_mut(name).map_or(Ok(()), with_owners)?;
        }
        let file: CaseFields = serde_json::from_value(fields).map_err(|error| CaseFault::new(error.to_string()))?;
        let (reviews, is_chain) = match (file.review, file.steps) {
            (Some(review), None) => (vec![whole("review", review)?], false),
            (None, Some(steps)) if !steps.is_empty() => {
                let of_step = |(number, step)| whole(&format!("steps[{number}]"), step);
                (steps.into_iter().enumerate().map(of_step).collect::<Result<_, _>>()?, true)
            }
            (Some(_), Some(_)) => return Err(CaseFault::new("a case has `review` or `steps`, not both")),
            _ => return Err(CaseFault::new("not a case: it has neither `review` nor `steps`")),
        };
        let expect = match file.expect {
            Some(Value::Array(answers)) if is_chain => Some(answers),
            Some(answer @ Value::Object(_)) if !is_chain => Some(vec![answer]),
            Some(_) if is_chain => {
                return Err(CaseFault::new("`expect` must be a list: one answer for each of `steps`"));
            }
            Some(_) => return Err(CaseFault::new("`expect` must be a mapping: the answer to `review`")),
            None => None,
        };
        let settings = file.settings.unwrap_or_else(|| settings.clone());
        are_valid(&settings)?;
        let failures = file.failures.into_iter().enumerate().map(|(number, failure)| {
            serde_json::from_value::<QuestionFailure>(failure)
                .map_err(|error| CaseFault::of(format!("failures[{number}]"), error))
        });
        let mut cluster = ApiServer::new(file.cluster.unwrap_or_default(), failures.collect::<Result<_, _>>()?)?;
        file.fresh.iter().try_for_each(|(of, change)| {
            cluster.change(of, change).map_err(|fault| CaseFault::of(format!("fresh.{of}"), fault))
        })?;
        let form = AnswerForm::of(expect.as_deref().unwrap_or_default());
        Ok(Case { name: name.to_owned(), version: None, settings, cluster, reviews, expect, form, is_chain })
    }

    /// What the engine answers to each review, as far as `expect` states it.
    pub fn answers(&self) -> Result<Vec<Value>, CaseFault> {
        let mut cluster = self.cluster.clone();
        let mut answers = Vec::new();
        for review in &self.reviews {
            let answer = engine(review, &self.settings, &cluster)?;
            admit(review, &answer, &mut cluster)?;
            answers.push(self.form.stated(&self.settings, &answer)?);
        }
        Ok(answers)
    }

    /// Where answers differ from what is expected: paths in the file. A case that expects nothing yet differs as a whole.
    pub fn differences(&self, answers: &[Value]) -> Vec<Difference> {
        let expected = self.expect.as_ref().map(|expect| self.of_file(expect));
        differences("expect", expected.as_ref(), Some(&self.of_file(answers)))
    }

    /// The value of `expect` in a file: a list in a chain.
    pub fn of_file(&self, answers: &[Value]) -> Value {
        if self.is_chain { json!(answers) } else { json!(answers.first()) }
    }

    /// The name, with the version if the file has several.
    pub fn title(&self) -> String {
        self.version.as_ref().map_or_else(|| self.name.clone(), |version| format!("{} ({version})", self.name))
    }
}

/// A value as YAML in block style, as kubectl reads it.
pub fn yaml(value: &impl Serialize) -> Result<String, CaseFault> {
    // Long texts stay on one line.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: 1 << 20 };
    serde_saphyr::to_string_with_options(value, options).map_err(|error| CaseFault::new(error.to_string()))
}

/// The fields of a review: those of an AdmissionRequest, and `username`.
const FIELDS: &[&str] = &[
    "dryRun",
    "kind",
    "name",
    "namespace",
    "object",
    "oldObject",
    "operation",
    "options",
    "requestKind",
    "requestResource",
    "requestSubResource",
    "resource",
    "subResource",
    "uid",
    "userInfo",
    "username",
];

/// The whole AdmissionRequest of a review that has what nothing else says.
fn whole(at: &str, review: Value) -> Result<Value, CaseFault> {
    let Some(fields) = review.as_object() else { return Err(CaseFault::of(at, "expected a mapping with `operation`")) };
    if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        let known: Vec<String> = FIELDS.iter().map(|name| format!("`{name}`")).collect();
        return Err(CaseFault::of(at, format!("unknown field `{unknown}`, expected one of {}", known.join(", "))));
    }
    let needed: &[&str] = match fields.get("operation").and_then(Value::as_str) {
        Some("CREATE") => &["object"],
        Some("UPDATE") => &["object", "oldObject"],
        Some("DELETE") => &["oldObject"],
        Some("CONNECT") => &[],
        _ => return Err(CaseFault::of(at, "`operation` must be CREATE, UPDATE, DELETE or CONNECT")),
    };
    if !["username", "userInfo"].iter().any(|name| fields.contains_key(*name)) {
        return Err(CaseFault::of(at, "`username` is missing: the user who writes the object"));
    }
    if let Some(missing) = needed.iter().find(|name| !fields.contains_key(**name)) {
        let operation = fields["operation"].as_str().unwrap_or_default();
        return Err(CaseFault::of(at, format!("{operation} needs `{missing}`")));
    }
    Ok(request(review))
}

fn are_valid(settings: &Value) -> Result<(), CaseFault> {
    let json = settings.to_string();
    Settings::validate(&json).map_err(|problems| CaseFault::of("settings", problems))?;
    Settings::from_json(&json).map(|_| ()).map_err(|problems| CaseFault::of("settings", problems))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CaseDocument;

    const MACHINE: &str = "  operation: CREATE\n  username: a\n  object: { apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: { name: m } }\n";

    fn fault(text: &str) -> String {
        CaseDocument::read("case", text, &json!({})).map_or_else(|fault| fault.to_string(), |_| "no fault".to_owned())
    }

    #[test]
    fn what_is_wrong_with_a_case_is_named() {
        let review = format!("review:\n{MACHINE}");
        let known = FIELDS.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        for (text, expected) in [
            ("a", "not a case: expected a mapping with `review` or `steps`, and `expect`"),
            ("", "not a case: expected a mapping with `review` or `steps`, and `expect`"),
            ("settings: {}", "not a case: it has neither `review` nor `steps`"),
            ("steps: []", "not a case: it has neither `review` nor `steps`"),
            (
                "reviw: {}",
                "unknown field `reviw`, expected one of `settings`, `cluster`, `fresh`, `failures`, `review`, `steps`, `expect`",
            ),
            ("review: 1", "`review`: expected a mapping with `operation`"),
            ("review: { user: alice }", &format!("`review`: unknown field `user`, expected one of {known}")),
            (
                "review: { operation: CREATE, object: {} }",
                "`review`: `username` is missing: the user who writes the object",
            ),
            ("review: {}", "`review`: `operation` must be CREATE, UPDATE, DELETE or CONNECT"),
            ("steps: [{ operation: UPDATE, username: a, object: {} }]", "`steps[0]`: UPDATE needs `oldObject`"),
            (&format!("{review}steps: []"), "a case has `review` or `steps`, not both"),
            (&format!("{review}expect: []"), "`expect` must be a mapping: the answer to `review`"),
            (
                "steps: [{ operation: CREATE, username: a, object: {} }]\nexpect: {}",
                "`expect` must be a list: one answer for each of `steps`",
            ),
            (
                &format!("{review}cluster: [{{ kind: Cluster }}]"),
                "`cluster[0]`: `apiVersion`, `kind` or `metadata.name` is missing",
            ),
            (&format!("{review}fresh: {{ Machine a: null }}"), "`fresh.Machine a`: there is no Machine a in `cluster`"),
            (&format!("{review}failures: [{{}}]"), "`failures[0]`: missing field `get`"),
            (
                &format!("{review}review: {{}}"),
                "5:1: cannot read this document: key `review` occurs twice in the same mapping",
            ),
            ("review: [", "1:9: cannot read this document: invalid YAML: unclosed bracket '['"),
        ] {
            let found = fault(text);
            assert!(found.starts_with(expected), "{text}: {found}");
        }
        let found = fault(&format!("{review}settings: {{ mode: audit }}"));
        assert!(found.starts_with("`settings`: ") && found.contains("audit"), "{found}");
    }
}
