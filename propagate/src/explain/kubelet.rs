//! Labels that kubelets set on their Nodes.

use std::collections::BTreeMap;
use std::fmt::Write;

use fleet::{Hierarchy, RegisteredLabel};

use super::add_help;
use crate::output::text::visible;
use crate::style::DIM;

/// The labels of kubelets, by the numbers of their Nodes.
#[derive(Default)]
pub(super) struct Kubelets(pub(super) BTreeMap<usize, Vec<RegisteredLabel>>);

const REFUSED: &str = "refused by NodeRestriction";

impl Kubelets {
    pub(super) fn of(&self, number: usize) -> &[RegisteredLabel] {
        self.0.get(&number).map_or(&[], Vec::as_slice)
    }

    /// The value for a cell of a tree.
    pub(super) fn in_words(&self, number: usize, key: &str) -> Option<String> {
        let label = self.of(number).iter().find(|label| label.key == key)?;
        let refused = if label.is_forbidden { format!(", {REFUSED}") } else { String::new() };
        Some(format!("{} (set by the kubelet{refused})", visible(&label.value)))
    }

    /// Prints all labels of a Node.
    pub(super) fn add(&self, hierarchy: &Hierarchy, number: usize, out: &mut String) {
        if self.of(number).is_empty() {
            return;
        }
        let _ = writeln!(out, "  set by the kubelet");
        for label in self.of(number) {
            let RegisteredLabel { key, value, source, is_forbidden } = label;
            let refused = if *is_forbidden { format!(" ({REFUSED})") } else { String::new() };
            let _ = writeln!(out, "    {key}={}{refused} {DIM}{source}{DIM:#}", visible(value));
            add_help(help(hierarchy, number, label).as_ref(), "    ", out);
        }
    }

    /// Prints the label of this key; returns whether there is one.
    pub(super) fn add_label(&self, hierarchy: &Hierarchy, number: usize, key: &str, out: &mut String) -> bool {
        let found: Vec<&RegisteredLabel> = self.of(number).iter().filter(|label| label.key == key).collect();
        for label in &found {
            let refused = if label.is_forbidden { format!(", {REFUSED}") } else { String::new() };
            let _ = writeln!(out, "  metadata.labels: {} (set by the kubelet{refused})", visible(&label.value));
            let _ = writeln!(out, "    {DIM}{}{DIM:#}", label.source);
            add_help(help(hierarchy, number, label).as_ref(), "    ", out);
        }
        !found.is_empty()
    }
}

/// What to do about a label that NodeRestriction refuses.
///
/// Source: k8s.io/kubernetes v1.36, cmd/kubelet/app/options/options.go, `ValidateKubeletFlags`: a kubelet checks the same.
fn help(hierarchy: &Hierarchy, number: usize, label: &RegisteredLabel) -> Option<String> {
    let place = hierarchy.place_above(number).map(|place| format!(" in {place}")).unwrap_or_default();
    let instead = match label.key.split('/').next().unwrap_or_default() {
        "node-role.kubernetes.io" | "node-restriction.kubernetes.io" => {
            format!("remove it here, and set it{place}: Cluster API syncs it to the Nodes")
        }
        _ => "use a key of another domain".to_owned(),
    };
    label.is_forbidden.then(|| format!("a kubelet does not start with this label; {instead}"))
}
