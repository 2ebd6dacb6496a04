//! Which functions of a module execute the instructions of a call.
//!
//! A call is stopped at each thousandth of its instructions, and its stack is read. So the figures are the
//! same on every machine.

use std::sync::Arc;

use anyhow::Result;

use crate::cluster::ResourceHost;
use crate::module::Module;
use crate::scenarios::Scenario;

/// How often a call is stopped: each stop is a thousandth of its instructions.
pub const STOPS: u64 = 1000;

/// The stacks of one call, the innermost function first, and how many instructions it has. The module must be one that
/// [counts](Module::counting), and whose functions have names.
pub fn stacks(module: &Module, scenario: &Scenario) -> Result<(u64, Vec<Vec<String>>)> {
    let payload = scenario.payload();
    let cluster: Arc<dyn ResourceHost> = Arc::new(scenario.cluster.clone());
    let total = module.call("validate", payload.as_bytes(), &cluster)?.instructions;
    let stack = |stop| module.stack_after(total * stop / STOPS, "validate", payload.as_bytes(), &cluster);
    Ok((total, (1..STOPS).map(stack).collect::<Result<_>>()?))
}

/// The part of the policy that a function belongs to: one of its crates, or of its dependencies.
pub fn part(function: &str) -> &'static str {
    // Names in functions have their lengths before them.
    let parts = [
        ("27metadata_propagation_policy", "entry point"),
        ("20metadata_propagation", "engine"),
        ("11cluster_api", "cluster-api"),
        ("10cloud_tags", "cloud-tags"),
        ("12tag_delivery", "tag-delivery"),
        ("9tag_rules", "tag-rules"),
        ("5facts", "facts"),
        ("10kubernetes", "kubernetes"),
        ("8raw_json", "json"),
        ("regex", "regular expressions"),
        ("aho_corasick", "regular expressions"),
        ("serde", "serde"),
        ("kubewarden", "SDK"),
        ("wapc", "SDK"),
    ];
    parts.iter().find(|(crate_name, _)| function.contains(crate_name)).map_or("standard library", |(_, part)| part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_belongs_to_a_crate() {
        for (function, expected) in [
            ("_RNvNtCshW08CLpS8Ur_8raw_json4scan10string_end", "json"),
            ("_RNvMs_NtCshW08CLpS8Ur_20metadata_propagation8evaluateNtB4_10Evaluation3run", "engine"),
            ("_RNvNtCs2OwCzEzZUlg_27metadata_propagation_policy9admission8validate", "entry point"),
            ("_RNvMs3_NtCs2B4cRbSGzdu_10serde_json4readNtB5_9SliceRead14skip_to_escape", "serde"),
            ("_RNvMs7_NtNtCs_14regex_automata6hybrid3dfa", "regular expressions"),
            ("_RNvNtNtCs6VDZWQTR7g_4core3str8converts9from_utf8", "standard library"),
            ("memcmp", "standard library"),
        ] {
            assert_eq!(part(function), expected, "{function}");
        }
    }
}
