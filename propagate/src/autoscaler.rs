//! `propagate autoscaler`: annotations for scaling from zero, and the labels and taints that Nodes actually get.

mod bootstrap;
mod groups;
mod judge;
mod keys;
mod patch;
mod templates;

use std::fmt::Write;

use fleet::{FindingLevel, Hierarchy, count};
use serde::Serialize;

use self::groups::{NodeGroup, groups};
use self::judge::{GroupVerdict, judge};
use crate::args::AutoscalerArgs;
use crate::live::{self, Question};
use crate::output::report::ObjectRef;
use crate::{Exit, Failure, backfill, input, output, progress, settings};

/// The result for one node group.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Judged {
    object: ObjectRef,
    findings: Vec<GroupNote>,
    /// Why its Nodes are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_judged: Option<String>,
    /// A command for kubectl, with comments.
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
}

#[derive(Serialize)]
struct GroupNote {
    level: FindingLevel,
    message: String,
}

pub(crate) fn run(args: &AutoscalerArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let question = Question { object: Some("MachineDeployment"), is_for_clusters: true };
    let input = live::input(&args.live, &args.sources, &args.sources.named(&args.paths), &question)?;
    let hierarchy = Hierarchy::of(&input.fleet, &settings);
    let mut judged: Vec<Judged> =
        groups(&hierarchy, &settings).iter().map(|group| judged_group(&hierarchy, group)).collect();
    if let Some(flags) = &input.kubectl {
        for patch in judged.iter_mut().filter_map(|group| group.patch.as_mut()) {
            *patch = backfill::with_flags(patch, flags);
        }
    }
    let text: String = judged.iter().map(in_words).collect();
    output::write_plain(&args.output, &text, &judged, None)?;
    let is_unreadable = input::warn(&input);
    progress::end();
    if judged.is_empty() {
        anstream::eprintln!(
            "no node group that can be scaled from zero among {}",
            count(input.fleet.objects().count(), "object")
        );
    }
    Ok(Exit::first([
        (is_unreadable, Exit::Unreadable),
        (judged.is_empty(), Exit::Nothing),
        (judged.iter().any(|group| !group.findings.is_empty()), Exit::Found),
    ]))
}

fn judged_group(hierarchy: &Hierarchy, group: &NodeGroup<'_>) -> Judged {
    let GroupVerdict { findings, values } = judge(group);
    let mut findings: Vec<GroupNote> =
        findings.into_iter().map(|(level, message)| GroupNote { level, message }).collect();
    let patch = if values.is_empty() { None } else { Some(patch::patch(hierarchy, group, &values)) };
    let patch = match patch {
        Some(Err(message)) => {
            findings.push(GroupNote { level: FindingLevel::Error, message });
            None
        }
        patch => patch.and_then(Result::ok),
    };
    let id = &group.member.id;
    let object = ObjectRef {
        api_version: format!("{}/{}", id.group, group.member.version()),
        kind: id.kind.clone(),
        namespace: id.namespace.clone(),
        name: id.name.clone(),
        title: id.to_string(),
    };
    Judged { object, findings, not_judged: group.nodes.as_ref().err().cloned(), patch }
}

/// A group as comments, with the command below.
fn in_words(judged: &Judged) -> String {
    let Judged { object, findings, not_judged, patch } = judged;
    let number = match findings.len() {
        0 if not_judged.is_some() => "labels and taints skipped".to_owned(),
        0 => "nothing found".to_owned(),
        number => count(number, "finding"),
    };
    let mut out = format!("# {}: {number}\n", one_line(&object.title));
    for GroupNote { level, message } in findings {
        let level = if *level == FindingLevel::Error { "error" } else { "warning" };
        let _ = writeln!(out, "#   {level}: {}", one_line(message));
    }
    if let Some(reason) = not_judged {
        let _ = writeln!(out, "#   note: labels and taints of its Nodes are unknown: {}", one_line(reason));
    }
    out += patch.as_deref().unwrap_or_default();
    out
}

/// A text without anything that could end a comment.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
