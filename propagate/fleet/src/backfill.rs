//! What stored objects lack, and how to add it.

mod apply;
mod managed;
mod release;
mod touch;

use std::borrow::Cow;
use std::collections::BTreeSet;

use metadata_propagation::{Action, Mode, NotApplicableReason, Operation, Outcome, Report, Review, Settings, evaluate};
use serde_json::Value;

use crate::each::each;
use crate::fleet::Fleet;
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::{FleetObject, ObjectId, Origin};

/// The intended field manager of configurations for server-side apply.
pub const FIELD_MANAGER: &str = "metadata-propagation-backfill";

/// How objects get what they lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// The policy is installed: a write that changes nothing still reaches admission, and owns nothing.
    ///
    /// Source: k8s.io/apiserver, pkg/endpoints/handlers/patch.go, `patchResource`: mutating admission sees the patched
    /// object, even if the patch changed nothing.
    Touch,
    /// The policy is not installed: server-side apply, with its own field manager.
    Apply,
    /// That field manager gives up what another one also owns.
    Release,
}

/// What has to be done for the objects of a fleet.
#[derive(Debug, Default)]
pub struct Backfill {
    /// For each object, after those of the objects above it.
    pub steps: Vec<BackfillStep>,
    /// Objects that need something that cannot be done.
    pub refused: Vec<Refused>,
    /// How many objects were not compared with their sources.
    pub not_compared: usize,
}

/// What has to be done for one object.
#[derive(Debug, PartialEq, Eq)]
pub struct BackfillStep {
    /// The object's name.
    pub id: ObjectId,
    /// The version of its API.
    pub version: String,
    /// Whether it is below a control plane of another provider, where no controller of Cluster API adds what it lacks.
    pub is_third_party: bool,
    /// A shell command after a comment, or a configuration for server-side apply as YAML.
    pub text: String,
    /// Whether the object has another value for one of the entries: its owner must be overridden.
    pub conflicts: bool,
}

/// An object for which nothing can be done.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    /// The object's name.
    pub id: ObjectId,
    /// Where it is defined.
    pub origin: Origin,
    /// Why: one sentence, lower case, no final stop.
    pub reason: String,
}

impl Backfill {
    /// What the objects of a fleet lack, assuming that the objects above already have it.
    pub fn of(fleet: &Fleet, settings: &Settings, means: Means) -> Backfill {
        let hierarchy = Hierarchy::of_changes(fleet, settings);
        // Guards are on here, and an object that is refused as incomplete is completed.
        let settings = Settings { mode: Mode::Mutate, ..settings.clone() };
        let mut backfill = Backfill::default();
        let mut stuck: BTreeSet<usize> = BTreeSet::new();
        let order = hierarchy.in_order();
        let compare = |number: &usize| {
            let member = hierarchy.member(*number)?;
            let origin = member.origin.as_ref()?;
            Some(match means {
                Means::Release => release::step(member),
                Means::Touch | Means::Apply => {
                    StoredObject { member, origin, settings: &settings, hierarchy: &hierarchy }.step(means)
                }
            })
        };
        let compared = each(&order, compare);
        for (number, compared) in order.into_iter().zip(compared) {
            let (Some(member), Some(compared)) = (hierarchy.member(number), compared) else { continue };
            let Some(origin) = &member.origin else { continue };
            let refused = |reason: String| Refused { id: member.id.clone(), origin: origin.clone(), reason };
            match compared {
                ComparedObject::Complete => {}
                // An object between it and the source does not have it.
                ComparedObject::Lacking(_)
                    if means != Means::Release && member.parent.is_some_and(|parent| stuck.contains(&parent)) =>
                {
                    stuck.insert(number);
                    backfill.refused.push(refused(messages::BELOW_REFUSED.to_owned()));
                }
                ComparedObject::Lacking(needed) => backfill.steps.push(BackfillStep {
                    id: member.id.clone(),
                    version: member.version().to_owned(),
                    is_third_party: is_third_party(&hierarchy, member),
                    text: needed.text,
                    conflicts: needed.conflicts,
                }),
                ComparedObject::Refused(reason) => {
                    stuck.insert(number);
                    backfill.refused.push(refused(reason));
                }
                ComparedObject::Unknown => backfill.not_compared += 1,
            }
        }
        backfill
    }
}

/// The results of comparing an object with its sources.
enum ComparedObject {
    Complete,
    Lacking(Needed),
    Refused(String),
    Unknown,
}

/// What has to be done for an object: the last two fields of [`BackfillStep`].
struct Needed {
    text: String,
    conflicts: bool,
}

/// Whether an object is created from a control plane of another provider than kubeadm, or from a Machine of one.
fn is_third_party(hierarchy: &Hierarchy, member: &Member) -> bool {
    let owners = hierarchy.upwards(member);
    owners.skip(1).take(2).any(|owner| owner.id.group == CONTROL_PLANES && owner.id.kind != "KubeadmControlPlane")
}

/// The API group of control planes, whoever provides them.
const CONTROL_PLANES: &str = "controlplane.cluster.x-k8s.io";

/// One stored object, and what it is compared with.
struct StoredObject<'a> {
    member: &'a Member,
    origin: &'a Origin,
    settings: &'a Settings,
    hierarchy: &'a Hierarchy,
}

impl StoredObject<'_> {
    /// The object as the policy completes it when it is written again unchanged.
    fn step(&self, means: Means) -> ComparedObject {
        let written = &*self.member.written.once();
        let (report, completed) = match self.evaluated(written, self.settings) {
            Ok(evaluated) => evaluated,
            Err(reason) => return ComparedObject::Refused(reason),
        };
        if report.inert.as_ref().is_some_and(|inert| inert.reason != NotApplicableReason::NoOwner) {
            return ComparedObject::Unknown;
        }
        let is_complete = completed.is_none();
        if is_complete && means == Means::Touch {
            return ComparedObject::Complete;
        }
        if written.pointer("/metadata/name").is_none() {
            return ComparedObject::Refused(messages::NO_NAME.to_owned());
        }
        if means == Means::Touch {
            return touch::step(&self.member.id, &report.changes);
        }
        match report.changes.iter().find(|change| change.action == Action::Removed) {
            Some(change) => ComparedObject::Refused(messages::to_be_removed(&change.key, &change.at)),
            None => self.apply(&report.changes, is_complete),
        }
    }

    /// The policy's report about a write of `object`, and the completed object, if the policy changes it.
    ///
    /// # Errors
    /// When the policy refuses the write: its message.
    fn evaluated(&self, object: &Value, settings: &Settings) -> Result<(Report, Option<Value>), String> {
        let stored = self.member.written.once().to_string();
        let object = FleetObject {
            id: self.member.id.clone(),
            version: self.member.version().to_owned(),
            json: object.to_string().into(),
            origin: self.origin.clone(),
        };
        let review = Review {
            operation: Operation::Update,
            old_object: Some(&stored),
            field_manager: Some(Cow::Borrowed(FIELD_MANAGER)),
            ..object.review()
        };
        let Outcome { rejection, object, report, .. } = evaluate(&review, settings, self.hierarchy);
        match rejection {
            Some(rejection) => Err(rejection.message),
            None => {
                Ok((report.unwrap_or_default(), object.and_then(|completed| serde_json::from_str(&completed).ok())))
            }
        }
    }
}

mod messages {
    pub(super) const BELOW_REFUSED: &str = "there is no command for its owner either";
    pub(super) const NO_NAME: &str = "it has no `metadata.name` and cannot be patched";
    pub(super) const NO_LEGAL_NAME: &str = "kind, namespace or name is not valid in Kubernetes";

    pub(super) fn to_be_removed(key: &str, at: &str) -> String {
        format!(
            "`{key}` in `{at}` must be removed, but server-side apply removes only what its own field manager set; the \
             policy removes it at the next write"
        )
    }

    pub(super) fn has_no_other_owner(path: &str) -> String {
        format!("`{path}` has no other field manager yet: giving it up would remove it")
    }
}
