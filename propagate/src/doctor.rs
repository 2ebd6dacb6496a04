//! `propagate doctor`: whether the policy is installed correctly.

mod activation;
mod checks;
mod composites;
mod conditions;
mod controllers;
mod finding;
mod flags;
mod grants;
mod image;
mod installation;
mod installed;
mod item;
mod managers;
mod names;
mod needs;
mod operation;
mod permissions;
mod policy;
mod rbac;
mod registry;
mod report;
mod reports;
mod server;
mod settings;
mod status;
mod version;

use self::installation::Installation;
use self::item::items;
pub(crate) use self::managers::is_manager;
pub(crate) use self::names::did_you_mean;
use self::policy::MODULE;
use self::report::InstallationReport;
use crate::args::DoctorArgs;
use crate::sources::{InputSources, KustomizeOptions};
use crate::{Exit, Failure, input, live, output, progress};

pub(crate) fn run(args: &DoctorArgs) -> Result<Exit, Failure> {
    let DoctorArgs { filename, namespace, kustomize, .. } = args;
    let (filename, namespace) = (filename.clone(), namespace.clone());
    let sources = InputSources {
        filename,
        namespace,
        kustomize: *kustomize,
        options: KustomizeOptions::default(),
        settings: None,
    };
    let paths = sources.named(&args.paths);
    let input = live::installation(&args.live, &sources, &paths, reports::definitions())?;
    let items = items(&input.fleet);
    let installation = Installation::of(&items, &input);
    if installation.policies.is_empty() && !installation.is_live {
        let is_unreadable = input::warn(&input);
        progress::end();
        anstream::eprintln!("no policy among {} runs a module named `{MODULE}`", fleet::count(items.len(), "object"));
        return Ok(Exit::first([(is_unreadable, Exit::Unreadable), (true, Exit::Nothing)]));
    }
    let results = checks::all(&installation);
    let report = InstallationReport::of(results, &input.fleet);
    output::write_plain(&args.output, &report.text(&input.fleet), &report, None)?;
    let is_unreadable = input::warn(&input);
    let fail_on = args.fail_on.unwrap_or_default().level();
    let is_found = report.findings.iter().any(|finding| finding.level >= fail_on);
    Ok(Exit::first([(is_unreadable, Exit::Unreadable), (is_found, Exit::Found)]))
}
