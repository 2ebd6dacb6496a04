#!/usr/bin/env bash
# Builds the wasm32 module of one package of this workspace.
#
#   scripts/wasm.sh PACKAGE OUTPUT.wasm
#
# OUTPUT.wasm.rustc says which compiler built it: how many instructions a module executes depends on that. One compiler
# makes the same bytes in every folder and on every machine: scripts/reproducible.sh checks that.
#
# TARGET (default wasm32-unknown-unknown) names the target, PROFILE (default release) the profile of Cargo.toml. The
# toolchain is decided here, so that every make target builds the same way:
#   1. the rustup toolchain in use, when it has the target or can fetch it;
#   2. Debian's rustc-web, cargo-web and rust-web-src, which build the standard library from source, linked by
#      rustup's own rust-lld. As root they are installed; otherwise the command to install them is printed.
set -euo pipefail
cd "$(dirname "$0")/.."

package=$1
output=$2
target=${TARGET:-wasm32-unknown-unknown}
profile=${PROFILE:-release}
artifact=${CARGO_TARGET_DIR:-target}/$target/$profile/${package//-/_}.wasm

rustup_has_target() {
    [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]
}

rustup_gets_target() {
    command -v rustup >/dev/null || return 1
    # One short try: where nothing can be fetched, rustup would wait through its retries.
    RUSTUP_MAX_RETRIES=0 timeout 120 rustup target add "$target" >/dev/null 2>&1 && rustup_has_target
}

debian_has_toolchain() {
    [ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ] && [ -d "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library/std" ]
}

debian_gets_toolchain() {
    command -v apt-get >/dev/null || return 1
    local install="apt-get update && apt-get install --yes rustc-web cargo-web rust-web-src"
    if [ "$(id -u)" -ne 0 ]; then
        printf 'no toolchain for %s: rustup cannot fetch it. As root, run:\n\n    %s\n\nand try again.\n' "$target" "$install" >&2
        exit 1
    fi
    printf 'installing a toolchain for %s: %s\n' "$target" "$install" >&2
    DEBIAN_FRONTEND=noninteractive bash -c "$install" >&2 && debian_has_toolchain
}

# The module names files by paths that are the same on every machine: the crates', the standard library's, ours.
compiler_flags() {
    local cargo=$1 rustc=$2 flags=() folder
    # The folders that the crates are in are known once they are fetched.
    "$cargo" fetch --locked --quiet
    for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
        flags+=("--remap-path-prefix=${folder%/}=/crates")
    done
    flags+=("--remap-path-prefix=$("$rustc" --print sysroot)/lib/rustlib/src/rust=/rustc/$("$rustc" -vV | sed -n 's/^commit-hash: //p')")
    flags+=("--remap-path-prefix=$PWD=/policy")
    # Every runtime of Kubewarden has it on, and JSON is scanned sixteen bytes at a time.
    flags+=("-Ctarget-feature=+simd128")
    # Enough for nearly every request: growing a memory takes a system call, starting with more takes none.
    flags+=("-Clink-arg=--initial-memory=4194304")
    # LLVM merges equal constants of several crates, and leaves many strings of the engine between the tables of regex-syntax.
    # Without that, a review reads few pages of constants, and a page costs time at its first access (docs/performance.md).
    flags+=("-Cllvm-args=-opt-disable=constmerge")
    (IFS=$'\x1f' && printf '%s' "${flags[*]}")
}

compiler=rustc
if rustup_has_target || { ! debian_has_toolchain && rustup_gets_target; }; then
    # Constants begin where the stack ends. From here on, those that a review reads are in the fewest groups of 16 pages; with
    # Debian's standard library, which has fewer constants, they are where the linker puts them.
    CARGO_ENCODED_RUSTFLAGS=$(compiler_flags cargo rustc)$'\x1f-Clink-arg=-zstack-size=1073152'
    export CARGO_ENCODED_RUSTFLAGS
    cargo build --locked --profile "$profile" --package "$package" --target "$target"
elif [ "$target" = wasm32-unknown-unknown ] && { debian_has_toolchain || debian_gets_toolchain; }; then
    host=$(rustc -vV | sed -n 's/^host: //p')
    linker=$(rustc --print sysroot)/lib/rustlib/$host/bin/rust-lld
    [ -x "$linker" ] || { echo "no linker at $linker: install Rust with rustup" >&2; exit 1; }
    compiler=/usr/bin/rustc
    CARGO_ENCODED_RUSTFLAGS=$(compiler_flags /usr/bin/cargo "$compiler")
    export CARGO_ENCODED_RUSTFLAGS
    env -u RUSTUP_TOOLCHAIN RUSTC="$compiler" RUSTC_BOOTSTRAP=1 \
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$linker" \
        /usr/bin/cargo build --locked --profile "$profile" --package "$package" --target "$target" \
        -Zbuild-std=std,panic_abort
else
    echo "no toolchain for $target: 'rustup target add $target' failed and there is no other way to build it here" >&2
    exit 1
fi
cp "$artifact" "$output"
"$compiler" --version > "$output.rustc"
