//! The baseline of `make bench` and `make policy-server-test`: accepts every request without reading it.

use wapc_guest::{CallResult, register_function};

/// Called by the waPC host once per instance.
#[expect(unsafe_code, reason = "waPC finds the policy by this exported name")]
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("validate", validate);
    register_function("validate_settings", validate_settings);
    register_function("protocol_version", protocol_version);
}

fn validate(_payload: &[u8]) -> CallResult {
    Ok(br#"{"accepted":true}"#.to_vec())
}

/// A PolicyServer calls this before it is ready.
fn validate_settings(_payload: &[u8]) -> CallResult {
    Ok(br#"{"valid":true}"#.to_vec())
}

fn protocol_version(_payload: &[u8]) -> CallResult {
    Ok(br#""v1""#.to_vec())
}
