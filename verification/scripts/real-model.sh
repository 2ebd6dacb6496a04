#!/bin/sh
# A hundred random paths of verification/model on a real API server with the compiled policy in front: verification/model/README.md.
#
#   verification/scripts/real-model.sh [SEED]
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
missing() { echo "the real API server needs $1" >&2; exit 1; }
command -v go >/dev/null || missing "go on the PATH: https://go.dev"
[ -f policy.wasm ] || missing "policy.wasm: run \`make policy.wasm\`"

target=${CARGO_TARGET_DIR:-$root/target}
work=$target/conformance
cargo build --locked --quiet --package webhook --package model
mkdir -p "$work"
"$target/debug/model" traces --seed "${1:-1}" --count 100 >"$work/traces.json"
cd verification/conformance/model
go build -o "$work/model-replay" .
results=$work/results-model
"$root/verification/scripts/recorded.sh" "$results" "$work/model-replay" -directory "$work" -webhook "$target/debug/webhook" \
    -module "$root/policy.wasm" -traces "$work/traces.json" -result "$results/conformance-model.json"
