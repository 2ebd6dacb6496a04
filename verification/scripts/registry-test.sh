#!/usr/bin/env bash
# The path of a release on this machine: annotate, push, inspect, sign in both formats, verify, pull, compare, run; then what
# has to be refused. The registry is on loopback and signatures are by a key made here: nothing is asked of another host,
# except for the Go modules of the registry and of cosign when they are built for the first time.
#
#   verification/scripts/registry-test.sh POLICY.wasm
set -euo pipefail
policy=$(realpath "$1")
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
registry=
finish() {
    exec 3>&-
    [ -z "$registry" ] || wait "$registry" || true
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "registry-test: $*" >&2
    exit 1
}

# step NAME COMMAND…: runs it, prints its time, and what it said where it fails
step() {
    local name=$1 begin=$EPOCHREALTIME
    shift
    "$@" >"$work/out.txt" 2>"$work/err.txt" || { cat "$work/out.txt" "$work/err.txt" >&2; fail "$name"; }
    printf '%7.1f s  %s\n' "$(bc <<<"$EPOCHREALTIME - $begin")" "$name"
}

# refused NAME WORDS COMMAND…: it has to fail, and with these words
refused() {
    local name=$1 words=$2
    shift 2
    if "$@" >"$work/out.txt" 2>&1; then fail "accepted: $name"; fi
    grep --quiet --extended-regexp "$words" "$work/out.txt" || { cat "$work/out.txt" >&2; fail "refused without '$words': $name"; }
    printf '%7s    refused: %s (%s)\n' "" "$name" "$(grep --only-matching --max-count 1 --extended-regexp "$words" "$work/out.txt" | head -n 1)"
}

step "build the registry" go build -C verification/tools/registry -o "$work/registry" .
step "build cosign" go build -C verification/tools/registry -o "$work/cosign" github.com/sigstore/cosign/v3/cmd/cosign
# From here on neither tool finds this user's keys, logins and caches.
export HOME=$work/home XDG_CACHE_HOME=$work/home/cache COSIGN_PASSWORD=none
mkdir -p "$work/home" "$work/blobs"
cosign=$work/cosign

mkfifo "$work/open"
"$work/registry" "$work/blobs" "$work/authority.pem" <"$work/open" >"$work/address" &
registry=$!
exec 3>"$work/open"
for _ in {1..100}; do [ -s "$work/address" ] && break; sleep 0.1; done
address=$(cat "$work/address")
repository=$address/policies/metadata-propagation-policy
printf 'insecure_sources: ["%s"]\n' "$address" >"$work/sources.yaml"

annotate() {
    kwctl annotate "$policy" --metadata-path policy-metadata.yml --usage-path docs/usage.md --output-path "$1"
}
push() {
    kwctl push --sources-path "$work/sources.yaml" --output json "$1" "registry://$repository:$2"
}
inspect() {
    kwctl inspect --output yaml "$1" >"$work/inspected.yaml"
    grep --quiet 'io.kubewarden.policy.title: metadata-propagation-policy' "$work/inspected.yaml"
}
sign() {
    case $1 in
    2) "$cosign" sign --yes --key "$work/ours.key" --use-signing-config=false --tlog-upload=false --new-bundle-format=false "$2" ;;
    3) "$cosign" sign --yes --key "$work/ours.key" --signing-config "$work/signing.json" --trusted-root "$work/root.json" "$2" ;;
    esac
}
verify_with_cosign() {
    local key=$1 format=$2 image=$3 options=(--new-bundle-format=false)
    [ "$format" = 2 ] || options=(--trusted-root "$work/root.json")
    "$cosign" verify --key "$work/$key.pub" --insecure-ignore-tlog=true "${options[@]}" "$image"
}
verify_with_kwctl() {
    kwctl verify --verification-key "$work/$1.pub" --sources-path "$work/sources.yaml" \
        --sigstore-trust-config "$work/trust.json" "registry://$2"
}
pull() {
    kwctl pull --verification-key "$work/ours.pub" --sources-path "$work/sources.yaml" \
        --sigstore-trust-config "$work/trust.json" --output-path "$2" "registry://$1"
}
run() {
    local fixture=e2e-tests/data/machine-set--template_labels_reach_the_set_and_its_template
    kwctl run --sigstore-trust-config "$work/trust.json" --allow-context-aware --request-path "$fixture/request.json" \
        --settings-path "$fixture/settings.json" --replay-host-capabilities-interactions "$fixture/session.yml" "$1" >"$work/answer.json"
    jq --exit-status --slurpfile expected "$fixture/expected.json" \
        '.allowed == $expected[0].allowed and (.patch | @base64d | fromjson | sort_by(.path)) == ($expected[0].patch | sort_by(.path))' "$work/answer.json"
}
make_keys_and_trust() {
    (cd "$work" && "$cosign" generate-key-pair --output-key-prefix ours && "$cosign" generate-key-pair --output-key-prefix theirs)
    "$cosign" signing-config create --out "$work/signing.json"
    # kwctl verifies nothing without a whole trust root; what has no key here has ours.
    local log="url=https://log.invalid,public-key=$work/ours.pub,start-time=2024-01-01T00:00:00Z"
    "$cosign" trusted-root create --fulcio "url=https://authority.invalid,certificate-chain=$work/authority.pem" \
        --rekor "$log" --ctfe "$log" --out "$work/root.json"
    jq --null-input --slurpfile root "$work/root.json" --slurpfile signing "$work/signing.json" \
        '{mediaType: "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json", trustedRoot: $root[0], signingConfig: $signing[0]}' >"$work/trust.json"
}

step "make keys and a trust root" make_keys_and_trust
step "annotate" annotate "$work/annotated.wasm"
step "annotate again" annotate "$work/again.wasm"
cmp "$work/annotated.wasm" "$work/again.wasm" || fail "annotating twice gives two modules"

step "push" push "$work/annotated.wasm" released
released=$(jq --raw-output '.immutable_ref | ltrimstr("registry://")' "$work/out.txt")
step "sign in format 2" sign 2 "$released"
step "sign in format 3" sign 3 "$released"
step "verify format 2 with cosign" verify_with_cosign ours 2 "$released"
step "verify format 3 with cosign" verify_with_cosign ours 3 "$released"
step "verify with kwctl" verify_with_kwctl ours "$released"
step "pull" pull "$released" "$work/pulled.wasm"
step "compare byte for byte" cmp "$work/annotated.wasm" "$work/pulled.wasm"
step "inspect" inspect "$work/pulled.wasm"
step "run a request" run "$work/pulled.wasm"

refused "another key, format 2, by cosign" 'invalid signature' verify_with_cosign theirs 2 "$released"
refused "another key, format 3, by cosign" 'failed to verify signature' verify_with_cosign theirs 3 "$released"
refused "another key, by kwctl" 'Image verification failed' verify_with_kwctl theirs "$released"

# A module of which one byte of the description differs, with its own digest.
LC_ALL=C sed 's/Best practices/Best Practices/' "$work/annotated.wasm" >"$work/changed.wasm"
step "push a module with a changed byte" push "$work/changed.wasm" changed
changed=$(jq --raw-output '.immutable_ref | ltrimstr("registry://")' "$work/out.txt")
[ "$changed" != "$released" ] || fail "the changed module has the same digest"
refused "no signature, by cosign" 'no signatures found' verify_with_cosign ours 2 "$changed"
refused "no signature, by kwctl" 'no signatures found' verify_with_kwctl ours "$changed"
copy_signature() {
    local manifests=http://$address/v2/${repository#"$address"/}/manifests
    curl --fail --silent --show-error "$manifests/sha256-${released##*:}.sig" --output "$work/signature.json"
    curl --fail --silent --show-error --request PUT --header "Content-Type: application/vnd.oci.image.manifest.v1+json" \
        --data-binary "@$work/signature.json" "$manifests/sha256-${changed##*:}.sig"
}
step "put the signature of the released module beside it" copy_signature
refused "the signature of another module, by cosign" 'missing digest in claim' verify_with_cosign ours 2 "$changed"
refused "the signature of another module, by kwctl" 'digest mismatch' verify_with_kwctl ours "$changed"

# The same digest, other bytes: a registry that was broken into.
mkdir "$work/blobs/replaced"
cp "$work/changed.wasm" "$work/blobs/replaced/sha256:$(sha256sum "$work/annotated.wasm" | cut -d ' ' -f 1)"
refused "a changed byte under the old digest, by kwctl pull" '[Dd]igest (mismatch|error)|[Ii]nvalid digest|do(es)? not match' pull "$released" "$work/broken.wasm"
echo "registry-test: passed; the module in the registry was $released"
