#!/bin/sh
# The page in a real browser; what it counts is kept for `make status`.
set -eu
cd "$(dirname "$0")/../.."
results=$PWD/target/playground/results
export RESULT="$results/playground-test.json"
exec verification/scripts/recorded.sh "$results" npm --prefix playground/web test
