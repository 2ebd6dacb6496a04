#!/bin/sh
# The compiled policy against Crossplane's real core on a real API server: verification/conformance/crossplane/README.md.
#
#   verification/scripts/real-crossplane.sh [-scenarios NAME,...]    the scenarios that are named, or all of them
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
missing() { echo "the real Crossplane needs $1" >&2; exit 1; }
command -v go >/dev/null || missing "go on the PATH: https://go.dev"
[ -f policy.wasm ] || missing "policy.wasm: run \`make policy.wasm\`"

target=${CARGO_TARGET_DIR:-$root/target}
work=$target/conformance
cargo build --locked --quiet --package webhook --package propagate
mkdir -p "$work"
cd verification/conformance/crossplane
go build -o "$work/crossplane-scenarios" .
results=$work/results-crossplane
"$root/verification/scripts/recorded.sh" "$results" "$work/crossplane-scenarios" -directory "$work" -webhook "$target/debug/webhook" \
    -propagate "$target/debug/propagate" -module "$root/policy.wasm" -results "$results" "$@"
