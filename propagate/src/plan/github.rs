//! A plan as workflow commands of GitHub Actions.

use fleet::{Fleet, Locator, ObjectId, SourceSpan};
use metadata_propagation::Effect;

use super::answer::{PlanAnswer, RootAnswer};
use super::not_read::{About, Matters};
use super::tags::{self, TagLine};
use super::words::{self, details, effect, total, whole};
use crate::output::github::line;
use crate::output::report::{Where, WrittenPlace};
use crate::rendered_files::RenderedFiles;

/// One line for each edit that is more severe than in place, for each deletion of Machines, for what is not compared, and
/// one for the verdict.
pub(super) fn github(answer: &PlanAnswer) -> String {
    let mut out = String::new();
    let is_one = answer.roots.len() < 2;
    for root in &answer.roots {
        let title = if is_one { String::new() } else { format!("{}: ", words::root(&root.pair)) };
        of_root(root, answer, &title, &mut out);
    }
    out + &format!("::notice title=propagate plan::{}\n", total(answer))
}

fn of_root(RootAnswer { pair, plan, not_read, .. }: &RootAnswer, answer: &PlanAnswer, title: &str, out: &mut String) {
    // An annotation is about a file of the repository, whichever revision it was read in.
    let in_repository = |place: Where| {
        let inside = |file: &str| {
            let mut revisions = answer.prefixes.iter().filter(|prefix| prefix.ends_with(':'));
            revisions.find_map(|revision| file.strip_prefix(&**revision)).unwrap_or(file).to_owned()
        };
        let written = place.written.as_ref().map(|it| WrittenPlace { file: inside(&it.file), ..it.clone() });
        Where { file: inside(&place.file), written, ..place }
    };
    let [before, after] = &answer.files;
    let at = |fleet: &Fleet, place: SourceSpan, files: &RenderedFiles, id: &ObjectId| {
        let mut place = Where::of(fleet, place);
        files.resolve(&mut place, &id.kind, &id.name);
        in_repository(place)
    };
    let (old, new) = (&pair.old, &pair.new);
    let (mut of_old, mut of_new) = (Locator::new(old.sources()), Locator::new(new.sources()));
    for planned in &plan.objects {
        let id = &planned.id;
        if let (Some(object), Some(deletion)) = (old.find(id), whole(planned)) {
            let place = at(old, of_old.locate(&object.origin, "", &[]), before, id);
            let message = format!("{title}{id} {}: {deletion}", planned.happens);
            let (command, name) =
                if planned.effect == Some(Effect::Waits) { ("warning", "waits") } else { ("error", "destructive") };
            *out += &line(command, &place, name, &message);
        }
        let Some(object) = new.find(id) else { continue };
        for planned in &planned.edits {
            let command = match planned.effect {
                Effect::Nothing | Effect::InPlace => continue,
                Effect::Scale if planned.deletes() => "error",
                Effect::Scale | Effect::ReplacedWhenDeleted => "notice",
                Effect::CannotTell | Effect::Waits | Effect::Scheduled => "warning",
                Effect::Rollout | Effect::Refused | Effect::Destructive => "error",
            };
            let place = at(new, of_new.locate(&object.origin, &planned.at.to_string(), &[]), after, id);
            let name = effect(planned.effect);
            *out += &line(command, &place, &name, &format!("{title}{id}: {}{}", planned.at, details(planned)));
        }
    }
    for (text, tagged) in tags::keys(&plan.tags) {
        let (command, message) = match text {
            TagLine::Change('+', _) | TagLine::Title(_) | TagLine::Fate(false, _) => continue,
            TagLine::Change(_, rest) => ("warning", rest),
            TagLine::Fate(_, text) => ("warning", text),
        };
        let place = new.find(&tagged.id).map(|object| of_new.locate(&object.origin, "", &[]));
        let place = place.map(|place| at(new, place, after, &tagged.id)).unwrap_or_default();
        *out += &line(command, &place, "cloud tags", &format!("{title}{message}"));
    }
    for not_read in not_read {
        let command = match not_read.matters {
            Matters::No => "notice",
            Matters::Waits | Matters::CannotTell => "warning",
            Matters::Unreadable => "error",
        };
        *out += &line(
            command,
            &in_repository(not_read.place.clone()),
            if not_read.about == About::Applied { "applied" } else { "not compared" },
            &format!("{title}{}", not_read.reason),
        );
    }
}
