//! The serializer.

use serde::Serialize;
use serde::ser::{
    Error as _, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, SerializeTupleStruct,
    Serializer,
};

use super::{NotWritten, QUOTED, RAW};
use crate::string::{Escape, push_escaped};

fn not_written<T>(what: &str) -> Result<T, NotWritten> {
    Err(NotWritten::custom(format_args!("{what} is not written as JSON")))
}

/// A quote at either end of a string.
fn quote(escape: Escape) -> &'static str {
    match escape {
        Escape::Once => "\"",
        Escape::Twice => "\\\"",
    }
}

/// As characters: copying a text takes a call.
fn push_quote(out: &mut String, escape: Escape) {
    if escape == Escape::Twice {
        out.push('\\');
    }
    out.push('"');
}

fn push_quoted(out: &mut String, text: &str, escape: Escape) {
    push_quote(out, escape);
    push_escaped(out, text, escape);
    push_quote(out, escape);
}

pub(super) struct Writer<'o> {
    pub(super) out: &'o mut String,
    pub(super) escape: Escape,
    /// A string is JSON, and is written without quotes.
    pub(super) is_raw: bool,
}

/// Writes the entries of an object or a list.
pub(super) struct WrittenEntries<'o> {
    out: &'o mut String,
    escape: Escape,
    is_first: bool,
    /// The closing bracket; none for JSON that is written unchanged.
    end: Option<char>,
}

impl<'o> Writer<'o> {
    fn begin(self, begin: char, end: char) -> WrittenEntries<'o> {
        self.out.push(begin);
        WrittenEntries { out: self.out, escape: self.escape, is_first: true, end: Some(end) }
    }
}

impl WrittenEntries<'_> {
    fn comma(&mut self) {
        if !self.is_first {
            self.out.push(',');
        }
        self.is_first = false;
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotWritten> {
        value.serialize(Writer { out: self.out, escape: self.escape, is_raw: false })
    }

    fn close(self) -> Result<(), NotWritten> {
        self.out.extend(self.end);
        Ok(())
    }
}

/// Numbers of every size.
macro_rules! numbers {
    ($($name:ident: $number:ty,)+) => {$(
        fn $name(self, value: $number) -> Result<(), NotWritten> {
            self.out.push_str(&value.to_string());
            Ok(())
        }
    )+};
}

impl<'o> Serializer for Writer<'o> {
    type Ok = ();
    type Error = NotWritten;
    type SerializeSeq = WrittenEntries<'o>;
    type SerializeTuple = WrittenEntries<'o>;
    type SerializeTupleStruct = WrittenEntries<'o>;
    type SerializeTupleVariant = Impossible<(), NotWritten>;
    type SerializeMap = WrittenEntries<'o>;
    type SerializeStruct = WrittenEntries<'o>;
    type SerializeStructVariant = Impossible<(), NotWritten>;

    fn serialize_bool(self, value: bool) -> Result<(), NotWritten> {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    numbers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
    }

    fn serialize_f32(self, _: f32) -> Result<(), NotWritten> {
        not_written("a number with a fraction")
    }

    fn serialize_f64(self, _: f64) -> Result<(), NotWritten> {
        not_written("a number with a fraction")
    }

    fn serialize_char(self, value: char) -> Result<(), NotWritten> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), NotWritten> {
        match (self.is_raw, self.escape) {
            (true, Escape::Once) => self.out.push_str(value),
            (true, Escape::Twice) => push_escaped(self.out, value, Escape::Once),
            (false, escape) => push_quoted(self.out, value, escape),
        }
        Ok(())
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), NotWritten> {
        not_written("a sequence of bytes")
    }

    fn serialize_none(self) -> Result<(), NotWritten> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NotWritten> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), NotWritten> {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), NotWritten> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), NotWritten> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), NotWritten> {
        match (name == QUOTED, self.escape) {
            (false, _) => value.serialize(self),
            (true, Escape::Once) => {
                self.out.push('"');
                value.serialize(Writer { out: self.out, escape: Escape::Twice, is_raw: false })?;
                self.out.push('"');
                Ok(())
            }
            (true, Escape::Twice) => not_written("JSON in a string in a string"),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: &T,
    ) -> Result<(), NotWritten> {
        not_written(variant)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<WrittenEntries<'o>, NotWritten> {
        Ok(self.begin('[', ']'))
    }

    fn serialize_tuple(self, _: usize) -> Result<WrittenEntries<'o>, NotWritten> {
        Ok(self.begin('[', ']'))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<WrittenEntries<'o>, NotWritten> {
        Ok(self.begin('[', ']'))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, NotWritten> {
        not_written(variant)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<WrittenEntries<'o>, NotWritten> {
        Ok(self.begin('{', '}'))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<WrittenEntries<'o>, NotWritten> {
        if name == RAW {
            return Ok(WrittenEntries { out: self.out, escape: self.escape, is_first: true, end: None });
        }
        Ok(self.begin('{', '}'))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, NotWritten> {
        not_written(variant)
    }
}

/// Lists, as serde distinguishes them.
macro_rules! lists {
    ($($List:ident: $add:ident,)+) => {$(
        impl $List for WrittenEntries<'_> {
            type Ok = ();
            type Error = NotWritten;

            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotWritten> {
                self.comma();
                self.value(value)
            }

            fn end(self) -> Result<(), NotWritten> {
                self.close()
            }
        }
    )+};
}

lists! { SerializeSeq: serialize_element, SerializeTuple: serialize_element, SerializeTupleStruct: serialize_field, }

impl SerializeMap for WrittenEntries<'_> {
    type Ok = ();
    type Error = NotWritten;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NotWritten> {
        self.comma();
        let begin = self.out.len();
        self.value(key)?;
        match self.out.get(begin..) {
            Some(key) if key.starts_with(quote(self.escape)) => Ok(()),
            _ => not_written("a key that is not a string"),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotWritten> {
        self.out.push(':');
        self.value(value)
    }

    fn end(self) -> Result<(), NotWritten> {
        self.close()
    }
}

impl SerializeStruct for WrittenEntries<'_> {
    type Ok = ();
    type Error = NotWritten;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), NotWritten> {
        if self.end.is_none() {
            return value.serialize(Writer { out: self.out, escape: self.escape, is_raw: true });
        }
        self.comma();
        push_quote(self.out, self.escape);
        // The name of a field needs no escapes.
        self.out.push_str(name);
        push_quote(self.out, self.escape);
        self.out.push(':');
        self.value(value)
    }

    fn end(self) -> Result<(), NotWritten> {
        self.close()
    }
}
