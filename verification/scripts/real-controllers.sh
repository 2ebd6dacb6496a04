#!/bin/sh
# The compiled policy against Cluster API's real controllers on a real API server: verification/conformance/cluster/README.md.
#
#   verification/scripts/real-controllers.sh                             everything, with the newest Cluster API; writes the page
#   verification/scripts/real-controllers.sh -scenarios NAME,... [-reuse]    the scenarios that are named; writes their rows
#   verification/scripts/real-controllers.sh -capi v1.12                 an older Cluster API; writes its row of the page
#
# The results are kept in testdata/results: of some scenarios only where those of the others are current.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
missing() { echo "the real controllers need $1" >&2; exit 1; }
command -v go >/dev/null || missing "go on the PATH: https://go.dev"
[ -f policy.wasm ] || missing "policy.wasm: run \`make policy.wasm\`"

target=${CARGO_TARGET_DIR:-$root/target}
work=$target/conformance
cargo build --locked --quiet --package webhook --package propagate
mkdir -p "$work"
cd verification/conformance/cluster
go test .
go build -o "$work/cluster" .
cluster() {
    command=$1
    shift
    "$work/cluster" "$command" -directory "$work" -webhook "$target/debug/webhook" \
        -propagate "$target/debug/propagate" -module "$root/policy.wasm" "$@"
}
if [ $# = 0 ]; then
    cluster conditions
    cluster conditions -server
    cluster deploy
fi
"$root/verification/scripts/recorded.sh" "$work/results-cluster" "$work/cluster" scenarios -directory "$work" -webhook "$target/debug/webhook" \
    -propagate "$target/debug/propagate" -module "$root/policy.wasm" -results "$work/results-cluster" "$@"
