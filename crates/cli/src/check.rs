//! `propagate check`: what differs from the rules, does harm, or does not arrive.

use fleet::{Checked, Checker, Fleet, Locator, Object, Problem, Severity};
use metadata_propagation::NotApplicableReason;

use crate::args::CheckArgs;
use crate::input::{self, Input};
use crate::output::report::{Entry, NotCompared, Report, Told, Where};
use crate::{Exit, Failure, output, settings};

/// # Errors
/// When the settings cannot be used, or an output not be written.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let Input { fleet, unreadable } = input::read(&args.sources.paths(&args.paths), &args.sources);
    let objects: Vec<&Object> = fleet.objects().collect();
    let checked = Checker::new(&settings).fleet(&fleet);
    let report = report(&fleet, &unreadable, &objects, checked);
    let fail_on = args.fail_on.unwrap_or_default().level();
    output::write(&report, &fleet, &args.output, fail_on, args.verbose)?;
    let is_unreadable = report.summary.unreadable > 0;
    Ok(match report.findings.iter().any(|finding| finding.level >= fail_on) {
        _ if is_unreadable => Exit::Unreadable,
        _ if report.summary.looked_at == 0 => Exit::Nothing,
        true => Exit::Found,
        false => Exit::Clean,
    })
}

fn report(fleet: &Fleet, unreadable: &[(String, String)], objects: &[&Object], checked: Vec<Checked>) -> Report {
    let mut locator = Locator::new(fleet);
    let mut report = Report::default();
    report.summary.objects = objects.len();
    for (file, reason) in unreadable {
        report.problem(Told {
            severity: Severity::Error,
            message: format!("cannot read `{file}`: {reason}"),
            place: Where { file: file.clone(), ..Where::default() },
        });
    }
    for Problem { severity, message, source, at } in fleet.problems() {
        let place = Where::of(fleet, *source, *at..*at, locator.position(*source, *at));
        report.problem(Told { severity: *severity, message: message.clone(), place });
    }
    for (object, checked) in objects.iter().zip(checked) {
        report.summary.looked_at += usize::from(checked.is_concerned);
        let mut place = |at: &str, keys: &[String]| {
            let place = locator.locate(&object.origin, at, keys);
            Where::of(fleet, place.source, place.span, place.position)
        };
        for finding in checked.findings {
            let place = place(&finding.at, &finding.keys);
            report.finding(Entry::new(object, finding, place));
        }
        if let Some(inert) = checked.inert.filter(|inert| inert.reason != NotApplicableReason::NoOwner) {
            report.not_compared.push(NotCompared {
                object: object.into(),
                reason: inert.to_string(),
                place: place("", &[]),
            });
        }
    }
    report.summary.not_compared = report.not_compared.len();
    report
}
