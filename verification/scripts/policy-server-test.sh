#!/usr/bin/env bash
# The policies of deploy/ in a real PolicyServer: recorded reviews, posted from many connections, have to get the engine's
# answers; settings that are not valid have to end in a message. With NOOP.wasm times are measured beside a policy that
# accepts everything. Needs policy-server, kwctl and Go.
#
#   verification/scripts/policy-server-test.sh ANNOTATED.wasm [NOOP.wasm]
set -euo pipefail
module=$(realpath "$1")
noop=${2:+$(realpath "$2")}
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# To measure, the module is run once here: the canned policy repeats what it did.
features=--no-default-features
[ -z "$noop" ] || features=
cargo run --locked --quiet --package tasks $features --bin reviews -- "$work" "$module"
go build -C verification/tools/policy-server -o "$work/policy-server-test" .
if [ -n "$noop" ]; then
    # A PolicyServer loads annotated modules only; whose metadata it is does not matter here.
    kwctl annotate "$noop" --metadata-path policy-metadata.yml --output-path "$work/noop.wasm"
    noop=$work/noop.wasm
    CANNED=$work/canned.bin verification/scripts/wasm.sh canned-policy "$work/canned.wasm"
    kwctl annotate "$work/canned.wasm" --metadata-path policy-metadata.yml --output-path "$work/canned-annotated.wasm"
fi
verification/scripts/recorded.sh "$work/results" "$work/policy-server-test" -result "$work/results/policy-server-test.json" -connections "${CONNECTIONS:-16}" -rounds "${ROUNDS:-3}" ${noop:+-noop "$noop" -canned "$work/canned-annotated.wasm"} "$work"
