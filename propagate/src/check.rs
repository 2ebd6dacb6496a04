//! `propagate check`: differences from the rules, harmful edits, and entries that are not propagated.

mod baseline;
mod ignore;
mod unchecked;

use std::collections::{BTreeMap, BTreeSet};

use fleet::{
    CLOUD_TAGS, Checker, FindingLevel, Fleet, FleetObject, Locator, ObjectFinding, ObjectFindings, Problem, Severity,
    count,
};
use metadata_propagation::{NotApplicableReason, Settings};
use rayon::prelude::*;

use self::baseline::Baseline;
use self::ignore::{ANNOTATION, Ignores};
use self::unchecked::UncheckedReason;
use crate::args::CheckArgs;
use crate::input::Input;
use crate::live::{self, Question};
use crate::output::report::{
    CheckReport, FindingEntry, FindingSummary, IgnoredEntry, NotCompared, ReportedProblem, UncheckedObject, Where,
};
use crate::roots::{RootObjects, by_root};
use crate::{Exit, Failure, output, progress, registries, settings};

pub(crate) fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let mut settings = settings::read(args.sources.settings.as_deref())?;
    settings.cluster_api.taints |= args.taints;
    let paths = args.sources.named(&args.paths);
    let question = Question { object: None, is_for_clusters: false };
    let Input { fleet, unreadable, rendered, rendered_files, .. } =
        live::input(&args.live, &args.sources, &paths, &question)?;
    // One that cannot be rendered has no objects.
    let is_read = |folder: &String| fleet.sources().iter().any(|source| source.name == *folder);
    let rendered = rendered.into_iter().filter(is_read);
    let named: Vec<String> = args.root.iter().map(|root| root.display().to_string()).chain(rendered).collect();
    let roots = by_root(fleet, &named, &settings)?;
    let Some(RootObjects { fleet, .. }) = roots.first() else { return Ok(Exit::Nothing) };
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let (mut ignores, problems) = Ignores::of(&args.ignores, baseline, fleet)?;
    let mut report = report((&roots, &unreadable), &settings, &mut ignores, args.verbose);
    problems.into_iter().for_each(|problem| report.problem(problem));
    ignores.unused(fleet).into_iter().for_each(|problem| report.problem(problem));
    report.summary.gone = ignores.gone();
    report.resolve(&rendered_files);
    if let Some(path) = &args.write_baseline {
        Baseline::write(path, report.findings.iter())?;
        let FindingSummary { unreadable, .. } = report.summary;
        progress::end();
        anstream::eprintln!("wrote {} to `{}`", count(report.findings.len(), "finding"), path.display());
        return Ok(if unreadable > 0 { Exit::Unreadable } else { Exit::Clean });
    }
    let fail_on = args.fail_on.unwrap_or_default();
    output::write(&report, fleet, &args.output, fail_on, args.verbose)?;
    Ok(Exit::first([
        (report.summary.unreadable > 0, Exit::Unreadable),
        (report.summary.checked == 0, Exit::Nothing),
        (report.findings.iter().any(|finding| fail_on.counts(finding)), Exit::Found),
    ]))
}

/// What is found in the objects of roots and in files that cannot be read; objects that are not checked are listed if
/// `names_unchecked`.
fn report(
    (roots, unreadable): (&[RootObjects], &[(String, String)]),
    settings: &Settings,
    ignores: &mut Ignores,
    names_unchecked: bool,
) -> CheckReport {
    let checker = &Checker::new(settings);
    let mut report = CheckReport::default();
    for (file, reason) in unreadable {
        report.problem(ReportedProblem {
            severity: Severity::Error,
            message: format!("cannot read `{file}`: {reason}"),
            place: Where::file(file),
        });
    }
    let mut seen = Seen { names_unchecked, ..Seen::default() };
    let checked: Vec<Vec<ObjectFindings>> =
        roots.par_iter().map(|RootObjects { fleet, .. }| checker.fleet(fleet)).collect();
    for (RootObjects { root, fleet }, checked) in roots.iter().zip(checked) {
        let of_root = Some(root.clone()).filter(|root| !root.is_empty());
        let mut checked = checked;
        add_missing_registries(fleet, &mut checked, settings);
        let unchecked = unchecked::reasons(fleet, &checked, settings);
        report.not_checked.extend(unchecked::notes(fleet, of_root.as_deref(), &unchecked, settings));
        report.roots.extend(of_root);
        add_findings((fleet, checked, unchecked), ignores, &mut seen, &mut report);
    }
    // An object that is compared in one root counts as compared.
    let not_compared = seen.not_compared.into_iter().filter(|(identity, _)| !seen.compared.contains(identity));
    report.not_compared = not_compared.map(|(_, object)| object).collect();
    report.summary.objects = seen.objects.len();
    report.summary.checked = seen.checked.len();
    report.summary.not_compared = report.not_compared.len();
    let unchecked = seen.unchecked.into_iter().filter(|(identity, _)| !seen.checked.contains(identity));
    report.unchecked = unchecked.map(|(_, object)| object).collect();
    report
}

/// Adds LabelRegistry objects that are not in the files to the first composite that is skipped because of them.
fn add_missing_registries(fleet: &Fleet, checked: &mut [ObjectFindings], settings: &Settings) {
    let is_skipped = |object: &&mut ObjectFindings| {
        object.inert.as_ref().is_some_and(|inert| inert.reason == NotApplicableReason::RegistryUnavailable)
    };
    if let Some(object) = checked.iter_mut().find(is_skipped) {
        object.findings.extend(registries::missing(fleet, settings).into_iter().map(|message| ObjectFinding {
            help: Some("correct `cloudTags.registry`, or add the manifest of the label registry".to_owned()),
            ..ObjectFinding::new(FindingLevel::Warning, CLOUD_TAGS, "metadata.labels", message)
        }));
    }
}

/// The objects of earlier roots: files in no root are in each.
#[derive(Default)]
struct Seen {
    objects: BTreeSet<Identity>,
    checked: BTreeSet<Identity>,
    /// Whether objects that are not checked are listed: finding their positions takes time.
    names_unchecked: bool,
    /// Objects that are not checked in a root, if they are listed.
    unchecked: BTreeMap<Identity, UncheckedObject>,
    compared: BTreeSet<Identity>,
    /// Objects that are not compared in a root.
    not_compared: Vec<(Identity, NotCompared)>,
}

/// The position of an object.
type Identity = (usize, usize, Option<usize>);

fn add_findings(
    (fleet, checked, unchecked): (&Fleet, Vec<ObjectFindings>, Vec<Option<UncheckedReason>>),
    ignores: &mut Ignores,
    seen: &mut Seen,
    report: &mut CheckReport,
) {
    let is_first = seen.objects.is_empty();
    let mut locator = Locator::new(fleet.sources());
    for Problem { severity, skips, message, source, at, .. } in fleet.problems() {
        let place = Where::of_position(fleet, (*source, *at), &mut locator);
        let problem = ReportedProblem { severity: *severity, message: message.clone(), place };
        if is_first || !report.problems.contains(&problem) {
            report.summary.skipped += skips;
            report.problem(problem);
        }
    }
    let objects: Vec<&FleetObject> = fleet.objects().collect();
    for ((object, checked), unchecked) in objects.iter().zip(checked).zip(unchecked) {
        let identity = (object.origin.source, object.origin.document.start, object.origin.item);
        let is_new = seen.objects.insert(identity);
        let mut place = |at: &str, keys: &[String]| Where::of(fleet, locator.locate(&object.origin, at, keys));
        match unchecked {
            None => {
                seen.checked.insert(identity);
            }
            Some(reason) if seen.names_unchecked => {
                let (object, reason, place) = (object.into(), reason.to_string(), place("", &[]));
                seen.unchecked.insert(identity, UncheckedObject { object, reason, place });
            }
            Some(_) => {}
        }
        if let Some(Err(message)) = ignore::annotation(object).filter(|_| is_new) {
            let place = place("metadata.annotations", &[ANNOTATION.to_owned()]);
            report.problem(ReportedProblem {
                severity: Severity::Warning,
                message: format!("`{ANNOTATION}`: {message}"),
                place,
            });
        }
        // The annotation only applies to this object.
        for finding in checked.findings.into_iter().filter(|finding| finding.keys != [ANNOTATION]) {
            let place = place(&finding.at, &finding.keys);
            let entry = FindingEntry::new(object, finding, place);
            if let Some(ignored) = ignores.reason(object, &entry) {
                let entry = IgnoredEntry { entry, ignored };
                if is_new || !report.ignored.contains(&entry) {
                    report.ignored(entry);
                }
            } else if is_new || !report.findings.contains(&entry) {
                report.finding(entry);
            }
        }
        match checked.inert.filter(|inert| inert.reason != NotApplicableReason::NoOwner) {
            Some(inert) => {
                let (object, reason, place) = (object.into(), inert.to_string(), place("", &[]));
                let entry = (identity, NotCompared { object, reason, place });
                if is_new || !seen.not_compared.contains(&entry) {
                    seen.not_compared.push(entry);
                }
            }
            None => {
                seen.compared.insert(identity);
            }
        }
    }
}
