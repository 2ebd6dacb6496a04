# For verification/scripts/dist.sh and verification/scripts/dist-test.sh: targets that are not this machine's.

# runner_of TARGET: the program that runs programs of this target here, or nothing if they run by themselves
runner_of() {
    local processor=${1%%-*}
    [ "$processor" != aarch64 ] || [ "$(uname -m)" != x86_64 ] || [ "$(uname -s)" != Linux ] || echo qemu-aarch64
}

# needs PROGRAM PACKAGE: fails with the name of Debian's package
needs() {
    command -v "$1" >/dev/null || { echo "$1 is not on the PATH (Debian: $2)" >&2; exit 1; }
}

# use_musl TARGET: the linker and the compilers for a target of musl, for cargo
use_musl() {
    local target=$1 processor=${1%%-*} name=${1//-/_}
    export "CARGO_TARGET_${name^^}_LINKER=rust-lld" "CARGO_TARGET_${name^^}_RUSTFLAGS=-Clink-self-contained=yes"
    if [ "$processor" = "$(uname -m)" ]; then
        needs musl-gcc musl-tools
        export "CC_$name=musl-gcc"
        return
    fi
    needs clang clang
    local headers=${MUSL_HEADERS:-/usr/include/$processor-linux-musl}
    [ -e "$headers/bits/alltypes.h" ] || {
        echo "$headers has no headers of musl for $processor. Debian: dpkg --add-architecture arm64 && apt-get update &&" \
            "apt-get download musl-dev:arm64 && dpkg-deb -x musl-dev_*_arm64.deb FOLDER; then set MUSL_HEADERS to" \
            "FOLDER/usr/include/$processor-linux-musl" >&2
        exit 1
    }
    export "CC_$name=clang" "AR_$name=$(command -v llvm-ar || echo ar)" "CFLAGS_$name=--target=$processor-linux-musl -nostdlibinc -isystem $headers"
}
