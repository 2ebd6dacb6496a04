//! Durations as Go writes them.

/// Nanoseconds of a duration such as `1h0m0s`, `90s` or `1.5h`; `None` where the text is none.
///
/// Source: `ParseDuration`, Go's package time.
pub(super) fn nanoseconds(text: &str) -> Option<u64> {
    if text == "0" {
        return Some(0);
    }
    let mut total = 0_u64;
    let mut rest = text;
    while !rest.is_empty() || text.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(digits);
        let ends = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(ends);
        total = total.checked_add(part(number, unit_of(unit)?)?)?;
        rest = tail;
    }
    Some(total)
}

fn unit_of(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// So many units, with up to six digits behind the point.
fn part(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if number == "." || number.is_empty() || fraction.contains('.') {
        return None;
    }
    let mut total = 0_u64;
    for digit in whole.bytes() {
        total = total.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    let mut total = total.checked_mul(unit)?;
    let mut scale = 1;
    for digit in fraction.bytes().take(6) {
        scale *= 10;
        total = total.checked_add(u64::from(digit - b'0') * unit / scale)?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_duration_has_many_spellings() {
        for (text, expected) in [
            ("60s", 60_000_000_000),
            ("1m", 60_000_000_000),
            ("1m0s", 60_000_000_000),
            ("1h0m0s", 3_600_000_000_000),
            ("1.5h", 5_400_000_000_000),
            ("0.1h", 360_000_000_000),
            ("0.0000009s", 0),
            ("1.25m", 75_000_000_000),
            (".5s", 500_000_000),
            ("90500ms", 90_500_000_000),
            ("0", 0),
            ("0s", 0),
            ("1us", 1_000),
            ("1µs", 1_000),
        ] {
            assert_eq!(nanoseconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_none() {
        for text in ["", "60", "s", "-1s", "1d", "1.s.", "..s", "1 s", "99999999999h"] {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
    }
}
