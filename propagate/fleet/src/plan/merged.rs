//! The plans of parts that have nothing to do with each other, as one.

use std::collections::BTreeMap;

use super::{Happens, Plan, Planned};
use crate::fleet::Fleet;
use crate::object::ObjectId;

/// One plan with the contents of all, in the order of the files.
pub(super) fn merged(plans: impl Iterator<Item = Plan>, sides: [&Fleet; 2]) -> Plan {
    let mut all = Plan::default();
    let mut parts = 0;
    for plan in plans {
        let Plan { objects, further, unknown, owners, notes, verdict, .. } = plan;
        all.objects.extend(objects);
        all.further.extend(further);
        all.unknown.extend(unknown);
        all.owners.extend(owners);
        all.notes.extend(notes);
        all.verdict = all.verdict.and(&verdict);
        parts += 1;
    }
    if parts > 1 {
        let [old, new] = sides.map(|fleet| {
            fleet.objects().enumerate().map(|(at, object)| (&object.id, at)).collect::<BTreeMap<&ObjectId, usize>>()
        });
        let position = |object: &Planned| {
            let side = if object.happens == Happens::Deleted { &old } else { &new };
            (severity(object), side.get(&object.id).copied())
        };
        all.objects.sort_by_key(position);
    }
    all
}

/// The deleted objects with Machines are first, the other deleted ones last.
pub(super) fn severity(object: &Planned) -> u8 {
    match (object.happens, object.effect) {
        (Happens::Deleted, Some(_)) => 0,
        (Happens::Deleted, None) => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use metadata_propagation::Settings;

    use super::*;
    use crate::source::Source;

    /// Two Clusters of one class and one of another, and a MachineDeployment alone.
    fn fleet(version: &str, label: &str, other: &str) -> Fleet {
        let class = |name: &str, label: &str| {
            format!(
                "{{apiVersion: cluster.x-k8s.io/v1beta2, kind: ClusterClass, metadata: {{name: {name}, namespace: f}}, spec: {{workers: \
                {{machineDeployments: [{{class: w, metadata: {{labels: {{team: {label}}}}}}}]}}}}}}\n---\n"
            )
        };
        let cluster = |name: &str, class: &str, version: &str| {
            format!(
                "{{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {{name: {name}, namespace: f}}, spec: {{topology: \
                {{classRef: {{name: {class}}}, version: {version}, workers: {{machineDeployments: [{{class: w, name: md, replicas: 2}}]}}}}}}}}\n---\n"
            )
        };
        let alone = format!(
            "{{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {{name: alone, namespace: f}}, spec: \
            {{clusterName: x, replicas: 3, template: {{spec: {{clusterName: x, version: {version}}}}}}}}}\n"
        );
        let clusters = [cluster("a", "one", version), cluster("b", "one", "v1.33.0"), cluster("c", "two", version)];
        let text = [class("one", label), class("two", other), clusters.concat(), alone].concat();
        Fleet::read(vec![Source { name: "fleet.yaml".to_owned(), text }])
    }

    #[test]
    fn parts_have_the_plan_of_the_whole() {
        let old = fleet("v1.33.0", "a", "a");
        for (label, other) in [("a", "a"), ("b", "a"), ("b", "b")] {
            let new = fleet("v1.34.0", label, other);
            let whole = Plan::at_once(&old, &new, &Settings::default());
            let parts = Plan::in_parts([&old, &new], &Settings::default(), 1);
            let sorted = |plan: &Plan| {
                let mut further: Vec<String> = plan.further.iter().map(|entry| format!("{entry:?}")).collect();
                further.sort();
                (format!("{:?}", plan.objects), further, format!("{:?}", plan.verdict))
            };
            assert_eq!(sorted(&parts), sorted(&whole), "{label} {other}");
            assert!(whole.verdict.replaces >= 7, "{:?}", whole.verdict);
        }
    }
}
