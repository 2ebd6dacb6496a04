#!/usr/bin/env bash
# Every verb of `propagate` over generated fleets, and `plan` of one edited patch of a class with 1,000 Clusters: seconds of
# wall-clock time, seconds of all cores, and megabytes at most.
#   verification/scripts/bench-check.sh FOLDER-OF-THE-PROGRAMS OBJECTS...
set -euo pipefail

programs=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

measure() {
    local name=$1
    shift
    python3 - "$name" "$@" <<'PYTHON'
import os, resource, subprocess, sys, time
begin = time.monotonic()
code = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
wall = time.monotonic() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if code not in (0, 1):
    sys.exit(f"{sys.argv[1]} ends with {code}")
print(f"  {sys.argv[1]:<12} {wall:6.2f} s  {used.ru_utime + used.ru_stime:6.2f} s of all cores  {used.ru_maxrss // 1024:5} MB")
PYTHON
}

# Writes a class with 20 patches, its templates, and 1,000 Clusters to FOLDER/old, and the same with one edited patch to
# FOLDER/new: a worker's file has another content.
topologies() {
    python3 - "$1" <<'PYTHON'
import json, pathlib, sys

INFRASTRUCTURE, BOOTSTRAP, CONTROL_PLANE = (
    f"{group}.cluster.x-k8s.io/v1beta2" for group in ("infrastructure", "bootstrap", "controlplane"))
IS_CLUSTER, IS_CONTROL_PLANE = {"infrastructureCluster": True}, {"controlPlane": True}
IS_WORKER = {"machineDeploymentClass": {"names": ["default-*"]}}
NETWORK = (INFRASTRUCTURE, "DevClusterTemplate", IS_CLUSTER)
SERVERS = (CONTROL_PLANE, "KubeadmControlPlaneTemplate", IS_CONTROL_PLANE)
WORKERS = (BOOTSTRAP, "KubeadmConfigTemplate", IS_WORKER)
MACHINES = (INFRASTRUCTURE, "DevMachineTemplate", {**IS_CONTROL_PLANE, **IS_WORKER})
AT, CONFIG = "/spec/template/spec", "/spec/template/spec/kubeadmConfigSpec"
OBJECT = {"type": "object", "properties": {"host": {"type": "string", "default": "registry.local"},
    "mirrors": {"type": "array", "items": {"type": "string", "pattern": "^[a-z.]+$"}}}}
VARIABLES = {"image": {"type": "string", "default": "node"}, "region": {"type": "string", "default": "a"},
    "registry": {**OBJECT, "default": {}}, "maxPods": {"type": "integer", "default": 110, "maximum": 500},
    "sshKey": {"type": "string"}, "proxy": OBJECT, "audit": {"type": "boolean", "default": True},
    "serverSize": {"type": "string", "default": "large"}, "workerSize": {"type": "string", "default": "small"},
    "tags": {"type": "object", "additionalProperties": {"type": "string"}, "default": {"team": "core"}}}
FILE = "path: /etc/{0}\nowner: root:root\ncontent: {1}\n"
VERSION = "{{ .builtin.machineDeployment.version | default .builtin.controlPlane.version }}"
FLAG = 'name: {0}\nvalue: "{1}"\n'

# What each patch selects, its path, its template or variable, and its condition.
PATCHES = {
    "region": (NETWORK, f"{AT}/region", "region", ""),
    "pods": (NETWORK, f"{AT}/pods", "builtin.cluster.network.pods", ""),
    "endpoint": (NETWORK, f"{AT}/name", "{{ .builtin.cluster.name }}-{{ .region }}", ""),
    "tags": (NETWORK, f"{AT}/tags", "{{ .tags | toJson }}", "{{ if .tags }}true{{ end }}"),
    "image": (MACHINES, f"{AT}/image", "{{ .image }}:" + VERSION, ""),
    "server-size": ((*MACHINES[:2], IS_CONTROL_PLANE), f"{AT}/size", "serverSize", ""),
    "worker-size": ((*MACHINES[:2], IS_WORKER), f"{AT}/size", "workerSize", ""),
    "key": (MACHINES, f"{AT}/key", "sshKey", "{{ if .sshKey }}true{{ end }}"),
    "mirrors": (MACHINES, f"{AT}/mirrors", "{{ range .registry.mirrors }}\n- {{ . | quote }}{{ end }}",
        "{{ if .registry.mirrors }}true{{ end }}"),
    "repository": (SERVERS, f"{CONFIG}/clusterConfiguration/imageRepository", "registry.host", ""),
    "audit": (SERVERS, f"{CONFIG}/files/-", FILE.format("audit", "{{ .builtin.cluster.name }}"), "{{ .audit }}"),
    "admission": (SERVERS, f"{CONFIG}/files/-", FILE.format("admission", "{{ if semverCompare \">= 1.36-0\" "
        ".builtin.controlPlane.version }}new{{ else }}old{{ end }}"), '{{ ne .image "" }}'),
    "server-proxy": (SERVERS, f"{CONFIG}/files/-", FILE.format("proxy", "{{ .proxy.host }}"), "{{ if .proxy }}true{{ end }}"),
    "provider": (SERVERS, f"{CONFIG}/clusterConfiguration/apiServer/extraArgs/-", FLAG.format("zone", "{{ .region }}"), ""),
    "server-pods": (SERVERS, f"{CONFIG}/initConfiguration/nodeRegistration/kubeletExtraArgs/-",
        FLAG.format("max-pods", "{{ .maxPods }}"), ""),
    "worker-pods": (WORKERS, f"{AT}/joinConfiguration/nodeRegistration/kubeletExtraArgs/-",
        FLAG.format("max-pods", "{{ .maxPods }}"), "{{ gt .maxPods 50.0 }}"),
    "worker-proxy": (WORKERS, f"{AT}/files/-", FILE.format("proxy", "{{ .proxy.host }}"), "{{ if .proxy }}true{{ end }}"),
    "pool": (WORKERS, f"{AT}/files/-", FILE.format("pool", "{{ .builtin.machineDeployment.topologyName | quote }}"), ""),
    "team": (WORKERS, f"{AT}/files/-", FILE.format("team",
        '{{ index .builtin.machineDeployment.metadata.labels "team" | default "none" }}'), ""),
    "motd": (WORKERS, f"{AT}/files/-", FILE.format("motd", "{{ .builtin.cluster.name }} MESSAGE"), ""),
}


def patch(name, selected, path, value, condition):
    api_version, kind, resources = selected
    source = "variable" if value.split(".")[0] in {*VARIABLES, "builtin"} else "template"
    definition = {"selector": {"apiVersion": api_version, "kind": kind, "matchResources": resources},
        "jsonPatches": [{"op": "add", "path": path, "valueFrom": {source: value}}]}
    return {"name": name, "definitions": [definition]} | ({"enabledIf": condition} if condition else {})


def template(api_version, kind, name, spec):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "fleet"},
        "spec": {"template": {"spec": spec}}}


def reference(it):
    return {"templateRef": {"apiVersion": it["apiVersion"], "kind": it["kind"], "name": it["metadata"]["name"]}}


registration = {"nodeRegistration": {"kubeletExtraArgs": [{"name": "cloud-provider", "value": "external"}]}}
files = [{"path": f"/etc/base-{number}", "owner": "root:root", "content": "base\n" * 20} for number in range(4)]
infrastructure = template(INFRASTRUCTURE, "DevClusterTemplate", "dev", {})
server = template(INFRASTRUCTURE, "DevMachineTemplate", "dev-server", {"mounts": ["a"]})
worker = template(INFRASTRUCTURE, "DevMachineTemplate", "dev-worker", {"mounts": ["a"]})
config = template(BOOTSTRAP, "KubeadmConfigTemplate", "dev-worker", {"files": files, "joinConfiguration": registration})
control_plane = template(CONTROL_PLANE, "KubeadmControlPlaneTemplate", "dev", {"kubeadmConfigSpec": {
    "clusterConfiguration": {"apiServer": {"extraArgs": [{"name": "v", "value": "2"}]}}, "files": files,
    "initConfiguration": registration, "joinConfiguration": registration}})
CLASS = {"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "ClusterClass",
    "metadata": {"name": "dev", "namespace": "fleet"}, "spec": {
        "infrastructure": reference(infrastructure),
        "controlPlane": {**reference(control_plane), "machineInfrastructure": reference(server)},
        "workers": {"machineDeployments": [
            {"class": "default-worker", "bootstrap": reference(config), "infrastructure": reference(worker)}]},
        "variables": [{"name": name, "required": False, "schema": {"openAPIV3Schema": schema}}
            for name, schema in VARIABLES.items()],
        "patches": [patch(name, *row) for name, row in PATCHES.items()]}}
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: c{0}
  namespace: fleet
  labels:
    team: core
spec:
  clusterNetwork:
    pods:
      cidrBlocks: [10.0.0.0/16]
  topology:
    classRef:
      name: dev
    version: v1.36.0
    controlPlane:
      replicas: 3
    workers:
      machineDeployments:
      - name: md-0
        class: default-worker
        replicas: 3
        metadata:
          labels:
            team: web
      - name: md-1
        class: default-worker
        replicas: 2
        variables:
          overrides:
          - name: workerSize
            value: large
    variables:
    - name: region
      value: r{0}
    - name: registry
      value:
        mirrors: [a.example.com, b.example.com]
    - name: maxPods
      value: 120
"""

for side, message in (("old", "welcome"), ("new", "hello")):
    folder = pathlib.Path(sys.argv[1], side)
    (folder / "clusters").mkdir(parents=True)
    objects = [CLASS, infrastructure, control_plane, server, worker, config]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=1)
    (folder / "class.json").write_text(text.replace("MESSAGE", message))
    for number in range(1000):
        (folder / "clusters" / f"c{number}.yaml").write_text(CLUSTER.format(number))
PYTHON
}

for objects in "$@"; do
    fleet=$work/fleet.yaml
    edited=$work/edited.yaml
    "$programs/examples/generate" "$objects" > "$fleet"
    # The version and a label of every object that has them.
    sed -e 's/version: v1.34.2$/version: v1.35.0/' -e 's/team: payments$/team: shop/' "$fleet" > "$edited"
    echo "$objects objects, $(du -h "$fleet" | cut -f1)"
    propagate=$programs/propagate
    measure check "$propagate" check --output github "$fleet"
    measure explain "$propagate" explain Cluster -L team "$fleet"
    measure plan "$propagate" plan "$fleet" "$edited"
    measure "apply --diff" "$propagate" apply --diff "$fleet"
    measure backfill "$propagate" backfill "$fleet"
    measure graph "$propagate" graph team "$fleet"
done

# Environments that define objects of the same names differently: each is a root.
"$programs/examples/generate" 154 > "$work/fleet.yaml"
for root in {1..102}; do
    mkdir -p "$work/roots/$root"
    sed "s/team: payments$/team: shop-$root/" "$work/fleet.yaml" > "$work/roots/$root/fleet.yaml"
done
echo "102 roots of 154 objects"
measure check "$programs/propagate" check "$work/roots"

topologies "$work"
echo "1000 Clusters of a class with 20 patches, one of them edited"
measure plan "$programs/propagate" plan "$work/old" "$work/new"
