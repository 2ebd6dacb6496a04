//! What the webhooks refuse in the configuration of kubeadm.
//!
//! Source: `validateFiles` and `validateUsers` in bootstrap/kubeadm/webhooks/admission/kubeadmconfig.go of Cluster API v1.14.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Refusal, has_placeholder, refusal};
use crate::relations::text;

/// Files with one path, and files and users with two sources.
pub(super) fn sources(object: &Value) -> Vec<Refusal> {
    const SPECS: [&str; 4] =
        ["/spec", "/spec/kubeadmConfigSpec", "/spec/template/spec", "/spec/template/spec/kubeadmConfigSpec"];
    SPECS.into_iter().filter_map(|pointer| Some((pointer, object.pointer(pointer)?))).flat_map(of_spec).collect()
}

fn of_spec((pointer, spec): (&str, &Value)) -> Vec<Refusal> {
    let at = pointer.trim_start_matches('/').replace('/', ".");
    let list = |field: &str| spec.get(field).and_then(Value::as_array).into_iter().flatten().enumerate();
    let both = [("files", "content", "contentFrom"), ("users", "passwd", "passwdFrom")].into_iter();
    let both = both.flat_map(|(field, own, other)| {
        let has_both =
            move |entry: &Value| !text(entry, own).is_empty() && entry.get(other).is_some_and(|it| !it.is_null());
        let message = format!("`{own}` and `{other}` exclude each other");
        let found = list(field).filter(move |(_, entry)| has_both(entry));
        let at = &at;
        found.map(move |(number, _)| refusal(format!("{at}.{field}[{number}]"), message.clone()))
    });
    let mut paths = BTreeSet::new();
    let again = list("files").filter(|(_, file)| {
        let path = text(file, "path");
        !path.is_empty() && !has_placeholder(path) && !paths.insert(path)
    });
    let again = again.map(|(number, file)| {
        let message = format!("`{}` is the path of another file, too", text(file, "path"));
        refusal(format!("{at}.files[{number}].path"), message)
    });
    both.chain(again).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_have_one_path_and_one_source_each() {
        let spec = json!({
            "files": [{"path": "/a", "content": "1"}, {"path": "/a"}, {"path": "${A}"}, {"path": "${A}"},
                {"path": "/b", "content": "1", "contentFrom": {"secret": {"name": "s", "key": "k"}}}],
            "users": [{"name": "u", "passwd": "1", "passwdFrom": null}],
        });
        let found: Vec<String> = sources(&json!({"spec": {"template": {"spec": {"kubeadmConfigSpec": spec}}}}))
            .into_iter()
            .map(|Refusal { at, message, .. }| format!("{at}: {message}"))
            .collect();
        let at = "spec.template.spec.kubeadmConfigSpec.files";
        let expected = [
            format!("{at}[4]: `content` and `contentFrom` exclude each other"),
            format!("{at}[1].path: `/a` is the path of another file, too"),
        ];
        assert_eq!(found, expected);
    }
}
