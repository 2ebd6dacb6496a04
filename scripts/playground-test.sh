#!/bin/sh
# The page in a real browser; what it counts is kept for `make status`.
set -eu
cd "$(dirname "$0")/.."
result=$PWD/target/playground/result.json
export RESULT="$result"
exec scripts/recorded.sh playground-test "$result" npm --prefix crates/playground/web test
