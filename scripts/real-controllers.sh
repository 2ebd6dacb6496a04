#!/bin/sh
# The compiled policy against Cluster API's real controllers on a real API server: conformance/cluster/README.md.
#
#   scripts/real-controllers.sh                             everything, with the newest Cluster API; writes the page
#   scripts/real-controllers.sh -scenarios NAME,... [-reuse]    the scenarios that are named
#   scripts/real-controllers.sh -capi v1.12                 an older Cluster API; writes its row of the page
set -eu
cd "$(dirname "$0")/.."
root=$PWD
missing() { echo "the real controllers need $1" >&2; exit 1; }
command -v go >/dev/null || missing "go on the PATH: https://go.dev"
[ -f policy.wasm ] || missing "policy.wasm: run \`make policy.wasm\`"

target=${CARGO_TARGET_DIR:-$root/target}
work=$target/conformance
cargo build --locked --quiet --package webhook --package propagate
mkdir -p "$work"
cd conformance/cluster
go test .
go build -o "$work/cluster" .
cluster() {
    command=$1
    shift
    "$work/cluster" "$command" -directory "$work" -webhook "$target/debug/webhook" \
        -propagate "$target/debug/propagate" -module "$root/policy.wasm" "$@"
}

# Whole runs are kept: with the newest Cluster API, or with an older one.
case "$*" in
"")
    cluster conditions
    cluster conditions -server
    cluster deploy
    check=conformance-cluster
    ;;
"-capi "*) check=conformance-cluster-$2 ;;
*)
    cluster scenarios "$@"
    exit
    ;;
esac
"$root/scripts/recorded.sh" "$check" "$work/$check.json" "$work/cluster" scenarios -directory "$work" -webhook "$target/debug/webhook" \
    -propagate "$target/debug/propagate" -module "$root/policy.wasm" -result "$work/$check.json" "$@"
