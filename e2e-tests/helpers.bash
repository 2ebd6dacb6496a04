# What every bats file shares: running the policy in kwctl without a network, and reading its answer.

ROOT="$BATS_TEST_DIRNAME/.."
POLICY="$ROOT/annotated-policy.wasm"

# kwctl looks for Sigstore's trust root on the network unless a configuration stands on disk.
kwctl_run() {
    touch "$BATS_TEST_TMPDIR/trust.json"
    kwctl run --sigstore-trust-config "$BATS_TEST_TMPDIR/trust.json" --allow-context-aware "$@" \
        >"$BATS_TEST_TMPDIR/answer.json" 2>"$BATS_TEST_TMPDIR/log.txt"
}

# The answer of kwctl in the shape of expected.json: the patch decoded, the report parsed.
answer() {
    jq --sort-keys '{
        allowed,
        code: (if .allowed then null else .status.code end),
        message: (if .allowed then null else .status.message end),
        patch: (if .patch then (.patch | @base64d | fromjson) else [] end),
        warnings: (.warnings // []),
        report: ((.auditAnnotations // {}).report // null | if . then fromjson else null end)
    }' "$BATS_TEST_TMPDIR/answer.json"
}

# Two JSON texts are the same; the operations of a patch in any order.
same() {
    diff <(jq --sort-keys '.patch |= sort_by(.path)' "$1") <(jq --sort-keys '.patch |= sort_by(.path)' "$2")
}

# Runs one fixture and compares all of the answer, the patch decoded.
replay() {
    local folder="$BATS_TEST_DIRNAME/data/$1"
    kwctl_run --request-path "$folder/request.json" --settings-path "$folder/settings.json" \
        --replay-host-capabilities-interactions "$folder/session.yml" "$POLICY"
    answer >"$BATS_TEST_TMPDIR/found.json"
    same "$BATS_TEST_TMPDIR/found.json" "$folder/expected.json"
    # kwctl only warns about exchanges that the policy did not ask for; here that is a failure.
    run grep --fixed-strings "have not been replayed" "$BATS_TEST_TMPDIR/log.txt"
    [ "$status" -ne 0 ]
}
