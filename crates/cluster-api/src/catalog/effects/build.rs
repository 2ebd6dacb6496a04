//! Constructors for blocks and rows of the table.

use super::{EditedKind, Effect, EffectBlock, Given, KeyEdit, KeyRow, Row, Same};
use crate::catalog::Version;

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

impl EffectBlock {
    pub(super) const fn given(self, given: Given) -> EffectBlock {
        EffectBlock { given, ..self }
    }
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

    pub(super) const fn held_by(self, held_by: &'static [&'static str]) -> KeyRow {
        KeyRow { held_by, ..self }
    }

    pub(super) const fn given(self, given: Given) -> KeyRow {
        KeyRow { given, ..self }
    }

    pub(super) const fn cannot_tell(self) -> KeyRow {
        KeyRow { effect: Effect::CannotTell, ..self }
    }

    pub(super) const fn since(self, minor: u16) -> KeyRow {
        KeyRow { since: Version::minor(minor), ..self }
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

    pub(super) const fn by(self, same: Same) -> Row {
        Row { same, ..self }
    }

    pub(super) const fn given(self, given: Given) -> Row {
        Row { given, ..self }
    }

    pub(super) const fn removed(self, effect: Effect) -> Row {
        Row { removed: Some(effect), ..self }
    }

    pub(super) const fn keys(self, keys: &'static [KeyRow]) -> Row {
        Row { keys, ..self }
    }

    pub(super) const fn since(self, minor: u16) -> Row {
        Row { since: Version::minor(minor), ..self }
    }

    pub(super) const fn until(self, minor: u16) -> Row {
        Row { until: Some(Version::minor(minor)), ..self }
    }
}
