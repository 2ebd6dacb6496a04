//! Constructors for blocks and rows of the table.

use super::{EditedKind, Effect, EffectBlock, Given, KeyEdit, KeyRow, Row, Same};
use crate::catalog::Version;
use kubernetes::columns;

pub(super) const fn both(kind: EditedKind, path: &'static str, rows: &'static [Row]) -> EffectBlock {
    apart(kind, path, path, rows)
}

pub(super) const fn apart(
    kind: EditedKind,
    v1beta1: &'static str,
    v1beta2: &'static str,
    rows: &'static [Row],
) -> EffectBlock {
    EffectBlock { kind, v1beta1, v1beta2, rows, given: Given::Always }
}

pub(super) const fn row(path: &'static str, effect: Effect) -> Row {
    Row::new(Some(path), Some(path), effect)
}

pub(super) const fn moved(v1beta1: &'static str, v1beta2: &'static str, effect: Effect) -> Row {
    Row::new(Some(v1beta1), Some(v1beta2), effect)
}

pub(super) const fn until_v1beta2(path: &'static str, effect: Effect) -> Row {
    Row::new(Some(path), None, effect)
}

pub(super) const fn since_v1beta2(path: &'static str, effect: Effect) -> Row {
    Row::new(None, Some(path), effect)
}

pub(super) const fn removing(key: &'static str) -> KeyRow {
    KeyRow::new(key, KeyEdit::Removed)
}

pub(super) const fn changing(key: &'static str) -> KeyRow {
    KeyRow::new(key, KeyEdit::Changed)
}

impl KeyRow {
    const fn new(key: &'static str, edit: KeyEdit) -> KeyRow {
        KeyRow {
            key,
            edit,
            held_by: &[],
            effect: Effect::Rollout,
            given: Given::Always,
            since: Version::OLDEST_EDITION,
        }
    }
}

impl Row {
    const fn new(v1beta1: Option<&'static str>, v1beta2: Option<&'static str>, effect: Effect) -> Row {
        Row {
            v1beta1,
            v1beta2,
            effect,
            removed: None,
            same: Same::Value,
            given: Given::Always,
            keys: &[],
            since: Version::OLDEST_EDITION,
            until: None,
        }
    }
}

columns! {
    EffectBlock {
        pub(super) given(condition: Given) => given: condition,
    }
    KeyRow {
        pub(super) held_by(keys: &'static [&'static str]) => held_by: keys,
        pub(super) given(condition: Given) => given: condition,
        pub(super) cannot_tell() => effect: Effect::CannotTell,
        pub(super) since(minor: u16) => since: Version::minor(minor),
    }
    Row {
        pub(super) by(how: Same) => same: how,
        pub(super) given(condition: Given) => given: condition,
        pub(super) removed(effect: Effect) => removed: Some(effect),
        pub(super) keys(rows: &'static [KeyRow]) => keys: rows,
        pub(super) since(minor: u16) => since: Version::minor(minor),
        pub(super) until(minor: u16) => until: Some(Version::minor(minor)),
    }
}
