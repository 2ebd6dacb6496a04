//! Durations as whole seconds.

/// The units of Go's durations, in nanoseconds, longer names first.
const UNITS: &[(&str, f64)] =
    &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("h", 3.6e12), ("m", 6e10), ("s", 1e9)];

/// The whole seconds of a duration such as `1h30m`; `None` if it is no duration.
///
/// Source: `ConvertToSeconds` in api/core/v1beta2/conversion.go.
pub(super) fn seconds(duration: &str) -> Option<i64> {
    if duration == "0" {
        return Some(0);
    }
    let (sign, mut rest) = duration.strip_prefix('-').map_or((1.0, duration), |rest| (-1.0, rest));
    let mut nanoseconds = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|character: char| !character.is_ascii_digit() && character != '.')?;
        let (number, after) = rest.split_at(end);
        let (name, unit) = UNITS.iter().find(|(name, _)| after.starts_with(name))?;
        nanoseconds += number.parse::<f64>().ok()? * unit;
        rest = after.strip_prefix(name)?;
    }
    let seconds = (sign * nanoseconds / 1e9).trunc().min(f64::from(i32::MAX));
    (!duration.is_empty()).then(|| format!("{seconds}").parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_added_and_fractions_dropped() {
        for (text, expected) in [
            ("10m", Some(600)),
            ("1h0m0.9s", Some(3600)),
            ("1500ms", Some(1)),
            ("-90s", Some(-90)),
            ("0", Some(0)),
            ("90", None),
            ("", None),
            ("1d", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
