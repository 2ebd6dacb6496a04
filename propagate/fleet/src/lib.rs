//! Manifests as a cluster: texts with positions, the objects in them, and what the rules of `metadata-propagation` say
//! about each.
//!
//! [`Fleet::read`] takes named texts (YAML streams, JSON, lists as `kubectl get --output json` prints them) and finds the
//! objects in them. A fleet is the [`Cluster`](metadata_propagation::Cluster) that the engine reads from. [`Locator`]
//! finds the line and column of what the engine names by a path.
//!
//! Nothing here accesses a file, a clock or a network: callers do. With the feature `parallel`, evaluations use all
//! cores.
//!
//! ```
//! use fleet::{Checker, DRIFT, Fleet, Plan, Source};
//! use metadata_propagation::Settings;
//!
//! let text = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c}}\n---\n\
//!     {apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, metadata: {name: s}, \
//!     spec: {clusterName: c, template: {metadata: {labels: {node.cluster.x-k8s.io/team: a}}}}}\n---\n\
//!     {apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m, \
//!     ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: s, controller: true}]}}";
//! let fleet = Fleet::read(vec![Source { name: "cluster.yaml".into(), text: text.into() }]);
//! let settings = Settings::default();
//! let checked = Checker::new(&settings).fleet(&fleet);
//! let found: Vec<_> = checked[2].findings.iter().map(|finding| (finding.check, &*finding.at)).collect();
//! // The Machine lacks the label of the MachineSet and the one with its name.
//! assert_eq!(found, [(DRIFT, "metadata.labels"); 2]);
//! let plan = Plan::of(&Fleet::default(), &fleet, &settings);
//! assert_eq!(plan.objects.len(), 3);
//! ```

mod activation;
mod apply;
mod backfill;
mod check;
mod claim;
mod class_findings;
mod composed;
mod count;
mod crossplane_findings;
mod crossplane_refusals;
mod each;
mod endless;
mod environment;
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
mod misspelled;
mod object;
mod object_finding;
mod overlay;
mod plan;
mod predicted;
mod probe;
mod problem;
mod propagation_path;
mod read;
mod references;
mod refusal;
mod registered;
mod relations;
mod scalar;
mod scope;
mod selection;
mod session;
mod shared;
mod source;
mod splice;
mod tag_help;
mod templates;
mod topology_findings;
mod tree;
mod value;
mod versions;
mod workers;
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
pub use misspelled::meant_annotation;
pub use object::{CROSSPLANE_GROUP, FleetObject, ObjectId, Origin};
pub use object_finding::{
    CLOUD_TAGS, DRIFT, FindingLevel, ILLEGAL, MISPLACED, MISSING_TEMPLATE, MISSPELLED, ObjectFinding, REFUSED,
    SELECTOR, UNREADABLE,
};
pub use plan::{
    Because, EditPath, EditRef, EntryDifference, Happens, Later, Machines, Plan, PlanNote, Planned, PlannedEdit,
    PlannedOwner, ReachedResource, RolloutLimits, TagChange, TagFate, TaggedObject, Uncounted, Unknown, Verdict,
    WaitsFor,
};
pub use problem::{Problem, Severity};
pub use propagation_path::{PathStep, Placement, State, tag_field};
pub use read::{Reading, read_document, to_json};
pub use registered::{RegisteredLabel, registered_labels};
pub use relations::{class_of, referenced};
pub use scope::{DEFAULT_NAMESPACE, class_templates};
pub use session::{Exchange, admission_request, plural, session};
pub use shared::Shared;
pub use source::{Position, Source};
pub use templates::{EvaluatedComposition, TemplateEvaluation};
pub use topology::{MetadataUse, WORKERS, WorkersKind};
pub use value::{NoValue, ValueText};
pub use written::ObjectText;
