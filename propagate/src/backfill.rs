//! `propagate backfill`: what stored objects lack, as commands for kubectl or as configurations for server-side apply.

use fleet::{Backfill, BackfillStep, FIELD_MANAGER, Locator, Means, ObjectId, count};
use serde_json::{Value, json};

use crate::args::BackfillArgs;
use crate::live::{self, Question};
use crate::output::report::Where;
use crate::{Exit, Failure, input, output, settings};

pub(crate) fn run(args: &BackfillArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    // What is below a control plane needs no permission to read composites.
    let object = args.third_party.is_some().then_some("Machine");
    let question = Question { object, is_for_clusters: true };
    let input = live::input(&args.live, &args.sources, &args.sources.named(&args.paths), &question)?;
    let fleet = &input.fleet;
    let means = match (args.server_side, args.release) {
        (_, true) => Means::Release,
        (true, false) => Means::Apply,
        (false, false) => Means::Touch,
    };
    let Backfill { steps, refused, not_compared } = Backfill::of(fleet, &settings, means);
    if let Some(file) = &args.third_party {
        output::write_to(Some(file), objects(&steps).as_bytes())?;
    } else {
        print(means, &steps, input.kubectl.as_deref())?;
    }
    let is_unreadable = input::warn(&input);
    let mut locator = Locator::new(fleet.sources());
    for refused in &refused {
        let place = Where::of(fleet, locator.locate(&refused.origin, "", &[]));
        anstream::eprintln!("{place}: no command for {}: {}", refused.id, refused.reason);
    }
    if not_compared > 0 {
        anstream::eprintln!(
            "{not_compared} of {} skipped: `propagate check --verbose` prints why",
            count(fleet.objects().count(), "object")
        );
    }
    // A list for third parties is complete: what is refused is not in it.
    let is_found = args.third_party.is_none() && !refused.is_empty();
    Ok(Exit::first([
        (is_unreadable, Exit::Unreadable),
        (fleet.objects().next().is_none(), Exit::Nothing),
        (is_found, Exit::Found),
    ]))
}

/// Prints the commands or configurations.
fn print(means: Means, steps: &[BackfillStep], kubectl: Option<&str>) -> Result<(), Failure> {
    let mut out = if steps.is_empty() { String::new() } else { header(means, steps) };
    for (index, step) in steps.iter().enumerate() {
        if index > 0 && means != Means::Touch {
            out += "---\n";
        }
        out += &step.text;
    }
    if let Some(flags) = kubectl {
        out = with_flags(&out, flags);
    }
    output::print(out.as_bytes()).map(|_| ())
}

/// The names of the objects below third-party control planes, as a list that kubectl reads.
fn objects(steps: &[BackfillStep]) -> String {
    let item = |step: &BackfillStep| {
        let ObjectId { group, kind, namespace, name, .. } = &step.id;
        let slash = if group.is_empty() { "" } else { "/" };
        json!({
            "apiVersion": format!("{group}{slash}{}", step.version), "kind": kind,
            "metadata": { "namespace": namespace, "name": name },
        })
    };
    let items: Vec<Value> = steps.iter().filter(|step| step.is_third_party).map(item).collect();
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": items });
    format!("{list:#}\n")
}

/// The commands for the cluster that was read: the current context may have changed by the time they are run.
pub(crate) fn with_flags(out: &str, flags: &str) -> String {
    let line =
        |line: &str| match ["kubectl ", "# kubectl "].iter().find_map(|start| Some((start, line.strip_prefix(start)?)))
        {
            Some((start, rest)) => format!("{start}{flags} {rest}"),
            None => line.to_owned(),
        };
    out.split_inclusive('\n').map(line).collect()
}

/// Comments at the beginning that explain the output.
fn header(means: Means, steps: &[BackfillStep]) -> String {
    let apply = format!("kubectl apply --server-side --field-manager={FIELD_MANAGER} -f -");
    match means {
        Means::Touch => {
            "# each patch is empty: it only triggers the policy, which makes the change that the comment above it describes\n".to_owned()
        }
        Means::Release => format!("# {apply}\n"),
        Means::Apply => {
            let mut lines =
                format!("# {apply}\n# then, once the controllers own these fields as well, run: propagate backfill --release\n");
            let conflicts = steps.iter().filter(|step| step.conflicts).count();
            if conflicts > 0 {
                let of = steps.len();
                lines += &format!(
                    "# values differ in {conflicts} of {of}: --force-conflicts overwrites them and takes ownership\n"
                );
            }
            lines
        }
    }
}
