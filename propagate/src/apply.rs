//! `propagate apply`: the manifests with everything that the rules set.

use fleet::{Applied, Locator};
use similar::TextDiff;

use crate::args::ApplyArgs;
use crate::output::report::Where;
use crate::{Exit, Failure, input, output, settings};

pub(crate) fn run(args: &ApplyArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let input = input::read(&args.sources.paths(&args.paths), &args.sources);
    let fleet = &input.fleet;
    let Applied { texts, left } = Applied::of(fleet, &settings);
    let mut out = String::new();
    let mut is_changed = false;
    for (source, text) in fleet.sources().iter().zip(&texts) {
        is_changed |= *text != source.text;
        if args.diff {
            if *text != source.text {
                let diff = TextDiff::from_lines(&source.text, text);
                out += &diff.unified_diff().header(&source.name, &source.name).to_string();
            }
        } else if args.in_place {
            if *text != source.text {
                let written = if source.name == "-" {
                    Err(std::io::ErrorKind::Unsupported.into())
                } else {
                    std::fs::write(&source.name, text)
                };
                written.map_err(|error| Failure(format!("cannot write `{}`: {error}", source.name)))?;
                out += &format!("{}\n", source.name);
            }
        } else {
            if !out.is_empty() && !text.starts_with("---") {
                out += if out.ends_with('\n') { "---\n" } else { "\n---\n" };
            }
            out += text;
        }
    }
    output::print(out.as_bytes())?;
    let is_unreadable = input::warn(&input);
    let mut locator = Locator::new(fleet.sources());
    for (id, origin) in &left {
        let place = Where::of(fleet, locator.locate(origin, "", &[]));
        anstream::eprintln!("{place}: {id} lacks propagated entries, but this document cannot be edited in place");
    }
    Ok(Exit::first([
        (is_unreadable || !left.is_empty(), Exit::Unreadable),
        (fleet.objects().next().is_none(), Exit::Nothing),
        (is_changed && args.diff, Exit::Found),
    ]))
}
