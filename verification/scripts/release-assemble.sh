#!/usr/bin/env bash
# Makes the rest of a release from the module, the chart and the archives of `propagate`, in the folder that has them: the image as an
# OCI layout in image.tar, the components of `propagate`, the krew manifest, the digests of all files, and the release notes. Needs Go,
# jq and cargo-cyclonedx.
#
#   verification/scripts/release-assemble.sh [--dry-run] v1.2.3 FOLDER
#
# A dry run accepts a version without a date in CHANGELOG.md, and archives for Linux alone.
set -euo pipefail
notes=() krew=()
[ "${1:-}" != --dry-run ] || { notes=(--unreleased) krew=(--partial); shift; }
version=$1
folder=$(realpath "$2")
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for target in x86_64-unknown-linux-musl aarch64-unknown-linux-musl; do
    tar -xzf "$folder/propagate-$version-$target.tar.gz" -C "$work"
done
go build -C verification/tools/image -o "$work/image" .
"$work/image" -version "$version" "$work/layout" \
    "linux/amd64=$work/propagate-$version-x86_64-unknown-linux-musl/propagate" \
    "linux/arm64=$work/propagate-$version-aarch64-unknown-linux-musl/propagate"
tar -cf "$folder/image.tar" -C "$work/layout" .

verification/scripts/components.sh "$folder/propagate.cdx.json" x86_64-unknown-linux-musl

(cd "$folder" && sha256sum propagate-*.tar.gz) >"$work/archives.txt"
verification/scripts/krew.sh "${krew[@]}" "$version" "$work/archives.txt" >"$folder/propagate.yaml"

(cd "$folder" && sha256sum policy.wasm annotated-policy.wasm policy.cdx.json policy.spdx.json metadata-propagation-policy-*.tgz \
    propagate-*.tar.gz propagate.cdx.json propagate.spdx.json propagate.yaml) >"$folder/checksums.txt"

repository=https://github.com/plexsphere/metadata-propagation-policy
{
    verification/scripts/release-notes.sh "${notes[@]}" "$version"
    printf '\n## Digests\n\n```text\n'
    cat "$folder/checksums.txt"
    printf '```\n\nBuilt with rustc %s. ' "${RUSTUP_TOOLCHAIN:-$(rustc --version | cut -d' ' -f2)}"
    printf '[How to verify the release and to build the same module](%s/blob/%s/docs/verifying.md)\n' "$repository" "$version"
} >"$folder/notes.md"
