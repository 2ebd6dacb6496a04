#!/usr/bin/env bash
# Builds `propagate` as it is released, for one target: an archive in target/dist, with completions, manual pages, license, the first
# ten minutes and their examples.
#
#   verification/scripts/dist.sh [TARGET]
#
# The target has to run on this machine, because the program prints its completions and manual pages itself: aarch64 runs on x86_64
# with qemu-aarch64 (Debian: qemu-user). Targets of musl are linked by rust-lld, which comes with Rust. C sources need a compiler:
# musl-gcc for this machine's processor (Debian: musl-tools), otherwise clang with the headers of musl in the folder MUSL_HEADERS.
set -euo pipefail
cd "$(dirname "$0")/../.."
. verification/scripts/foreign.sh

target=${1:-$(rustc -vV | sed -n 's/^host: //p')}
version=$(sed -nE 's/^version = "(.*)"$/\1/p' Cargo.toml | head -n 1)
[ -n "$version" ] || { echo "Cargo.toml has no version" >&2; exit 1; }
name=propagate-v$version-$target
dist=$PWD/target/dist
program=propagate
case $target in *-windows-*) program=propagate.exe ;; esac

rustup target add "$target"
case $target in *-linux-musl) use_musl "$target" ;; esac
cargo build --locked --release --package propagate --bin propagate --features cluster --target "$target"

rm -rf "${dist:?}/$name"
mkdir -p "$dist/$name/completions" "$dist/$name/man"
cp "${CARGO_TARGET_DIR:-target}/$target/release/$program" LICENSE "$dist/$name/"
cp docs/first-ten-minutes.md "$dist/$name/README.md"
cp examples/{fleet,shop,edited-shop}.yaml "$dist/$name/"
cd "$dist/$name"
read -ra runner <<<"$(runner_of "$target")"
for shell in bash zsh fish powershell elvish; do
    "${runner[@]}" "./$program" completions "$shell" >"completions/propagate.$shell"
done
mv completions/propagate.zsh completions/_propagate
mv completions/propagate.powershell completions/propagate.ps1
"${runner[@]}" "./$program" man --directory man
cd ..
tar -czf "$name.tar.gz" "$name"
rm -r "$name"
echo "target/dist/$name.tar.gz: $(wc -c <"$name.tar.gz") bytes"
