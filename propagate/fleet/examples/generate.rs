//! Prints a fleet of a number of objects, for measurements: clusters of a class with MachineSets of 50 Machines, each with its
//! bootstrap configuration and infrastructure. Every tenth Machine lacks a label.
//!
//! ```text
//! cargo run --package fleet --example generate -- 10000 > fleet.yaml
//! ```

use std::io::{BufWriter, Write};

const CORE: &str = "cluster.x-k8s.io/v1beta2";

fn main() -> std::io::Result<()> {
    let wanted: usize = std::env::args().nth(1).and_then(|number| number.parse().ok()).unwrap_or(10_000);
    let mut out = BufWriter::new(std::io::stdout().lock());
    for number in 0..wanted.div_ceil(154) {
        cluster(&mut out, number)?;
    }
    out.flush()
}

/// 154 objects.
fn cluster(out: &mut impl Write, number: usize) -> std::io::Result<()> {
    let head = |kind: &str, group: &str, name: &str| {
        format!(
            "---\napiVersion: {group}\nkind: {kind}\nmetadata:\n  name: {name}\n  namespace: fleet\n  uid: {kind}-{name}\n"
        )
    };
    let owned = |owner: &str, name: &str| {
        format!(
            "  ownerReferences:\n  - apiVersion: {CORE}\n    kind: {owner}\n    name: {name}\n    uid: {owner}-{name}\n    controller: true\n"
        )
    };
    let cluster = format!("c{number}");
    let labels = "metadata:\n        labels:\n          team: payments\n          node.cluster.x-k8s.io/pool: web\n";
    let class = format!("class{number}");
    write!(
        out,
        "{}spec:\n  workers:\n    machineDeployments:\n    - class: worker\n      {labels}",
        head("ClusterClass", CORE, &class)
    )?;
    write!(
        out,
        "{}spec:\n  topology:\n    classRef:\n      name: {class}\n    version: v1.34.2\n    workers:\n      machineDeployments:\n      - name: md\n        class: worker\n",
        head("Cluster", CORE, &cluster)
    )?;
    let of_topology = format!(
        "  labels:\n    cluster.x-k8s.io/cluster-name: {cluster}\n    topology.cluster.x-k8s.io/owned: \"\"\n    topology.cluster.x-k8s.io/deployment-name: md\n    team: payments\n    node.cluster.x-k8s.io/pool: web\n"
    );
    let template = of_topology.replace("\n    ", "\n        ").replacen("  labels:", "      labels:", 1);
    let spec = format!("spec:\n  clusterName: {cluster}\n  template:\n    metadata:\n{template}");
    write!(out, "{}{of_topology}{spec}", head("MachineDeployment", CORE, &format!("{cluster}-md")))?;
    let set = format!("{cluster}-md-x7k2p");
    let of_set = format!("{of_topology}    cluster.x-k8s.io/deployment-name: {cluster}-md\n");
    write!(
        out,
        "{}{of_set}{}{spec}",
        head("MachineSet", CORE, &set),
        owned("MachineDeployment", &format!("{cluster}-md"))
    )?;
    let of_machine = format!("{of_set}    cluster.x-k8s.io/set-name: {set}\n");
    for machine in 0..50 {
        let name = format!("{set}-{machine:02}");
        let labels = match machine % 10 {
            0 => of_machine.replace("    team: payments\n", ""),
            _ => of_machine.clone(),
        };
        let spec = format!(
            "spec:\n  clusterName: {cluster}\n  version: v1.34.2\n  providerID: dev:////{name}\n  bootstrap:\n    configRef:\n      apiGroup: bootstrap.cluster.x-k8s.io\n      kind: KubeadmConfig\n      name: {name}\n  infrastructureRef:\n    apiGroup: infrastructure.cluster.x-k8s.io\n    kind: DevMachine\n    name: {name}\nstatus:\n  nodeRef:\n    name: {name}\n  conditions:\n"
        );
        let conditions: String = ["Ready", "BootstrapConfigReady", "InfrastructureReady", "NodeHealthy", "Available", "UpToDate"]
            .iter()
            .map(|kind| format!("  - type: {kind}\n    status: \"True\"\n    reason: {kind}\n    message: \"\"\n    lastTransitionTime: \"2026-01-01T00:00:00Z\"\n"))
            .collect();
        write!(out, "{}{labels}{}{spec}{conditions}", head("Machine", CORE, &name), owned("MachineSet", &set))?;
        for (kind, group) in [
            ("KubeadmConfig", "bootstrap.cluster.x-k8s.io/v1beta2"),
            ("DevMachine", "infrastructure.cluster.x-k8s.io/v1beta2"),
        ] {
            writeln!(out, "{}{of_machine}{}spec: {{}}", head(kind, group, &name), owned("Machine", &name))?;
        }
    }
    Ok(())
}
