//! Manifests as a cluster: texts with positions, the objects in them, and what the rules of `metadata-propagation` say
//! about each.
//!
//! [`Fleet::read`] takes named texts (YAML streams, JSON, lists as `kubectl get --output json` prints them) and finds the
//! objects in them. A fleet is the [`Cluster`](metadata_propagation::Cluster) that the engine reads from. [`Locator`]
//! finds the line and column of what the engine names by a path.
//!
//! Nothing here accesses a file, a clock or a network: callers do. With the feature `parallel`, evaluations use all
//! cores.

mod activation;
mod apply;
mod backfill;
mod check;
mod class_findings;
mod count;
mod each;
mod fleet;
mod folding;
mod graph;
mod help;
mod hierarchy;
mod json;
mod kustomize;
mod locate;
mod made;
mod masks;
mod member;
mod object;
mod object_finding;
mod overlay;
mod plan;
mod predicted;
mod probe;
mod problem;
mod propagation_path;
mod read;
mod refusal;
mod relations;
mod scalar;
mod scope;
mod session;
mod shared;
mod source;
mod splice;
mod templates;
mod topology_findings;
mod tree;
mod value;
mod written;

pub use activation::{Activation, INACTIVE, InactiveKind};
pub use apply::Applied;
pub use backfill::{Backfill, BackfillStep, FIELD_MANAGER, Means, Refused};
pub use check::{Checker, ObjectFindings};
pub use count::count;
pub use fleet::Fleet;
pub use folding::Folding;
pub use graph::Graph;
pub use help::{help_of_skip, help_of_skips, help_of_unknown};
pub use hierarchy::Hierarchy;
pub use kustomize::{KUSTOMIZATION_FILES, Mentions, is_kustomization, of_kustomize, resources};
pub use locate::{Locator, SourceSpan};
pub use masks::masked;
pub use member::Member;
pub use object::{FleetObject, ObjectId, Origin};
pub use object_finding::{CLOUD_TAGS, DRIFT, FindingLevel, ILLEGAL, MISPLACED, ObjectFinding, REFUSED, UNREADABLE};
pub use plan::{
    Because, EditOwners, EntryDifference, Happens, Machines, Plan, Planned, PlannedEdit, PlannedOwner, Uncounted,
    Unknown, Verdict,
};
pub use problem::{Problem, Severity};
pub use propagation_path::{PathStep, Placement, State};
pub use read::{Reading, read_document, to_json};
pub use relations::class_of;
pub use scope::{DEFAULT_NAMESPACE, class_templates};
pub use session::{Exchange, admission_request, plural, session};
pub use shared::Shared;
pub use source::{Position, Source};
pub use templates::{EvaluatedComposition, TemplateEvaluation};
pub use topology::MetadataUse;
pub use value::{NoValue, ValueText};
pub use written::ObjectText;
