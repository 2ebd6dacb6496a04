#!/bin/sh
# The compiled policy, and what `propagate` reads and predicts, on a real API server: verification/conformance.
#
#   verification/scripts/real.sh cluster                                 Cluster API's controllers; writes the page
#   verification/scripts/real.sh cluster -scenarios NAME,... [-reuse]    the scenarios that are named; writes their rows
#   verification/scripts/real.sh cluster -capi v1.12                     an older Cluster API; writes its row of the page
#   verification/scripts/real.sh crossplane [-scenarios NAME,...]        Crossplane's core
#   verification/scripts/real.sh model [SEED]                            a hundred random paths of verification/model
#   verification/scripts/real.sh live [OBJECTS]                          every verb of `propagate` that reads a live cluster
#
# The results are kept in testdata/results: of some scenarios only where those of the others are current.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
case ${1:-} in
cluster | crossplane | model | live) part=$1 ;;
*) echo "usage: $0 cluster | crossplane | model | live [ARGUMENTS]" >&2; exit 1 ;;
esac
shift
missing() { echo "the real API server needs $1" >&2; exit 1; }
command -v go >/dev/null || missing "go on the PATH: https://go.dev"
[ "$part" = live ] || [ -f policy.wasm ] || missing "policy.wasm: run \`make policy.wasm\`"

target=${CARGO_TARGET_DIR:-$root/target}
work=$target/conformance
results=$work/results-$part
mkdir -p "$work"
cd "verification/conformance/$part"
# with_policy PROGRAM ARGUMENTS...
with_policy() { "$@" -directory "$work" -webhook "$target/debug/webhook" -propagate "$target/debug/propagate" -module "$root/policy.wasm"; }
recorded() { "$root/verification/scripts/recorded.sh" "$results" "$@"; }

case $part in
cluster)
    cargo build --locked --quiet --package webhook --package propagate
    go test .
    go build -o "$work/cluster" .
    if [ $# = 0 ]; then
        with_policy "$work/cluster" conditions
        with_policy "$work/cluster" conditions -server
        with_policy "$work/cluster" deploy
    fi
    with_policy recorded "$work/cluster" scenarios -results "$results" "$@"
    ;;
crossplane)
    cargo build --locked --quiet --package webhook --package propagate
    go build -o "$work/crossplane-scenarios" .
    with_policy recorded "$work/crossplane-scenarios" -results "$results" "$@"
    ;;
model)
    cargo build --locked --quiet --package webhook --package model
    "$target/debug/model" traces --seed "${1:-1}" --count 100 >"$work/traces.json"
    go build -o "$work/model-replay" .
    recorded "$work/model-replay" -directory "$work" -webhook "$target/debug/webhook" -module "$root/policy.wasm" \
        -traces "$work/traces.json" -result "$results/conformance-model.json"
    ;;
live)
    cargo build --locked --quiet --profile bench --package propagate --features cluster
    cargo build --locked --quiet --package fleet --example generate
    "$target/debug/examples/generate" "${1:-2000}" >"$work/live-fleet.yaml"
    go build -o "$work/live-ask" .
    recorded "$work/live-ask" -result "$results/conformance-live.json" -directory "$work" \
        -propagate "$target/release/propagate" -fleet "$work/live-fleet.yaml"
    ;;
esac
