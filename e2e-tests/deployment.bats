#!/usr/bin/env bats
# The policy as a ClusterAdmissionPolicy: protect, monitor, not allowed to mutate; and settings that are refused.

load helpers

FIXTURE="$BATS_TEST_DIRNAME/data/machine-set--template_labels_reach_the_set_and_its_template"

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

@test "settings with an unknown field are refused with their path" {
    run kwctl_run --request-path "$FIXTURE/request.json" --settings-json '{"clusterApi":{"versoin":"v1.14"}}' "$POLICY"
    [ "$status" -eq 1 ]
    grep --fixed-strings "clusterApi.versoin: unknown field" "$BATS_TEST_TMPDIR/log.txt"
}
