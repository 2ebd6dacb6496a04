//! `propagate plan`: the effects of a change of manifests.

mod answer;
mod github;
mod json;
mod markdown;
mod not_read;
mod owners;
mod rendered;
mod roots;
mod text;
mod words;

use std::path::{Path, PathBuf};

use metadata_propagation::{Effect, Settings};

use self::answer::PlanAnswer;
use self::not_read::Matters;
use crate::args::{PlanArgs, PlanFailOn, PlanFormat};
use crate::git::Checkout;
use crate::input::{self, Input, InputPlace};
use crate::{Exit, Failure, live, output, progress, settings};

/// # Errors
/// When the settings cannot be used, an object is defined twice in different ways, or nothing can be
/// printed.
pub(crate) fn run(args: &PlanArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let [old, new] = inputs(args, &settings)?;
    let named: Vec<String> = args.root.iter().map(|root| root.display().to_string()).collect();
    let pairs = roots::pairs([&old, &new], &named, &settings)?;
    let answer = PlanAnswer::of(pairs, [&old, &new], &settings);
    let printed = match args.output {
        PlanFormat::Text => text::text(&answer),
        PlanFormat::Json => format!("{:#}\n", json::json(&answer)),
        PlanFormat::Markdown => markdown::markdown(&answer),
        PlanFormat::Github => github::github(&answer),
    };
    output::print(printed.as_bytes())?;
    // The output may be a comment or a file that is only used if everything can be read.
    if args.output != PlanFormat::Text {
        progress::end();
        let not_read = answer.roots.iter().flat_map(|root| &root.not_read);
        for not_read in not_read.filter(|not_read| not_read.matters == Matters::Unreadable) {
            anstream::eprintln!("{}", words::not_read(not_read));
        }
    }
    let is_unreadable = answer.roots.iter().any(|root| root.matters() == Matters::Unreadable);
    let is_nothing = [&old, &new].iter().all(|input| input.fleet.objects().next().is_none());
    let is_found = match args.fail_on {
        Some(fail_on) => is_reached(fail_on, &answer),
        None => !answer.is_empty(),
    };
    Ok(match is_found {
        _ if is_unreadable => Exit::Unreadable,
        true => Exit::Found,
        false if is_nothing => Exit::Nothing,
        false => Exit::Clean,
    })
}

/// Whether an effect is as severe as the flag says. An owner that is scaled down deletes Machines.
fn is_reached(fail_on: PlanFailOn, answer: &PlanAnswer) -> bool {
    let verdict = &answer.verdict;
    let deletes = verdict.deletes > 0 || verdict.uncounted.deletes > 0;
    let gravest = verdict.gravest.max(deletes.then_some(Effect::Destructive));
    gravest.is_some_and(|gravest| gravest >= fail_on.effect())
}

/// The manifests before and after.
fn inputs(args: &PlanArgs, settings: &Settings) -> Result<[Input; 2], Failure> {
    let paths = args.sources.named(&args.paths);
    let Some(revisions) = &args.git else {
        if let Some(inputs) = live::plan(&args.live, &args.sources, &paths, settings)? {
            return Ok(inputs);
        }
        let [old, new] = &*paths else {
            return Err(Failure("expected OLD and NEW, --git, or a cluster and NEW".to_owned()));
        };
        let read = |path: &PathBuf| {
            let input = input::read(std::slice::from_ref(path), &args.sources);
            Input { prefix: prefix(path), ..input }
        };
        return Ok(rayon::join(|| read(old), || read(new)).into());
    };
    if let Some(path) = paths.iter().find(|path| path.is_absolute()) {
        return Err(Failure(format!(
            "expected paths relative to the current folder with --git, not `{}`",
            path.display()
        )));
    }
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here[..] } else { &paths };
    let (old, new) = revisions.split_once("..").map_or((&**revisions, None), |(old, new)| (old, Some(new)));
    let old = Revision::of(old, args.sources.kustomize)?;
    let new = new.map(|new| Revision::of(new, args.sources.kustomize)).transpose()?;
    let folders = [Some(old.place.folder.as_path()), new.as_ref().map(|new| new.place.folder.as_path())];
    for path in paths {
        if !folders.iter().any(|folder| folder.unwrap_or(Path::new("")).join(path).exists()) {
            return Err(Failure(format!("`{}` is in neither revision", path.display())));
        }
    }
    let of_new = || match &new {
        Some(new) => new.read(paths, args),
        None => existing(paths, args, &InputPlace::default()),
    };
    Ok(rayon::join(|| old.read(paths, args), of_new).into())
}

/// A revision that is written to a temporary folder.
struct Revision {
    place: InputPlace,
    _checkout: Checkout,
}

impl Revision {
    /// # Errors
    /// When git cannot be run, or does not know the revision.
    fn of(revision: &str, is_whole: bool) -> Result<Revision, Failure> {
        let checkout = Checkout::of(revision, is_whole)?;
        let place = InputPlace { folder: checkout.here().to_owned(), shown: format!("{revision}:") };
        Ok(Revision { place, _checkout: checkout })
    }

    fn read(&self, paths: &[PathBuf], args: &PlanArgs) -> Input {
        Input { prefix: self.place.shown.clone(), ..existing(paths, args, &self.place) }
    }
}

/// What is in the paths that exist: one that does not is new, or was removed.
fn existing(paths: &[PathBuf], args: &PlanArgs, place: &InputPlace) -> Input {
    let paths: Vec<PathBuf> = paths.iter().filter(|path| place.folder.join(path).exists()).cloned().collect();
    input::read_at(&paths, &args.sources, place)
}

/// What the names of the files in a path begin with.
fn prefix(path: &Path) -> String {
    let name = input::name(path);
    let name = name.trim_end_matches('/');
    match (path.is_dir(), name) {
        (true, "" | ".") => String::new(),
        (true, name) => format!("{name}/"),
        (false, name) => name.to_owned(),
    }
}
