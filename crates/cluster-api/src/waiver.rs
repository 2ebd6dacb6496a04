//! The two annotations by which a user states that an edit is intended: who may set them, and where they count.

use crate::catalog::keys::{APPROVE_ROLLOUT, TOPOLOGY_OWNED};
use crate::catalog::{CORE_GROUP, KindRow, Place, Rule, TEMPLATE_MASKS};
use crate::fact::{ClusterApiFact, Finding};
use crate::json::Malformed;
use crate::propagation::sources;
use crate::settings::{ClusterApi, ClusterApiSettings};
use crate::subject::Subject;
use kubernetes::settings::{Stance, Users};
use kubernetes::{EXEMPT, LookupCause, Lookups, MapKind, Object, ObjectQuery, Stop};

/// An annotation whose value is the reason why an edit is intended.
pub struct Waiver {
    /// Its key.
    pub annotation: &'static str,
    /// The setting that says who may set it.
    pub setting: &'static str,
    users: fn(ClusterApiSettings<'_>) -> &Users,
}

/// Guard rails are off for the object.
pub const EXEMPTION: Waiver =
    Waiver { annotation: EXEMPT, setting: "guards.exemptBy", users: |settings| &settings.guards.exempt_by };

/// Machines may be replaced.
pub const APPROVAL: Waiver = Waiver {
    annotation: APPROVE_ROLLOUT,
    setting: "clusterApi.approveRolloutBy",
    users: |settings| &settings.cluster_api.approve_rollout_by,
};

/// Whether an object's waiver counts.
pub enum Standing<'o> {
    /// The object has none.
    Absent,
    /// It states no reason.
    WithoutReason,
    /// It counts, for this reason.
    Counts(&'o str),
    /// It does not count, for this reason.
    Ignored(ClusterApiFact),
    /// This request sets it, and its user may not.
    Forbidden,
}

impl Waiver {
    /// Whether the waiver of the object under review counts.
    ///
    /// A waiver is about one object: a copy that Cluster API made from a source does not count. If it is restricted to
    /// some users, a stored one was admitted when it was set, unless it could have been set in another way. A request
    /// without a user name, such as the audit scanner's, is about what is stored.
    pub(crate) fn standing<'o>(
        &self,
        subject: &Subject<'o>,
        settings: ClusterApiSettings<'_>,
        lookups: &Lookups<'o>,
    ) -> Result<Standing<'o>, Malformed> {
        let Some(value) = subject.object.annotations.get(self.annotation) else { return Ok(Standing::Absent) };
        let reason = value.trim();
        if reason.is_empty() {
            return Ok(Standing::WithoutReason);
        }
        let annotation = self.annotation.into();
        match origin(self.annotation, value, subject, settings.cluster_api, lookups)? {
            AnnotationOrigin::Own => {}
            AnnotationOrigin::Copied(from) => {
                return Ok(Standing::Ignored(ClusterApiFact::CopiedWaiver { annotation, from }));
            }
            AnnotationOrigin::Unread(query) => {
                return Ok(Standing::Ignored(ClusterApiFact::UnreadWaiver { annotation, query }));
            }
        }
        let review = subject.review;
        if review.username.is_empty() || self.may_be_set(subject, settings) {
            return Ok(Standing::Counts(reason));
        }
        let stored = subject.old()?.filter(|old| old.annotations.get(self.annotation) == Some(value));
        Ok(match stored {
            None => Standing::Forbidden,
            Some(stored) if was_admitted(subject, stored) => Standing::Counts(reason),
            Some(_) => Standing::Ignored(ClusterApiFact::WaiverOfOthers { annotation, setting: self.setting.into() }),
        })
    }

    /// Who may set it, if the user of this request may not.
    pub(crate) fn others(&self, subject: &Subject<'_>, settings: ClusterApiSettings<'_>) -> Option<String> {
        let users = (self.users)(settings);
        (!self.may_be_set(subject, settings)).then(|| format!("a user in `{}` ({users})", self.setting))
    }

    /// How to make a refused edit anyway. Pausing helps if the guard is about who controls the object; an approval on the
    /// Cluster counts for everything that its topology owns.
    pub(crate) fn way_out(
        &self,
        pause: &str,
        on_cluster: &str,
        subject: &Subject<'_>,
        settings: ClusterApiSettings<'_>,
    ) -> String {
        let set = self.others(subject, settings).map_or_else(|| "set".to_owned(), |by| format!("have {by} set"));
        format!("if this is intended, {pause}{set} annotation `{}: <reason>`{on_cluster}", self.annotation)
    }

    /// The users who may set it, separated by commas.
    pub fn users(&self, settings: ClusterApiSettings<'_>) -> String {
        (self.users)(settings).to_string()
    }

    /// How the policy reacts if the user of this request sets it and may not.
    pub(crate) fn forbidden(&self) -> Finding {
        let message = ClusterApiFact::ForbiddenWaiver { annotation: self.annotation.into() };
        Finding { check: self.setting, stance: Stance::Reject, ..self.without_effect(message) }
    }

    /// How the policy reacts if it does not count.
    pub(crate) fn without_effect(&self, message: ClusterApiFact) -> Finding {
        Finding { check: self.annotation, at: "metadata.annotations".to_owned(), message, stance: Stance::Warn }
    }

    fn may_be_set(&self, subject: &Subject<'_>, settings: ClusterApiSettings<'_>) -> bool {
        let users = (self.users)(settings);
        users.is_empty() || subject.review.is_by_one_of(|name| users.contains(name))
    }
}

/// Whether a stored waiver can only have been set in a request that the policy evaluated. Below another object it may
/// be a leftover of a copy, and the policy does not receive the creation of templates.
fn was_admitted(subject: &Subject<'_>, stored: &Object<'_>) -> bool {
    let gets_copies = stored.controller().is_some() || stored.labels.contains_key(TOPOLOGY_OWNED);
    !gets_copies && (subject.place.is_some() || subject.row.is_none_or(KindRow::is_guarded))
}

enum AnnotationOrigin {
    /// A user set it on this object.
    Own,
    /// The object above that has it with the same value.
    Copied(String),
    /// The read of the object above that failed.
    Unread(String),
}

/// The origin of an annotation. Without an object above, it is the object's own. The stored object determines which is
/// above: a request that removes the object's owner does not make a copy its own.
///
/// A MachineSet is compared with its MachineDeployment even while that one is paused or being deleted: what it has now
/// was copied before.
///
/// Source: core/reconcilers/machinedeployment/mdutil/util.go, `MachineSetAnnotationsFromMachineDeployment`, which copies
/// all but `annotationsToSkip`; the rules for the other places.
fn origin<'e>(
    key: &str,
    value: &str,
    subject: &Subject<'e>,
    settings: &ClusterApi,
    lookups: &Lookups<'e>,
) -> Result<AnnotationOrigin, Malformed> {
    let stored = subject.as_stored()?;
    let above = match subject.place {
        Some(Place::MachineSet) => of_machine_set(key, value, &stored, lookups),
        Some(place) => of_rules(key, value, place, &stored, settings, lookups),
        None => Ok(None),
    };
    match above {
        Ok(Some(above)) => Ok(AnnotationOrigin::Copied(above)),
        Err(Stop::LookupFailed(failed)) if failed.error.cause != LookupCause::NotFound => {
            Ok(AnnotationOrigin::Unread(failed.query))
        }
        Err(Stop::Malformed(malformed)) => Err(malformed),
        Ok(None) | Err(_) => Ok(AnnotationOrigin::Own),
    }
}

fn of_machine_set<'e>(
    key: &str,
    value: &str,
    subject: &Subject<'e>,
    lookups: &Lookups<'e>,
) -> Result<Option<String>, Stop> {
    let controller = subject.object.controller().filter(|owner| owner.is(CORE_GROUP, "MachineDeployment"));
    let Some(owner) = controller else { return Ok(None) };
    let deployment = lookups.parent(&ObjectQuery::owner(owner, subject.namespace(), TEMPLATE_MASKS))?;
    let is_same = deployment.object.annotations.get(key) == Some(value);
    Ok(is_same.then(|| deployment.name.to_string()))
}

fn of_rules<'e>(
    key: &str,
    value: &str,
    place: Place,
    subject: &Subject<'e>,
    settings: &ClusterApi,
    lookups: &Lookups<'e>,
) -> Result<Option<String>, Stop> {
    let sources = sources::of(subject, settings, lookups)?;
    let gives =
        |from: Place| Rule::reading(from, MapKind::Annotations, settings.version).any(|rule| rule.to.contains(&place));
    let layer = sources
        .layers
        .iter()
        .find(|layer| gives(layer.place) && layer.map(MapKind::Annotations).get(key) == Some(value));
    Ok(layer.map(|layer| layer.origin.object.to_string()))
}
