#!/usr/bin/env bash
# Makes changes of CONTRIBUTING.md's table "What a change costs" on copies of the last commit, and counts what they cost: a report,
# which no test needs. A patch in testdata/changes is what a contributor writes by hand; its first line is the row. Each copy is
# blessed and tested. Prints a row for each change, and fails if a test does.
#
#   verification/scripts/changes.sh [NAME...]
#
# About eight minutes for each on two cores. The module is not built: tests that need it are not run.
set -euo pipefail
cd "$(dirname "$0")/../.."

root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"; git -C "$root" worktree prune' EXIT
export CARGO_TARGET_DIR=$root/target/changes PROPTEST_CASES=${PROPTEST_CASES:-16}

# The path of a copy is the same for each change, so that what did not change is built once.
copy=$work/copy
tests() {
    (cd "$copy" && cargo test --locked --quiet --no-fail-fast --package metadata-propagation --package cases --package fleet \
        --package propagate --package playground --features propagate/cluster &&
        cargo test --locked --quiet --no-fail-fast --package metadata-propagation-policy --test generated --test documents \
            --test modules --test settings_schema -- --skip fixtures:: --skip a_completed_node_is_still_a_node)
}
count() { sed '/^$/d' | wc -l; }

names=("$@")
if [ ${#names[@]} = 0 ]; then
    for patch in testdata/changes/*.patch; do names+=("$(basename "$patch" .patch)"); done
fi
failed=0
echo "| change | files by hand | files of cases | blessed files | minutes | tests |"
echo "| --- | --: | --: | --: | --: | --- |"
for name in "${names[@]}"; do
    patch=$root/testdata/changes/$name.patch
    begin=$SECONDS
    git worktree add --quiet --detach "$copy" HEAD
    if ! git -C "$copy" apply --index "$patch"; then
        echo "$patch does not apply any more: make the change again" >&2
        failed=1
        git worktree remove --force "$copy"
        continue
    fi
    written=$(git -C "$copy" diff --cached --name-only)
    for _ in first second; do
        BLESS=1 TRYCMD=overwrite tests > "$work/$name.bless" 2>&1 || true
    done
    blessed=$(git -C "$copy" ls-files --modified --others --exclude-standard)
    outcome=pass
    tests > "$work/$name.log" 2>&1 || outcome=fail
    echo "| $(head -1 "$patch") | $(grep -v ^testdata/cases <<< "$written" | count) | $(grep ^testdata/cases <<< "$written" | count)" \
        "| $(comm -13 <(sort <<< "$written") <(sort <<< "$blessed") | count) | $(((SECONDS - begin + 59) / 60)) | $outcome |"
    if [ "$outcome" = fail ]; then
        failed=1
        grep -E -A 12 'panicked at|^error' "$work/$name.log" | head -60 >&2 || true
    fi
    git worktree remove --force "$copy"
done
exit $failed
