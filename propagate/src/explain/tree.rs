//! Objects as a tree, with the values of some labels.

use std::collections::BTreeSet;

use fleet::{Folding, Hierarchy, Member, help_of_unknown};
use metadata_propagation::NotApplicable;
use rayon::prelude::*;

use super::add_help;
use super::columns::{aligned, cell, cell_with_reason, help};
use super::kubelet::Kubelets;
use crate::style::{BOLD, DIM};

/// The trees of these objects, without those that are below another of them. Equal Machines of one owner share a line.
pub(super) fn tree((hierarchy, kubelets): (&Hierarchy, &Kubelets), roots: &[usize], keys: &[String]) -> String {
    let mut rows = Vec::new();
    let roots: BTreeSet<usize> = roots.iter().copied().collect();
    let is_below = |number: &usize| {
        let mut above = hierarchy.member(*number).and_then(|member| member.parent);
        while let Some(parent) = above {
            if roots.contains(&parent) {
                return true;
            }
            above = hierarchy.member(parent).and_then(|member| member.parent);
        }
        false
    };
    let tops: Vec<usize> = roots.iter().copied().filter(|number| !is_below(number)).collect();
    let is_shown = |number: &usize| roots.contains(number) || is_below(number);
    let shown = || (0..hierarchy.members().len()).filter(is_shown);
    let cells: Vec<Vec<String>> = (0..hierarchy.members().len())
        .into_par_iter()
        .map(|number| {
            let of_key = |key: &String| match keys.len() {
                // Several columns have no room for sentences.
                1 => cell_with_reason((hierarchy, kubelets), number, key),
                _ => cell((hierarchy, kubelets), number, key),
            };
            keys.iter().filter(|_| is_shown(&number)).map(of_key).collect()
        })
        .collect();
    // Without columns, siblings are compared by kind alone.
    let folding = hierarchy.folding(&|number| cells.get(number).map(|cells| cells.join("\n")));
    let tree = ExplainTree { hierarchy, cells, folding };
    for top in tops {
        tree.add(&[top], "", "", &mut rows);
    }
    let mut header = vec![format!("{BOLD}OBJECT{BOLD:#}")];
    // As kubectl names its label columns.
    let title = |key: &String| key.rsplit('/').next().unwrap_or_default().to_uppercase();
    header.extend(keys.iter().map(|key| format!("{BOLD}{}{BOLD:#}", title(key))));
    if !rows.is_empty() && !keys.is_empty() {
        rows.insert(0, header);
    }
    let mut out = aligned(&rows);
    let key = keys.first().filter(|_| keys.len() == 1);
    let helps = shown().filter_map(|number| help(hierarchy, number, key?));
    for help in helps.collect::<BTreeSet<String>>() {
        add_help(Some(&help), "", &mut out);
    }
    if rows.iter().flatten().any(|cell| cell == "?") {
        let unknown = shown().filter_map(|number| first_unknown(hierarchy, number));
        let reasons = unknown.map(|(member, reason)| format!("? {} is skipped: {reason}\n", member.id));
        out.extend(reasons.collect::<BTreeSet<String>>());
        let help = shown().filter_map(|number| help_of_unknown(hierarchy.unknown(number)?.1));
        for help in help.collect::<BTreeSet<String>>() {
            add_help(Some(&help), "", &mut out);
        }
    }
    out
}

/// The topmost object that is skipped for the reason for which this one is.
fn first_unknown(hierarchy: &Hierarchy, number: usize) -> Option<(&Member, &NotApplicable)> {
    let (member, reason) = hierarchy.unknown(number)?;
    let above = hierarchy.member(number)?.parent.and_then(|parent| first_unknown(hierarchy, parent));
    Some(above.filter(|(_, of)| *of == reason).unwrap_or((member, reason)))
}

/// The parts of the lines.
struct ExplainTree<'w> {
    hierarchy: &'w Hierarchy,
    /// The values of the columns, by object.
    cells: Vec<Vec<String>>,
    folding: Folding,
}

impl ExplainTree<'_> {
    /// Siblings in groups that share a line. Only the names of Machines say nothing: their controller appends random letters.
    fn groups(&self, siblings: &[usize]) -> Vec<Vec<usize>> {
        let is_machine =
            |number: &usize| self.hierarchy.member(*number).is_some_and(|member| member.id.kind == "Machine");
        let mut groups = Vec::new();
        for group in self.hierarchy.folded(siblings, &self.folding) {
            match group.iter().all(is_machine) {
                true => groups.push(group),
                false => groups.extend(group.into_iter().map(|number| vec![number])),
            }
        }
        groups.sort_by_key(|group| siblings.iter().position(|sibling| Some(sibling) == group.first()));
        groups
    }

    /// Adds the line of some equal siblings, and the lines of the objects below the first of them.
    fn add(&self, group: &[usize], here: &str, below: &str, rows: &mut Vec<Vec<String>>) {
        let member = group.first().and_then(|first| Some((*first, self.hierarchy.member(*first)?)));
        let Some((first, member)) = member else { return };
        let predicted = if member.origin.is_none() { format!(" {DIM}(predicted){DIM:#}") } else { String::new() };
        let names = match group.len() {
            1 => String::new(),
            count => format!(" and {} like it", count - 1),
        };
        let mut row = vec![format!("{here}{}{names}{predicted}", member.id)];
        row.extend(self.cells.get(first).into_iter().flatten().cloned());
        rows.push(row);
        let groups = self.groups(&member.children);
        for (index, group) in groups.iter().enumerate() {
            let is_last = index + 1 == groups.len();
            let (branch, rest) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            self.add(group, &format!("{below}{branch}"), &format!("{below}{rest}"), rows);
        }
    }
}
