//! Decimal fractions, and numbers that are rounded.
//!
//! Source: shopspring/decimal v1.4, which sprig calls.

use gotmpl::{Result, Value};

use super::numbers::fraction;
use super::{SprigFunction, at, failed, unknown, whole};

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("addf", |args| computed("addf", [&[Value::Int(0)], args].concat(), Decimal::plus)),
    ("add1f", |args| computed("add1f", [args, &[Value::Int(1)]].concat(), Decimal::plus)),
    ("subf", |args| computed("subf", args.to_vec(), Decimal::minus)),
    ("mulf", |args| computed("mulf", args.to_vec(), Decimal::times)),
    ("divf", |args| match args.iter().skip(1).any(|divisor| fraction(divisor) == 0.0) {
        true => failed("decimal division by 0"),
        false => computed("divf", args.to_vec(), Decimal::by),
    }),
    ("maxf", |args| Ok(Value::Float(args.iter().map(fraction).fold(f64::NEG_INFINITY, f64::max)))),
    ("minf", |args| Ok(Value::Float(args.iter().map(fraction).fold(f64::INFINITY, f64::min)))),
    ("round", round),
];

/// A number with a fraction: `digits` with the comma moved by `places`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Decimal {
    digits: i128,
    places: u32,
}

/// The places of a quotient.
const PLACES: u32 = 16;

impl Decimal {
    /// The shortest number that is read as this float; `None` if it is too large or too small here.
    fn of(number: f64) -> Option<Decimal> {
        let text = number.to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some(Decimal { digits, places: u32::try_from(fraction.len()).ok()? })
    }

    fn float(self) -> Option<f64> {
        format!("{}e-{}", self.digits, self.places).parse().ok()
    }

    fn with_places(self, places: u32) -> Option<i128> {
        self.digits.checked_mul(10i128.checked_pow(places.checked_sub(self.places)?)?)
    }

    fn plus(self, other: Decimal) -> Option<Decimal> {
        let places = self.places.max(other.places);
        Some(Decimal { digits: self.with_places(places)?.checked_add(other.with_places(places)?)?, places })
    }

    fn minus(self, other: Decimal) -> Option<Decimal> {
        self.plus(Decimal { digits: other.digits.checked_neg()?, ..other })
    }

    fn times(self, other: Decimal) -> Option<Decimal> {
        let places = self.places.checked_add(other.places)?;
        Some(Decimal { digits: self.digits.checked_mul(other.digits)?, places })
    }

    /// The quotient, rounded half away from zero.
    fn by(self, other: Decimal) -> Option<Decimal> {
        let most = self.places.max(other.places);
        let (dividend, divisor) = (self.with_places(most)?, other.with_places(most)?);
        let dividend = dividend.checked_mul(10i128.checked_pow(PLACES)?)?;
        let (quotient, rest) = (dividend.checked_div(divisor)?, dividend.checked_rem(divisor)?);
        let rounds = rest.checked_abs()?.checked_mul(2)? >= divisor.checked_abs()?;
        let away = if (dividend < 0) == (divisor < 0) { 1 } else { -1 };
        Some(Decimal { digits: if rounds { quotient.checked_add(away)? } else { quotient }, places: PLACES })
    }
}

fn computed(name: &str, of: Vec<Value>, combine: fn(Decimal, Decimal) -> Option<Decimal>) -> Result<Value> {
    let mut numbers = of.iter().map(|number| Decimal::of(fraction(number)));
    let first = numbers.next().flatten();
    let result = numbers.fold(first, |all, number| combine(all?, number?));
    result.and_then(Decimal::float).map_or_else(|| unknown(name), |number| Ok(Value::Float(number)))
}

/// A number with a number of places; the last argument says from which rest on it is rounded up.
fn round(args: &[Value]) -> Result<Value> {
    let (number, from) = (fraction(at(args, 0)), args.get(2).map_or(0.5, fraction));
    // More places than a float has are not exact in Go either.
    let Some(places) = i32::try_from(whole(at(args, 1))).ok().filter(|places| places.abs() <= 22) else {
        return unknown("round");
    };
    let power = if places < 0 { 1.0 / 10f64.powi(-places) } else { 10f64.powi(places) };
    let moved = power * number;
    let rounded = if moved.fract() >= from { moved.ceil() } else { moved.floor() };
    Ok(Value::Float(rounded / power))
}
