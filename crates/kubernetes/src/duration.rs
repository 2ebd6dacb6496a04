//! Durations in Go's format.
//!
//! Source: package time of Go, `ParseDuration` and `Duration.String`.

/// Nanoseconds of a duration such as `1h0m0s`, `90500ms`, `-1.5h` or `0`; `None` if the text is not a duration, or too
/// long.
pub fn parse(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total: i128 = 0;
    loop {
        let whole = digits(rest);
        let after = rest.get(whole.len()..)?;
        let fraction = after.strip_prefix('.').map(digits);
        let after = after.get(fraction.map_or(0, |fraction| fraction.len() + 1)..)?;
        if whole.is_empty() && fraction.is_none_or(str::is_empty) {
            return None;
        }
        let (unit, nanoseconds) = UNITS.iter().find(|(unit, _)| {
            let next = after.strip_prefix(unit).map(str::chars).and_then(|mut rest| rest.next());
            after.starts_with(unit) && next.is_none_or(|next| next == '.' || next.is_ascii_digit())
        })?;
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        total = total.checked_add(whole.checked_mul(*nanoseconds)?)?;
        total += fraction_of(*nanoseconds, fraction.unwrap_or_default());
        rest = after.get(unit.len()..)?;
        if rest.is_empty() {
            return i64::try_from(if negative { -total } else { total }).ok();
        }
    }
}

/// A fraction of a unit in nanoseconds, as Go computes it: digits that do not fit are ignored, and the rest is a
/// floating-point number.
///
/// Source: package time of Go, `leadingFraction` and `ParseDuration`.
fn fraction_of(unit: i128, digits: &str) -> i128 {
    let (mut value, mut scale) = (0_u64, 1_f64);
    for digit in digits.bytes() {
        let Some(next) = value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit - b'0'))) else {
            break;
        };
        if next > 1 << 63 {
            break;
        }
        (value, scale) = (next, scale * 10.0);
    }
    (value as f64 * (unit as f64 / scale)) as i128
}

/// The canonical text of a duration of seconds, with or without a fraction.
pub fn format(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let nanoseconds = nanoseconds.unsigned_abs();
    let broken = |value: u64, unit: u64, name: &str| {
        let fraction = format!("{:0width$}", value % unit, width = unit.ilog10() as usize);
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{}{point}{fraction}{name}", value / unit)
    };
    let text = match nanoseconds {
        1..1_000 => broken(nanoseconds, 1, "ns"),
        1_000..1_000_000 => broken(nanoseconds, 1_000, "µs"),
        1_000_000..SECOND => broken(nanoseconds, 1_000_000, "ms"),
        _ => {
            let (minutes, rest) = (nanoseconds / (60 * SECOND), nanoseconds % (60 * SECOND));
            let seconds = broken(rest, SECOND, "s");
            match (minutes / 60, minutes % 60) {
                (0, 0) => seconds,
                (0, minutes) => format!("{minutes}m{seconds}"),
                (hours, minutes) => format!("{hours}h{minutes}m{seconds}"),
            }
        }
    };
    format!("{sign}{text}")
}

const SECOND: u64 = 1_000_000_000;

/// Longer units before their prefixes.
#[rustfmt::skip]
const UNITS: &[(&str, i128)] = &[
    ("ns", 1), ("us", 1_000), ("µs", 1_000), ("μs", 1_000), ("ms", 1_000_000),
    ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
];

fn digits(text: &str) -> &str {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn durations_are_read_as_go_reads_them() {
        for (text, expected) in [
            ("0", 0),
            ("0s", 0),
            ("10s", 10 * SECOND),
            ("+5s", 5 * SECOND),
            ("-1.5h", -5400 * SECOND),
            ("1h0m0s", 3600 * SECOND),
            ("1m30.5s", 90 * SECOND + SECOND / 2),
            ("90500ms", 90 * SECOND + SECOND / 2),
            (".5m", 30 * SECOND),
            ("1.m", 60 * SECOND),
            ("1s.5s", SECOND + SECOND / 2),
            ("1µs2us3μs4ns", 6004),
            ("0.100000000000000000000h", 6 * 60 * SECOND),
            ("0.3333333333333333333h", 20 * 60 * SECOND),
            ("0.92233720368547758079h", 3_320_413_933_267),
            ("0.830103483285477580700h", 2_988_372_539_827),
            ("9007199254.740993ms", 9_007_199_254_740_993),
            ("0.1111111111111h", 399_999_999_999),
            ("0.123456789h", 444_444_440_400),
            ("1.9999999999999h", 7_199_999_999_999),
            ("2562047h47m16s", 9_223_372_036 * SECOND),
        ] {
            assert_eq!(parse(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_none() {
        for text in ["", "-", "10", "s", ".s", "1x", "1s ", "1h2", "1 s", "1sm", "9999999999h", "1e3s"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_written_as_go_writes_them() {
        for text in [
            "0s", "1ns", "1.1µs", "2.2ms", "999ms", "3.3s", "10s", "1m0s", "4m5s", "1m30.5s", "1h0m0s", "100h1m2s",
            "-1h30m0s",
        ] {
            assert_eq!(format(parse(text).unwrap()), text);
        }
    }
}
