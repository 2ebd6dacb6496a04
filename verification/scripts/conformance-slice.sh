#!/usr/bin/env bash
# A part of `make conformance` for every change: one API server with Cluster API's real controllers, then one with
# Crossplane's, each without the policy and with the compiled one, and with a policy that has to be noticed as wrong.
#
#   verification/scripts/conformance-slice.sh [MINUTES]
#
# Ends within MINUTES (default 15). Where Go's caches are cold, building the programs takes most of that; a part that would
# not end in time is not run, and the last lines say so. What was built stays in the caches for the next time.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
end=$((SECONDS + ${1:-15} * 60))
missing() { echo "the conformance slice needs $1" >&2; exit 1; }
command -v go >/dev/null || missing "go on the PATH: https://go.dev"
[ -f policy.wasm ] || missing "policy.wasm: run \`make policy.wasm\`"

target=${CARGO_TARGET_DIR:-$root/target}
work=$target/conformance/slice
mkdir -p "$work"
cargo build --locked --quiet --package webhook

# The phases of `whole` that touch most rules, and the seconds that they take on two cores.
phases=create,add-keys,fields,edit-derived,own-keys,standalone
cluster_seconds=360
# A composite that composes composites, so that tags pass two levels.
composites=create,add-label,change-label,own-label,remove-label,delete
crossplane_seconds=210

left() { echo $((end - SECONDS)); }
report=()
code=0

# part NAME SECONDS BUILD RUN...: builds if there is time for it and for the run, and runs. BUILD is a function.
part() {
    local name=$1 seconds=$2 build=$3 began=$SECONDS built status=0
    shift 3
    # A machine with other work is slower.
    local patience=$(($(left) - seconds * 3 / 2))
    if [ "$patience" -lt 5 ]; then
        report+=("NOT RUN: $name: $(left) s are left, and it takes up to $((seconds * 3 / 2)) s")
        return
    fi
    export -f "$build"
    timeout --kill-after=10 "$patience" bash -euc "$build" || status=$?
    built=$((SECONDS - began))
    if [ "$status" -eq 124 ]; then
        report+=("NOT RUN: $name: its programs were not built in $built s; Go's caches were cold")
        return
    elif [ "$status" -ne 0 ]; then
        report+=("FAILED: $name: its programs cannot be built")
        code=2
        return
    fi
    local most=$(left)
    [ "$most" -lt $((seconds * 2)) ] || most=$((seconds * 2))
    timeout --kill-after=30 "$most" "$@" || status=$?
    local took="built in $built s, run in $((SECONDS - began - built)) s"
    case $status in
    0) report+=("no differences: $name ($took)") ;;
    1) report+=("DIFFERENCES: $name ($took)") ;;
    124) report+=("FAILED: $name: it did not end in $most s") ;;
    *) report+=("FAILED: $name ($took)") ;;
    esac
    [ "$code" -ge "$status" ] || code=$status
}

export work root
build_cluster() {
    cd "$root/verification/conformance/cluster"
    go test .
    go build -o "$work/cluster" .
    "$work/cluster" build -directory "$work"
}
build_crossplane() {
    cd "$root/verification/conformance/crossplane"
    go build -o "$work/crossplane-scenarios" .
    "$work/crossplane-scenarios" -directory "$work" -build
}

cd verification/conformance/cluster
part "Cluster API's real controllers, $phases" $cluster_seconds build_cluster \
    "$work/cluster" scenarios -built -directory "$work" -webhook "$target/debug/webhook" -propagate /dev/null \
    -module "$root/policy.wasm" -scenarios whole -steps $phases
cd ../crossplane
part "Crossplane's real core, a nested blueprint, $composites" $crossplane_seconds build_crossplane \
    "$work/crossplane-scenarios" -directory "$work" -webhook "$target/debug/webhook" -module "$root/policy.wasm" \
    -scenarios composites -roots nested -steps $composites

printf 'conformance slice: %s\n' "${report[@]}"
exit "$code"
