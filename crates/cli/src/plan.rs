//! `propagate plan`: the effects of a change of manifests.

mod github;
mod json;
mod markdown;
mod owners;
mod text;
mod words;

use std::path::PathBuf;

use fleet::Plan;

use crate::args::{PlanArgs, PlanFormat};
use crate::input::{self, Input};
use crate::{Exit, Failure, git, live, output, settings};

/// # Errors
/// When the settings cannot be used, or nothing can be printed.
pub(crate) fn run(args: &PlanArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let [old, new] = inputs(args)?;
    let plan = Plan::of(&old.fleet, &new.fleet, &settings);
    let printed = match args.output {
        PlanFormat::Text => text::text(&plan),
        PlanFormat::Json => format!("{:#}\n", json::json(&plan)),
        PlanFormat::Markdown => markdown::markdown(&plan),
        PlanFormat::Github => github::github(&plan, [&old.fleet, &new.fleet]),
    };
    let is_unreadable = [&old, &new].map(input::warn).contains(&true);
    // If manifests cannot be read, it is not known that nothing changes.
    if !is_unreadable || !plan.is_empty() || args.output == PlanFormat::Json {
        output::print(printed.as_bytes())?;
    }
    let is_nothing = [&old, &new].iter().all(|input| input.fleet.objects().next().is_none());
    let is_found = match args.fail_on {
        Some(fail_on) => plan.verdict.gravest.is_some_and(|gravest| gravest >= fail_on.effect()),
        None => !plan.is_empty(),
    };
    Ok(match is_found {
        _ if is_unreadable => Exit::Unreadable,
        false if is_nothing => Exit::Nothing,
        false => Exit::Clean,
        true => Exit::Found,
    })
}

/// The manifests before and after.
fn inputs(args: &PlanArgs) -> Result<[Input; 2], Failure> {
    let namespace = args.sources.namespace();
    let read = |path: &PathBuf| input::read(std::slice::from_ref(path), &args.sources);
    let paths = args.sources.named(&args.paths);
    if args.git.is_none()
        && let Some(inputs) = live::plan(&args.live, &args.sources, &paths)?
    {
        return Ok(inputs);
    }
    match (&args.git, &*paths) {
        (None, [old, new]) => Ok(rayon::join(|| read(old), || read(new)).into()),
        (Some(revisions), [] | [_]) => {
            let here = PathBuf::from(".");
            let path = paths.first().unwrap_or(&here);
            match revisions.split_once("..") {
                Some((old, new)) => Ok([git::read(old, path, namespace)?, git::read(new, path, namespace)?]),
                None => Ok([git::read(revisions, path, namespace)?, read(path)]),
            }
        }
        (None, _) => Err(Failure("expected OLD and NEW, --git, or a cluster and NEW".to_owned())),
        (Some(_), _) => Err(Failure("expected at most one path with --git".to_owned())),
    }
}
