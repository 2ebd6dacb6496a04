#!/usr/bin/env bats
# The policy as a ClusterAdmissionPolicy: protect, monitor, not allowed to mutate, verify; settings that are refused.

load helpers

FIXTURE="$BATS_TEST_DIRNAME/data/machine-set--template_labels_reach_the_set_and_its_template"
COMPOSITE="$BATS_TEST_DIRNAME/data/tags-composites--a_composite_of_v1_is_stamped"
DRIFT="$BATS_TEST_DIRNAME/data/conflict--verify_rejects_what_is_missing"

# A ClusterAdmissionPolicy around the local module: $1 is the mode, $2 whether it may mutate.
policy_file() {
    cat >"$BATS_TEST_TMPDIR/policy.yml" <<YAML
apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata: { name: metadata-propagation }
spec:
  module: file://$(realpath "$POLICY")
  mode: $1
  mutating: $2
  settings: {}
  contextAwareResources:
    - { apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment }
    - { apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster }
  rules:
    - apiGroups: [cluster.x-k8s.io]
      apiVersions: [v1beta1, v1beta2]
      resources: [machinesets]
      operations: [CREATE, UPDATE]
YAML
}

run_as() {
    policy_file "$1" "$2"
    kwctl_run --request-path "$FIXTURE/request.json" \
        --replay-host-capabilities-interactions "$FIXTURE/session.yml" "$BATS_TEST_TMPDIR/policy.yml"
}

@test "in protect mode the patch is returned" {
    run_as protect true
    answer >"$BATS_TEST_TMPDIR/found.json"
    same "$BATS_TEST_TMPDIR/found.json" "$FIXTURE/expected.json"
}

@test "monitor mode is a dry run: no patch, the same warnings and report" {
    run_as monitor true
    answer >"$BATS_TEST_TMPDIR/found.json"
    jq '.patch = []' "$FIXTURE/expected.json" >"$BATS_TEST_TMPDIR/wanted.json"
    same "$BATS_TEST_TMPDIR/found.json" "$BATS_TEST_TMPDIR/wanted.json"
}

@test "a policy that may not mutate refuses what it would change" {
    run_as protect false
    [ "$(jq .allowed "$BATS_TEST_TMPDIR/answer.json")" = false ]
    [ "$(jq .patch "$BATS_TEST_TMPDIR/answer.json")" = null ]
}

# One of deploy/'s policies around the local module: $1 is the file, $2 the mode, $3 the fixture.
run_deployed() {
    sed -e "s|^  module:.*|  module: file://$(realpath "$POLICY")|" -e "s|^  mode:.*|  mode: $2|" "$ROOT/deploy/$1" \
        >"$BATS_TEST_TMPDIR/policy.yml"
    kwctl_run --request-path "$3/request.json" --replay-host-capabilities-interactions "$3/session.yml" \
        "$BATS_TEST_TMPDIR/policy.yml"
    answer >"$BATS_TEST_TMPDIR/found.json"
}

@test "the deployed policy in protect mode returns the patch" {
    run_deployed cluster-api.yaml protect "$FIXTURE"
    same "$BATS_TEST_TMPDIR/found.json" "$FIXTURE/expected.json"
}

@test "the deployed policy in monitor mode returns the warnings and the report" {
    run_deployed cluster-api.yaml monitor "$FIXTURE"
    jq '.patch = []' "$FIXTURE/expected.json" >"$BATS_TEST_TMPDIR/wanted.json"
    same "$BATS_TEST_TMPDIR/found.json" "$BATS_TEST_TMPDIR/wanted.json"
}

@test "the deployed policy for reports, in protect mode, refuses what differs" {
    run_deployed verify.yaml protect "$DRIFT"
    same "$BATS_TEST_TMPDIR/found.json" "$DRIFT/expected.json"
}

@test "the deployed policy for reports, in monitor mode, refuses nothing and reports the same" {
    run_deployed verify.yaml monitor "$DRIFT"
    jq '.allowed = true | .code = null | .message = null' "$DRIFT/expected.json" >"$BATS_TEST_TMPDIR/wanted.json"
    same "$BATS_TEST_TMPDIR/found.json" "$BATS_TEST_TMPDIR/wanted.json"
}

@test "settings with an unknown field are refused with their path" {
    run kwctl_run --request-path "$FIXTURE/request.json" --settings-json '{"clusterApi":{"versoin":"v1.14"}}' \
        --replay-host-capabilities-interactions "$FIXTURE/session.yml" "$POLICY"
    [ "$status" -eq 1 ]
    grep --fixed-strings "clusterApi.versoin: unknown field" "$BATS_TEST_TMPDIR/log.txt"
}

@test "the commands of the README print the patches" {
    cd "$ROOT"
    patches() { jq --sort-keys --slurp 'map((.patch? // .) | sort_by(.path))' "$@"; }
    bash -c "$(sed -n '/^kwctl run/,/[^\\]$/p' README.md)" | patches >"$BATS_TEST_TMPDIR/found.json"
    patches "$FIXTURE/expected.json" "$COMPOSITE/expected.json" | diff "$BATS_TEST_TMPDIR/found.json" -
}
