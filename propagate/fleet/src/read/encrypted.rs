//! What SOPS encrypts in a file that is decrypted before it is applied, as Flux and plugins of Argo CD do.
//!
//! Source: the stores of getsops/sops (stores/stores.go): the field `sops` with `mac`, and values such as
//! `ENC[AES256_GCM,data:…,iv:…,tag:…,type:str]`. A value that was not edited keeps its text.

use std::sync::Arc;

use serde_json::Value;

/// Such as `ENC[AES256_GCM,data:pPt4qg==,iv:…,tag:…,type:str]`.
pub(super) fn is_encrypted(text: &str) -> bool {
    text.starts_with("ENC[AES256_GCM,") && text.ends_with(']')
}

/// The object as it is applied: without `sops`, and with a placeholder for each value that is encrypted.
pub(super) fn decrypted(json: Arc<str>) -> Arc<str> {
    // Most objects have none of this anywhere.
    if !json.contains("\"sops\"") {
        return json;
    }
    let Ok(mut object) = serde_json::from_str::<Value>(&json) else { return json };
    if object.pointer("/sops/mac").is_none() {
        return json;
    }
    if let Some(fields) = object.as_object_mut() {
        fields.remove("sops");
    }
    fill_in(&mut object);
    object.to_string().into()
}

fn fill_in(value: &mut Value) {
    match value {
        Value::String(text) if is_encrypted(text) => *text = placeholder(text),
        Value::Array(elements) => elements.iter_mut().for_each(fill_in),
        Value::Object(fields) => fields.values_mut().for_each(fill_in),
        _ => {}
    }
}

/// Such as `${ENC:pPt4qg==}`; a long value is cut, and differs from others all the same.
fn placeholder(text: &str) -> String {
    const MOST: usize = 24;
    let data = text.split(',').find_map(|part| part.strip_prefix("data:")).unwrap_or_default();
    let shown: String = data.chars().take(MOST).collect();
    format!("${{ENC:{shown}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encrypted_is_filled_in_and_the_rest_stays() {
        let encrypted = "ENC[AES256_GCM,data:pPt4qg==,iv:a,tag:b,type:str]";
        let read = |json: String| decrypted(json.into()).to_string();
        let with = |sops: &str| format!(r#"{{"spec":{{"a":["{encrypted}"],"b":3}}{sops}}}"#);
        assert_eq!(read(with(r#","sops":{"mac":"x"}"#)), r#"{"spec":{"a":["${ENC:pPt4qg==}"],"b":3}}"#);
        assert_eq!(read(with("")), with(""));
        assert_eq!(read(with(r#","sops":"true""#)), with(r#","sops":"true""#));
    }
}
