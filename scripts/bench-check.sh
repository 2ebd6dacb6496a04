#!/usr/bin/env bash
# Every verb of `propagate` over generated fleets: seconds of wall-clock time, seconds of all cores, and megabytes at most.
#   scripts/bench-check.sh FOLDER-OF-THE-PROGRAMS OBJECTS...
set -euo pipefail

programs=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

measure() {
    local name=$1
    shift
    python3 - "$name" "$@" <<'PYTHON'
import os, resource, subprocess, sys, time
begin = time.monotonic()
code = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
wall = time.monotonic() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if code not in (0, 1):
    sys.exit(f"{sys.argv[1]} ends with {code}")
print(f"  {sys.argv[1]:<12} {wall:6.2f} s  {used.ru_utime + used.ru_stime:6.2f} s of all cores  {used.ru_maxrss // 1024:5} MB")
PYTHON
}

for objects in "$@"; do
    fleet=$work/fleet.yaml
    edited=$work/edited.yaml
    "$programs/examples/generate" "$objects" > "$fleet"
    # The version and a label of every object that has them.
    sed -e 's/version: v1.34.2$/version: v1.35.0/' -e 's/team: payments$/team: shop/' "$fleet" > "$edited"
    echo "$objects objects, $(du -h "$fleet" | cut -f1)"
    propagate=$programs/propagate
    measure check "$propagate" check --output github "$fleet"
    measure explain "$propagate" explain Cluster -L team "$fleet"
    measure plan "$propagate" plan "$fleet" "$edited"
    measure "apply --diff" "$propagate" apply --diff "$fleet"
    measure backfill "$propagate" backfill "$fleet"
    measure graph "$propagate" graph team "$fleet"
done
