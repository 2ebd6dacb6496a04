//! Which fields of templates the patches of classes may write.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::relations::text;

/// The patches of a class before and after a change, without their conditions.
pub(in crate::plan) struct Patches {
    /// The kind of the templates that are patched, and the JSON pointer.
    paths: BTreeSet<(String, String)>,
    /// Whether an extension patches as well, which may write any field.
    is_external: bool,
}

impl Patches {
    pub(in crate::plan) fn of(classes: [&Value; 2]) -> Patches {
        let mut patches = Patches { paths: BTreeSet::new(), is_external: false };
        let list = |value: &Value, field: &str| value.get(field).and_then(Value::as_array).cloned().unwrap_or_default();
        for patch in classes.iter().filter_map(|class| class.get("spec")).flat_map(|spec| list(spec, "patches")) {
            patches.is_external |= patch.get("external").is_some_and(|external| !external.is_null());
            for definition in list(&patch, "definitions") {
                let kind = definition.get("selector").map_or("", |selector| text(selector, "kind")).to_owned();
                let of_definition = list(&definition, "jsonPatches");
                patches.paths.extend(of_definition.iter().map(|it| (kind.clone(), text(it, "path").to_owned())));
            }
        }
        patches
    }

    /// The new template, with the old values of all fields that a patch may write: it certainly differs from the old one
    /// by the rest.
    pub(super) fn unpatched(&self, kind: &str, old: &Value, new: &Value) -> Value {
        self.merged(kind, "", Some(old), Some(new)).unwrap_or_default()
    }

    fn merged(&self, kind: &str, pointer: &str, old: Option<&Value>, new: Option<&Value>) -> Option<Value> {
        if let (Some(Value::Object(old)), Some(Value::Object(new))) = (old, new) {
            let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            let field = |name: &String| {
                let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                Some((name.clone(), self.merged(kind, &pointer, old.get(name), new.get(name))?))
            };
            return Some(Value::Object(names.into_iter().filter_map(field).collect::<Map<_, _>>()));
        }
        if old != new && self.may_write(kind, pointer) { old.cloned() } else { new.cloned() }
    }

    /// Whether a patch may write a field, a part of it, or something around it.
    pub(in crate::plan) fn may_write(&self, kind: &str, pointer: &str) -> bool {
        let is_within = |path: &str, above: &str| {
            path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.is_external
            || (self.paths.iter())
                .any(|(of, path)| of == kind && (is_within(path, pointer) || is_within(pointer, path)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_patch_may_write_is_not_certain() {
        let patch = |path: &str| json!({ "op": "add", "path": path, "value": 1 });
        let class = |patches: Value| json!({ "spec": { "patches": patches } });
        let inline = class(json!([{ "name": "p", "definitions": [{
            "selector": { "kind": "DevMachineTemplate" },
            "jsonPatches": [patch("/spec/template/spec/image"), patch("/spec/template/spec/files/-")],
        }] }]));
        let external = class(json!([{ "name": "p", "external": { "generatePatchesExtension": "e" } }]));
        let spec = |image: &str, files: Value, size: u8| json!({ "spec": { "template": { "spec": { "image": image, "files": files, "size": size } } } });
        let (old, new) = (spec("a", json!([]), 1), spec("b", json!(["c"]), 2));
        let none = json!({});
        for (classes, kind, expected) in [
            ([&none, &none], "DevMachineTemplate", new.clone()),
            ([&none, &inline], "DevMachineTemplate", spec("a", json!([]), 2)),
            ([&inline, &none], "OtherTemplate", new.clone()),
            ([&inline, &external], "OtherTemplate", old.clone()),
        ] {
            assert_eq!(Patches::of(classes).unpatched(kind, &old, &new), expected);
        }
    }
}
