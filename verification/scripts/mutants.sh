#!/bin/sh
# Mutants of the decisions: verification/tasks/src/bin/mutants. The results of whole crates are kept for `make status`.
#
#   verification/scripts/mutants.sh [CRATE [FILES [SINCE]]]     CRATE=tables changes each cell of the tables once
set -eu
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
mkdir -p "$target/mutants"
crate=${1:-} files=${2:-} since=${3:-}
cargo build --locked --quiet --package tasks --no-default-features --bin mutants
set -- "$target/debug/mutants"
[ -z "$crate" ] || set -- "$@" --package "$crate"
[ -z "$files" ] || set -- "$@" --file "$files"
if [ -n "$since" ]; then
    git diff "$since" -- crates >"$target/mutants/since.diff"
    set -- "$@" --diff "$target/mutants/since.diff"
fi
[ -z "$files$since" ] || exec "$@"
recorded() {
    verification/scripts/recorded.sh "$target/mutants/results" "$@" --result "$target/mutants/results/mutants.json"
}
code=0
recorded "$@" || code=$?
[ -n "$crate" ] || recorded "$@" --package tables || code=$?
exit "$code"
