//! Kubewarden policy: the waPC entry point to the engine in `crates/metadata-propagation`, which contains all rules.

mod admission;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod allocator;
mod compare;
mod host;

use kubewarden_policy_sdk::protocol_version_guest;
use kubewarden_policy_sdk::wapc_guest::register_function;

/// Called by the waPC host once per instance.
#[expect(unsafe_code, reason = "waPC finds the policy by this exported name")]
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("validate", admission::validate);
    register_function("validate_settings", admission::validate_settings);
    register_function("protocol_version", protocol_version_guest);
}
