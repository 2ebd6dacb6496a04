#!/bin/sh
# Runs checks, and keeps what they counted in testdata/results, where `make status` finds it.
#
#   verification/scripts/recorded.sh FOLDER COMMAND...
#
# The command writes CHECK.json into FOLDER for each check that it has run, and ends with 0, or with 1 where it finds
# differences. If it fails it ends with another code or writes no file, and nothing is kept.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
begin=$(date +%s)
code=0
"$@" || code=$?
if [ "$code" -le 1 ]; then
    (cd "$root" && cargo run --locked --quiet --package tasks --no-default-features --bin results -- \
        record "$folder" $(($(date +%s) - begin)))
fi
exit "$code"
