//! Entry points as Kustomize renders them, of one side or of both sides of a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use rayon::prelude::*;

use crate::Failure;
use crate::applied::{Chosen, Kustomizations, shown};
use crate::file::hash_of;
use crate::sources::KustomizeOptions;

/// What was rendered of one side, by folder.
#[derive(Debug, Default)]
pub(crate) struct Rendering {
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) failures: Vec<FailedRendering>,
}

impl Rendering {
    /// Adds what commands print in a folder. What fails is never the same on both sides: nothing says why it does.
    pub(crate) fn extend(&mut self, commands: &[RenderCommand], folder: &Path) {
        for command in commands {
            match command.output(folder) {
                Ok(text) => *self.texts.entry(command.root.clone()).or_default() += &format!("---\n{text}\n"),
                Err(reason) => {
                    let hash = hash_of(folder.as_os_str().as_encoded_bytes());
                    self.failures.push(FailedRendering { folder: command.root.clone(), reason, hash });
                }
            }
        }
    }
}

/// A kustomization that cannot be rendered.
#[derive(Debug)]
pub(crate) struct FailedRendering {
    pub(crate) folder: String,
    pub(crate) reason: String,
    /// A hash of what fails, which is the same on both sides if the change has nothing to do with it.
    pub(crate) hash: u64,
}

/// One side: its kustomizations, and what is rendered of them.
pub(crate) struct SideToRender<'s> {
    pub(crate) kustomizations: &'s Kustomizations,
    pub(crate) chosen: &'s mut Chosen,
}

type Outcomes = BTreeMap<String, Result<String, String>>;

/// A kustomization on each side, if it is there.
type OnEachSide = Vec<Option<Result<String, NotRendered>>>;

/// The entry points of each side. What does not differ is rendered once, if something else changes that may need it; `is_changed`
/// is whether a file does. Of two sides, what one that fails includes is rendered on its own.
pub(crate) fn render(
    sides: &mut [SideToRender<'_>],
    options: &KustomizeOptions,
    is_changed: bool,
) -> Result<Vec<Rendering>, Failure> {
    let is_split = sides.len() > 1;
    let is_needed = needed(sides, is_changed);
    let mut outcomes: Vec<Outcomes> = sides.iter().map(|_| Outcomes::new()).collect();
    let entries =
        |side: &SideToRender<'_>| side.chosen.entries.keys().filter(|it| is_needed.contains(*it)).cloned().collect();
    let mut units: Vec<BTreeSet<String>> = sides.iter().map(entries).collect();
    let mut next: BTreeSet<String> = units.iter().flatten().cloned().collect();
    while !next.is_empty() {
        let done: Vec<OnEachSide> = next.par_iter().map(|folder| outcomes_of(folder, sides, &units, options)).collect();
        for (folder, done) in next.iter().zip(done) {
            for (outcomes, done) in outcomes.iter_mut().zip(done) {
                match done {
                    Some(Err(NotRendered::NoProgram)) => return Err(Failure(NO_PROGRAM.to_owned())),
                    Some(Err(NotRendered::Fails(reason))) => drop(outcomes.insert(folder.clone(), Err(reason))),
                    Some(Ok(text)) => drop(outcomes.insert(folder.clone(), Ok(text))),
                    None => {}
                }
            }
        }
        let failed: Vec<String> = next
            .into_iter()
            .filter(|folder| is_split && outcomes.iter().any(|outcomes| matches!(outcomes.get(folder), Some(Err(_)))))
            .collect();
        next = BTreeSet::new();
        for ((side, units), outcomes) in sides.iter_mut().zip(&mut units).zip(&outcomes) {
            next.extend(split(side, units, outcomes, &failed));
        }
    }
    Ok(sides
        .iter()
        .zip(outcomes)
        .zip(units)
        .map(|((side, outcomes), units)| side.rendering(outcomes, &units))
        .collect())
}

/// The entry points that differ, and if one of them or a file may have something to do with Machines, those others that may.
fn needed(sides: &[SideToRender<'_>], is_changed: bool) -> BTreeSet<String> {
    let all: BTreeSet<&String> = sides.iter().flat_map(|side| side.chosen.entries.keys()).collect();
    let [old, new] = sides else { return all.into_iter().cloned().collect() };
    let parts = |side: &SideToRender<'_>, folder: &String| {
        side.chosen
            .entries
            .contains_key(folder)
            .then(|| hash_of(format!("{:?}", side.kustomizations.parts(folder)).as_bytes()))
    };
    let is_relevant = |folder: &String| sides.iter().any(|side| side.kustomizations.is_relevant(folder));
    let (same, differing): (Vec<&String>, Vec<&String>) =
        all.into_iter().partition(|folder| parts(old, folder) == parts(new, folder));
    let is_context = is_changed || differing.iter().any(|folder| is_relevant(folder));
    let context = same.into_iter().filter(|folder| is_context && is_relevant(folder));
    differing.iter().copied().chain(context).cloned().collect()
}

/// Why a kustomization is not rendered.
enum NotRendered {
    NoProgram,
    Fails(String),
}

const NO_PROGRAM: &str = "`--kustomize` needs `kustomize` or `kubectl` on the PATH";

/// A kustomization on each side that has it.
fn outcomes_of(
    folder: &str,
    sides: &[SideToRender<'_>],
    units: &[BTreeSet<String>],
    options: &KustomizeOptions,
) -> OnEachSide {
    let mut done = OnEachSide::new();
    let first = sides.first().map(|side| side.kustomizations.parts(folder));
    for (number, side) in sides.iter().enumerate() {
        let is_there = units.get(number).is_some_and(|units| units.contains(folder));
        let is_same = || number > 0 && first.as_ref() == Some(&side.kustomizations.parts(folder));
        let known = done.first().and_then(Option::as_ref).filter(|known| known.is_ok() && is_same());
        let known = known.and_then(|known| known.as_ref().ok().cloned()).map(Ok);
        done.push(is_there.then(|| known.unwrap_or_else(|| side.kustomize(folder, options))));
    }
    done
}

/// Replaces kustomizations that cannot be rendered by what they include and what nothing else renders. Returns that.
fn split(
    side: &mut SideToRender<'_>,
    units: &mut BTreeSet<String>,
    outcomes: &Outcomes,
    failed: &[String],
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in failed {
        let Some(kustomization) = side.kustomizations.by_folder.get(folder).filter(|it| !it.folders.is_empty()) else {
            continue;
        };
        let rendered = units.iter().filter(|unit| !failed.contains(unit) && outcomes.contains_key(*unit));
        let rendered = side.kustomizations.reached(rendered.map(String::as_str));
        if !units.remove(folder) {
            continue;
        }
        for inner in kustomization.folders.iter().filter(|inner| !rendered.contains(*inner)) {
            side.chosen.applied.inherit(folder, inner);
            if units.insert(inner.clone()) {
                found.insert(inner.clone());
            }
        }
    }
    found
}

impl SideToRender<'_> {
    fn kustomize(&self, folder: &str, options: &KustomizeOptions) -> Result<String, NotRendered> {
        let is_of_flux = self.chosen.applied.is_of_flux();
        kustomize(&self.kustomizations.path(folder), &options.arguments(is_of_flux))
    }

    fn rendering(&self, outcomes: Outcomes, units: &BTreeSet<String>) -> Rendering {
        let mut found = Rendering::default();
        let failing: BTreeSet<&String> =
            outcomes.iter().filter(|(_, outcome)| outcome.is_err()).map(|(folder, _)| folder).collect();
        // What fails because of another one that fails is named with that.
        let is_cause =
            |folder: &String, of: &String| folder != of && self.kustomizations.reached([of.as_str()]).contains(folder);
        let causes: BTreeSet<&String> =
            failing.iter().filter(|of| !failing.iter().any(|folder| is_cause(folder, of))).copied().collect();
        for folder in &causes {
            let Some(Err(reason)) = outcomes.get(*folder) else { continue };
            let hidden: Vec<String> =
                failing.iter().filter(|of| is_cause(folder, of)).map(|folder| shown(folder)).collect();
            let hidden = match &*hidden {
                [] => String::new(),
                hidden => format!("; therefore {} cannot be rendered", hidden.join(", ")),
            };
            let is_split = !units.contains(*folder);
            let kustomization = self.kustomizations.by_folder.get(*folder).filter(|_| is_split);
            let parts = kustomization.map(|it| it.own.iter().map(|(name, hash)| (&**name, *hash)).collect());
            let parts: BTreeMap<&str, u64> = parts.unwrap_or_else(|| self.kustomizations.parts(folder));
            let hash = hash_of(format!("{parts:?}").as_bytes());
            let (folder, reason) = ((*folder).clone(), format!("{reason}{hidden}"));
            found.failures.push(FailedRendering { folder, reason, hash });
        }
        let texts = outcomes.into_iter().filter(|(folder, _)| units.contains(folder));
        found.texts = texts.filter_map(|(folder, outcome)| Some((folder, outcome.ok()?))).collect();
        found
    }
}

/// A command that prints manifests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RenderCommand {
    /// The name of the root that it prints.
    pub(crate) root: String,
    command: String,
}

impl RenderCommand {
    /// Reads `NAME=COMMAND` or `COMMAND`.
    pub(crate) fn of(written: &str) -> RenderCommand {
        let is_name = |name: &&str| {
            !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./".contains(letter))
        };
        let (root, command) = match written.split_once('=').filter(|(name, _)| is_name(name)) {
            Some((name, command)) => (name, command),
            None => ("rendered", written),
        };
        RenderCommand { root: root.to_owned(), command: command.to_owned() }
    }

    /// What it prints in a folder. Nothing is a failure: it would delete everything.
    pub(crate) fn output(&self, folder: &Path) -> Result<String, String> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let shell = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
        let [program, flag] = shell;
        let output = Command::new(program).args([flag, &self.command]).current_dir(folder).output();
        let output = output.map_err(|error| format!("{program}: {error}"))?;
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        match (output.status.success(), String::from_utf8(output.stdout)) {
            (true, Ok(text)) if !text.trim().is_empty() => Ok(text),
            (true, Ok(_)) => Err(format!("`{}` prints nothing", self.command)),
            (true, Err(error)) => Err(error.to_string()),
            (false, _) => Err(format!("`{}` fails: {message}", self.command)),
        }
    }
}

/// The output of Kustomize for a directory, with whichever of its programs is installed.
fn kustomize(folder: &Path, options: &[String]) -> Result<String, NotRendered> {
    for (program, verb) in [("kustomize", "build"), ("kubectl", "kustomize")] {
        match Command::new(program).arg(verb).args(options).arg(folder).output() {
            Ok(output) if output.status.success() => {
                return String::from_utf8(output.stdout).map_err(|error| NotRendered::Fails(error.to_string()));
            }
            Ok(output) => {
                let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                // kubectl writes it as an entry of a log.
                let message = message
                    .split_once(" err=")
                    .map_or(&*message, |(_, error)| error.trim_matches(['"', '<', '>', ' ', '\n', '\t']));
                // Kustomize says what is deprecated before it says what fails.
                let lines = message.lines().filter(|line| !line.starts_with("# Warning:"));
                let message: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
                return Err(NotRendered::Fails(format!("{program} {verb}: {}", message.join(" "))));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(NotRendered::Fails(format!("{program}: {error}"))),
        }
    }
    Err(NotRendered::NoProgram)
}
