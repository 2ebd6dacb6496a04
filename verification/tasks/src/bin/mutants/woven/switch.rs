//! Which mutant is switched on, and which ones a test reaches. `make mutants` puts this crate under the engine's crates.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering::Relaxed};

static ACTIVE: AtomicU32 = AtomicU32::new(0);
static READ: OnceLock<()> = OnceLock::new();
static TRACED: AtomicBool = AtomicBool::new(false);
static REACHED: [AtomicU8; 1 << 15] = [const { AtomicU8::new(0) }; 1 << 15];

/// Whether a mutant is switched on. No mutant has the number 0.
#[inline]
pub fn is(mutant: u32) -> bool {
    if mutant == 0 {
        return false;
    }
    if TRACED.load(Relaxed) {
        REACHED[mutant as usize].store(1, Relaxed);
    }
    READ.get_or_init(|| {
        if let Some(number) = std::env::var("MUTANT").ok().and_then(|number| number.parse().ok()) {
            ACTIVE.store(number, Relaxed);
        }
    });
    ACTIVE.load(Relaxed) == mutant
}

/// The mutant that is switched on, if it is among these, else 0.
pub fn among(first: u32, last: u32) -> u32 {
    (first..=last).find(|mutant| is(*mutant)).unwrap_or(0)
}

/// Whether the right operand of `&&` decides; otherwise the left one is the result.
#[inline]
pub fn and(left: bool, swapped: u32, left_only: u32, right_only: u32) -> bool {
    // Each of them is asked, so that each is seen as reached.
    let (swapped, left_only, right_only) = (is(swapped), is(left_only), is(right_only));
    right_only || (!left_only && (left != swapped))
}

/// The same for `||`.
#[inline]
pub fn or(left: bool, swapped: u32, left_only: u32, right_only: u32) -> bool {
    let (swapped, left_only, right_only) = (is(swapped), is(left_only), is(right_only));
    right_only || (!left_only && (left == swapped))
}

/// Switches a mutant on, and all others off.
pub fn set(mutant: u32) {
    let _ = READ.set(());
    ACTIVE.store(mutant, Relaxed);
}

/// Begins to note which mutants are reached.
pub fn trace() {
    TRACED.store(true, Relaxed);
    for one in &REACHED {
        one.store(0, Relaxed);
    }
}

/// Those that were reached since then.
pub fn traced() -> Vec<u32> {
    TRACED.store(false, Relaxed);
    (0..).zip(&REACHED).filter(|(_, one)| one.load(Relaxed) == 1).map(|(number, _)| number).collect()
}
