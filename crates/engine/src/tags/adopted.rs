//! Composites that a user marks as adopted: no tag propagates to them, and none is required.

use super::crossplane;
use super::labels::{Assigned, ORIGIN};
use crate::admission::subject::Subject;
use crate::catalog::keys::ASSIGNMENTS;
use crate::kube::object::Object;
use crate::report::finding::Finding;
use crate::report::messages::cloud_tags as messages;
use crate::settings::{Mode, Settings, Stance};

/// The finding if a request newly marks a composite as adopted. Crossplane copies what it finds in a claim or in a
/// parent's Composition, so that is a warning at most.
pub(crate) fn finding(subject: &Subject<'_>, settings: &Settings) -> Option<Finding> {
    let stance = settings.cloud_tags.adopted;
    let has_origin =
        |object: &Object<'_>| object.labels.contains_key(ORIGIN) || object.annotations.contains_key(ASSIGNMENTS);
    let is_adopted =
        |object: &Object<'_>| has_origin(object) && Assigned::read(object).is_ok_and(|assigned| assigned.is_adopted());
    let was = || subject.old().ok().flatten().is_some_and(is_adopted);
    let is_looked_at = stance != Stance::Ignore && settings.mode == Mode::Mutate && !subject.object.deleting;
    if !is_looked_at || !is_adopted(&subject.object) || was() {
        return None;
    }
    let is_label = subject.object.labels.get(ORIGIN).is_some();
    Some(Finding {
        check: "cloudTags.adopted",
        at: if is_label { "metadata.labels" } else { "metadata.annotations" }.to_owned(),
        message: messages::ADOPTED_WAIVES.to_owned(),
        stance: if crossplane::is_copied(subject, &settings.cloud_tags) { Stance::Warn } else { stance },
        verdict: None,
    })
}
