//! Files of cases: a YAML document is a case, or one for each of its versions.
//!
//! ```yaml
//! # What this file is about. A first document without `case` has what the others share: each of them has these keys,
//! # unless it has them itself.
//! settings: {}
//! ---
//! case: a_changed_value_is_restored   # its name; a file with a single document needs none
//! review: {}                          # this key and all others: see the module `case`
//! expect: {}
//! ---
//! case: a_dropped_key_is_restored
//! ```

use std::ops::Range;

use fleet::{Position, Source, to_json};
use serde_json::{Map, Value, json};

use crate::case::{Case, yaml};
use crate::fault::CaseFault;
use crate::versions::{in_version, merged};

/// One document of a file, with what the first one shares.
#[derive(Debug, Clone)]
pub struct FileDocument {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its keys, and those that it shares; without `case`.
    pub fields: Map<String, Value>,
    /// Its index among the documents of the file.
    index: usize,
}

impl FileDocument {
    /// Reads a file.
    ///
    /// # Errors
    /// When a document is no mapping, or one of several has no name of its own.
    pub fn read(text: &str) -> Result<Vec<FileDocument>, CaseFault> {
        let ranges = ranges(text);
        let (mut shared, mut documents) = (Map::new(), Vec::<FileDocument>::new());
        for (index, range) in ranges.iter().enumerate() {
            let placed = |fault| placed(text, index, fault);
            let mut own = fields(text.get(range.clone()).unwrap_or_default()).map_err(placed)?;
            let name = match own.remove("case") {
                None if index == 0 && ranges.len() > 1 => {
                    shared = own;
                    continue;
                }
                None if index > 0 => Err(CaseFault::new("`case` is missing: the name of this case")),
                None => Ok(None),
                Some(Value::String(name)) if documents.iter().any(|other| other.name.as_ref() == Some(&name)) => {
                    Err(CaseFault::new(format!("another case of this file has the name `{name}`")))
                }
                Some(Value::String(name)) => Ok(Some(name)),
                Some(_) => Err(CaseFault::of("case", "expected a name")),
            };
            let mut fields = shared.clone();
            fields.extend(own);
            documents.push(FileDocument { name: name.map_err(placed)?, fields, index });
        }
        Ok(documents)
    }
}

/// One document: a case, or one for each of its versions.
#[derive(Debug, Clone)]
pub struct CaseDocument {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The cases, in the order of the versions.
    pub cases: Vec<Case>,
    versions: Vec<String>,
    /// Its index among the documents of the file.
    index: usize,
}

impl CaseDocument {
    /// Reads a file; `settings` are those of a case that has none.
    ///
    /// # Errors
    /// When the text is not a case, or a document of several is none.
    pub fn read(file: &str, text: &str, settings: &Value) -> Result<Vec<CaseDocument>, CaseFault> {
        let of_document = |document: FileDocument| {
            let index = document.index;
            CaseDocument::of(file, document, settings).map_err(|fault| placed(text, index, fault))
        };
        FileDocument::read(text)?.into_iter().map(of_document).collect()
    }

    fn of(
        file: &str,
        FileDocument { name, mut fields, index }: FileDocument,
        settings: &Value,
    ) -> Result<CaseDocument, CaseFault> {
        let versions: Vec<String> = match fields.remove("versions") {
            Some(versions) => serde_json::from_value(versions).map_err(|error| CaseFault::of("versions", error))?,
            None => Vec::new(),
        };
        let full_name = name.as_ref().map_or_else(|| file.to_owned(), |name| format!("{file}/{name}"));
        let fields = Value::Object(fields);
        let of_version = |version: &String| {
            let fields = in_version(&fields, version, &versions).unwrap_or_default();
            let mut case = Case::read(&full_name, fields, settings)?;
            case.version = Some(version.clone());
            Ok(case)
        };
        let cases = match versions.as_slice() {
            [] => vec![Case::read(&full_name, fields, settings)?],
            versions => versions.iter().map(of_version).collect::<Result<_, _>>()?,
        };
        Ok(CaseDocument { name, cases, versions, index })
    }

    /// The text of the file with other answers in `expect` of this document, which is its last key: a list for each case. The
    /// rest stays as it is.
    ///
    /// # Errors
    /// When `expect` is not the last key, or the text is not in block style.
    pub fn with_expect(&self, text: &str, answers: &[Vec<Value>]) -> Result<String, CaseFault> {
        let of_cases = self.cases.iter().zip(answers);
        let expect = match self.versions.as_slice() {
            [] => of_cases.map(|(case, answers)| case.of_file(answers)).next().unwrap_or_default(),
            versions => merged(versions, of_cases.map(|(case, answers)| case.of_file(answers)).collect()),
        };
        let range = ranges(text).get(self.index).cloned().unwrap_or_default();
        let [before, document, after] =
            [0..range.start, range.clone(), range.end..text.len()].map(|range| text.get(range).unwrap_or_default());
        let before_expect = match document.find("\nexpect:") {
            Some(at) => document.get(..=at).unwrap_or(document).to_owned(),
            None => format!("{}\n", document.trim_end()),
        };
        let written = before_expect + &yaml(&json!({ "expect": expect }))?;
        let mut wanted = fields(document)?;
        wanted.insert("expect".to_owned(), expect);
        match fields(&written) {
            Ok(fields) if fields == wanted => Ok(format!("{before}{written}{after}")),
            _ => Err(CaseFault::new("cannot write `expect`: it must be the last key of a case in YAML's block style")),
        }
    }
}

/// The documents of a file; a text without any is one that is empty.
fn ranges(text: &str) -> Vec<Range<usize>> {
    let documents = Source { name: String::new(), text: text.to_owned() }.documents();
    if documents.is_empty() { std::iter::once(0..text.len()).collect() } else { documents }
}

fn fields(text: &str) -> Result<Map<String, Value>, CaseFault> {
    let source = Source { name: String::new(), text: text.to_owned() };
    let json = to_json(&source).map_err(|(message, at)| CaseFault { message, at: Some(at) })?;
    serde_json::from_str(&json)
        .map_err(|_| CaseFault::new("not a case: expected a mapping with `review` or `steps`, and `expect`"))
}

/// A fault of a document with its position in the file; that of the document where there are several.
fn placed(text: &str, document: usize, fault: CaseFault) -> CaseFault {
    let ranges = ranges(text);
    let begin = ranges.get(document).map_or(0, |range| range.start);
    let before = text.get(..begin).unwrap_or_default().matches('\n').count();
    let begin = (ranges.len() > 1).then_some(Position { line: 1, column: 1 });
    let at = fault.at.or(begin).map(|Position { line, column }| Position { line: before + line, column });
    CaseFault { at, ..fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: &str = "  operation: CREATE\n  username: a\n  object: { apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: { name: m } }\n";

    fn read(text: &str) -> Vec<CaseDocument> {
        CaseDocument::read("file", text, &json!({})).unwrap()
    }

    #[test]
    fn a_document_has_what_the_first_one_shares_unless_it_has_it_itself() {
        let text = format!(
            "# About.\nsettings: {{ mode: verify }}\nreview:\n{MACHINE}---\ncase: a\n---\ncase: b\nsettings: {{}}\n"
        );
        let documents = read(&text);
        let found: Vec<_> = documents.iter().flat_map(|document| &document.cases).collect();
        let names: Vec<&str> = found.iter().map(|case| &*case.name).collect();
        assert_eq!(names, ["file/a", "file/b"]);
        let settings: Vec<&Value> = found.iter().map(|case| &case.settings).collect();
        assert_eq!(settings, [&json!({ "mode": "verify" }), &json!({})]);
        assert_eq!(found[0].reviews, found[1].reviews);
    }

    #[test]
    fn what_is_wrong_with_a_document_is_named_with_its_position() {
        let case = |name: &str| format!("---\ncase: {name}\nreview:\n{MACHINE}");
        for (text, expected) in [
            (format!("{}---\nreview: {{}}\n", case("a")), "7:1: `case` is missing: the name of this case"),
            (format!("{}{}", case("a"), case("a")), "7:1: another case of this file has the name `a`"),
            ("case: [a]".to_owned(), "`case`: expected a name"),
            (format!("{}---\ncase: b\n", case("a")), "7:1: not a case: it has neither `review` nor `steps`"),
            (
                format!("{}---\ncase: b\ncase: c\n", case("a")),
                "9:1: cannot read this document: key `case` occurs twice in the same mapping",
            ),
        ] {
            let fault = CaseDocument::read("file", &text, &json!({})).map_err(|fault| fault.to_string());
            assert_eq!(fault.map(|_| ()), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn expect_is_written_into_its_document_alone() {
        let text = format!(
            "# About.\ncase: a\nreview:\n{MACHINE}expect: {{  accepted:  false }}\n---\ncase: b\n# why\nreview:\n{MACHINE}expect:\n  accepted: false\n---\ncase: c\nreview:\n{MACHINE}"
        );
        let accepted = [vec![json!({ "accepted": true })]];
        let written = |index: usize| read(&text)[index].with_expect(&text, &accepted).unwrap();
        assert_eq!(written(0), text.replace("expect: {  accepted:  false }\n", "expect:\n  accepted: true\n"));
        assert_eq!(written(1), text.replace("expect:\n  accepted: false\n", "expect:\n  accepted: true\n"));
        assert_eq!(written(2), format!("{text}expect:\n  accepted: true\n"));
    }

    #[test]
    fn expect_is_written_as_the_last_key_only() {
        let text = format!("# why\nreview:\n{MACHINE}expect:\n  accepted: false\n");
        let accepted = [vec![json!({ "accepted": true, "warnings": ["no"] })]];
        let yaml = "expect:\n  accepted: true\n  warnings:\n  - \"no\"\n";
        let written = format!("# why\nreview:\n{MACHINE}{yaml}");
        assert_eq!(read(&text)[0].with_expect(&text, &accepted).unwrap(), written);
        let text = format!("review:\n{MACHINE}");
        assert_eq!(read(&text)[0].with_expect(&text, &accepted).unwrap(), format!("{text}{yaml}"));
        let refusal = "cannot write `expect`: it must be the last key of a case in YAML's block style";
        for text in [
            format!("review:\n{MACHINE}expect: {{}}\nsettings: {{ mode: verify }}\n"),
            format!("expect: {{}}\nreview:\n{MACHINE}"),
            r#"{"review": {"operation": "CREATE", "username": "a", "object": {}}}"#.to_owned(),
        ] {
            let written = read(&text)[0].with_expect(&text, &accepted);
            assert_eq!(written.map_err(|fault| fault.message), Err(refusal.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_document_with_versions_has_a_case_for_each() {
        let machine =
            MACHINE.replace("v1beta2", "$version").replace("metadata", "spec: { v1beta1: { a: 1 } }, metadata");
        let text = format!("versions: [v1beta1, v1beta2]\nreview:\n{machine}");
        let file = &read(&text)[0];
        let objects: Vec<Value> = file.cases.iter().map(|case| case.reviews[0]["object"].clone()).collect();
        let machine = |version: &str| json!({ "apiVersion": format!("cluster.x-k8s.io/{version}"), "kind": "Machine", "metadata": { "name": "m" } });
        let mut older = machine("v1beta1");
        older["spec"] = json!({ "a": 1 });
        assert_eq!(objects, [older, machine("v1beta2")]);
        let titles: Vec<String> = file.cases.iter().map(Case::title).collect();
        assert_eq!(titles, ["file (v1beta1)", "file (v1beta2)"]);
        let answers = [vec![json!({ "accepted": true })], vec![json!({ "accepted": false })]];
        let written = file.with_expect(&text, &answers).unwrap();
        assert_eq!(written, format!("{text}expect:\n  accepted:\n    v1beta1: true\n    v1beta2: false\n"));
        let cases = read(&written).remove(0).cases;
        assert_eq!(cases.into_iter().map(|case| case.expect.unwrap()).collect::<Vec<_>>(), answers);
    }
}
