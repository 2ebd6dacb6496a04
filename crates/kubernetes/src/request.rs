//! One admission request, as the API server sends it and Kubewarden passes it on.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::json::{Document, Json, Malformed, equal, string};

/// One request and the settings to evaluate it with: `{"request": …, "settings": …}`, one structure for every entry
/// point.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    pub review: Review<'a>,
    /// The settings as JSON; `{}` if there are none.
    pub settings: &'a str,
}

/// The objects of a request.
#[derive(Debug)]
pub struct Objects<'a> {
    /// The object as it would be stored.
    pub new: Document<'a>,
    /// The object as it is stored.
    pub old: Option<Document<'a>>,
}

impl<'a> Call<'a> {
    /// Reads a call.
    ///
    /// # Errors
    /// When the text is not JSON, or the request does not have the structure of an AdmissionRequest.
    pub fn from_json(text: &'a str) -> Result<Self, Malformed> {
        Call::with_objects(text).map(|(call, _)| call)
    }

    /// Like [`Call::from_json`], and returns what was read of the objects on the way.
    pub fn with_objects(text: &'a str) -> Result<(Self, Objects<'a>), Malformed> {
        let mut payload = Document::new(text);
        let root = payload.root();
        let (Some(request), Some(settings)) = (root.get("request").ok(), root.get("settings").ok()) else {
            return Err(not_readable(text));
        };
        let settings = settings.present().map_or("{}", |settings| settings.text_in(text));
        let Some(request) = request.present() else { return Err(missing("request")) };
        if request.as_fields().is_none() {
            return Err(not_readable(text));
        }
        let review = Review::read(text, request)?;
        let new = payload.take(&["request", "object"], "");
        let new = new.unwrap_or_else(|| Document::new(review.object.unwrap_or("null")));
        let old = review.old_object.map(|text| {
            let old = payload.take(&["request", "oldObject"], OLD_OBJECT);
            old.unwrap_or_else(|| Document::named(OLD_OBJECT, text))
        });
        Ok((Call { review, settings }, Objects { new, old }))
    }
}

const OLD_OBJECT: &str = "oldObject";

impl<'a> Objects<'a> {
    pub fn of(review: &Review<'a>) -> Self {
        Objects {
            new: Document::new(review.object.unwrap_or("null")),
            old: review.old_object.map(|text| Document::named(OLD_OBJECT, text)),
        }
    }
}

/// One admission request.
///
/// Objects remain raw JSON; an absent text is empty.
#[derive(Debug, Clone, Default)]
pub struct Review<'a> {
    /// Group, version and kind of the object, after any conversion by the API server.
    pub kind: GroupVersionKind<'a>,
    /// `status`, `scale` and so on; empty for the object itself.
    pub sub_resource: Cow<'a, str>,
    /// Name of the object; empty on a CREATE with `generateName`.
    pub name: Cow<'a, str>,
    /// Namespace of the object; empty for cluster-scoped kinds.
    pub namespace: Cow<'a, str>,
    pub operation: Operation,
    /// The exact name of the user; empty if the request has none.
    pub username: Cow<'a, str>,
    pub groups: Vec<Cow<'a, str>>,
    /// The object's text as it would be stored.
    pub object: Option<&'a str>,
    /// The object's text as it is stored, for UPDATE and DELETE.
    pub old_object: Option<&'a str>,
    /// A dry run: nothing will be stored.
    pub dry_run: bool,
    /// Whether the request comes from an API server, which keeps the owners of fields in `metadata.managedFields`; a
    /// review made from files has no owners to keep.
    pub is_of_api_server: bool,
    /// The name that the client gives itself: reported, never trusted.
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
    /// The object is deleted: nothing is left to carry a label.
    Delete,
    Connect,
}

impl<'a> Review<'a> {
    /// Reads an AdmissionRequest.
    ///
    /// # Errors
    /// When the text is not JSON, or does not have the structure of an AdmissionRequest.
    pub fn from_json(text: &'a str) -> Result<Self, Malformed> {
        let request = Document::named("request", text);
        match request.root().present().and_then(Json::as_fields) {
            Some(_) => Review::read(text, request.root()),
            None => Err(not_readable(text)),
        }
    }

    fn read(text: &'a str, request: Json<'_>) -> Result<Self, Malformed> {
        let mut review = Review { is_of_api_server: true, ..Review::default() };
        let (mut operation, mut user) = (None, None);
        let plain = |value: Json<'_>| {
            value.as_string()?;
            Ok::<_, Malformed>(string(value.text_in(text)).unwrap_or_default())
        };
        let part = |value: Json<'_>, name| value.get(name)?.present().map_or(Ok(Cow::Borrowed("")), plain);
        for (key, value) in request.fields()? {
            if value.is_null() {
                continue;
            }
            match key {
                "kind" => {
                    let (group, version) = (part(value, "group")?, part(value, "version")?);
                    review.kind = GroupVersionKind { group, version, kind: part(value, "kind")? };
                }
                "subResource" => review.sub_resource = plain(value)?,
                "name" => review.name = plain(value)?,
                "namespace" => review.namespace = plain(value)?,
                "operation" => operation = Some(Operation::read(value)?),
                "userInfo" => {
                    user = Some(part(value, "username")?);
                    review.groups = value.get("groups")?.elements()?.map(plain).collect::<Result<_, _>>()?;
                }
                "options" => {
                    let manager = part(value, "fieldManager")?;
                    review.field_manager = Some(manager).filter(|manager| !manager.is_empty());
                }
                "object" => review.object = Some(value.text_in(text)),
                "oldObject" => review.old_object = Some(value.text_in(text)),
                "dryRun" => review.dry_run = value.is_true(),
                _ => {}
            }
        }
        review.operation = operation.ok_or_else(|| missing("request.operation"))?;
        review.username = user.ok_or_else(|| missing("request.userInfo"))?;
        Ok(review)
    }

    /// Whether `lists` contains the user, or a group of the user.
    pub fn is_by_one_of(&self, lists: impl Fn(&str) -> bool) -> bool {
        lists(&self.username) || self.groups.iter().any(|group| lists(group))
    }

    /// Kind, namespace and name, as far as the request contains them.
    pub fn title(&self) -> String {
        match (&*self.namespace, &*self.name) {
            (_, "") => self.kind.kind.clone().into_owned(),
            ("", name) => format!("{} {name}", self.kind.kind),
            (namespace, name) => format!("{} {namespace}/{name}", self.kind.kind),
        }
    }
}

impl Operation {
    fn read(json: Json<'_>) -> Result<Operation, Malformed> {
        match json.as_string()? {
            "CREATE" => Ok(Operation::Create),
            "UPDATE" => Ok(Operation::Update),
            "DELETE" => Ok(Operation::Delete),
            "CONNECT" => Ok(Operation::Connect),
            other => Err(json.malformed(format!("is `{other}`: must be `CREATE`, `UPDATE`, `DELETE` or `CONNECT`"))),
        }
    }
}

fn missing(path: &str) -> Malformed {
    Malformed { path: path.to_owned(), problem: "is missing".to_owned() }
}

/// Why a text cannot be read: the parser's message if it is not JSON.
fn not_readable(text: &str) -> Malformed {
    let problem = match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Err(error) => format!("is not JSON: {error}"),
        Ok(_) => "has no object `request`".to_owned(),
    };
    Malformed { path: "payload".to_owned(), problem }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupVersionKind<'a> {
    /// Such as `cluster.x-k8s.io`; empty for the core group.
    pub group: Cow<'a, str>,
    pub version: Cow<'a, str>,
    pub kind: Cow<'a, str>,
}

impl Review<'_> {
    /// Whether the request changes more of the stored object than `metadata.managedFields` and
    /// `metadata.resourceVersion`.
    pub fn changes_something(&self) -> bool {
        self.operation == Operation::Create
            || (!self.dry_run
                && match (self.object, self.old_object) {
                    (Some(object), Some(old)) => {
                        object != old && !same_but_bookkeeping(Document::new(object).root(), Document::new(old).root())
                    }
                    _ => true,
                })
    }
}

/// Whether two objects mean the same, ignoring `metadata.managedFields` and `metadata.resourceVersion`.
pub fn same_but_bookkeeping(object: Json<'_>, old: Json<'_>) -> bool {
    let (Some(fields), Some(others)) = (lasting_fields(object), lasting_fields(old)) else { return false };
    let (absent, other_absent) = (object.absent(), old.absent());
    fields
        .keys()
        .chain(others.keys())
        .all(|key| equal(*fields.get(key).unwrap_or(&absent), *others.get(key).unwrap_or(&other_absent)))
}

/// Fields by whether they are metadata, and by name.
type Lasting<'a> = BTreeMap<(bool, &'a str), Json<'a>>;

/// The fields of an object and of its metadata except those two; `None` if one of the two is not an object.
fn lasting_fields(object: Json<'_>) -> Option<Lasting<'_>> {
    let mut lasting = BTreeMap::new();
    for (key, value) in object.as_fields()? {
        if key == "metadata" {
            let bookkeeping = |key: &str| ["managedFields", "resourceVersion"].contains(&key);
            let metadata = value.as_fields()?.filter(|(key, _)| !bookkeeping(key));
            lasting.extend(metadata.map(|(key, value)| ((true, key), value)));
        } else {
            lasting.insert((false, key), value);
        }
    }
    Some(lasting)
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
            ("[]", "`payload` has no object `request`"),
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
