#!/usr/bin/env bash
# Builds policy.wasm twice, as two people would: in another folder, under another home, with files of another age, in
# another time zone and language, with another number of jobs. The bytes have to be the same.
#
#   verification/scripts/reproducible.sh [RELEASED.wasm]
#
# With RELEASED.wasm, a module that was downloaded, one build is compared with it. What is built are the files that git
# tracks, as they are in the work tree.
set -euo pipefail
released=${1:+$(realpath "$1")}
cd "$(dirname "$0")/../.."

cargo_home=${CARGO_HOME:-$HOME/.cargo}
export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build FOLDER DATE [VARIABLE=VALUE…]: prints the digest of the module
build() {
    local folder=$work/$1 date=$2 module=$work/${1//\//-}.wasm
    shift 2
    mkdir -p "$folder/home/cargo"
    # Crates are not downloaded twice; the compiler sees them below the other home.
    for shared in registry git config.toml; do
        [ ! -e "$cargo_home/$shared" ] || ln -s "$(realpath "$cargo_home/$shared")" "$folder/home/cargo/$shared"
    done
    mkdir "$folder/source"
    git ls-files -z | tar --null --files-from - --mtime "$date" --create | tar --extract --directory "$folder/source"
    env --unset CARGO_TARGET_DIR HOME="$folder/home" CARGO_HOME="$folder/home/cargo" "$@" \
        "$folder/source/scripts/wasm.sh" metadata-propagation-policy "$module" >&2
    rm -rf "$folder"
    sha256sum "$module" | cut -d ' ' -f 1
}

first=$(build one 2001-01-01 TZ=UTC LC_ALL=C)
echo "built:       sha256:$first"
if [ -n "$released" ]; then
    other=$(sha256sum "$released" | cut -d ' ' -f 1)
    echo "$(basename "$released"): sha256:$other"
else
    other=$(build a/second/and/longer/path 2025-06-30 TZ=Asia/Tokyo LC_ALL=C.UTF-8 CARGO_BUILD_JOBS=1)
    echo "built again: sha256:$other"
fi
echo "compiler:    $(rustc --version)"
if [ "$first" != "$other" ]; then
    echo "the modules differ" >&2
    exit 1
fi
echo "the modules are the same"
