//! Cells of a tree, and their widths.

use fleet::{Hierarchy, Member, Placement, State};

use super::is_absent;
use super::kubelet::Kubelets;
use crate::output::text::visible;

/// A key in an object: the value that the rules set, and the actual value. Values that a Cluster has for the objects of its
/// topology, and not for itself, are marked.
pub(super) fn cell((hierarchy, kubelets): (&Hierarchy, &Kubelets), number: usize, key: &str) -> String {
    let placements = hierarchy.own_placements(number, key);
    let placements = placements.iter().filter(|placement| !is_absent(&placement.state));
    let (of_topology, own): (Vec<&Placement>, Vec<&Placement>) =
        placements.partition(|placement| placement.at.starts_with("spec.topology."));
    if of_topology.is_empty() && own.is_empty() {
        if let Some(registered) = kubelets.in_words(number, key) {
            return registered;
        }
        return if hierarchy.unknown(number).is_some() { "?" } else { "-" }.to_owned();
    }
    let in_words = |placement: &Placement| {
        let value = visible(placement.value.as_deref().unwrap_or_default());
        match &placement.state {
            State::Missing => format!("{value} (missing)"),
            State::Differs(found) => format!("{value} (found {})", visible(found)),
            _ => value.into_owned(),
        }
    };
    let joined = |placements: Vec<&Placement>| {
        let mut values: Vec<String> = placements.into_iter().map(in_words).collect();
        values.dedup();
        values.join(", ")
    };
    let marked = Some(joined(of_topology)).filter(|values| !values.is_empty()).map(|it| format!("{it} (in topology)"));
    let own = Some(joined(own)).filter(|values| !values.is_empty());
    own.into_iter().chain(marked).collect::<Vec<String>>().join(", ")
}

/// A cell for a reader: with the reason if there is no value.
pub(super) fn cell_with_reason((hierarchy, kubelets): (&Hierarchy, &Kubelets), number: usize, key: &str) -> String {
    let cell = cell((hierarchy, kubelets), number, key);
    if cell != "-" {
        return cell;
    }
    if let Some(why) = hierarchy.own_placements(number, key).into_iter().find_map(|placement| placement.why) {
        return format!("- ({why})");
    }
    match source(hierarchy, number, key) {
        Some(member) => format!("- (set on {}, and does not propagate here)", member.id),
        None => "- (not set)".to_owned(),
    }
}

/// The nearest object above in which a key is set.
fn source<'h>(hierarchy: &'h Hierarchy, number: usize, key: &str) -> Option<&'h Member> {
    let parent = hierarchy.member(number)?.parent?;
    let is_set = hierarchy.own_placements(parent, key).iter().any(|placement| !is_absent(&placement.state));
    if is_set { hierarchy.member(parent) } else { source(hierarchy, parent, key) }
}

/// What to do about a key that is set in an object and does not propagate from there.
pub(crate) fn help(hierarchy: &Hierarchy, number: usize, key: &str) -> Option<String> {
    let member = hierarchy.member(number)?;
    let placements = hierarchy.own_placements(number, key);
    let help = placements.into_iter().filter(|placement| !is_absent(&placement.state)).find_map(|it| it.help)?;
    Some(format!("`{key}` of {}: {help}", member.id))
}

/// Rows with aligned columns; styles have no width.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let width = |text: &String| anstream::adapter::strip_str(text).to_string().chars().count();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(width).max().unwrap_or_default())
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, wide) in row.iter().zip(&widths) {
            line += cell;
            line += &" ".repeat(wide - width(cell) + 2);
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use fleet::{Fleet, Source};
    use metadata_propagation::Settings;

    use super::*;

    #[test]
    fn what_a_cluster_has_only_for_its_topology_is_marked() {
        let entry =
            |name: &str, labels: &str| format!("{{name: {name}, class: w, metadata: {{labels: {{{labels}}}}}}}");
        let entries = [entry("a", "team: web, pool: blue"), entry("b", "pool: red")].join(", ");
        let text = format!(
            "{{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {{name: c, labels: {{team: own, env: dev}}}}, \
             spec: {{topology: {{version: v1.34.2, workers: {{machineDeployments: [{entries}]}}}}}}}}"
        );
        let fleet = Fleet::read(vec![Source { name: "cluster.yaml".to_owned(), text }]);
        let hierarchy = Hierarchy::of(&fleet, &Settings::default());
        for (key, expected) in
            [("env", "dev"), ("team", "own, web (in topology)"), ("pool", "blue, red (in topology)"), ("other", "-")]
        {
            assert_eq!(cell((&hierarchy, &Kubelets::default()), 0, key), expected, "{key}");
        }
    }
}
