//! The plans of all roots, and what they do not include.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, Happens, Locator, Plan, Planned, Problem, Severity, Verdict, count};
use metadata_propagation::{Effect, Settings};
use rayon::prelude::*;

use super::not_read::{About, Matters, NotRead};
use super::roots::{RootPair, relative};
use super::{doubles, fates, other_groups, recreated, renamed, rendered};
use crate::applied::{Entry, shown};
use crate::classes;
use crate::input::Input;
use crate::output::report::Where;
use crate::rendered_files::RenderedFiles;
use crate::roots::is_in;

/// The effects of a change in each root.
pub(super) struct PlanAnswer {
    pub(super) roots: Vec<RootAnswer>,
    /// What the names of files before and after begin with.
    pub(super) prefixes: [String; 2],
    /// The effects of the change in all of them.
    pub(super) verdict: Verdict,
    /// The entry points after the change, or else before it, and why each is one.
    pub(super) entries: BTreeMap<String, Entry>,
    /// The files before and after that rendered objects are written in.
    pub(super) files: [RenderedFiles; 2],
}

/// The effects of a change in one root.
pub(super) struct RootAnswer {
    pub(super) pair: RootPair,
    pub(super) plan: Plan,
    pub(super) not_read: Vec<NotRead>,
}

impl PlanAnswer {
    pub(super) fn of(
        pairs: Vec<RootPair>,
        inputs: [&Input; 2],
        settings: [&Settings; 2],
        harmless: &[String],
    ) -> PlanAnswer {
        let of_pair = |pair: &RootPair| pair.former.iter().cloned().chain([pair.root.clone()]).collect::<Vec<_>>();
        let roots: Vec<String> = pairs.iter().filter(|pair| !pair.is_rest).flat_map(of_pair).collect();
        let answers = pairs.into_par_iter().map(|pair| RootAnswer::of(pair, &roots, inputs, (settings, harmless)));
        let mut roots: Vec<RootAnswer> = answers.filter(|root| !root.is_void()).collect();
        // What hides several roots is said once, with the files that are in none.
        let mut said = BTreeSet::new();
        for root in roots.iter_mut().rev() {
            root.not_read
                .retain(|it| it.place.position.is_some() || said.insert((it.place.file.clone(), it.reason.clone())));
        }
        let verdict = roots.iter().fold(Verdict::default(), |sum, root| sum.and(&root.plan.verdict));
        let prefixes = inputs.map(|input| input.prefix.clone());
        let entries = inputs.iter().rev().map(|input| &input.entries).find(|entries| !entries.is_empty());
        let entries = entries.cloned().unwrap_or_default();
        let files = inputs.map(|input| input.rendered_files.clone());
        let mut answer = PlanAnswer { roots, prefixes, verdict, entries, files };
        let all = answer.roots.iter().flat_map(|root| &root.not_read);
        let effects = all.filter_map(|not_read| match not_read.matters {
            Matters::No => None,
            Matters::Waits => Some(Effect::Waits),
            Matters::CannotTell | Matters::Unreadable => Some(Effect::CannotTell),
        });
        answer.verdict.gravest = answer.verdict.gravest.max(effects.max());
        answer
    }

    /// Whether nothing changes in what was read, and nothing that was not read may change something.
    pub(super) fn is_empty(&self) -> bool {
        self.has_no_change() && self.matters() == Matters::No
    }

    /// Whether nothing changes in what was compared.
    pub(super) fn has_no_change(&self) -> bool {
        self.roots.iter().all(|root| root.plan.is_empty())
    }

    /// Whether something that is not compared may have effects.
    pub(super) fn is_incomplete(&self) -> bool {
        self.matters() >= Matters::CannotTell
    }

    /// The most that something means that is not compared.
    pub(super) fn matters(&self) -> Matters {
        self.roots.iter().map(RootAnswer::matters).max().unwrap_or(Matters::No)
    }
}

impl RootAnswer {
    fn of(
        pair: RootPair,
        roots: &[String],
        inputs: [&Input; 2],
        ([former, settings], harmless): ([&Settings; 2], &[String]),
    ) -> RootAnswer {
        let inner: Vec<&String> = roots.iter().filter(|root| **root != pair.root && is_in(root, &pair.root)).collect();
        let is_in_inner = |name: &str| inner.iter().any(|root| is_in(name, root));
        let is_of = |name: &str| match pair.is_rest {
            true => !roots.iter().any(|root| is_in(name, root)),
            false => pair.has(name) && !is_in_inner(name) || is_in(&pair.root, name),
        };
        let sides = [(&pair.old, inputs[0]), (&pair.new, inputs[1])];
        let (mut not_read, mut untouched) = (Vec::new(), Vec::new());
        let mut unread = [BTreeSet::new(), BTreeSet::new()];
        let same = same_files(sides, &pair);
        for ((fleet, input), (unread, is_after)) in sides.iter().zip(unread.iter_mut().zip([false, true])) {
            for (file, reason) in input.unreadable.iter().filter(|(file, _)| is_of(relative(file, &input.prefix))) {
                let matters = if is_untouched(file, inputs, is_after) { Matters::No } else { Matters::Unreadable };
                let said = NotRead::file(Where::file(file), reason.clone(), matters);
                if matters != Matters::No {
                    unread.insert(relative(file, &input.prefix).to_owned());
                    not_read.push(said);
                } else if is_after {
                    untouched.push(said);
                }
            }
            let mut locator = Locator::new(fleet.sources());
            for problem in fleet.problems().iter().filter(|problem| problem.severity == Severity::Error) {
                let file = name(fleet, input, problem.source);
                let is_same = same.contains(pair.inside(file));
                let said =
                    |matters, locator| NotRead::file(place(fleet, problem, locator), problem.message.clone(), matters);
                if !is_same {
                    not_read.push(said(Matters::Unreadable, &mut locator));
                    unread.insert(file.to_owned());
                } else if is_after {
                    untouched.push(said(Matters::No, &mut locator));
                }
            }
        }
        not_read.extend(in_one(untouched));
        not_read.extend(skipped(sides, &pair));
        not_read.extend(rendered::origins(inputs, is_of));
        let kustomizations = rendered::kustomizations(inputs, is_of, &not_read);
        not_read.extend(kustomizations);
        not_read.extend(doubles::skipped(sides));
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
        not_read.extend(applied(inputs, &pair, is_of));
        let (old, new) = read.unwrap_or_else(|| (pair.old.clone(), pair.new.clone()));
        let (settled, notes) = fates::settled(&old, &new, inputs);
        let new = settled.unwrap_or(new);
        not_read.extend(notes);
        let mut plan = Plan::with_settings([&old, &new], [former, settings]);
        not_read.extend(recreated::objects(&mut plan, [&old, &new], inputs, former));
        not_read.extend(recreated::namespaces(&plan, &old, inputs[0]));
        not_read.extend(rendered::objects(&plan, [&old, &new], inputs));
        not_read.extend(rendered::patched(&plan, [&old, &new], inputs));
        not_read.extend(renamed::templates(&plan, [&old, &new], inputs[0]));
        not_read.extend(other_groups::objects(&plan, [&old, &new], settings, harmless));
        if !plan.is_empty() {
            for (fleet, is_after) in [(&old, false), (&new, true)] {
                let mut locator = Locator::new(fleet.sources());
                not_read.extend(classes::missing(fleet).iter().filter_map(|class| {
                    let place = Where::of_object(fleet, class.cluster, &mut locator);
                    // What a class makes, such as the control plane, is not counted.
                    let mut planned = plan.objects.iter().filter(|planned| class.is_named_by(&planned.id));
                    let is_meant = |planned: &Planned| is_after || planned.happens == Happens::Deleted;
                    let is_edited = planned.any(is_meant);
                    let matters = if is_edited { Matters::CannotTell } else { Matters::No };
                    let is_named = is_after || is_edited;
                    is_named.then(|| NotRead::file(place, class.sentence("compared with it"), matters))
                }));
            }
        }
        for NotRead { place, .. } in &mut not_read {
            inputs.iter().for_each(|input| input.rendered_files.resolve(place, "", ""));
        }
        RootAnswer { pair: RootPair { old, new, ..pair }, plan, not_read }
    }

    /// Whether it has no objects and says nothing.
    fn is_void(&self) -> bool {
        let RootAnswer { pair, plan, not_read } = self;
        let has_objects = [&pair.old, &pair.new].iter().any(|fleet| fleet.objects().next().is_some());
        pair.is_rest && plan.is_empty() && not_read.is_empty() && !has_objects
    }

    /// What is said of what is applied, and what is not compared.
    pub(super) fn said(&self) -> [Vec<&NotRead>; 2] {
        let (applied, others) = self.not_read.iter().partition(|it| it.about == About::Applied);
        [applied, others]
    }

    /// Whether all files and documents are compared, and it is known what is applied.
    pub(super) fn is_compared(&self) -> bool {
        let is_known = |it: &NotRead| match it.about {
            About::Applied => it.matters <= Matters::Waits,
            About::Objects(_) => true,
            About::File => false,
        };
        self.not_read.iter().all(is_known)
    }

    /// The number of objects of groups that may make Machines.
    pub(super) fn others(&self) -> usize {
        let number = |about| if let About::Objects(number) = about { number } else { 0 };
        self.not_read.iter().map(|it| number(it.about)).sum()
    }

    /// The most that something means that is not compared.
    pub(super) fn matters(&self) -> Matters {
        self.not_read.iter().map(|not_read| not_read.matters).max().unwrap_or(Matters::No)
    }
}

/// What cannot be read and is the same before and after: one line.
fn in_one(untouched: Vec<NotRead>) -> Option<NotRead> {
    let number = untouched.len();
    let mut first = untouched.into_iter().next()?;
    // The reason of a document says that it cannot be read.
    let is_file = first.place.position.is_none();
    if number > 1 {
        let others = count(number - 1, "other document");
        first.reason = format!("cannot be read, like {others}, and is the same before and after: {}", first.reason);
    } else if is_file {
        first.reason = format!("it is the same before and after, and cannot be read: {}", first.reason);
    }
    Some(first)
}

/// What is applied in another way than before.
fn applied(inputs: [&Input; 2], pair: &RootPair, is_of: impl Fn(&str) -> bool) -> Vec<NotRead> {
    let [_, input] = inputs;
    let notes = input.applied_notes.iter().filter(|note| note.folders().first().is_some_and(|folder| is_of(folder)));
    let of_notes = notes.map(|note| {
        let folder = note.folders().first().map_or("", String::as_str);
        let matters = if note.is_uncertain() { Matters::CannotTell } else { Matters::No };
        (folder.to_owned(), note.to_string(), matters)
    });
    let [before, _] = inputs;
    let is_rendered = |root: &String| before.rendered.iter().any(|it| relative(it, &before.prefix) == root);
    let joined = pair.joined.iter().filter(|(former, _)| !is_rendered(former)).map(|(former, objects)| {
        let verb = if *objects == 1 { "was" } else { "were" };
        (pair.root.clone(), format!("{} {verb} in {} before", count(*objects, "object"), shown(former)), Matters::No)
    });
    let all = of_notes.chain(joined).map(|(folder, reason, matters)| {
        let place = Where::file(format!("{}{folder}", input.prefix));
        NotRead { place, reason, matters, about: About::Applied }
    });
    all.collect()
}

/// Whether a file that cannot be read, or a kustomization that cannot be rendered, is the same on both sides.
fn is_untouched(file: &str, inputs: [&Input; 2], is_after: bool) -> bool {
    let [of, other] = if is_after { [inputs[1], inputs[0]] } else { inputs };
    let name = relative(file, &of.prefix);
    let there = other.unreadable_hashes.iter().find(|(file, _)| relative(file, &other.prefix) == name);
    there.is_some_and(|(_, hash)| of.unreadable_hashes.get(file) == Some(hash))
}

/// The name of a text that both sides share.
pub(super) fn name<'n>(fleet: &'n Fleet, input: &Input, source: usize) -> &'n str {
    relative(fleet.sources().get(source).map_or("", |source| &source.name), &input.prefix)
}

fn place(fleet: &Fleet, problem: &Problem, locator: &mut Locator<'_>) -> Where {
    Where::of_position(fleet, (problem.source, problem.at), locator)
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
            described.push(NotRead::file(place, format!("{changes}{reason}"), matters));
        }
    }
    // One line for all documents of a file.
    described.dedup_by(|later, first| (&later.place.file, &later.reason) == (&first.place.file, &first.reason));
    described
}
