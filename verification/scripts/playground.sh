#!/usr/bin/env bash
# Builds the playground into target/playground/site: engine, bindings, page.
#
# Needs Node and npm. playground/bindings generates the bindings, in the version of Cargo.lock: its output fits no other.
set -euo pipefail
cd "$(dirname "$0")/../.."

command -v npm >/dev/null || { echo "npm is not on the PATH: install Node 20 or newer" >&2; exit 1; }

wasm=target/playground/playground.wasm
bindings=target/playground/bindings
site=target/playground/site
modules=playground/web/node_modules
mkdir -p "$bindings"

[ -d "$site" ] || echo "The first build takes about five minutes on two cores; later builds take less than one." >&2

# What is done now, and how long what came before it took.
count=0
step() {
    count=$((count + 1))
    [ "$count" -eq 1 ] || done_in
    printf '[%d/4] %s\n' "$count" "$1" >&2
    began=$SECONDS
}
done_in() {
    printf '      %d s\n' "$((SECONDS - began))" >&2
}

step "Compile the engine to WebAssembly"
PROFILE=page TARGET=wasm32-unknown-unknown verification/scripts/wasm.sh playground "$wasm"

step "Compile the generator of the bindings, and generate them"
cargo run --locked --package bindings -- "$wasm" "$bindings"

step "Install what the page is built with, from package-lock.json"
[ "$modules/.package-lock.json" -nt playground/web/package-lock.json ] ||
    npm --prefix playground/web ci --no-audit --no-fund --ignore-scripts

step "Bundle the page"
node playground/web/build.mjs
done_in
echo "The page is in $site." >&2
