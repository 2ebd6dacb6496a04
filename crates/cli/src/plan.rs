//! `propagate plan`: what a change of manifests does.

use std::fmt::Write;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use fleet::{Entry, Happens, Locator, ObjectId, Plan, Planned, Severity};
use metadata_propagation::Effect;
use serde_json::{Value, json};

use crate::args::{PlainFormat, PlanArgs};
use crate::explain::{BOLD, visible};
use crate::input::{self, Input};
use crate::{Exit, Failure, git, output, settings};

const CALM: Style = AnsiColor::Green.on_default();
const CAREFUL: Style = AnsiColor::Yellow.on_default();
const GRAVE: Style = AnsiColor::Red.on_default().bold();

/// So many Machines are named; of more it is told how many they are.
const NAMED: usize = 5;

/// # Errors
/// When the settings cannot be used, or nothing can be printed.
pub(crate) fn run(args: &PlanArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let [old, new] = inputs(args)?;
    let plan = Plan::of(&old.fleet, &new.fleet, &settings);
    let printed = match args.output {
        PlainFormat::Text => text(&plan),
        PlainFormat::Json => format!("{:#}\n", value(&plan)),
    };
    output::print(printed.as_bytes())?;
    let is_unreadable = [&old, &new].map(tell_of_unreadable).contains(&true);
    let is_nothing = [&old, &new].iter().all(|input| input.fleet.objects().next().is_none());
    Ok(match plan.is_empty() {
        _ if is_unreadable => Exit::Unreadable,
        true if is_nothing => Exit::Nothing,
        true => Exit::Clean,
        false => Exit::Found,
    })
}

/// The manifests before and after.
fn inputs(args: &PlanArgs) -> Result<[Input; 2], Failure> {
    let namespace = args.sources.namespace();
    let read = |path: &PathBuf| input::read(std::slice::from_ref(path), &args.sources);
    let paths: Vec<&PathBuf> = args.sources.filename.iter().chain(&args.paths).collect();
    match (&args.git, &*paths) {
        (None, [old, new]) => Ok([read(old), read(new)]),
        (Some(revisions), [] | [_]) => {
            let here = PathBuf::from(".");
            let path = paths.first().copied().unwrap_or(&here);
            match revisions.split_once("..") {
                Some((old, new)) => Ok([git::read(old, path, namespace)?, git::read(new, path, namespace)?]),
                None => Ok([git::read(revisions, path, namespace)?, read(path)]),
            }
        }
        (None, _) => Err(Failure("expected OLD and NEW, or --git".to_owned())),
        (Some(_), _) => Err(Failure("expected at most one path with --git".to_owned())),
    }
}

/// Tells of files and documents that cannot be read; whether there are any.
pub(crate) fn tell_of_unreadable(Input { fleet, unreadable }: &Input) -> bool {
    for (file, reason) in unreadable {
        anstream::eprintln!("cannot read `{file}`: {reason}");
    }
    let mut errors = fleet.problems().iter().filter(|problem| problem.severity == Severity::Error).peekable();
    let is_unreadable = !unreadable.is_empty() || errors.peek().is_some();
    let mut locator = Locator::new(fleet);
    for problem in errors {
        let position = locator.position(problem.source, problem.at);
        let name = fleet.sources().get(problem.source).map_or("", |source| &source.name);
        anstream::eprintln!("{name}:{}:{}: {}", position.line, position.column, problem.message);
    }
    is_unreadable
}

fn text(plan: &Plan) -> String {
    let mut out = String::new();
    for Planned { id, happens, edits, entries } in &plan.objects {
        let _ = writeln!(out, "{BOLD}{id}{BOLD:#} {}", word(*happens));
        for planned in edits {
            let style = style(planned.edit.effect);
            let machines = machines(&planned.machines);
            let _ = writeln!(out, "  {style}{}{style:#} {}{machines}", effect(planned.edit.effect), planned.edit.at);
        }
        for entry in entries {
            let _ = writeln!(out, "  {}", line(entry));
        }
    }
    if !plan.further.is_empty() {
        let _ = writeln!(out, "{BOLD}Further down{BOLD:#}");
    }
    for entries in plan.further.chunk_by(|a, b| a.id == b.id) {
        let Some(first) = entries.first() else { continue };
        let note = if first.is_foretold { " (not among the files)" } else { "" };
        let _ = writeln!(out, "  {}{note}", first.id);
        for entry in entries {
            let _ = writeln!(out, "    {}", line(entry));
        }
    }
    if plan.is_empty() { "nothing changes\n".to_owned() } else { out }
}

fn word(happens: Happens) -> &'static str {
    match happens {
        Happens::Created => "is created",
        Happens::Changed => "changes",
        Happens::Deleted => "is deleted",
    }
}

fn machines(machines: &[ObjectId]) -> String {
    let names: Vec<String> = machines.iter().take(NAMED).map(|id| format!("{}/{}", id.namespace, id.name)).collect();
    match machines.len().saturating_sub(NAMED) {
        0 if machines.is_empty() => String::new(),
        0 => format!(" (Machine {})", names.join(", ")),
        more => format!(" (Machine {} and {more} more)", names.join(", ")),
    }
}

fn line(Entry { at, key, from, to, .. }: &Entry) -> String {
    match (from, to) {
        (Some(from), Some(to)) => format!("{CAREFUL}~{CAREFUL:#} {at} {key}={} (was {})", visible(to), visible(from)),
        (Some(from), None) => format!("{GRAVE}-{GRAVE:#} {at} {key}={}", visible(from)),
        (None, to) => format!("{CALM}+{CALM:#} {at} {key}={}", visible(to.as_deref().unwrap_or_default())),
    }
}

fn style(effect: Effect) -> Style {
    match effect {
        Effect::Nothing | Effect::InPlace => CALM,
        Effect::Scale | Effect::CannotTell | Effect::Scheduled => CAREFUL,
        Effect::Rollout | Effect::Destructive => GRAVE,
    }
}

/// The effect as reports write it.
fn effect(effect: Effect) -> String {
    json!(effect).as_str().unwrap_or_default().to_owned()
}

fn value(plan: &Plan) -> Value {
    let object = |id: &ObjectId| json!({ "kind": id.kind, "namespace": id.namespace, "name": id.name });
    let entry = |entry: &Entry| {
        json!({
            "object": object(&entry.id),
            "isAmongTheFiles": !entry.is_foretold,
            "at": entry.at,
            "key": entry.key,
            "from": entry.from,
            "to": entry.to,
        })
    };
    let planned = |planned: &Planned| {
        let edits: Vec<Value> = (planned.edits.iter())
            .map(|planned| {
                let machines: Vec<Value> = planned.machines.iter().map(object).collect();
                json!({ "at": planned.edit.at, "effect": planned.edit.effect, "machines": machines })
            })
            .collect();
        let happens = match planned.happens {
            Happens::Created => "created",
            Happens::Changed => "changed",
            Happens::Deleted => "deleted",
        };
        let entries: Vec<Value> = planned.entries.iter().map(entry).collect();
        json!({ "object": object(&planned.id), "happens": happens, "edits": edits, "entries": entries })
    };
    let objects: Vec<Value> = plan.objects.iter().map(planned).collect();
    let further: Vec<Value> = plan.further.iter().map(entry).collect();
    json!({ "objects": objects, "further": further })
}
