//! The plans of all roots, and what they do not include.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, Happens, Locator, Plan, Planned, Problem, Severity, Verdict};
use metadata_propagation::{Effect, Settings};
use rayon::prelude::*;

use super::not_read::{Matters, NotRead};
use super::rendered;
use super::roots::{RootPair, relative};
use crate::classes;
use crate::input::Input;
use crate::output::report::Where;
use crate::renderers::is_renderer;
use crate::roots::is_in;

/// The effects of a change in each root.
pub(super) struct PlanAnswer {
    pub(super) roots: Vec<RootAnswer>,
    /// What the names of files before and after begin with.
    pub(super) prefixes: [String; 2],
    /// The effects of the change in all of them.
    pub(super) verdict: Verdict,
}

/// The effects of a change in one root.
pub(super) struct RootAnswer {
    pub(super) pair: RootPair,
    pub(super) plan: Plan,
    pub(super) not_read: Vec<NotRead>,
}

impl PlanAnswer {
    pub(super) fn of(pairs: Vec<RootPair>, inputs: [&Input; 2], settings: &Settings) -> PlanAnswer {
        let of_pair = |pair: &RootPair| pair.former.iter().cloned().chain([pair.root.clone()]).collect::<Vec<_>>();
        let roots: Vec<String> = pairs.iter().filter(|pair| !pair.is_rest).flat_map(of_pair).collect();
        let answers = pairs.into_par_iter().map(|pair| RootAnswer::of(pair, &roots, inputs, settings));
        let roots: Vec<RootAnswer> = answers.filter(|root| !root.is_void()).collect();
        let verdict = roots.iter().fold(Verdict::default(), |sum, root| sum.and(&root.plan.verdict));
        let prefixes = inputs.map(|input| input.prefix.clone());
        let mut answer = PlanAnswer { roots, prefixes, verdict };
        if answer.is_incomplete() {
            answer.verdict.gravest = answer.verdict.gravest.max(Some(Effect::CannotTell));
        }
        answer
    }

    /// Whether nothing changes in what was read, and nothing that was not read may change something.
    pub(super) fn is_empty(&self) -> bool {
        self.has_no_change() && !self.is_incomplete()
    }

    /// Whether nothing changes in what was compared.
    pub(super) fn has_no_change(&self) -> bool {
        self.roots.iter().all(|root| root.plan.is_empty())
    }

    /// Whether something that is not compared may have effects.
    pub(super) fn is_incomplete(&self) -> bool {
        self.roots.iter().any(|root| root.matters() > Matters::No)
    }
}

impl RootAnswer {
    fn of(pair: RootPair, roots: &[String], inputs: [&Input; 2], settings: &Settings) -> RootAnswer {
        let inner: Vec<&String> = roots.iter().filter(|root| **root != pair.root && is_in(root, &pair.root)).collect();
        let is_in_inner = |name: &str| inner.iter().any(|root| is_in(name, root));
        let is_of = |name: &str| match pair.is_rest {
            true => !roots.iter().any(|root| is_in(name, root)),
            false => pair.has(name) && !is_in_inner(name) || is_in(&pair.root, name),
        };
        let sides = [(&pair.old, inputs[0]), (&pair.new, inputs[1])];
        let mut not_read = Vec::new();
        let mut unread = [BTreeSet::new(), BTreeSet::new()];
        let same = same_files(sides, &pair);
        for ((fleet, input), (unread, is_after)) in sides.iter().zip(unread.iter_mut().zip([false, true])) {
            for (file, reason) in input.unreadable.iter().filter(|(file, _)| is_of(relative(file, &input.prefix))) {
                unread.insert(relative(file, &input.prefix).to_owned());
                let place = Where { file: file.clone(), ..Where::default() };
                not_read.push(NotRead { place, reason: reason.clone(), matters: Matters::Unreadable });
            }
            let mut locator = Locator::new(fleet.sources());
            for problem in fleet.problems().iter().filter(|problem| problem.severity == Severity::Error) {
                let file = name(fleet, input, problem.source);
                let is_same = same.contains(pair.inside(file));
                let matters = if is_same { Matters::No } else { Matters::Unreadable };
                if is_after || !is_same {
                    let place = place(fleet, problem, &mut locator);
                    not_read.push(NotRead { place, reason: problem.message.clone(), matters });
                }
                if !is_same {
                    unread.insert(file.to_owned());
                }
            }
        }
        not_read.extend(skipped(sides, &pair));
        not_read.extend(rendered::origins(inputs, is_of));
        let kustomizations = rendered::kustomizations(inputs, is_of, &not_read);
        not_read.extend(kustomizations);
        not_read.extend(duplicates(sides));
        let [no_old, no_new] = &unread;
        // An object is neither created nor deleted because its file cannot be read, or one that refers to it from this root.
        let known = |(fleet, input): (&Fleet, &Input), other: &Fleet, unread: &BTreeSet<String>| {
            let is_unread = |source| {
                let file = name(fleet, input, source);
                !unread.is_empty() && !is_of(file) || unread.iter().any(|unread| is_in(file, unread))
            };
            fleet.part(|object| other.find(&object.id).is_some() || !is_unread(object.origin.source), |_| true)
        };
        let [old, new] = sides;
        let is_all_read = unread.iter().all(BTreeSet::is_empty);
        let read = (!is_all_read).then(|| (known(old, &pair.new, no_new), known(new, &pair.old, no_old)));
        let RootPair { root, former, is_rest, old, new } = pair;
        let (old, new) = read.unwrap_or((old, new));
        let plan = Plan::of(&old, &new, settings);
        not_read.extend(rendered::objects(&plan, [&old, &new]));
        if !plan.is_empty() {
            for (fleet, is_after) in [(&old, false), (&new, true)] {
                let mut locator = Locator::new(fleet.sources());
                not_read.extend(classes::missing(fleet).iter().filter_map(|class| {
                    let at = locator.locate(&class.cluster.origin, "", &[]);
                    let place = Where::of(fleet, at.source, at.span, at.position);
                    // What a class makes, such as the control plane, is not counted.
                    let mut planned = plan.objects.iter().filter(|planned| class.is_named_by(&planned.id));
                    let is_meant = |planned: &Planned| is_after || planned.happens == Happens::Deleted;
                    let is_edited = planned.any(is_meant);
                    let matters = if is_edited { Matters::CannotTell } else { Matters::No };
                    let is_named = is_after || is_edited;
                    is_named.then(|| NotRead { place, reason: class.sentence("compared with it"), matters })
                }));
            }
        }
        RootAnswer { pair: RootPair { root, former, is_rest, old, new }, plan, not_read }
    }

    /// Whether it has no objects and says nothing.
    fn is_void(&self) -> bool {
        let RootAnswer { pair, plan, not_read } = self;
        let has_objects = [&pair.old, &pair.new].iter().any(|fleet| fleet.objects().next().is_some());
        pair.is_rest && plan.is_empty() && not_read.is_empty() && !has_objects
    }

    /// The most that something means that is not compared.
    pub(super) fn matters(&self) -> Matters {
        self.not_read.iter().map(|not_read| not_read.matters).max().unwrap_or(Matters::No)
    }
}

fn name<'n>(fleet: &'n Fleet, input: &Input, source: usize) -> &'n str {
    relative(fleet.sources().get(source).map_or("", |source| &source.name), &input.prefix)
}

fn place(fleet: &Fleet, problem: &Problem, locator: &mut Locator<'_>) -> Where {
    let (source, at) = (problem.source, problem.at);
    Where::of(fleet, source, at..at, locator.position(source, at))
}

/// The files with a document that cannot be read, and the same text on both sides: no edit is in them.
fn same_files(sides: [(&Fleet, &Input); 2], pair: &RootPair) -> BTreeSet<String> {
    let [old, new] = sides.map(|(fleet, input)| {
        let of_errors = fleet.problems().iter().filter(|problem| problem.severity == Severity::Error);
        let file = |problem: &Problem| {
            let text = &fleet.sources().get(problem.source)?.text;
            Some((pair.inside(name(fleet, input, problem.source)).to_owned(), text))
        };
        of_errors.filter_map(file).collect::<BTreeMap<_, _>>()
    });
    new.into_iter().filter(|(file, text)| old.get(file) == Some(text)).map(|(file, _)| file).collect()
}

/// The documents that are skipped and differ: they are not in the same file of the other side.
fn skipped(sides: [(&Fleet, &Input); 2], pair: &RootPair) -> Vec<NotRead> {
    let is_live = sides.iter().any(|(_, input)| input.asked.is_some());
    let documents = |(fleet, input): (&'_ Fleet, &Input)| {
        let mut found = BTreeMap::new();
        for (number, problem) in fleet.problems().iter().enumerate().filter(|(_, it)| it.severity == Severity::Note) {
            let Some(source) = fleet.sources().get(problem.source) else { continue };
            let is_around = |range: &std::ops::Range<usize>| range.contains(&problem.at);
            let document = source.documents().into_iter().find(is_around).filter(|_| problem.at > 0);
            let text = document.and_then(|range| source.text.get(range)).unwrap_or(&source.text);
            let file = pair.inside(name(fleet, input, problem.source)).to_owned();
            found.insert((file, text.trim().to_owned()), number);
        }
        found
    };
    let [old, new] = sides.map(documents);
    let of_new = new.iter().filter(|(key, _)| !old.contains_key(*key));
    let files: BTreeSet<&String> = of_new.clone().map(|((file, _), _)| file).collect();
    // A document that differs is named where it is now.
    let of_old = old.iter().filter(|(key, _)| !new.contains_key(*key) && !files.contains(&key.0));
    let [(before, _), (after, _)] = sides;
    let mut described = Vec::new();
    for (fleet, numbers) in [
        (after, of_new.map(|(_, number)| *number).collect::<Vec<_>>()),
        (before, of_old.map(|(_, number)| *number).collect()),
    ] {
        let mut locator = Locator::new(fleet.sources());
        let parameters = rendered::Parameters::of(fleet);
        for problem in numbers.into_iter().filter_map(|number| fleet.problems().get(number)) {
            let file = fleet.sources().get(problem.source).map_or("", |source| &source.name);
            let is_parameters = !problem.is_rendered && parameters.has(file);
            let matters = if problem.is_rendered || is_parameters { Matters::CannotTell } else { Matters::No };
            // A cluster has no files to compare with.
            let changes = if is_live { "" } else { "it changes, and is " };
            let reason = if is_parameters { rendered::PARAMETERS } else { &problem.message };
            let place = place(fleet, problem, &mut locator);
            described.push(NotRead { place, reason: format!("{changes}{reason}"), matters });
        }
    }
    // One line for all documents of a file.
    described.dedup_by(|later, first| (&later.place.file, &later.reason) == (&first.place.file, &first.reason));
    described
}

/// The objects that are skipped because another one in another file has their name, and differ. What is rendered from one
/// of them is not known.
fn duplicates(sides: [(&Fleet, &Input); 2]) -> Vec<NotRead> {
    let doubles = |(fleet, input): (&Fleet, &Input)| {
        let mut locator = Locator::new(fleet.sources());
        let mut found = BTreeMap::new();
        for (first, later) in fleet.doubles().filter(|(first, later)| first.json != later.json) {
            let at = locator.locate(&later.origin, "", &[]);
            let place = Where::of(fleet, at.source, at.span, at.position);
            let before = name(fleet, input, first.origin.source);
            let reason = format!("{} is already defined in {before}; this one is not compared", later.id);
            let key = (name(fleet, input, later.origin.source).to_owned(), later.id.clone(), later.json.to_string());
            let matters = if is_renderer(&later.id) { Matters::CannotTell } else { Matters::No };
            found.insert(key, NotRead { place, reason, matters });
        }
        found
    };
    let [old, new] = sides.map(doubles);
    let of_new = new.iter().filter(|(key, _)| !old.contains_key(*key));
    let of_old = old.iter().filter(|(key, _)| !new.keys().any(|(file, id, _)| (file, id) == (&key.0, &key.1)));
    of_new.chain(of_old).map(|(_, not_read)| not_read.clone()).collect()
}
