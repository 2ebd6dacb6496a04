//! The case format: one YAML or JSON file is one case, or one for each of its versions.
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

use fleet::{Source, to_json};
use metadata_propagation::Settings;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::cluster::{ApiServer, QuestionFailure};
use crate::difference::{Difference, differences};
use crate::engine::{admit, engine};
use crate::facts::AnswerForm;
use crate::fault::CaseFault;
use crate::owners::with_owners;
use crate::request::request;
use crate::versions::{in_version, merged};

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name that the caller gives its file.
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

/// The cases of a file: one, or one for each of its versions.
#[derive(Debug, Clone)]
pub struct CaseFile {
    /// The cases, in the order of the versions.
    pub cases: Vec<Case>,
    versions: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
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

impl CaseFile {
    /// Reads the cases of a file; `settings` are those of a case that has none.
    ///
    /// # Errors
    /// When the text is not a case.
    pub fn read(name: &str, text: &str, settings: &Value) -> Result<CaseFile, CaseFault> {
        let mut fields = fields(text)?;
        let versions = match fields.remove("versions") {
            Some(versions) => serde_json::from_value(versions).map_err(|error| CaseFault::of("versions", error))?,
            None => Vec::new(),
        };
        let fields = Value::Object(fields);
        if versions.is_empty() {
            return Ok(CaseFile { cases: vec![Case::read(name, fields, settings)?], versions });
        }
        let of_version = |version: &String| {
            let case = Case::read(name, in_version(&fields, version, &versions).unwrap_or_default(), settings)?;
            Ok(Case { version: Some(version.clone()), ..case })
        };
        Ok(CaseFile { cases: versions.iter().map(of_version).collect::<Result<_, _>>()?, versions })
    }

    /// The name that the caller gave it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.cases.first().map_or("", |case| &case.name)
    }

    /// The text of this file with other answers in `expect`, which is the last key: a list for each case. The rest stays as it is.
    ///
    /// # Errors
    /// When `expect` is not the last key, or the text is not in block style.
    pub fn with_expect(&self, text: &str, answers: &[Vec<Value>]) -> Result<String, CaseFault> {
        let of_cases = self.cases.iter().zip(answers);
        let expect = match self.versions.as_slice() {
            [] => of_cases.map(|(case, answers)| case.of_file(answers)).next().unwrap_or_default(),
            versions => merged(versions, of_cases.map(|(case, answers)| case.of_file(answers)).collect()),
        };
        let before_expect = match text.find("\nexpect:") {
            Some(at) => text.get(..=at).unwrap_or(text).to_owned(),
            None => format!("{}\n", text.trim_end()),
        };
        let written = before_expect + &yaml(&json!({ "expect": expect }))?;
        let mut wanted = fields(text)?;
        wanted.insert("expect".to_owned(), expect);
        match fields(&written) {
            Ok(fields) if fields == wanted => Ok(written),
            _ => Err(CaseFault::new("cannot write `expect`: it must be the last key of a file in YAML's block style")),
        }
    }
}

impl Case {
    fn read(name: &str, mut fields: Value, settings: &Value) -> Result<Case, CaseFault> {
        for name in ["cluster", "fresh", "review", "steps"] {
            fields.get_mut(name).map_or(Ok(()), with_owners)?;
        }
        let file: File = serde_json::from_value(fields).map_err(|error| CaseFault::new(error.to_string()))?;
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
    ///
    /// # Errors
    /// When a review or an answer cannot be read.
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
    #[must_use]
    pub fn differences(&self, answers: &[Value]) -> Vec<Difference> {
        let expected = self.expect.as_ref().map(|expect| self.of_file(expect));
        differences("expect", expected.as_ref(), Some(&self.of_file(answers)))
    }

    /// The value of `expect` in a file: a list in a chain.
    #[must_use]
    pub fn of_file(&self, answers: &[Value]) -> Value {
        if self.is_chain { json!(answers) } else { json!(answers.first()) }
    }

    /// The name, with the version if the file has several.
    #[must_use]
    pub fn title(&self) -> String {
        self.version.as_ref().map_or_else(|| self.name.clone(), |version| format!("{} ({version})", self.name))
    }
}

/// A value as YAML in block style, as kubectl reads it.
///
/// # Errors
/// When it cannot be written.
pub fn yaml(value: &impl Serialize) -> Result<String, CaseFault> {
    // Long texts stay on one line.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: 1 << 20 };
    serde_saphyr::to_string_with_options(value, options).map_err(|error| CaseFault::new(error.to_string()))
}

fn fields(text: &str) -> Result<Map<String, Value>, CaseFault> {
    let source = Source { name: String::new(), text: text.to_owned() };
    let json = to_json(&source).map_err(|(message, at)| CaseFault { message, at: Some(at) })?;
    serde_json::from_str(&json)
        .map_err(|_| CaseFault::new("not a case: expected a mapping with `review` or `steps`, and `expect`"))
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

    const MACHINE: &str = "  operation: CREATE\n  username: a\n  object: { apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: { name: m } }\n";

    fn fault(text: &str) -> String {
        CaseFile::read("case", text, &json!({})).map_or_else(|fault| fault.to_string(), |_| "no fault".to_owned())
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

    #[test]
    fn expect_is_written_as_the_last_key_only() {
        let read = |text: &str| CaseFile::read("case", text, &json!({})).unwrap();
        let text = format!("# why\nreview:\n{MACHINE}expect:\n  accepted: false\n");
        let accepted = [vec![json!({ "accepted": true, "warnings": ["no"] })]];
        let yaml = "expect:\n  accepted: true\n  warnings:\n  - \"no\"\n";
        let written = format!("# why\nreview:\n{MACHINE}{yaml}");
        assert_eq!(read(&text).with_expect(&text, &accepted).unwrap(), written);
        let text = format!("review:\n{MACHINE}");
        assert_eq!(read(&text).with_expect(&text, &accepted).unwrap(), format!("{text}{yaml}"));
        let refusal = "cannot write `expect`: it must be the last key of a file in YAML's block style";
        for text in [
            format!("review:\n{MACHINE}expect: {{}}\nsettings: {{ mode: verify }}\n"),
            format!("expect: {{}}\nreview:\n{MACHINE}"),
            r#"{"review": {"operation": "CREATE", "username": "a", "object": {}}}"#.to_owned(),
        ] {
            let written = read(&text).with_expect(&text, &accepted);
            assert_eq!(written.map_err(|fault| fault.message), Err(refusal.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_file_with_versions_has_a_case_for_each() {
        let machine =
            MACHINE.replace("v1beta2", "$version").replace("metadata", "spec: { v1beta1: { a: 1 } }, metadata");
        let text = format!("versions: [v1beta1, v1beta2]\nreview:\n{machine}");
        let file = CaseFile::read("case", &text, &json!({})).unwrap();
        let objects: Vec<Value> = file.cases.iter().map(|case| case.reviews[0]["object"].clone()).collect();
        let machine = |version: &str| json!({ "apiVersion": format!("cluster.x-k8s.io/{version}"), "kind": "Machine", "metadata": { "name": "m" } });
        let mut older = machine("v1beta1");
        older["spec"] = json!({ "a": 1 });
        assert_eq!(objects, [older, machine("v1beta2")]);
        let titles: Vec<String> = file.cases.iter().map(Case::title).collect();
        assert_eq!(titles, ["case (v1beta1)", "case (v1beta2)"]);
        let answers = [vec![json!({ "accepted": true })], vec![json!({ "accepted": false })]];
        let written = file.with_expect(&text, &answers).unwrap();
        assert_eq!(written, format!("{text}expect:\n  accepted:\n    v1beta1: true\n    v1beta2: false\n"));
        let cases = CaseFile::read("case", &written, &json!({})).unwrap().cases;
        assert_eq!(cases.into_iter().map(|case| case.expect.unwrap()).collect::<Vec<_>>(), answers);
    }
}
