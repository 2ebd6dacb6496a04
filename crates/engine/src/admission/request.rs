//! One admission request, as the API server sends it and Kubewarden hands it on.

use std::borrow::Cow;

use crate::json::scan::Scanner;
use crate::json::{Malformed, string};
use crate::kube::kind::GroupVersionKind;
use crate::report::messages::requests as messages;

/// One request together with the settings to judge it by: `{"request": …, "settings": …}`, one shape for every door.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// The request.
    pub review: Review<'a>,
    /// The settings' text; `{}` where there are none.
    pub settings: &'a str,
}

impl<'a> Call<'a> {
    /// Reads a call in one pass.
    ///
    /// # Errors
    /// When the text is no JSON, or the request has another shape than Kubernetes gives it.
    pub fn from_json(text: &'a str) -> Result<Self, Malformed> {
        let (mut review, mut settings) = (None, "{}");
        let mut scanner = Scanner::new(text);
        let object = scanner.object(|key, scanner| {
            match &*string(scanner.slice(key))? {
                "request" => review = Some(Review::scan(scanner)?),
                "settings" => {
                    let value = scanner.value()?;
                    settings = scanner.slice(value);
                }
                _ => {
                    scanner.value()?;
                }
            }
            Some(())
        });
        if object.is_none() || !scanner.is_done() {
            return Err(not_readable(text));
        }
        let review = review.unwrap_or_else(|| Err(missing("request")))?;
        Ok(Call { review, settings })
    }
}

/// One admission request.
///
/// Objects stay raw JSON; what is absent is empty.
#[derive(Debug, Clone, Default)]
pub struct Review<'a> {
    /// Group, version and kind of the object, after any conversion by the API server.
    pub kind: GroupVersionKind<'a>,
    /// `status`, `scale` and the like; empty for the object itself.
    pub sub_resource: Cow<'a, str>,
    /// Name of the object; empty on a CREATE with `generateName`.
    pub name: Cow<'a, str>,
    /// Namespace of the object; empty for cluster-scoped kinds.
    pub namespace: Cow<'a, str>,
    /// What is being done.
    pub operation: Operation,
    /// Who does it: the exact user name; an empty one is anybody.
    pub username: Cow<'a, str>,
    /// The object's text as it would be stored.
    pub object: Option<&'a str>,
    /// The object's text as it is stored, on UPDATE and DELETE.
    pub old_object: Option<&'a str>,
    /// Nothing will be stored.
    pub dry_run: bool,
    /// The client's own word for itself: reported, never believed.
    pub field_manager: Option<Cow<'a, str>>,
}

/// What is being done to the object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Operation {
    /// The object is new.
    #[default]
    Create,
    /// The object exists.
    Update,
    /// The object goes away: nothing is left to carry a label.
    Delete,
    /// A sub-resource is opened.
    Connect,
}

impl<'a> Review<'a> {
    /// Reads an AdmissionRequest.
    ///
    /// # Errors
    /// When the text is no JSON, or has another shape than Kubernetes gives it.
    pub fn from_json(text: &'a str) -> Result<Self, Malformed> {
        let mut scanner = Scanner::new(text);
        let review = Review::scan(&mut scanner).filter(|_| scanner.is_done());
        review.unwrap_or_else(|| Err(not_readable(text)))
    }

    /// Kind, namespace and name, as far as the request has them.
    pub(crate) fn title(&self) -> String {
        match (&*self.namespace, &*self.name) {
            (_, "") => self.kind.kind.clone().into_owned(),
            ("", name) => format!("{} {name}", self.kind.kind),
            (namespace, name) => format!("{} {namespace}/{name}", self.kind.kind),
        }
    }

    /// `None` where no object begins at the scanner.
    fn scan(scanner: &mut Scanner<'a>) -> Option<Result<Self, Malformed>> {
        let mut review = Review::default();
        let (mut operation, mut user) = (None, None);
        let mut problem = None;
        scanner.object(|key, scanner| {
            let value = scanner.value()?;
            let (key, value) = (scanner.slice(key), scanner.slice(value));
            if value == "null" {
                return Some(());
            }
            let read = match &*string(key)? {
                "kind" => strings(value, "request.kind", ["group", "version", "kind"])
                    .map(|[group, version, kind]| review.kind = GroupVersionKind { group, version, kind }),
                "subResource" => text(value, "request.subResource").map(|text| review.sub_resource = text),
                "name" => text(value, "request.name").map(|text| review.name = text),
                "namespace" => text(value, "request.namespace").map(|text| review.namespace = text),
                "operation" => text(value, "request.operation")
                    .and_then(|text| Operation::read(&text))
                    .map(|read| operation = Some(read)),
                "userInfo" => strings(value, "request.userInfo", ["username"]).map(|[name]| user = Some(name)),
                "options" => strings(value, "request.options", ["fieldManager"])
                    .map(|[manager]| review.field_manager = Some(manager).filter(|manager| !manager.is_empty())),
                "object" => {
                    review.object = Some(value);
                    Ok(())
                }
                "oldObject" => {
                    review.old_object = Some(value);
                    Ok(())
                }
                "dryRun" => {
                    review.dry_run = value == "true";
                    Ok(())
                }
                _ => Ok(()),
            };
            if let Err(malformed) = read {
                problem.get_or_insert(malformed);
            }
            Some(())
        })?;
        Some(match (problem, operation, user) {
            (Some(malformed), ..) => Err(malformed),
            (None, None, _) => Err(missing("request.operation")),
            (None, _, None) => Err(missing("request.userInfo")),
            (None, Some(operation), Some(username)) => Ok(Review { operation, username, ..review }),
        })
    }
}

impl Operation {
    fn read(text: &str) -> Result<Operation, Malformed> {
        match text {
            "CREATE" => Ok(Operation::Create),
            "UPDATE" => Ok(Operation::Update),
            "DELETE" => Ok(Operation::Delete),
            "CONNECT" => Ok(Operation::Connect),
            other => {
                let problem = messages::unknown_operation(other);
                Err(Malformed { path: "request.operation".to_owned(), problem })
            }
        }
    }
}

/// The string that `value` is.
fn text<'a>(value: &'a str, path: &str) -> Result<Cow<'a, str>, Malformed> {
    string(value).ok_or_else(|| Malformed { path: path.to_owned(), problem: "is not a string".to_owned() })
}

/// The strings under some names of the object that `value` is; empty where they are absent or null.
fn strings<'a, const N: usize>(value: &'a str, path: &str, names: [&str; N]) -> Result<[Cow<'a, str>; N], Malformed> {
    let mut found = [const { Cow::Borrowed("") }; N];
    let mut problem = None;
    let mut scanner = Scanner::new(value);
    let object = scanner.object(|key, scanner| {
        let value = scanner.value()?;
        let (key, value) = (string(scanner.slice(key))?, scanner.slice(value));
        if let Some((name, found)) = names.iter().zip(&mut found).find(|(name, _)| **name == key)
            && value != "null"
        {
            match text(value, &[path, ".", name].concat()) {
                Ok(text) => *found = text,
                Err(malformed) => problem = Some(malformed),
            }
        }
        Some(())
    });
    match (object, problem) {
        (None, _) => Err(Malformed { path: path.to_owned(), problem: "is not an object".to_owned() }),
        (Some(()), Some(malformed)) => Err(malformed),
        (Some(()), None) => Ok(found),
    }
}

fn missing(path: &str) -> Malformed {
    Malformed { path: path.to_owned(), problem: messages::MISSING.to_owned() }
}

/// Why a text cannot be read: a parser's words where it is no JSON.
fn not_readable(text: &str) -> Malformed {
    let problem = match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Err(error) => messages::not_json(&error),
        Ok(_) => messages::NO_REQUEST.to_owned(),
    };
    Malformed { path: "payload".to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &str = r#"{"uid":"1","kind":{"group":"g","version":"v1","kind":"K"},"subResource":"status","name":"n",
        "namespace":"ns","operation":"UPDATE","userInfo":{"username":"alice","groups":[]},"object":{"a":1},"oldObject":{},
        "dryRun":true,"options":{"fieldManager":"kubectl"}}"#;

    #[test]
    fn every_field_is_read() {
        let review = Review::from_json(REQUEST).unwrap();
        let kind = GroupVersionKind { group: "g".into(), version: "v1".into(), kind: "K".into() };
        assert_eq!((review.kind, review.operation), (kind, Operation::Update));
        assert_eq!((&*review.sub_resource, &*review.name, &*review.namespace), ("status", "n", "ns"));
        assert_eq!((&*review.username, review.field_manager.as_deref()), ("alice", Some("kubectl")));
        assert_eq!((review.object, review.old_object, review.dry_run), (Some(r#"{"a":1}"#), Some("{}"), true));
    }

    #[test]
    fn nulls_count_as_absent() {
        let text = r#"{"name":null,"object":null,"options":null,"operation":"CONNECT","userInfo":{"username":null}}"#;
        let review = Review::from_json(text).unwrap();
        assert_eq!((&*review.name, review.object, &*review.username), ("", None, ""));
        assert_eq!(review.operation, Operation::Connect);
    }

    #[test]
    fn a_call_is_a_request_and_settings() {
        let text = format!(r#" {{"other":[],"settings":{{"mode":"verify"}},"request":{REQUEST}}} "#);
        let call = Call::from_json(&text).unwrap();
        assert_eq!((call.settings, &*call.review.name), (r#"{"mode":"verify"}"#, "n"));
        assert_eq!(Call::from_json(&format!(r#"{{"request":{REQUEST}}}"#)).unwrap().settings, "{}");
    }

    #[test]
    fn what_is_no_request_is_named() {
        for (text, expected) in [
            ("{", "`payload` is not JSON: EOF while parsing an object at line 1 column 1"),
            ("{} x", "`payload` is not JSON: trailing characters at line 1 column 4"),
            ("[]", "`payload` is not an object with an object `request`"),
            (r#"{"settings":{}}"#, "`request` is missing"),
            (r#"{"request":{"userInfo":{}}}"#, "`request.operation` is missing"),
            (r#"{"request":{"operation":"CREATE"}}"#, "`request.userInfo` is missing"),
            (r#"{"request":{"operation":"CREATE","userInfo":7}}"#, "`request.userInfo` is not an object"),
            (r#"{"request":{"kind":{"group":7}}}"#, "`request.kind.group` is not a string"),
            (r#"{"request":{"options":[]}}"#, "`request.options` is not an object"),
        ] {
            assert_eq!(Call::from_json(text).unwrap_err().to_string(), expected, "{text}");
        }
        assert!(Review::from_json(&format!("{REQUEST} x")).is_err());
    }
}
