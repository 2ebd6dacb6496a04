#!/usr/bin/env bash
# The policy in a real PolicyServer: in front of a large fleet, under load, in several replicas, and while something breaks. Writes
# verification/tools/policy-server/README.md. Needs policy-server, kwctl and Go.
#
#   verification/scripts/scale.sh ANNOTATED.wasm NOOP.wasm ORDINARY.wasm
#
# CLUSTERS and MACHINES are the size of the fleet, ROUNDS how often it is run with each policy, MINUTES how long memory is watched.
# FLEETS=FILE takes the fleets of an earlier run, which are in target/conformance/fleets.json.
set -euo pipefail
modules=("$(realpath "$1")" "$(realpath "$2")" "$(realpath "$3")")
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
conformance=${CARGO_TARGET_DIR:-$PWD/target}/conformance
fleets=${FLEETS:-$conformance/fleets.json}
if [ -z "${FLEETS:-}" ]; then
    mkdir -p "$conformance"
    go build -C verification/conformance/cluster -o "$conformance/cluster" .
    (cd verification/conformance/cluster && "$conformance/cluster" large -directory "$conformance" -module "${modules[0]}" \
        -clusters "${CLUSTERS:-10}" -machines "${MACHINES:-10}" -rounds "${ROUNDS:-3}" -out "$fleets")
fi

cargo run --locked --quiet --package tasks --bin reviews -- "$work" "${modules[0]}"
CANNED=$work/canned.bin verification/scripts/wasm.sh canned-policy "$work/canned.wasm"
modules+=("$work/canned.wasm")
go build -C verification/tools/policy-server -o "$work/policy-server-test" .
# A PolicyServer loads annotated modules only; whose metadata it is does not matter here.
for number in 1 2 3; do
    kwctl annotate "${modules[$number]}" --metadata-path policy-metadata.yml --output-path "$work/$number.wasm"
done
"$work/policy-server-test" -scale verification/tools/policy-server/README.md -noop "$work/1.wasm" -ordinary "$work/2.wasm" -canned "$work/3.wasm" -fleets "$fleets" -minutes "${MINUTES:-10}" "$work"
