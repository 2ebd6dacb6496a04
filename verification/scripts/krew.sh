#!/usr/bin/env bash
# Prints the manifest with which krew installs `kubectl propagate`.
#
#   verification/scripts/krew.sh [--partial] v1.2.3 CHECKSUMS
#
# CHECKSUMS is what sha256sum prints of the release's archives. `--partial` leaves out platforms without an archive.
set -euo pipefail
partial=
[ "${1:-}" != --partial ] || { partial=yes; shift; }
version=$1
checksums=$2

# os, architecture, target of the archive
platforms='linux amd64 x86_64-unknown-linux-musl
linux arm64 aarch64-unknown-linux-musl
darwin amd64 x86_64-apple-darwin
darwin arm64 aarch64-apple-darwin
windows amd64 x86_64-pc-windows-msvc'

cat <<EOF
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: propagate
spec:
  version: $version
  homepage: https://github.com/plexsphere/metadata-propagation-policy
  shortDescription: Explain where labels propagate in Cluster API
  description: |
    Reads the objects of Cluster API and Crossplane, from the cluster or from manifests, and answers
    where a label or annotation comes from, how far it propagates and what is missing. Writes nothing.
  platforms:
EOF
while read -r os architecture target; do
    archive=propagate-$version-$target.tar.gz
    digest=$(awk -v archive="$archive" '$2 == archive { print $1 }' "$checksums")
    [ -n "$digest$partial" ] || { echo "$checksums has no line for $archive" >&2; exit 1; }
    [ -n "$digest" ] || continue
    program=propagate
    [ "$os" != windows ] || program=propagate.exe
    cat <<EOF
    - selector: { matchLabels: { os: $os, arch: $architecture } }
      uri: https://github.com/plexsphere/metadata-propagation-policy/releases/download/$version/$archive
      sha256: $digest
      files:
        - { from: "*/$program", to: . }
        - { from: "*/LICENSE", to: . }
      bin: $program
EOF
done <<<"$platforms"
