//! `propagate backfill`: what stored objects lack, as patches for server-side apply.

use fleet::{Backfill, FIELD_MANAGER, Locator};

use crate::args::BackfillArgs;
use crate::{Exit, Failure, input, output, plan, settings};

/// # Errors
/// When the settings cannot be used, or nothing can be printed.
pub(crate) fn run(args: &BackfillArgs) -> Result<Exit, Failure> {
    let settings = settings::read(&args.settings)?;
    let input = input::read(&args.filename);
    let fleet = &input.fleet;
    let Backfill { patches, refused, not_compared } = Backfill::of(fleet, &settings);
    let conflicts = patches.iter().filter(|patch| patch.conflicts).count();
    let mut out = String::new();
    if !patches.is_empty() {
        out = format!("# kubectl apply --server-side --field-manager={FIELD_MANAGER} -f -\n");
    }
    if conflicts > 0 {
        let of = patches.len();
        out += &format!("# another value stands in {conflicts} of {of}: --force-conflicts overrules whoever set it\n");
    }
    for (index, patch) in patches.iter().enumerate() {
        if index > 0 {
            out += "---\n";
        }
        out += &patch.text;
    }
    output::print(out.as_bytes())?;
    let is_unreadable = plan::tell_of_unreadable(&input);
    let mut locator = Locator::new(fleet);
    for refused in &refused {
        let place = locator.locate(&refused.origin, "", &[]);
        let name = fleet.sources().get(place.source).map_or("", |source| &source.name);
        let (line, column) = (place.position.line, place.position.column);
        anstream::eprintln!("{name}:{line}:{column}: no patch for {}: {}", refused.id, refused.reason);
    }
    if not_compared > 0 {
        anstream::eprintln!(
            "{not_compared} of {} objects not compared: `propagate check` says why",
            fleet.objects().count()
        );
    }
    Ok(match refused.is_empty() {
        _ if is_unreadable => Exit::Unreadable,
        _ if fleet.objects().next().is_none() => Exit::Nothing,
        false => Exit::Found,
        true => Exit::Clean,
    })
}
