//! Durations. What an integer of a template is in Go, `int` or `int64`, decides on them: they are evaluated for texts.

use std::num::IntErrorKind;

use gotmpl::Value;

use super::{SprigFunction, at, string, unknown};

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("duration", |args| match at(args, 0) {
        Value::Int(_) | Value::Uint(_) => unknown("duration"),
        Value::String(text) => match text.parse::<i64>() {
            Ok(seconds) if seconds.unsigned_abs() <= MOST_SECONDS => {
                Ok(string([if seconds < 0 { "-" } else { "" }, &duration(seconds.unsigned_abs())].concat()))
            }
            Ok(_) => unknown("duration"),
            Err(error) if matches!(error.kind(), IntErrorKind::PosOverflow | IntErrorKind::NegOverflow) => {
                unknown("duration")
            }
            Err(_) => Ok(string("0s")),
        },
        _ => Ok(string("0s")),
    }),
    ("durationRound", |args| match at(args, 0) {
        Value::Int(_) | Value::Uint(_) => unknown("durationRound"),
        Value::String(text) => Ok(string(rounded(nanoseconds(text).unwrap_or_default()))),
        _ => Ok(string("0s")),
    }),
];

/// The most seconds of a duration in Go.
const MOST_SECONDS: u64 = 9_223_372_036;

/// A duration as Go prints it.
pub(crate) fn duration(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m{seconds}s"),
        (hours, minutes, seconds) => format!("{hours}h{minutes}m{seconds}s"),
    }
}

const SECOND: u64 = 1_000_000_000;
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3600 * SECOND),
];

/// The length of a duration such as `-1h2.5m`, without its sign; `None` if it is not one, or too long.
pub(crate) fn nanoseconds(duration: &str) -> Option<u64> {
    let mut rest = duration.strip_prefix(['-', '+']).unwrap_or(duration);
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0u64;
    while !rest.is_empty() {
        let (number, others) = rest.split_at(rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?);
        let (unit, others) = others
            .split_at(others.find(|letter: char| letter.is_ascii_digit() || letter == '.').unwrap_or(others.len()));
        let (_, length) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return None;
        }
        let part = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
        total = total.checked_add(part.checked_mul(*length)?)?;
        let mut unit = *length;
        for digit in fraction.bytes() {
            unit /= 10;
            total = total.checked_add(u64::from(digit - b'0') * unit)?;
        }
        rest = others;
    }
    (total <= u64::MAX / 2).then_some(total)
}

/// The whole seconds of a duration, at most as many as `int32` has; `None` if it is not one.
///
/// Source: `ConvertToSeconds` in api/core/v1beta2/conversion.go of Cluster API v1.14, which drops fractions of a second.
///
/// ```
/// let all = ["1h0m0.9s", "-90s", "2000000h", "90", ""].map(topology::whole_seconds);
/// assert_eq!(all, [Some(3600), Some(-90), Some(i64::from(i32::MAX)), None, None]);
/// ```
#[must_use]
pub fn whole_seconds(duration: &str) -> Option<i64> {
    let seconds = i64::try_from(nanoseconds(duration)? / SECOND).ok()?;
    let seconds = if duration.starts_with('-') { -seconds } else { seconds };
    Some(seconds.min(i64::from(i32::MAX)))
}

/// The largest unit of which there is more than one whole.
fn rounded(nanoseconds: u64) -> String {
    const HOUR: u64 = 3600 * SECOND;
    let units = [
        ("y", 365 * 24 * HOUR),
        ("mo", 30 * 24 * HOUR),
        ("d", 24 * HOUR),
        ("h", HOUR),
        ("m", 60 * SECOND),
        ("s", SECOND),
    ];
    let found = units.into_iter().find(|(_, length)| nanoseconds > *length);
    found.map_or_else(|| "0s".to_owned(), |(name, length)| format!("{}{name}", nanoseconds / length))
}
