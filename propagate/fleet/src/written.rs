//! An object as written, which is parsed on use.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

/// The text of an object, and its value, which takes five times as much memory: it is kept once it was requested.
#[derive(Debug)]
pub struct ObjectText {
    text: Arc<str>,
    value: OnceLock<Value>,
}

impl ObjectText {
    pub(crate) fn new(text: Arc<str>) -> ObjectText {
        ObjectText { text, value: OnceLock::new() }
    }

    /// The text that the object was read as.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value for one use: it is not kept if it was not requested before.
    pub fn once(&self) -> Cow<'_, Value> {
        self.value.get().map_or_else(|| Cow::Owned(read(&self.text)), Cow::Borrowed)
    }
}

impl Deref for ObjectText {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.value.get_or_init(|| read(&self.text))
    }
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_value_is_what_the_text_says() {
        let written = ObjectText::new(r#"{"a": 1}"#.into());
        let value = json!({ "a": 1 });
        assert_eq!((written.text(), &*written.once()), (r#"{"a": 1}"#, &value));
        assert!(written.value.get().is_none());
        assert_eq!((&*written, &*written.once()), (&value, &value));
    }
}
