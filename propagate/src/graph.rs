//! `propagate graph`: objects and what propagates to them, as a picture.

use std::io::IsTerminal;
use std::path::PathBuf;

use fleet::{Graph, Hierarchy};

use crate::args::{GraphArgs, Picture};
use crate::live::{self, Question};
use crate::names::{self, is_meant, is_object};
use crate::{Exit, Failure, input, output, progress, settings};

pub(crate) fn run(args: &GraphArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let (mut words, paths) = words_and_paths(args);
    let question = Question { object: None, is_for_clusters: true };
    let input = live::input(&args.live, &args.sources, &paths, &question)?;
    let hierarchy = Hierarchy::with_composites(&input.fleet, &settings);
    let namespace = args.sources.namespace.as_deref();
    let ids = || hierarchy.members().iter().map(|member| &member.id);
    // A word without a flag is an object or a key.
    let is_only_key = |word: &String| words.len() == 1 && !is_object(word, namespace, ids());
    let key = if words.first().is_some_and(is_only_key) { words.pop() } else { None };
    let mut words = words.into_iter();
    let (object, key) = (words.next(), words.next().or(key));
    let within: Option<Vec<usize>> = object.as_ref().map(|object| {
        let members = hierarchy.members().iter().enumerate();
        members.filter(|(_, member)| is_meant(&member.id, object, namespace)).map(|(number, _)| number).collect()
    });
    let graph = Graph::of(&hierarchy, key.as_deref(), within.as_deref());
    if graph.is_empty() {
        progress::end();
        let objects = fleet::count(input.fleet.objects().count(), "object");
        match (&object, &key) {
            (Some(object), _) if within.is_some_and(|within| within.is_empty()) => {
                anstream::eprint!("{}", names::nothing(object, input.fleet.objects().map(|object| &object.id)));
            }
            (Some(object), Some(key)) => anstream::eprintln!("`{key}` does not propagate to or from {object}"),
            (Some(object), None) => anstream::eprintln!("nothing propagates to or from {object}"),
            (None, Some(key)) => {
                anstream::eprintln!("`{key}` is not set on any of {objects} and does not propagate to any");
            }
            (None, None) => anstream::eprintln!("nothing propagates between {objects}"),
        }
    } else {
        let picture = match args.format {
            Picture::Svg => graph.svg(),
            Picture::Mermaid => graph.mermaid(),
            Picture::Dot => graph.dot(),
        };
        if args.format == Picture::Svg && std::io::stdout().is_terminal() {
            let words =
                "a picture is no text for a terminal: write it to a file with `> graph.svg`, or use `--format mermaid`";
            return Err(Failure(words.to_owned()));
        }
        output::print(picture.as_bytes())?;
    }
    if graph.is_empty() {
        input::note(&input);
    }
    let is_unreadable = input::warn(&input);
    Ok(Exit::first([(is_unreadable, Exit::Unreadable), (graph.is_empty(), Exit::Nothing)]))
}

/// At most two words, an object and a key, followed by the paths.
fn words_and_paths(args: &GraphArgs) -> (Vec<String>, Vec<PathBuf>) {
    let (key, paths) = args.sources.key_and_paths(args.key.as_ref(), &args.paths);
    let key_is_path = args.key.is_some() && key.is_none();
    match args.sources.key_and_paths(args.object.as_ref(), &[]) {
        // All of them are paths.
        (None, _) if args.object.is_some() => {
            let all = args.object.iter().chain(&args.key).map(PathBuf::from).chain(args.paths.iter().cloned());
            (Vec::new(), args.sources.named(&all.collect::<Vec<_>>()))
        }
        _ if key_is_path => (args.object.iter().cloned().collect(), paths),
        _ => (args.object.iter().cloned().chain(key).collect(), paths),
    }
}
