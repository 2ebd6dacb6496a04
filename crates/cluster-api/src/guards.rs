//! Guard rails: edits that destroy Machines, keys that do harm where they propagate, and keys that do not propagate to
//! Nodes.

mod adoption;
mod blocks;
mod node_keys;
mod own_cluster;
mod reserved_keys;
mod selector_change;
mod selector_labels;
mod template_keys;
mod topology_entry;

use std::cell::OnceCell;

use crate::catalog::guards::{GUARDS, Guard, GuardRail};
use crate::catalog::keys::{RESTORED, TOPOLOGY_OWNED, belongs_to};
use crate::catalog::{CORE_GROUP, KindRow, Place};
use crate::fact::{ClusterApiFact, Finding};
use crate::json::Malformed;
use crate::parents::OwnCluster;
use crate::propagation::metadata::SourceKeys;
use crate::settings::ClusterApiSettings;
use crate::subject::{Subject, has_paused_annotation, is_paused};
use kubernetes::settings::Stance;
use kubernetes::{Change, EXEMPT, Finding as FindingOf, Lookups, MapKind, NamedEntry, Operation};

use self::blocks::MetadataBlock;
use crate::waiver::{EXEMPTION, Standing};

/// The prefix of the names of service accounts.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// The garbage collector, with and without a service account of its own.
const GARBAGE_COLLECTORS: [&str; 2] =
    ["system:serviceaccount:kube-system:generic-garbage-collector", "system:kube-controller-manager"];

/// What a guard checks.
enum GuardCheck {
    /// The object as a whole: who controls it. Not checked while its Cluster is paused, or what would act on the edit.
    Object(fn(&Guarded<'_, '_>) -> Result<Vec<Violation>, Malformed>, ActingObject),
    /// One new entry of a map that propagates. A violation is a sentence about the entry.
    Entry(fn(&Guarded<'_, '_>, &MetadataEntry<'_>) -> Result<Option<ClusterApiFact>, Malformed>),
}

/// The object whose controller acts on an edit, and whose annotation pauses that controller.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ActingObject {
    /// The edited object.
    Itself,
    /// Its owner, or the one that adopts it, whether the object itself is paused or not.
    Owner,
}

/// The check of each guard rail.
///
/// Source: core/reconcilers/machineset/machineset_controller.go, `getAndAdoptMachinesForMachineSet`;
/// core/reconcilers/machinedeployment, `getAndAdoptMachineSetsForDeployment`; core/reconcilers/topology/cluster/
/// current_state.go. They list what their selectors and labels find, paused or not.
fn check_of(rail: GuardRail) -> GuardCheck {
    match rail {
        GuardRail::SelectorLabels => GuardCheck::Object(selector_labels::find, ActingObject::Owner),
        GuardRail::SelectorChange => GuardCheck::Object(selector_change::find, ActingObject::Itself),
        GuardRail::Adoption => GuardCheck::Object(adoption::find, ActingObject::Owner),
        GuardRail::ReservedKeys => GuardCheck::Entry(reserved_keys::find),
        GuardRail::TemplateKeys => GuardCheck::Entry(template_keys::find),
        GuardRail::NodeKeys => GuardCheck::Entry(node_keys::find),
    }
}

/// One violation, before the settings decide how to react.
struct Violation {
    at: String,
    message: ClusterApiFact,
}

/// One entry of a map that propagates.
struct MetadataEntry<'a> {
    block: &'a MetadataBlock<'a>,
    map: MapKind,
    key: &'a str,
    value: &'a str,
}

impl MetadataEntry<'_> {
    fn name(&self) -> NamedEntry {
        NamedEntry { noun: self.map.entry(), key: self.key.to_owned() }
    }
}

/// An object as it would be stored, and its context.
pub struct Guarded<'a, 'o> {
    /// The object as it would be stored.
    pub subject: &'a Subject<'o>,
    /// What its sources set; `None` if that is not known.
    pub source_keys: Option<&'a SourceKeys<'o>>,
    /// Differences from the rules that are left as they are.
    pub drift: &'a [Change],
    pub lookups: &'a Lookups<'o>,
    pub settings: ClusterApiSettings<'a>,
    /// Whether guards are off for the object.
    pub exemption: &'a Standing<'o>,
    /// Read when a guard first needs it.
    pub cluster: OnceCell<OwnCluster<'o>>,
}

/// Whether the exemption of the object under review counts. That of an object that is checked elsewhere is evaluated there;
/// who may set it is the same everywhere.
pub fn exemption<'o>(
    subject: &Subject<'o>,
    settings: ClusterApiSettings<'_>,
    lookups: &Lookups<'o>,
    is_checked_elsewhere: bool,
) -> Result<Standing<'o>, Malformed> {
    let is_guarded =
        subject.place.is_some_and(|place| !is_of_no_guard(place)) || subject.row.is_some_and(KindRow::is_guarded);
    if !is_guarded && !is_checked_elsewhere {
        return Ok(Standing::Absent);
    }
    Ok(match EXEMPTION.standing(subject, settings, lookups)? {
        Standing::Forbidden => Standing::Forbidden,
        standing if is_guarded => standing,
        _ => Standing::Absent,
    })
}

fn is_of_no_guard(place: Place) -> bool {
    matches!(place, Place::InfraMachine | Place::BootstrapConfig | Place::Node)
}

/// The findings of all guards. There are none for a request that changes nothing, nor for an object that is being
/// deleted.
pub fn findings(guarded: &Guarded<'_, '_>) -> Result<Vec<Finding>, Malformed> {
    let (place, object) = (guarded.subject.place, &guarded.subject.object);
    if place.is_some_and(is_of_no_guard) || object.deleting || guarded.subject.is_unchanged {
        return Ok(Vec::new());
    }
    let mut findings = Vec::new();
    match guarded.exemption {
        Standing::Absent | Standing::Ignored(_) => {}
        Standing::WithoutReason => {
            findings.push(EXEMPTION.without_effect(ClusterApiFact::WaiverWithoutReason { annotation: EXEMPT.into() }))
        }
        Standing::Counts(_) => return Ok(findings),
        Standing::Forbidden => findings.push(EXEMPTION.forbidden()),
    }
    let blocks = guarded.blocks()?;
    let entries = guarded.new_entries(&blocks);
    for guard in GUARDS {
        let (check, stance) = (guard.setting, guarded.settings.guards.stance(guard.rail));
        if stance == Stance::Ignore {
            continue;
        }
        match check_of(guard.rail) {
            GuardCheck::Object(_, acting)
                if has_paused_annotation(object) && (acting == ActingObject::Itself || guarded.trusts_marks()) => {}
            GuardCheck::Object(find, acting) => {
                let violations = find(guarded)?;
                let is_owner_paused = || Ok(acting == ActingObject::Owner && guarded.is_owner_paused()?);
                if violations.is_empty() || guarded.is_cluster_paused()? || is_owner_paused()? {
                    continue;
                }
                findings.extend(violations.into_iter().map(|Violation { at, message }| Finding {
                    check,
                    at,
                    message,
                    stance,
                }));
            }
            GuardCheck::Entry(find) => {
                for entry in &entries {
                    if let Some(message) = find(guarded, entry)? {
                        let at = [&*entry.block.at, ".", entry.map.field()].concat();
                        findings.push(Finding { check, at, message, stance });
                    }
                }
            }
        }
    }
    if let Standing::Ignored(why) = guarded.exemption
        && !findings.is_empty()
    {
        findings.push(EXEMPTION.without_effect(why.clone()));
    }
    Ok(findings)
}

/// How to make an edit anyway that guards refuse; `None` if none does.
pub fn way_out<F>(
    findings: &[FindingOf<F>],
    subject: &Subject<'_>,
    settings: ClusterApiSettings<'_>,
) -> Option<String> {
    let refusing = |guard: &&Guard| {
        findings.iter().any(|finding| finding.check == guard.setting && finding.stance == Stance::Reject)
    };
    let mut guards = GUARDS.iter().filter(refusing).peekable();
    guards.peek()?;
    let pausing_helps = guards.all(|guard| matches!(check_of(guard.rail), GuardCheck::Object(..)));
    let pause = if pausing_helps { "pause the Cluster or " } else { "" };
    Some(EXEMPTION.way_out(pause, "", subject, settings))
}

impl<'o> Guarded<'_, 'o> {
    /// Whether the user is a controller or a tool, not a person.
    fn is_by_service_account(&self) -> bool {
        self.subject.review.username.starts_with(SERVICE_ACCOUNT)
    }

    /// Whether the garbage collector removes an ownerReference, because its owner was deleted.
    ///
    /// Source: cmd/kube-controller-manager, `--use-service-account-credentials`.
    fn is_by_garbage_collector(&self) -> bool {
        GARBAGE_COLLECTORS.contains(&&*self.subject.review.username)
    }

    /// Whether marks that every user may set count: that an object is paused, or restored from a backup. They do while
    /// the user may exempt the object too.
    fn trusts_marks(&self) -> bool {
        EXEMPTION.others(self.subject, self.settings).is_none()
    }

    /// Whether this is the audit scanner's review of a stored object.
    fn is_audit(&self) -> bool {
        let (review, object) = (self.subject.review, &self.subject.object);
        review.operation == Operation::Create && review.username.is_empty() && !object.uid.is_empty()
    }

    /// Whether a new object existed before: `clusterctl move` and restores create objects with everything that
    /// controllers set in them.
    fn has_lived_before(&self) -> bool {
        let (review, object) = (self.subject.review, &self.subject.object);
        let is_marked = || object.labels.contains_key(RESTORED) || is_paused(object);
        review.operation == Operation::Create
            && (object.owners.iter().any(|owner| belongs_to(owner.group(), CORE_GROUP))
                || (is_marked() && self.trusts_marks()))
    }

    /// The entries that this request adds or changes, except those that propagate from a source.
    fn new_entries<'b>(&self, blocks: &'b [MetadataBlock<'o>]) -> Vec<MetadataEntry<'b>>
    where
        'o: 'b,
    {
        let mut entries = Vec::new();
        for block in blocks {
            for map in MapKind::BOTH {
                let (new, old) = block.map(map);
                for (key, value) in new.iter() {
                    let is_from_source = |source_keys: &SourceKeys<'o>| source_keys.has(map, key);
                    if old.get(key) != Some(value) && !self.source_keys.is_some_and(is_from_source) {
                        entries.push(MetadataEntry { block, map, key, value });
                    }
                }
            }
        }
        entries
    }

    /// The maps of this object that propagate and in which the user owns what the request adds.
    fn blocks(&self) -> Result<Vec<MetadataBlock<'o>>, Malformed> {
        let (review, object) = (self.subject.review, &self.subject.object);
        let has_source = object.controller().is_some() || object.labels.contains_key(TOPOLOGY_OWNED);
        let is_unknown = self.subject.place.is_some() && has_source && self.source_keys.is_none();
        if review.operation == Operation::Create && (is_unknown || (self.has_lived_before() && !self.is_audit())) {
            return Ok(Vec::new());
        }
        blocks::propagating(self.subject)
    }
}
