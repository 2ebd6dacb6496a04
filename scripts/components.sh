#!/usr/bin/env bash
# Lists the crates that are in policy.wasm as CycloneDX: those of the shipped target, without what only builds or tests it.
# Needs cargo-cyclonedx.
#
#   scripts/components.sh OUTPUT.cdx.json
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo-cyclonedx >/dev/null || { echo "cargo-cyclonedx is not on the PATH: cargo install cargo-cyclonedx" >&2; exit 1; }

