#!/bin/sh
# Runs a check, and keeps what it counted in testdata/results, where `make status` finds it.
#
#   scripts/recorded.sh CHECK FILE COMMAND...
#
# The command writes FILE, and ends with 0, or with 1 where it finds differences. If it fails it ends with another code or
# writes no FILE, and nothing is kept.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
check=$1
file=$2
shift 2
rm -f "$file"
begin=$(date +%s)
code=0
"$@" || code=$?
if [ "$code" -le 1 ] && [ -f "$file" ]; then
    (cd "$root" && cargo run --locked --quiet --package tasks --no-default-features --bin results -- \
        record "$check" "$file" $(($(date +%s) - begin)))
fi
exit "$code"
