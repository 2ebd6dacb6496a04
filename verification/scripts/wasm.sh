#!/usr/bin/env bash
# Builds the wasm32 module of one package of this workspace.
#
#   verification/scripts/wasm.sh PACKAGE OUTPUT.wasm
#
# TARGET (default wasm32-unknown-unknown) names the target, PROFILE (default release) the profile of Cargo.toml. The target is
# added to the rustup toolchain in use if it lacks it. One compiler makes the same bytes in every folder and on every machine:
# verification/scripts/reproducible.sh checks that.
set -euo pipefail
cd "$(dirname "$0")/../.."

package=$1
output=$2
target=${TARGET:-wasm32-unknown-unknown}
profile=${PROFILE:-release}
artifact=${CARGO_TARGET_DIR:-target}/$target/$profile/${package//-/_}.wasm

rustup_has_target() {
    [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]
}

# The module names files by paths that are the same on every machine: the crates', the standard library's, ours.
compiler_flags() {
    local flags=() folder
    # The folders that the crates are in are known once they are fetched.
    cargo fetch --locked --quiet
    for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
        flags+=("--remap-path-prefix=${folder%/}=/crates")
    done
    flags+=("--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=/rustc/$(rustc -vV | sed -n 's/^commit-hash: //p')")
    flags+=("--remap-path-prefix=$PWD=/policy")
    # Every runtime of Kubewarden has it on, and JSON is scanned sixteen bytes at a time.
    flags+=("-Ctarget-feature=+simd128")
    # Enough for nearly every request: growing a memory takes a system call, starting with more takes none.
    flags+=("-Clink-arg=--initial-memory=4194304")
    # LLVM merges equal constants of several crates, and leaves many strings of the engine between the tables of regex-syntax.
    # Without that, a review reads few pages of constants, and a page costs time at its first access (verification/benches/README.md).
    flags+=("-Cllvm-args=-opt-disable=constmerge")
    # Constants begin where the stack ends. From here on, those that a review reads are in the fewest groups of 16 pages.
    flags+=("-Clink-arg=-zstack-size=1114112")
    (IFS=$'\x1f' && printf '%s' "${flags[*]}")
}

rustup_has_target || rustup target add "$target" || {
    echo "no standard library for $target: install Rust with rustup (https://rustup.rs), then 'rustup target add $target'" >&2
    exit 1
}
CARGO_ENCODED_RUSTFLAGS=$(compiler_flags)
export CARGO_ENCODED_RUSTFLAGS
cargo build --locked --profile "$profile" --package "$package" --target "$target"
cp "$artifact" "$output"
