//! What a policy without any cost of its own would need: for each recorded review this module makes the host calls that the
//! policy makes, and returns the same bytes, without reading the objects or deciding anything.
//!
//! `reviews` of `verification/tasks` records them. Each review has its number in its uid.

use wapc_guest::{CallResult, host_call, register_function};

/// The recorded calls and answers, by number: the number of bytes and the bytes of each.
static RECORDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/canned.bin"));

/// What the uid of a review begins with; its number follows in eight digits.
const UID: &[u8] = b"canned-";

/// Called by the waPC host once per instance.
#[expect(unsafe_code, reason = "waPC finds the policy by this exported name")]
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("validate", validate);
    register_function("validate_settings", validate_settings);
    register_function("protocol_version", protocol_version);
}

fn validate(payload: &[u8]) -> CallResult {
    answer(payload).ok_or_else(|| "this review was not recorded".into())
}

fn answer(payload: &[u8]) -> Option<Vec<u8>> {
    let mut rest = recorded(number(payload)?)?;
    // The reads, then the lines of the log.
    for (namespace, operation) in [("kubernetes", "get_resource"), ("tracing", "log")] {
        for _ in 0..length(&mut rest)? {
            // The policy goes on after a failed read too.
            let _ = host_call("kubewarden", namespace, operation, bytes(&mut rest)?);
        }
    }
    bytes(&mut rest).map(<[u8]>::to_vec)
}

/// The number of a review.
fn number(payload: &[u8]) -> Option<usize> {
    let at = payload.windows(UID.len()).position(|window| window == UID)? + UID.len();
    std::str::from_utf8(payload.get(at..at + 8)?).ok()?.parse().ok()
}

/// What was recorded of a review: a table of where each begins is in front.
fn recorded(number: usize) -> Option<&'static [u8]> {
    let mut at = RECORDED.get(number * 4..)?;
    RECORDED.get(length(&mut at)?..)
}

fn length(rest: &mut &'static [u8]) -> Option<usize> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    usize::try_from(u32::from_le_bytes(*length)).ok()
}

fn bytes(rest: &mut &'static [u8]) -> Option<&'static [u8]> {
    let count = length(rest)?;
    let (bytes, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(bytes)
}

/// A PolicyServer calls this before it is ready.
fn validate_settings(_payload: &[u8]) -> CallResult {
    Ok(br#"{"valid":true}"#.to_vec())
}

fn protocol_version(_payload: &[u8]) -> CallResult {
    Ok(br#""v1""#.to_vec())
}
