#!/usr/bin/env bash
# Makes all that a release has, on this machine, by the scripts that .github/workflows/release.yml runs, and publishes nothing: the
# module with its metadata and components, the chart, static archives of `propagate` for x86_64 and aarch64, each tried in a folder that
# has nothing else, the image, the krew manifest, Artifact Hub's branch, digests, a signature by a key made here, and the notes. What
# other systems build (macOS, Windows, glibc on arm64) is left out.
#
#   verification/scripts/release-dry-run.sh
#
# The files are in target/release-dry-run. Steps whose tools are missing do not run; the script names them and fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=v$(sed -nE 's/^version = "(.*)"$/\1/p' Cargo.toml | head -n 1)
out=$PWD/target/release-dry-run
rm -rf "$out"
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
left=() failed=()

# missing PROGRAM…: those that are not on the PATH
missing() {
    local program
    for program; do command -v "$program" >/dev/null || printf '%s ' "$program"; done
}

# step NAME "TOOLS" COMMAND…: runs it if its tools are here, and prints its time; the output of a step that fails is shown
step() {
    local name=$1 lacks begin=$SECONDS
    lacks=$(missing $2)
    shift 2
    if [ -n "$lacks" ]; then
        left+=("$name: needs ${lacks% }")
        printf '   not run  %s: needs %s\n' "$name" "${lacks% }"
    elif "$@" >"$work/log.txt" 2>&1; then
        printf '%8s s  %s\n' "$((SECONDS - begin))" "$name"
    else
        failed+=("$name")
        printf '%8s s  %s: FAILED\n' "$((SECONDS - begin))" "$name"
        tail -n 40 "$work/log.txt" >&2
    fi
}

notes() { verification/scripts/release-notes.sh --unreleased "$version" >"$out/notes.md"; }
module() { make policy.wasm && cp policy.wasm "$out/"; }
annotated() { make annotated-policy.wasm && cp annotated-policy.wasm "$out/"; }
archive() { verification/scripts/dist.sh "$1" && cp "target/dist/propagate-$version-$1.tar.gz" "$out/"; }
# The files that a step before could not make have stand-ins, so that the rest can be tried: they are named at the end.
assemble() {
    local file
    for file in annotated-policy.wasm policy.cdx.json policy.spdx.json; do [ -e "$out/$file" ] || : >"$out/$file"; done
    verification/scripts/release-assemble.sh --dry-run "$version" "$out"
}
digests() { (cd "$out" && sha256sum --check checksums.txt) && [ "$(wc -l <"$out/checksums.txt")" -ge 10 ]; }
signature() {
    export COSIGN_PASSWORD=none HOME=$work/home
    mkdir -p "$HOME"
    (cd "$work" && ./cosign generate-key-pair --output-key-prefix once)
    "$work/cosign" signing-config create --out "$work/signing.json"
    "$work/cosign" sign-blob --yes --key "$work/once.key" --signing-config "$work/signing.json" \
        --bundle "$out/checksums.txt.sigstore.json" "$out/checksums.txt"
    # Without a trust root, cosign asks for that of Sigstore. This key needs none.
    echo '{"mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1"}' >"$work/root.json"
    local verify=("$work/cosign" verify-blob --key "$work/once.pub" --insecure-ignore-tlog=true --trusted-root "$work/root.json"
        --bundle "$out/checksums.txt.sigstore.json")
    "${verify[@]}" "$out/checksums.txt"
    sed 's/^./x/' "$out/checksums.txt" >"$work/changed.txt"
    if "${verify[@]}" "$work/changed.txt"; then echo "a changed file has a valid signature" >&2; return 1; fi
}
build_cosign() { go build -C verification/tools/registry -o "$work/cosign" github.com/sigstore/cosign/v3/cmd/cosign; }
krew_manifest() {
    local target
    for target in x86_64 aarch64; do
        grep --quiet "propagate-$version-$target-unknown-linux-musl.tar.gz" "$out/propagate.yaml"
        grep --quiet "sha256: $(sha256sum "$out/propagate-$version-$target-unknown-linux-musl.tar.gz" | cut -d' ' -f1)" "$out/propagate.yaml"
    done
}
# `gh` writes down what it is asked, and answers with a name of an object.
artifact_hub() {
    mkdir -p "$work/bin"
    printf '#!/bin/sh\ncase "$*" in *trees*) cat >"$TREE"; echo tree ;; *commits*) cat >/dev/null; echo commit ;; esac\n' >"$work/bin/gh"
    chmod +x "$work/bin/gh"
    PATH=$work/bin:$PATH TREE=$out/artifacthub.json GITHUB_REPOSITORY=plexsphere/metadata-propagation-policy verification/scripts/artifacthub-branch.sh
    [ "$(jq --raw-output '[.tree[].path] | join(" ")' "$out/artifacthub.json")" = "artifacthub-pkg.yml artifacthub-repo.yml README.md" ]
    jq --join-output '.tree[0].content' "$out/artifacthub.json" | cmp - artifacthub-pkg.yml
}

step "versions and notes" "" notes
step "module" "rustup" module
step "module with its metadata" "rustup kwctl" annotated
step "components of the module" "jq cargo-cyclonedx" verification/scripts/components.sh "$out/policy.cdx.json"
step "chart" "go" verification/scripts/chart.sh "$out"
for target in x86_64-unknown-linux-musl aarch64-unknown-linux-musl; do
    step "archive for $target" "rustup" archive "$target"
    step "the archive for $target in an empty folder" "go jq" verification/scripts/dist-test.sh "$out/propagate-$version-$target.tar.gz"
done
step "image, components, krew manifest, digests" "go jq cargo-cyclonedx" assemble
step "the digests are those of the files" "" digests
step "the krew manifest has the digests of the archives" "" krew_manifest
step "build cosign" "go" build_cosign
step "signature of the digests, and of changed ones" "" signature
step "push, sign, verify and pull the module" "go kwctl" verification/scripts/registry-test.sh policy.wasm
step "Artifact Hub's branch" "jq" artifact_hub

echo
(cd "$out" && wc -c -- *)
for name in "${left[@]}"; do echo "did not run: $name"; done
for name in "${failed[@]}"; do echo "failed: $name"; done
[ ${#left[@]} = 0 ] && [ ${#failed[@]} = 0 ]
