//! `propagate graph`: objects and what comes to them, as a picture.

use fleet::{Graph, World};

use crate::args::{GraphArgs, Picture};
use crate::live::{self, Question};
use crate::{Exit, Failure, input, output, progress, settings};

/// # Errors
/// When the settings cannot be used, or nothing can be printed.
pub(crate) fn run(args: &GraphArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let (key, paths) = args.sources.key_and_paths(args.key.as_ref(), &args.paths);
    let question = Question { object: None, is_for_clusters: true };
    let input = live::input(&args.live, &args.sources, &paths, &question)?;
    let world = World::of(&input.fleet, &settings);
    let graph = Graph::of(&world, key.as_deref());
    if graph.is_empty() {
        progress::end();
        let objects = input.fleet.objects().count();
        match &key {
            Some(key) => anstream::eprintln!("`{key}` is not set at any of {objects} objects and propagates to none"),
            None => anstream::eprintln!("nothing propagates between {objects} objects"),
        }
    } else {
        let picture = match args.format {
            Picture::Svg => graph.svg(),
            Picture::Mermaid => graph.mermaid(),
            Picture::Dot => graph.dot(),
        };
        output::print(picture.as_bytes())?;
    }
    let is_unreadable = input::warn(&input);
    Ok(match graph.is_empty() {
        _ if is_unreadable => Exit::Unreadable,
        true => Exit::Nothing,
        false => Exit::Clean,
    })
}
