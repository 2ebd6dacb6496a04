#!/usr/bin/env bash
# The policy in a real PolicyServer under load, in several replicas, and while something breaks: writes docs/scale.md. Needs
# policy-server, kwctl and Go.
#
#   scripts/scale.sh ANNOTATED.wasm NOOP.wasm ORDINARY.wasm
set -euo pipefail
modules=("$(realpath "$1")" "$(realpath "$2")" "$(realpath "$3")")
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo run --locked --quiet --package testkit --no-default-features --bin reviews -- "$work" "${modules[0]}"
go build -C scripts/policy-server -o "$work/policy-server-test" .
# A PolicyServer loads annotated modules only; whose metadata it is does not matter here.
for number in 1 2; do
    kwctl annotate "${modules[$number]}" --metadata-path policy-metadata.yml --output-path "$work/$number.wasm"
done
"$work/policy-server-test" -scale docs/scale.md -noop "$work/1.wasm" -ordinary "$work/2.wasm" -minutes "${MINUTES:-10}" "$work"
