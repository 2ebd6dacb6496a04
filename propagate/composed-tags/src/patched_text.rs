//! The text that a patch writes for one composite: what it combines, and what its transforms make of it.
//!
//! Source: function-patch-and-transform, patches.go, `Combine` and `CombineString`; transforms.go, `ResolveString` and
//! `ResolveMap`.

use raw_json::{Json, Malformed};
use tag_delivery::simulation::{FieldPathStep, steps_of};

/// A text, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchedText {
    /// The text.
    Known(String),
    /// It is not known. It is the same if this is the same: the patch, and the values that it reads.
    Unknown(String),
}

/// The text that a patch writes; `None` if the composite does not have what it reads.
pub(crate) fn patched_text(patch: Json<'_>, composite: Json<'_>) -> Option<PatchedText> {
    let kind = patch.string(&["type"]).ok().flatten().unwrap_or("FromCompositeFieldPath");
    if !["FromCompositeFieldPath", "CombineFromComposite"].contains(&kind) {
        return Some(PatchedText::Unknown(patch.text().to_owned()));
    }
    let combine = patch.get("combine").ok()?;
    let mut read = Vec::new();
    if kind == "CombineFromComposite" {
        for variable in combine.get("variables").ok()?.as_elements()? {
            read.push(value(variable.string(&["fromFieldPath"]).ok()??, composite)?);
        }
    } else {
        read.push(value(patch.string(&["fromFieldPath"]).ok()??, composite)?);
    }
    let texts: Vec<&str> = read.iter().map(|json| json.as_str().unwrap_or_else(|| json.text())).collect();
    let is_plain = read.iter().all(|json| json.as_str().is_some());
    let unknown = || PatchedText::Unknown([&[patch.text()], &*texts].concat().join("\n"));
    let first = match kind {
        "CombineFromComposite" => {
            combine.string(&["string", "fmt"]).ok().flatten().and_then(|fmt| formatted(fmt, &texts))
        }
        _ => texts.first().map(|text| (*text).to_owned()),
    };
    let transforms = || patch.get("transforms").ok().and_then(Json::as_elements).into_iter().flatten();
    let apply = |text: String, transform| transformed(&text, transform).ok().flatten();
    let done = first.filter(|_| is_plain).and_then(|first| transforms().try_fold(first, apply));
    Some(done.map_or_else(unknown, PatchedText::Known))
}

fn value<'a>(path: &str, composite: Json<'a>) -> Option<Json<'a>> {
    let found = steps_of(path).ok()?.into_iter().try_fold(composite, |here, step| match step {
        FieldPathStep::Field(name) => here.get(name).ok(),
        FieldPathStep::Element(index) => here.as_elements()?.nth(index as usize),
    });
    found.filter(|value| !value.is_null())
}

/// A format of Go with `%s` and `%v` only.
fn formatted(fmt: &str, texts: &[&str]) -> Option<String> {
    let (mut out, mut texts, mut parts) = (String::new(), texts.iter(), fmt.split('%'));
    out.push_str(parts.next()?);
    while let Some(part) = parts.next() {
        match part.chars().next() {
            Some('s' | 'v') => {
                out.push_str(texts.next()?);
                out.push_str(part.get(1..)?);
            }
            None => {
                out.push('%');
                out.push_str(parts.next()?);
            }
            Some(_) => return None,
        }
    }
    texts.next().is_none().then_some(out)
}

/// The text after a transform; `Ok(None)` if it is not known.
fn transformed(text: &str, transform: Json<'_>) -> Result<Option<String>, Malformed> {
    let of = transform.get("string")?;
    let affix = of.string(&["trim"])?.unwrap_or_default();
    Ok(match transform.string(&["type"])?.unwrap_or_default() {
        "map" => transform.get("map")?.get(text)?.as_str().map(str::to_owned),
        "convert" if transform.string(&["convert", "toType"])? == Some("string") => Some(text.to_owned()),
        "string" => match (of.string(&["type"])?.unwrap_or("Format"), of.string(&["convert"])?) {
            ("Format", _) => of.string(&["fmt"])?.and_then(|fmt| formatted(fmt, &[text])),
            ("Convert", Some("ToUpper")) if text.is_ascii() => Some(text.to_ascii_uppercase()),
            ("Convert", Some("ToLower")) if text.is_ascii() => Some(text.to_ascii_lowercase()),
            ("TrimPrefix", _) => Some(text.strip_prefix(affix).unwrap_or(text).to_owned()),
            ("TrimSuffix", _) => Some(text.strip_suffix(affix).unwrap_or(text).to_owned()),
            ("Replace", _) => {
                let search = of.string(&["replace", "search"])?.unwrap_or_default();
                let with = of.string(&["replace", "replace"])?.unwrap_or_default();
                (!search.is_empty()).then(|| text.replace(search, with))
            }
            _ => None,
        },
        _ => None,
    })
}
