#!/usr/bin/env bash
# Tries an archive of `propagate` as somebody does who has nothing else: with a folder as root that has the program, the shared
# libraries that it names, if any, the certificates of public authorities and the examples; then installed by krew, and as a container
# image.
#
#   verification/scripts/dist-test.sh target/dist/propagate-v1.2.3-TARGET.tar.gz
#
# An archive for another processor is tried with qemu in that folder, and not installed.
set -euo pipefail
archive=$(realpath "$1")
cd "$(dirname "$0")/../.."
. verification/scripts/foreign.sh
command -v go >/dev/null || { echo "go is not on the PATH: Go 1.26 or newer builds krew and the image" >&2; exit 1; }

name=$(basename "$archive" .tar.gz)
version=v$(sed -nE 's/^version = "(.*)"$/\1/p' Cargo.toml | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "dist-test: $*" >&2
    exit 1
}

# confined FOLDER COMMAND…: with this folder as root
confined() {
    if [ "$(id -u)" = 0 ]; then chroot "$@"; else sudo chroot "$@"; fi
}

# libraries PROGRAM ROOT: copies the shared libraries that the program names
libraries() {
    local library
    # A static program names none.
    { ldd "$1" 2>/dev/null || true; } | { grep --only-matching '/[^ ]*' || true; } | while read -r library; do
        mkdir -p "$2$(dirname "$library")"
        cp "$library" "$2$library"
    done
}

tar -xzf "$archive" -C "$work"
unpacked=$work/$name
for file in propagate README.md LICENSE {fleet,shop,edited-shop}.yaml completions/propagate.bash completions/_propagate completions/propagate.fish \
    completions/propagate.ps1 man/propagate.1 man/propagate-check.1; do
    [ -s "$unpacked/$file" ] || fail "the archive has no $file"
done
bash -n "$unpacked/completions/propagate.bash"

root=$work/root
mkdir -p "$root/etc/ssl/certs"
cp "$unpacked/propagate" "$unpacked"/*.yaml "$root/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
libraries "$root/propagate" "$root"
version=v$(sed -nE 's/^version = "(.*)"$/\1/p' Cargo.toml | head -n 1)
runner=$(runner_of "${name#"propagate-$version-"}")
if [ -n "$runner" ]; then
    needs "$runner" qemu-user
    cp "$(command -v "$runner")" "$root/runner"
    libraries "$root/runner" "$root"
fi

# asked CODE ARGUMENT…: the confined program answers with this exit code what it answers on this machine
asked() {
    local expected=$1 code=0
    shift
    confined "$root" ${runner:+/runner} /propagate "$@" >"$work/confined.txt" 2>"$work/confined.err" || code=$?
    [ "$code" = "$expected" ] || { cat "$work/confined.err" >&2; fail "exit code $code, not $expected: propagate $*"; }
    (cd "$unpacked" && ${runner:+"$runner"} ./propagate "$@" >"$work/free.txt" 2>"$work/free.err") || true
    cmp --quiet "$work/confined.txt" "$work/free.txt" || fail "another answer than outside: propagate $*"
    cmp --quiet "$work/confined.err" "$work/free.err" || fail "another error than outside: propagate $*"
    printf '  exit code %s: %s\n' "$code" "propagate $*"
}
asked 1 check fleet.yaml
asked 0 explain Cluster -f fleet.yaml -L team,node.cluster.x-k8s.io/pool
asked 0 explain Node/worker-1 team -f fleet.yaml
asked 1 plan shop.yaml edited-shop.yaml
asked 1 apply --diff fleet.yaml
asked 0 rules
asked 2 check missing.yaml

# Without users and name resolution, a cluster that is away is an error with its name.
cat >"$root/kubeconfig" <<'EOF'
apiVersion: v1
kind: Config
current-context: away
contexts: [{ name: away, context: { cluster: away, user: away } }]
clusters: [{ name: away, cluster: { server: https://127.0.0.1:1 } }]
users: [{ name: away, user: { token: none } }]
EOF
cp "$root/kubeconfig" "$unpacked/"
asked 2 check --live --kubeconfig kubeconfig
grep --quiet 'https://127.0.0.1:1' "$work/confined.err" || fail "the server is not named: $(cat "$work/confined.err")"

[ -z "$runner" ] || exit 0

# Each platform's archive is this one, because no other is at hand: what is tried is the manifest.
digest=$(sha256sum "$archive" | cut -d' ' -f1)
for target in {x86_64,aarch64}-unknown-linux-musl {x86_64,aarch64}-apple-darwin x86_64-pc-windows-msvc; do
    echo "$digest  propagate-$version-$target.tar.gz"
done >"$work/checksums.txt"
verification/scripts/krew.sh "$version" "$work/checksums.txt" >"$work/propagate.yaml"
sed -i '$d' "$work/checksums.txt"
if verification/scripts/krew.sh "$version" "$work/checksums.txt" >"$work/lacking.yaml" 2>"$work/err.txt"; then fail "a manifest without Windows"; fi
(cd verification/tools/image && go build -o "$work/krew" sigs.k8s.io/krew/cmd/krew && go build -o "$work/image" .)
export KREW_ROOT=$work/krew-root
"$work/krew" install --manifest="$work/propagate.yaml" --archive="$archive" >"$work/krew.txt" 2>&1 || { cat "$work/krew.txt" >&2; fail krew; }
[ "$("$KREW_ROOT/bin/kubectl-propagate" --version)" = "propagate ${version#v}" ] || fail "krew installed another program"
echo "  krew installs kubectl propagate"
export KREW_ROOT=$work/krew-again
sed -i "s/$digest/${digest//[0-9]/0}/" "$work/propagate.yaml"
if "$work/krew" install --manifest="$work/propagate.yaml" --archive="$archive" >"$work/krew.txt" 2>&1; then
    fail "krew installed an archive with another digest"
fi
grep --quiet checksum "$work/krew.txt" || { cat "$work/krew.txt" >&2; fail "krew refused the archive for another reason"; }
echo "  krew refuses an archive with another digest"

first=$("$work/image" -version "$version" "$work/layout" "linux/amd64=$unpacked/propagate" "linux/arm64=$unpacked/propagate")
again=$("$work/image" -version "$version" "$work/again" "linux/amd64=$unpacked/propagate" "linux/arm64=$unpacked/propagate")
[ "$first" = "$again" ] || fail "two images of the same files have the digests $first and $again"
# blob DIGEST: its content
blob() { cat "$work/layout/blobs/sha256/${1#sha256:}"; }
image=$work/image-root
mkdir "$image"
manifest=$(blob "$(blob "$first" | jq --raw-output '.manifests[] | select(.platform.architecture == "amd64").digest')")
entry=$(blob "$(jq --raw-output .config.digest <<<"$manifest")" | jq --raw-output '.config.Entrypoint[0]')
blob "$(jq --raw-output '.layers[0].digest' <<<"$manifest")" >"$work/layer.tar.gz"
tar -xf "$work/layer.tar.gz" -C "$image"
libraries "$image$entry" "$image"
[ "$(confined "$image" "$entry" --version)" = "propagate ${version#v}" ] || fail "the image starts another program"
[ -s "$image/etc/ssl/certs/ca-certificates.crt" ] || fail "the image has no certificates"
echo "  the image $first starts"
