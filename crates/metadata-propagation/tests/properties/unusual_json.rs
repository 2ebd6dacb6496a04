//! JSON written as nobody would write it: white space anywhere, escapes where none are needed, numbers of any form.

use serde_json::Value;

/// A string that begins so is a value that is written as it is, such as a number of a form that a parser would
/// not keep.
pub(crate) const RAW: &str = "raw:";

/// Writes a value in a manner that follows from `seed`; seed 0 is the plain one.
pub(crate) fn written(value: &Value, seed: u64) -> String {
    let mut writer = Writer { out: String::new(), state: seed };
    writer.value(value);
    writer.out
}

struct Writer {
    out: String,
    state: u64,
}

impl Writer {
    /// One time in `n`, never where the manner is plain.
    fn one_in(&mut self, n: u64) -> bool {
        // Marsaglia's xorshift; 0 stays 0.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state != 0 && self.state.is_multiple_of(n)
    }

    fn space(&mut self) {
        for space in [" ", "\n", "\t", "\r\n"] {
            if self.one_in(9) {
                self.out.push_str(space);
            }
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                self.out.push('{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    self.comma(index);
                    self.string(key);
                    self.space();
                    self.out.push(':');
                    self.space();
                    self.value(value);
                }
                self.space();
                self.out.push('}');
            }
            Value::Array(elements) => {
                self.out.push('[');
                for (index, value) in elements.iter().enumerate() {
                    self.comma(index);
                    self.value(value);
                }
                self.space();
                self.out.push(']');
            }
            Value::String(text) => match text.strip_prefix(RAW) {
                Some(raw) => self.out.push_str(raw),
                None => self.string(text),
            },
            other => self.out.push_str(&other.to_string()),
        }
    }

    fn comma(&mut self, index: usize) {
        self.space();
        if index > 0 {
            self.out.push(',');
            self.space();
        }
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            let mut units = [0; 2];
            if c.is_control() || self.one_in(40) {
                for unit in c.encode_utf16(&mut units) {
                    self.out.push_str(&format!("\\u{unit:04x}"));
                }
            } else if matches!(c, '"' | '\\') || (c == '/' && self.one_in(9)) {
                self.out.extend(['\\', c]);
            } else {
                self.out.push(c);
            }
        }
        self.out.push('"');
    }
}
