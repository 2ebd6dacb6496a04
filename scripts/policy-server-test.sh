#!/usr/bin/env bash
# The policies of deploy/ in a real PolicyServer: recorded reviews, posted from many connections, have to get the engine's
# answers; settings that are not valid have to end in a message. With NOOP.wasm times are measured beside a policy that
# accepts everything. Needs policy-server, kwctl and Go.
#
#   scripts/policy-server-test.sh ANNOTATED.wasm [NOOP.wasm]
set -euo pipefail
module=$(realpath "$1")
noop=${2:+$(realpath "$2")}
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo run --locked --quiet --package tasks --no-default-features --bin reviews -- "$work" "$module"
go build -C tools/policy-server -o "$work/policy-server-test" .
if [ -n "$noop" ]; then
    # A PolicyServer loads annotated modules only; whose metadata it is does not matter here.
    kwctl annotate "$noop" --metadata-path policy-metadata.yml --output-path "$work/noop.wasm"
    noop=$work/noop.wasm
fi
"$work/policy-server-test" -connections "${CONNECTIONS:-16}" -rounds "${ROUNDS:-3}" ${noop:+-noop "$noop"} "$work"
