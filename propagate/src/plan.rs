//! `propagate plan`: the effects of a change of manifests.

mod answer;
mod github;
mod json;
mod markdown;
mod not_read;
mod rendered;
mod roots;
mod text;
mod words;

use std::path::{Path, PathBuf};

use metadata_propagation::{Effect, Settings};

use self::answer::PlanAnswer;
use self::not_read::Matters;
use crate::args::{PlanArgs, PlanFailOn, PlanFormat};
use crate::file::{self, hash_of};
use crate::git::{Checkout, Range, Submodule, WorkTree};
use crate::input::{self, Input, InputPlace, UnreadSource};
use crate::kustomizations::unrendered;
use crate::sources::InputSources;
use crate::walk::{Tracked, inside};
use crate::{Exit, Failure, live, output, progress, settings};

/// # Errors
/// When the settings cannot be used, an object is defined twice in different ways, or nothing can be
/// printed.
pub(crate) fn run(args: &PlanArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let [old, new] = inputs(args, &settings)?;
    let named: Vec<String> = args.root.iter().map(|root| root.display().to_string()).collect();
    let pairs = roots::pairs([&old, &new], &named, &settings)?;
    let mut answer = PlanAnswer::of(pairs, [&old, &new], &settings);
    if args.in_place_updates {
        answer.roots.iter_mut().for_each(|root| root.plan.allow_in_place_updates());
    }
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
    let Some(revisions_of) = &args.git else {
        if let Some(inputs) = live::plan(&args.live, &args.sources, &paths, settings)? {
            return Ok(inputs);
        }
        let [old, new] = &*paths else {
            return Err(Failure("expected OLD and NEW, --git, or a cluster and NEW".to_owned()));
        };
        let of_side = |path: &PathBuf| {
            let input = read(std::slice::from_ref(path), &args.sources, &InputPlace::default());
            Input { prefix: prefix(path), ..input }
        };
        return Ok(rayon::join(|| of_side(old), || of_side(new)).into());
    };
    revisions(revisions_of, &paths, &args.sources)
}

/// The manifests in two revisions of a repository, or in one and in the working tree.
pub(crate) fn revisions(written: &str, paths: &[PathBuf], sources: &InputSources) -> Result<[Input; 2], Failure> {
    if let Some(path) = paths.iter().find(|path| path.is_absolute()) {
        return Err(Failure(format!(
            "expected paths relative to the current folder with --git, not `{}`",
            path.display()
        )));
    }
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here[..] } else { paths };
    let range = Range::of(written);
    let old = Revision::of(&range.old()?, sources.kustomize)?;
    let new = range.new.map(|new| Revision::of(new, sources.kustomize)).transpose()?;
    let folders = [Some(old.place.folder.as_path()), new.as_ref().map(|new| new.place.folder.as_path())];
    for path in paths {
        if !folders.iter().any(|folder| folder.unwrap_or(Path::new("")).join(path).exists()) {
            return Err(Failure(format!("`{}` is in neither revision", path.display())));
        }
    }
    let tree = if new.is_none() { Some(WorkTree::here()?) } else { None };
    let of_new = || match (&new, &tree) {
        (Some(new), _) => new.read(paths, sources),
        (None, tree) => of_tree(paths, sources, tree.as_ref()),
    };
    Ok(rayon::join(|| old.read(paths, sources), of_new).into())
}

/// What is in the working tree.
fn of_tree(paths: &[PathBuf], sources: &InputSources, tree: Option<&WorkTree>) -> Input {
    let submodules = tree.map_or(&[][..], |tree| &tree.submodules);
    let files = tree.map(|tree| tree.ignored.clone()).unwrap_or_default();
    let tracked = Tracked { is_all: false, files, submodules: submodules.iter().map(|it| it.path.clone()).collect() };
    let place = InputPlace { tracked, ..InputPlace::default() };
    with_submodules(existing(paths, sources, &place), submodules, paths, "")
}

/// The submodules in the paths as files that are not read.
fn with_submodules(mut input: Input, submodules: &[Submodule], paths: &[PathBuf], shown: &str) -> Input {
    let is_meant = |submodule: &&Submodule| paths.iter().any(|path| inside(path, &submodule.path).is_some());
    input.origins.extend(submodules.iter().filter(is_meant).map(|Submodule { path, commit }| UnreadSource {
        name: format!("{shown}{}", file::name(path)),
        hash: hash_of(commit.as_bytes()),
        what: "a submodule; compare the two commits in its own repository",
    }));
    input
}

/// A revision that is written to a temporary folder.
struct Revision {
    place: InputPlace,
    checkout: Checkout,
}

impl Revision {
    /// # Errors
    /// When git cannot be run, or does not know the revision.
    fn of(revision: &str, is_whole: bool) -> Result<Revision, Failure> {
        let checkout = Checkout::of(revision, is_whole)?;
        let tracked = Tracked { is_all: true, ..Tracked::default() };
        let place = InputPlace { folder: checkout.here().to_owned(), shown: format!("{revision}:"), tracked };
        Ok(Revision { place, checkout })
    }

    fn read(&self, paths: &[PathBuf], sources: &InputSources) -> Input {
        let input = Input { prefix: self.place.shown.clone(), ..existing(paths, sources, &self.place) };
        with_submodules(input, self.checkout.submodules(), paths, &self.place.shown)
    }
}

/// What is in the paths that exist: one that does not is new, or was removed.
fn existing(paths: &[PathBuf], sources: &InputSources, place: &InputPlace) -> Input {
    let paths: Vec<PathBuf> = paths.iter().filter(|path| place.folder.join(path).exists()).cloned().collect();
    read(&paths, sources, place)
}

/// What is in the paths, with the kustomizations that are not rendered.
fn read(paths: &[PathBuf], sources: &InputSources, place: &InputPlace) -> Input {
    let input = input::read_at(paths, sources, place);
    let unrendered =
        if sources.kustomize { Vec::new() } else { unrendered(input.fleet.sources(), &place.folder, &place.shown) };
    Input { unrendered, ..input }
}

/// What the names of the files in a path begin with.
fn prefix(path: &Path) -> String {
    let name = file::name(path);
    let name = name.trim_end_matches('/');
    match (path.is_dir(), name) {
        (true, "" | ".") => String::new(),
        (true, name) => format!("{name}/"),
        (false, name) => name.to_owned(),
    }
}
