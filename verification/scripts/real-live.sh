#!/bin/sh
# Every verb of `propagate` that reads a live cluster, on a real API server with a number of objects: docs/cli.md.
#
#   verification/scripts/real-live.sh [OBJECTS]
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
command -v go >/dev/null || { echo "go is not on the PATH: Go 1.26 or newer builds the API server" >&2; exit 1; }

target=${CARGO_TARGET_DIR:-$root/target}
work=$target/conformance
cargo build --locked --quiet --profile bench --package propagate --features cluster
cargo build --locked --quiet --package fleet --example generate
mkdir -p "$work"
"$target/debug/examples/generate" "${1:-2000}" >"$work/live-fleet.yaml"
cd verification/conformance/live
go build -o "$work/live-ask" .
results=$work/results-live
"$root/verification/scripts/recorded.sh" "$results" "$work/live-ask" -result "$results/conformance-live.json" -directory "$work" -propagate "$target/release/propagate" -fleet "$work/live-fleet.yaml"
