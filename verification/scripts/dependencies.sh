#!/usr/bin/env bash
# Known vulnerabilities of the dependencies, their licenses, and where they come from: cargo-deny for the crates (.deny.toml), govulncheck
# for the Go modules that make a release. It names what cannot be checked here, because a program or its database is missing, and fails
# for that only with --all.
#
#   verification/scripts/dependencies.sh [--all]
set -euo pipefail
cd "$(dirname "$0")/../.."

# Other Go modules only test, some of them with old versions on purpose.
modules=(verification/tools/chart verification/tools/image)
left=() failed=()

crates() {
    if ! command -v cargo-deny >/dev/null; then
        left+=("crates: cargo-deny is not on the PATH")
        return
    fi
    local deny=(cargo deny --config .deny.toml --locked) checks=(advisories sources)
    if ! "${deny[@]}" fetch db >/dev/null 2>&1; then
        checks=(sources)
        left+=("advisories about crates: the database of RustSec cannot be fetched")
    fi
    "${deny[@]}" --workspace check "${checks[@]}" licenses || failed+=("crates")
    # The fuzzer is not released: its licenses do not count.
    "${deny[@]}" --manifest-path verification/fuzz/Cargo.toml check "${checks[@]}" || failed+=("crates of the fuzzer")
}

go_modules() {
    if ! command -v govulncheck >/dev/null; then
        left+=("Go modules: govulncheck is not on the PATH")
        return
    fi
    local module output code
    for module in "${modules[@]}"; do
        code=0
        output=$(govulncheck -C "$module" ./... 2>&1) || code=$?
        case $code in
            0) echo "$module: no vulnerability that its code reaches" ;;
            3) echo "$output" && failed+=("$module") ;;
            *) left+=("$module: $(tail -n 1 <<<"$output")") ;;
        esac
    done
}

crates
go_modules
for what in "${left[@]}"; do echo "not checked: $what"; done
for what in "${failed[@]}"; do echo "failed: $what" >&2; done
[ ${#failed[@]} = 0 ] && { [ "${1:-}" != --all ] || [ ${#left[@]} = 0 ]; }
