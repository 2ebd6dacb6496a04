//! What is known of a value's type, and of what it contains.

use super::SimulatedValue;

/// What a patch writes that is neither an object nor a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarType {
    /// A text.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
}

impl<'a> SimulatedValue<'a> {
    /// What it is, if it is known and not a string.
    pub(in crate::composition) fn other_than_text(&self) -> Option<&'static str> {
        match self {
            SimulatedValue::Object(_) => Some("an object"),
            SimulatedValue::List(_) => Some("a list"),
            SimulatedValue::Scalar(ScalarType::Number) => Some("a number"),
            SimulatedValue::Scalar(ScalarType::Boolean) => Some("a boolean"),
            SimulatedValue::Given(json) if json.is_null() || json.as_str().is_some() => None,
            SimulatedValue::Given(json) if json.as_fields().is_some() => Some("an object"),
            SimulatedValue::Given(json) if json.as_elements().is_some() => Some("a list"),
            SimulatedValue::Given(json) if matches!(json.text(), "true" | "false") => Some("a boolean"),
            SimulatedValue::Given(_) => Some("a number"),
            SimulatedValue::Absent
            | SimulatedValue::Scalar(ScalarType::Text)
            | SimulatedValue::Unknown
            | SimulatedValue::OfAuthor => None,
        }
    }

    /// The known fields of an object, with their values.
    pub fn entries(&self) -> Vec<(&'a str, SimulatedValue<'a>)> {
        match self {
            SimulatedValue::Object(object) => {
                object.fields.iter().map(|(name, value)| (*name, value.clone())).collect()
            }
            SimulatedValue::Given(json) => {
                let fields = json.as_fields().into_iter().flatten();
                fields.map(|(name, value)| (name, SimulatedValue::Given(value))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The known elements of a list.
    pub fn elements(&self) -> Vec<SimulatedValue<'a>> {
        match self {
            SimulatedValue::List(elements) => elements.values().cloned().collect(),
            SimulatedValue::Given(json) if !json.is_null() => {
                json.as_elements().into_iter().flatten().map(SimulatedValue::Given).collect()
            }
            _ => Vec::new(),
        }
    }
}
