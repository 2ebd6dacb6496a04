//! `propagate plan`: the effects of a change of manifests.

mod answer;
mod doubles;
mod fate;
mod fates;
mod github;
mod json;
mod markdown;
mod not_read;
mod other_groups;
mod protections;
mod recreated;
mod renamed;
mod rendered;
mod roots;
mod tags;
mod text;
mod words;

use std::path::{Path, PathBuf};

use fleet::TaggedObject;
use metadata_propagation::{Effect, Settings};

use self::answer::PlanAnswer;
use self::not_read::Matters;
use crate::args::{PlanArgs, PlanFailOn, PlanFormat};
use crate::config::BaseConfig;
use crate::file::{self, hash_of};
use crate::git::{Checkout, Range, Submodule, WorkTree};
use crate::input::{self, Input, InputPlace, UnreadSource};
use crate::kustomizations::unrendered;
use crate::rendering::RenderCommand;
use crate::sources::InputSources;
use crate::walk::{Tracked, inside};
use crate::{Exit, Failure, config, git, live, output, progress, settings};

pub(crate) fn run(args: &PlanArgs) -> Result<Exit, Failure> {
    let mut settings = settings::read(args.sources.settings.as_deref())?;
    settings.cluster_api.taints |= args.taints;
    let former = former_settings(args)?.unwrap_or_else(|| settings.clone());
    let base = base_config(args)?;
    let commands = if args.render.is_empty() { &base.render } else { &args.render };
    let commands: Vec<RenderCommand> = commands.iter().map(|command| RenderCommand::of(command)).collect();
    let [old, new] = doubles::chosen(inputs(args, &commands, &settings)?);
    let named: Vec<String> = args.root.iter().map(|root| root.display().to_string()).collect();
    let pairs = roots::pairs([&old, &new], &named, &settings)?;
    let mut answer = PlanAnswer::of(pairs, [&old, &new], [&former, &settings], &base.harmless_groups);
    if args.in_place_updates {
        answer.roots.iter_mut().for_each(|root| root.plan.allow_in_place_updates());
    }
    let printed = match args.output {
        PlanFormat::Text => text::text(&answer, args.verbose),
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
    let has_nothing = |input: &&Input| input.fleet.objects().next().is_none() && input.entries.is_empty();
    let is_nothing = [&old, &new].iter().all(has_nothing);
    let is_found = match args.fail_on {
        Some(fail_on) => is_reached(fail_on, &answer),
        None => !answer.is_empty(),
    };
    Ok(Exit::first([(is_unreadable, Exit::Unreadable), (is_found, Exit::Found), (is_nothing, Exit::Nothing)]))
}

/// Whether an effect is as severe as the flag says. An owner that is scaled down deletes Machines.
fn is_reached(fail_on: PlanFailOn, answer: &PlanAnswer) -> bool {
    let verdict = &answer.verdict;
    let mut tags = answer.roots.iter().flat_map(|root| &root.plan.tags);
    if fail_on == PlanFailOn::Tags && (verdict.unknown_tags > 0 || tags.any(TaggedObject::is_lost_or_changed)) {
        return true;
    }
    let deletes = verdict.deletes > 0 || verdict.uncounted.deletes > 0;
    let gravest = verdict.gravest.max(deletes.then_some(Effect::Destructive));
    gravest.is_some_and(|gravest| gravest >= fail_on.effect())
}

/// What the base says of the change: a change must not silence itself.
fn base_config(args: &PlanArgs) -> Result<BaseConfig, Failure> {
    if let Some(base) = &args.base {
        return Ok(base.clone());
    }
    let text = match (&args.git, &*args.sources.named(&args.paths)) {
        (Some(written), _) => git::file(&Range::of(written).old()?, config::FILE)?,
        (None, [old, _]) => std::fs::read_to_string(old.join(config::FILE)).ok(),
        (None, _) => None,
    };
    BaseConfig::of(text.as_deref())
}

/// The settings before the change, if they may be others: with `--git`, those of the same file.
fn former_settings(args: &PlanArgs) -> Result<Option<Settings>, Failure> {
    if let Some(file) = &args.old_settings {
        return settings::read(Some(file)).map(Some);
    }
    let (Some(written), Some(path)) = (&args.git, &args.sources.settings) else { return Ok(None) };
    let name = path.display().to_string();
    if path.is_absolute() {
        return Ok(None);
    }
    let text = git::file(&Range::of(written).old()?, &name)?;
    text.map(|text| settings::of_text(&name, text)).transpose()
}

/// The manifests before and after.
fn inputs(args: &PlanArgs, commands: &[RenderCommand], settings: &Settings) -> Result<[Input; 2], Failure> {
    let paths = args.sources.named(&args.paths);
    let roots: Vec<String> = args.root.iter().map(|root| root.display().to_string()).collect();
    let Some(revisions_of) = &args.git else {
        if let Some(inputs) = live::plan(&args.live, &args.sources, &paths, settings)? {
            return Ok(inputs);
        }
        let [old, new] = &*paths else {
            return Err(Failure("expected OLD and NEW, --git, or a cluster and NEW".to_owned()));
        };
        for path in [old, new].into_iter().filter(|path| path.as_os_str() != "-") {
            let known = std::fs::metadata(path);
            known.map_err(|error| Failure(format!("cannot read `{}`: {error}", path.display())))?;
        }
        let place = |path: &Path| {
            let base = if path.is_dir() { path.to_owned() } else { PathBuf::new() };
            InputPlace { base, ..InputPlace::default() }
        };
        let places = [place(old), place(new)];
        // OLD and NEW are where commands run.
        let paths_of = |path| if commands.is_empty() { std::slice::from_ref(path) } else { &[][..] };
        let sides = [(paths_of(old), &places[0]), (paths_of(new), &places[1])];
        let [of_old, of_new] = read_both(sides, &args.sources, &roots, commands)?;
        return Ok([Input { prefix: prefix(old), ..of_old }, Input { prefix: prefix(new), ..of_new }]);
    };
    revisions(revisions_of, &paths, &args.sources, (&roots, commands))
}

/// The manifests in two revisions of a repository, or in one and in the working tree.
pub(crate) fn revisions(
    written: &str,
    paths: &[PathBuf],
    sources: &InputSources,
    (roots, commands): (&[String], &[RenderCommand]),
) -> Result<[Input; 2], Failure> {
    if let Some(path) = paths.iter().find(|path| path.is_absolute()) {
        return Err(Failure(format!(
            "expected paths relative to the current folder with --git, not `{}`",
            path.display()
        )));
    }
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() && commands.is_empty() { &here[..] } else { paths };
    let range = Range::of(written);
    let is_whole = sources.kustomize || !commands.is_empty();
    // Commands run in the folder of the call, and may read anything.
    let unpacked = if commands.is_empty() { paths } else { &[][..] };
    let old = Revision::of(&range.old()?, unpacked, is_whole)?;
    let new = range.new.map(|new| Revision::of(new, unpacked, is_whole)).transpose()?;
    let folders = [Some(old.place.folder.as_path()), new.as_ref().map(|new| new.place.folder.as_path())];
    for path in paths {
        if !folders.iter().any(|folder| folder.unwrap_or(Path::new("")).join(path).exists()) {
            return Err(Failure(format!("`{}` is in neither revision", path.display())));
        }
    }
    let tree = if new.is_none() { Some(WorkTree::here()?) } else { None };
    let (place, submodules) = match (&new, &tree) {
        (Some(new), _) => (new.place.clone(), new.checkout.submodules()),
        (None, tree) => (of_tree(tree.as_ref()), tree.as_ref().map_or(&[][..], |tree| &tree.submodules)),
    };
    let [of_old, of_new] = [&old.place, &place].map(|place| existing(paths, place));
    let [before, after] = read_both([(&of_old, &old.place), (&of_new, &place)], sources, roots, commands)?;
    let before = Input { prefix: old.place.shown.clone(), ..before };
    let after = Input { prefix: place.shown.clone(), ..after };
    let before = with_submodules(before, old.checkout.submodules(), paths, &old.place.shown);
    Ok([before, with_submodules(after, submodules, paths, &place.shown)])
}

/// Where the working tree is read.
fn of_tree(tree: Option<&WorkTree>) -> InputPlace {
    let Some(tree) = tree else { return InputPlace::default() };
    let submodules = tree.submodules.iter().map(|it| it.path.clone()).collect();
    let tracked = Tracked { is_all: false, files: tree.ignored.clone(), submodules };
    InputPlace { tracked, above: tree.above.clone(), ..InputPlace::default() }
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
    fn of(revision: &str, paths: &[PathBuf], is_whole: bool) -> Result<Revision, Failure> {
        let checkout = Checkout::of(revision, paths, is_whole)?;
        let tracked = Tracked { is_all: true, ..Tracked::default() };
        let folder = checkout.here().to_owned();
        let (base, above) = (folder.clone(), checkout.above().to_owned());
        let place = InputPlace { folder, shown: format!("{revision}:"), tracked, base, above };
        Ok(Revision { place, checkout })
    }
}

/// The paths that exist: one that does not is new, or was removed.
fn existing(paths: &[PathBuf], place: &InputPlace) -> Vec<PathBuf> {
    paths.iter().filter(|path| place.folder.join(path).exists()).cloned().collect()
}

/// What is in the paths of both sides, with the kustomizations that are not rendered.
fn read_both(
    sides: [(&[PathBuf], &InputPlace); 2],
    sources: &InputSources,
    roots: &[String],
    commands: &[RenderCommand],
) -> Result<[Input; 2], Failure> {
    let [old, new] = input::read_both(sides, sources, roots, commands)?;
    if sources.kustomize {
        return Ok([old, new]);
    }
    let of = |input: Input, (_, place): (&[PathBuf], &InputPlace)| {
        let unrendered = unrendered(input.fleet.sources(), &place.folder, &place.shown);
        Input { unrendered, ..input }
    };
    let [of_old, of_new] = sides;
    Ok(rayon::join(|| of(old, of_old), || of(new, of_new)).into())
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
