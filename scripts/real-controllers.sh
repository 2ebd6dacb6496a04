#!/bin/sh
# The compiled policy against Cluster API's real controllers on a real API server: docs/real-controllers.md.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
missing() { echo "the real controllers need $1" >&2; exit 1; }
command -v go >/dev/null || missing "go on the PATH: https://go.dev"
[ -f policy.wasm ] || missing "policy.wasm: run \`make policy.wasm\`"

target=${CARGO_TARGET_DIR:-$root/target}
work=$target/conformance
cargo build --locked --quiet --package webhook
mkdir -p "$work"
cd conformance/cluster
go build -o "$work/cluster" .
run() { "$work/cluster" run -directory "$work" -webhook "$target/debug/webhook" -module "$root/policy.wasm" "$@"; }
compare() { "$work/cluster" compare "$work/observe.json" "$1"; }

# A policy that is wrong on purpose has to be noticed, or the comparison proves nothing.
control() {
    run -policy "$1" -steps short
    noticed=0
    compare "$work/$1.json" >"$work/$1.txt" 2>&1 || noticed=$?
    if [ "$noticed" -ne 1 ]; then
        echo "the comparison does not notice the wrong policy $1:" >&2
        cat "$work/$1.txt" >&2
        exit 1
    fi
    echo "the wrong policy $1 is noticed: $(tail -n 1 "$work/$1.txt")"
}

"$work/cluster" conditions
"$work/cluster" conditions -server -directory "$work" -webhook "$target/debug/webhook"

run -policy observe
run -policy module
compare "$work/module.json"
control stamp-time
control roll-machines
