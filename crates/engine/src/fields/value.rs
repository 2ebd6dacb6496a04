//! Values of fields, the same in every version.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Shape, duration};
use crate::json::{Json, Malformed};

/// One value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FieldValue {
    /// Nanoseconds.
    Duration(i64),
    Count(i64),
    Text(String),
    /// Each element by its fields, empty ones left out, and its JSON.
    List(Vec<Element>),
}

/// One element of a list.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    fields: BTreeMap<String, String>,
    json: String,
}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields
    }
}

impl Eq for Element {}

const NANOSECONDS: i64 = 1_000_000_000;

impl FieldValue {
    /// Reads a value from an object of a version. A text that is empty is none.
    ///
    /// # Errors
    /// When the JSON is no value of this shape.
    pub(crate) fn read(shape: &Shape, json: &Json<'_>, version: &str) -> Result<Option<FieldValue>, Malformed> {
        let number = || json.as_text().parse().map_err(|_| json.malformed("is not a whole number"));
        Ok(Some(match shape {
            Shape::Duration if version == "v1beta1" => {
                let text = json.as_string()?;
                FieldValue::Duration(duration::parse(&text).ok_or_else(|| json.malformed("is not a duration"))?)
            }
            Shape::Duration => FieldValue::Duration(i64::from(
                json.as_text().parse::<i32>().map_err(|_| json.malformed("is not a whole number"))?,
            ) * NANOSECONDS),
            Shape::Count => FieldValue::Count(number()?),
            Shape::Text => match json.as_string()? {
                text if text.is_empty() => return Ok(None),
                text => FieldValue::Text(text.into_owned()),
            },
            Shape::List(_) => {
                let element = |json: &Json<'_>| {
                    let fields = json.as_map()?.into_iter().filter(|(_, value)| !value.is_empty());
                    let owned = |(key, value): (Cow<'_, str>, Cow<'_, str>)| (key.into_owned(), value.into_owned());
                    Ok(Element { fields: fields.map(owned).collect(), json: json.as_text().to_owned() })
                };
                match json.elements()?.iter().map(element).collect::<Result<Vec<_>, _>>()? {
                    elements if elements.is_empty() => return Ok(None),
                    elements => FieldValue::List(elements),
                }
            }
        }))
    }

    /// The value as an object of a version can hold it, given what stands there: whole seconds in v1beta2, and beside
    /// the elements of a list those that are somebody else's.
    ///
    /// Source: `ConvertToSeconds`, api/core/v1beta2/conversion.go. The lists are maps by these keys to the API server.
    pub(crate) fn fitted(&self, shape: &Shape, stands: Option<&FieldValue>, version: &str) -> FieldValue {
        match (self, shape, stands) {
            (FieldValue::Duration(nanoseconds), ..) if version != "v1beta1" => {
                FieldValue::Duration((nanoseconds / NANOSECONDS).min(i64::from(i32::MAX)) * NANOSECONDS)
            }
            (FieldValue::List(wanted), Shape::List(keys), Some(FieldValue::List(stands))) => {
                let key = |element: &Element| keys.map_keys(element);
                let mut missing: Vec<&Element> = wanted.iter().collect();
                let mut list: Vec<Element> = Vec::new();
                for element in stands {
                    match missing.iter().position(|wanted| key(wanted) == key(element)) {
                        Some(index) => list.push(kept(missing.remove(index), element)),
                        None => list.push(element.clone()),
                    }
                }
                list.extend(missing.into_iter().cloned());
                FieldValue::List(list)
            }
            _ => self.clone(),
        }
    }

    /// The value as JSON of a version.
    pub(crate) fn to_json(&self, version: &str) -> String {
        let string = |text: &str| serde_json::to_string(text).unwrap_or_default();
        match self {
            FieldValue::Duration(nanoseconds) if version == "v1beta1" => string(&duration::format(*nanoseconds)),
            FieldValue::Duration(nanoseconds) => (nanoseconds / NANOSECONDS).to_string(),
            FieldValue::Count(number) => number.to_string(),
            FieldValue::Text(text) => string(text),
            FieldValue::List(elements) => {
                let elements: Vec<&str> = elements.iter().map(|element| element.json.as_str()).collect();
                format!("[{}]", elements.join(","))
            }
        }
    }

    /// Whether it is the number nought.
    pub(crate) fn is_zero(&self) -> bool {
        *self == FieldValue::Count(0)
    }
}

/// Of two elements that say the same, the one that stands keeps its bytes.
fn kept(wanted: &Element, stands: &Element) -> Element {
    if wanted == stands { stands.clone() } else { wanted.clone() }
}

trait Keys {
    fn map_keys<'e>(&self, element: &'e Element) -> Vec<Option<&'e String>>;
}

impl Keys for &[&str] {
    fn map_keys<'e>(&self, element: &'e Element) -> Vec<Option<&'e String>> {
        self.iter().map(|key| element.fields.get(*key)).collect()
    }
}
