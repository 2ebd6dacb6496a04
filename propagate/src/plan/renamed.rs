//! Templates that get another name and stay equal: after an edit that the API server refused, the stored one is another.

use fleet::{Fleet, FleetObject, Happens, Locator, ObjectId, Plan, Source};
use serde_json::Value;

use super::not_read::{Matters, NotRead};
use super::roots::relative;
use crate::git;
use crate::input::Input;
use crate::output::report::Where;

/// A note for each new template that equals the one that was named before, or a warning if the file of that has another
/// version of it. `KubeadmConfigTemplate` is left out: it may be edited in place.
pub(super) fn templates(plan: &Plan, [old, new]: [&Fleet; 2], before: &Input) -> Vec<NotRead> {
    let mut locator = Locator::new(new.sources());
    let created = plan.objects.iter().filter(|planned| planned.happens == Happens::Created);
    let templates = created.filter(|it| it.id.is_template() && it.id.kind != "KubeadmConfigTemplate");
    let found = templates.filter_map(|planned| {
        let template = new.find(&planned.id)?;
        let (former, owner) = former(plan, [old, new], template)?;
        let place = Where::of_object(new, template, &mut locator);
        let is_edited = is_edited(former, old, before);
        let matters = if is_edited { Matters::CannotTell } else { Matters::No };
        let why = if is_edited {
            ", which was edited after it was created; if that was refused"
        } else {
            "; if an edit of that was refused"
        };
        let reason = format!(
            "{} equals {}{why}, the stored one differs, and {owner} replaces Machines",
            template.id, former.id.name
        );
        Some(NotRead::file(place, reason, matters))
    });
    found.collect()
}

/// The template that a new one takes the place of, and what names them.
fn former<'f>(
    plan: &'f Plan,
    [old, new]: [&'f Fleet; 2],
    template: &FleetObject,
) -> Option<(&'f FleetObject, &'f ObjectId)> {
    let spec = |object: &FleetObject| object.value().get("spec").cloned();
    let is_same_kind = |object: &&FleetObject| {
        let (a, b) = (&object.id, &template.id);
        (&a.group, &a.kind, &a.namespace) == (&b.group, &b.kind, &b.namespace) && a.name != b.name
    };
    let names = |object: &FleetObject, name: &str| object.has_text(name, None);
    old.objects().filter(is_same_kind).filter(|former| spec(former) == spec(template)).find_map(|former| {
        let changed = plan.objects.iter().filter(|planned| planned.happens == Happens::Changed);
        let mut owners = changed.map(|planned| &planned.id).filter(|id| {
            let sides = old.find(id).zip(new.find(id));
            sides.is_some_and(|(was, is)| {
                names(was, &former.id.name) && names(is, &template.id.name) && !names(was, &template.id.name)
            })
        });
        Some((former, owners.next()?))
    })
}

/// Whether the history of a file has another version of a template.
fn is_edited(template: &FleetObject, old: &Fleet, before: &Input) -> bool {
    let Some(revision) = before.prefix.strip_suffix(':') else { return false };
    let Some(source) = old.sources().get(template.origin.source) else { return false };
    let spec = |object: &FleetObject| object.value().get("spec").cloned().unwrap_or(Value::Null);
    let of_version = |text: String| {
        let fleet = Fleet::read(vec![Source { name: String::new(), text }]);
        let found = fleet.objects().find(|it| it.id.kind == template.id.kind && it.id.name == template.id.name);
        found.is_some_and(|known| spec(known) != spec(template))
    };
    git::versions(revision, relative(&source.name, &before.prefix)).into_iter().any(of_version)
}
