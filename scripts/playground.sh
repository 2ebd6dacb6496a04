#!/usr/bin/env bash
# Builds the playground into target/playground/site: engine, bindings, page.
#
# Needs Node and npm. wasm-bindgen is installed into target/tools, in the version of Cargo.lock: its output fits no other.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v npm >/dev/null || { echo "npm is not on the PATH: install Node 20 or newer" >&2; exit 1; }

wasm=target/playground/playground.wasm
bindings=target/playground/bindings
mkdir -p "$bindings"
TARGET=wasm32-unknown-unknown scripts/wasm.sh playground "$wasm"

version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/^version = "\(.*\)"$/\1/p}' Cargo.lock)
tool=target/tools/bin/wasm-bindgen
if [ "$("$tool" --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
    echo "installing wasm-bindgen $version into target/tools, once" >&2
    # With the versions that it was released with, or else with those that the registry has.
    install="cargo install --quiet --root target/tools --target-dir target/tools-build wasm-bindgen-cli --version =$version"
    CARGO_PROFILE_RELEASE_OPT_LEVEL=1 $install --locked || CARGO_PROFILE_RELEASE_OPT_LEVEL=1 $install
    rm -rf target/tools-build
fi
"$tool" --target web --no-typescript --out-dir "$bindings" "$wasm"

cd crates/playground/web
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --ignore-scripts
node build.mjs
