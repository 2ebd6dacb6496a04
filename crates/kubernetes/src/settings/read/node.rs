//! A value of a tree for serde to read: without what was found wrong before, and every fault with its path.

use std::collections::BTreeSet;
use std::ptr;

use super::fault::{ReadFault, one_of};
use serde::de::Error as _;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

impl<'a> SettingNode<'a> {
    pub(super) fn root(value: &'a Value, wrong: &'a Wrong) -> Self {
        SettingNode { value, step: SettingStep::Root, wrong }
    }

    /// Reads the value. What is wrong with it is reported with its path.
    pub(super) fn read<'de, S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, ReadFault> {
        seed.deserialize(self).map_err(|fault| fault.at(&self))
    }

    fn is_right(&self) -> bool {
        !self.wrong.contains(&ptr::from_ref(self.value))
    }

    fn elements(self, list: &'a [Value]) -> SettingElements<impl Iterator<Item = SettingNode<'a>>> {
        let node = move |(index, value)| SettingNode { value, step: SettingStep::Element(index), ..self };
        SettingElements(list.iter().enumerate().map(node).filter(SettingNode::is_right))
    }

    fn entries(self, map: &'a Map<String, Value>) -> NodeEntries<'a, impl Iterator<Item = (&'a str, SettingNode<'a>)>> {
        let node = move |(key, value): (&'a String, _)| {
            (key.as_str(), SettingNode { value, step: SettingStep::Key(key), ..self })
        };
        NodeEntries { entries: map.iter().map(node).filter(|(_, node)| node.is_right()), value: None }
    }

    /// The entries as fields of a struct, in which null is absent.
    fn fields(self, map: &'a Map<String, Value>) -> impl Iterator<Item = (&'a str, SettingNode<'a>)> {
        let node = move |(name, value): (&'a String, _)| {
            (name.as_str(), SettingNode { value, step: SettingStep::Field(name), ..self })
        };
        map.iter().map(node).filter(|(_, node)| node.is_right() && !node.value.is_null())
    }
}

impl<'de> Deserializer<'de> for SettingNode<'_> {
    type Error = ReadFault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadFault> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_str(text),
            Value::Array(list) => visitor.visit_seq(self.elements(list)),
            Value::Object(map) => visitor.visit_map(self.entries(map)),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadFault> {
        match self.value {
            Value::Array(list) => visitor.visit_seq(self.elements(list)),
            _ => Err(ReadFault::expected("a list")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadFault> {
        match self.value {
            Value::Object(map) => visitor.visit_map(self.entries(map)),
            _ => Err(ReadFault::expected("an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadFault> {
        match self.value {
            Value::Object(map) => visitor.visit_map(NodeEntries { entries: self.fields(map), value: None }),
            _ => Err(ReadFault::expected("an object")),
        }
    }

    /// A variant is a text, or an object with one field of its name.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadFault> {
        let map = match self.value {
            Value::String(text) => return visitor.visit_enum(StrDeserializer::new(text)),
            Value::Object(map) => map,
            _ => return Err(ReadFault::expected(one_of(variants))),
        };
        if let Some((name, node)) = self.fields(map).find(|(name, _)| !variants.contains(name)) {
            return Err(ReadFault::unknown_field(name, variants).at(&node));
        }
        let mut entries = self.fields(map);
        match (entries.next(), entries.next()) {
            (Some(entry), None) => {
                let entries = NodeEntries { entries: [entry].into_iter(), value: None };
                visitor.visit_enum(MapAccessDeserializer::new(entries))
            }
            _ => Err(ReadFault::expected_one(variants)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadFault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadFault> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct identifier ignored_any
    }
}

/// The elements of a list.
struct SettingElements<I>(I);

impl<'a, 'de, I: Iterator<Item = SettingNode<'a>>> SeqAccess<'de> for SettingElements<I> {
    type Error = ReadFault;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, ReadFault> {
        self.0.next().map(|node| node.read(seed)).transpose()
    }
}

/// The entries of a map, or the fields of a struct.
struct NodeEntries<'a, I> {
    entries: I,
    /// The value of the key that was read last.
    value: Option<SettingNode<'a>>,
}

impl<'a, 'de, I: Iterator<Item = (&'a str, SettingNode<'a>)>> MapAccess<'de> for NodeEntries<'a, I> {
    type Error = ReadFault;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, ReadFault> {
        let Some((key, node)) = self.entries.next() else { return Ok(None) };
        self.value = Some(node);
        // What is wrong with a key is reported where its value is.
        seed.deserialize(StrDeserializer::new(key)).map(Some).map_err(|fault: ReadFault| fault.at(&node))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadFault> {
        match self.value.take() {
            Some(node) => node.read(seed),
            None => Err(ReadFault::custom("a value without a key")),
        }
    }
}

/// The values that were found wrong, by their addresses: the tree is not changed while it is read.
pub(super) type Wrong = BTreeSet<*const Value>;

/// A value of a tree.
#[derive(Clone, Copy)]
pub(super) struct SettingNode<'a> {
    pub(super) value: &'a Value,
    /// The step to it from the value around it.
    pub(super) step: SettingStep<'a>,
    pub(super) wrong: &'a Wrong,
}

/// The step to a value from the one around it.
#[derive(Clone, Copy)]
pub(super) enum SettingStep<'a> {
    /// It is the whole tree.
    Root,
    Field(&'a str),
    /// An entry of a map.
    Key(&'a str),
    Element(usize),
}

impl SettingNode<'_> {
    /// Whether an element, or an entry of such a key, was found wrong before.
    pub(super) fn has_lost(&self, is_looked_for: impl Fn(&str) -> bool) -> bool {
        let is_wrong = |value: &Value| self.wrong.contains(&ptr::from_ref(value));
        match self.value {
            Value::Array(list) => list.iter().any(is_wrong),
            Value::Object(map) => map.iter().any(|(key, value)| is_looked_for(key) && is_wrong(value)),
            _ => false,
        }
    }
}
