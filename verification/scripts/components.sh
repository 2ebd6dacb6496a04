#!/usr/bin/env bash
# Lists the crates that are in policy.wasm, or in `propagate` for a target, as CycloneDX, and beside it as SPDX (OUTPUT.spdx.json): those
# that are linked for the target, without what only builds or tests it. The same source gives the same list. Needs cargo-cyclonedx.
#
#   verification/scripts/components.sh OUTPUT.cdx.json [TARGET-OF-PROPAGATE]
set -euo pipefail
output=$(realpath "$1")
spdx=${output%.cdx.json}.spdx.json
cd "$(dirname "$0")/../.."

# What is listed: a package, the name that its root has in the list, its folder, the target, and its features.
if [ $# -gt 1 ]; then
    package=propagate name=propagate folder=propagate target=$2 features=(--features cluster)
else
    package=metadata-propagation-policy name=policy folder=. target=wasm32-unknown-unknown features=()
fi

command -v cargo-cyclonedx >/dev/null || { echo "cargo-cyclonedx is not on the PATH: cargo install cargo-cyclonedx" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# cargo-cyclonedx writes a file beside every Cargo.toml of a workspace: into a copy, of which the root's is taken.
git ls-files -z | tar --null --files-from - --create | tar --extract --directory "$work"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
cargo cyclonedx --quiet --manifest-path "$work/$folder/Cargo.toml" --target "$target" "${features[@]}" --no-build-deps \
    --format json --spec-version 1.5 --override-filename components.cdx
# It lists procedural macros too, and what other members and tests turn on. What is linked is what Cargo builds for the target.
linked=$(cargo tree --locked --package "$package" --target "$target" "${features[@]}" --edges normal,no-proc-macro \
    --prefix none --format '{p}' | awk '{ sub(/^v/, "", $2); print $1 "@" $2 }' | sort -u | jq --raw-input . | jq --slurp .)
jq --arg work "$work" --arg name "$name" --argjson linked "$linked" '
    def is_linked: . as $ref | any($linked[]; . as $crate | $ref | endswith("#" + $crate) or endswith("/" + $crate));
    .components |= map(select("#\(.name)@\(.version)" | is_linked))
    | .dependencies |= map(select(.ref | is_linked) | if .dependsOn then .dependsOn |= map(select(is_linked)) else . end)
    | walk(if type == "string" then sub("file://" + $work + "/?"; "file:///\($name)/") else . end)' \
    "$work/$folder/components.cdx.json" >"$output"
listed=$(jq '[.metadata.component, .components[]] | map("\(.name)@\(.version)") | sort' "$output")
[ "$(jq --compact-output sort <<<"$linked")" = "$(jq --compact-output . <<<"$listed")" ] || { echo "the list lacks a crate that is linked" >&2; exit 1; }
jq --arg created "$(date --utc --date "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" --from-file verification/scripts/spdx.jq "$output" >"$spdx"
echo "$(basename "$output"), $(basename "$spdx"): $(jq '.components | length' "$output") crates"
