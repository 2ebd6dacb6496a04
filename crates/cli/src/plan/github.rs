//! A plan as workflow commands of GitHub Actions.

use fleet::{Fleet, Locator, Plan};
use metadata_propagation::Effect;

use super::words::{details, effect, happens, verdict, whole};
use crate::output::github::line;
use crate::output::report::Where;

/// One line for each edit that is more severe than in place and for each deletion of Machines, and one for the verdict.
pub(super) fn github(plan: &Plan, [old, new]: [&Fleet; 2]) -> String {
    let mut out = String::new();
    let (mut of_old, mut of_new) = (Locator::new(old.sources()), Locator::new(new.sources()));
    for planned in &plan.objects {
        let id = &planned.id;
        if let (Some(object), Some(deletion)) = (old.find(id), whole(planned)) {
            let place = of_old.locate(&object.origin, "", &[]);
            let place = Where::of(old, place.source, place.span, place.position);
            out += &line("error", &place, "destructive", &format!("{id} {}: {deletion}", happens(planned.happens)));
        }
        let Some(object) = new.find(id) else { continue };
        for planned in &planned.edits {
            let command = match planned.edit.effect {
                Effect::Nothing | Effect::InPlace => continue,
                Effect::Scale | Effect::ReplacedWhenDeleted => "notice",
                Effect::CannotTell | Effect::Scheduled => "warning",
                Effect::Rollout | Effect::Destructive => "error",
            };
            let place = of_new.locate(&object.origin, &planned.edit.at, &[]);
            let place = Where::of(new, place.source, place.span, place.position);
            let name = effect(planned.edit.effect);
            out += &line(command, &place, &name, &format!("{id}: {}{}", planned.edit.at, details(planned)));
        }
    }
    let verdict = if plan.is_empty() { "nothing changes".to_owned() } else { verdict(&plan.verdict) };
    out + &format!("::notice title=propagate plan::{verdict}\n")
}
