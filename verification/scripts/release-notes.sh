#!/usr/bin/env bash
# Prints what CHANGELOG.md says of a release, and fails where the tag is not the version that the files name. With `--unreleased`, the
# version needs no date yet.
#
#   verification/scripts/release-notes.sh [--unreleased] v1.2.3
set -euo pipefail
cd "$(dirname "$0")/../.."

date='[0-9]{4}-[0-9]{2}-[0-9]{2}'
[ "${1:-}" != --unreleased ] || { date="$date|unreleased"; shift; }
version=${1#v}
[ "v$version" = "$1" ] || { echo "$1 is no tag of a release" >&2; exit 1; }

# names FILE PATTERN: the version that the only line with this pattern has
names() {
    local found
    found=$(sed -nE "s/^$2\$/\\1/p" "$1" | head -n 1)
    if [ "$found" != "$version" ]; then
        echo "$1 says ${found:-nothing}, the tag $version" >&2
        exit 1
    fi
}

names Cargo.toml 'version = "(.*)"'
names policy-metadata.yml '  io\.kubewarden\.policy\.version: (.*)'
names artifacthub-pkg.yml 'version: "?([^"]*)"?'
names CHANGELOG.md "## (.*) \(($date)\)"

awk -v heading="## $version " 'index($0, "## ") == 1 { inside = index($0, heading) == 1; next } inside' CHANGELOG.md
