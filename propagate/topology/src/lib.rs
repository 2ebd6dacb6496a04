//! What Cluster API's topology reconciler writes for a Cluster, computed from the Cluster, its ClusterClass and the
//! templates of the class.
//!
//! [`desired`] returns the objects, [`differences`] compares them before and after a change. Nothing here accesses a
//! file, a clock or a network.

mod admission;
mod assigned;
mod builtins;
mod class_notes;
mod comments;
mod compare;
mod composition;
mod definitions;
mod desired;
mod desired_part;
mod dry_run;
mod fields;
mod functions;
mod go;
mod item;
mod metadata_uses;
mod no_output;
mod object_path;
mod obstacle;
mod owner;
mod patches;
mod schema;
mod selection;
mod sentences;
mod stored_template;
mod template;
mod upgrade;
mod variables;
mod workers;

pub use admission::{
    NO_AMOUNT, class_refusals, early_startup, health_check_refusals, is_amount, unevaluated_rule, value_refusals,
};
pub use class_notes::{ClassFact, ClassNote, class_notes};
pub use compare::{FieldCause, PartChange, PartDifference, differences, differing_paths};
pub use composition::{CompositionTemplate, Dependence};
pub use definitions::{
    UnknownField, applied, definition_violations, endpoint_refusal, has_definition, is_keyed_list, is_newer, pruned,
    schema_refusal, unknown_fields,
};
pub use desired::{Before, Desired, Inputs, desired};
pub use desired_part::DesiredPart;
pub use functions::whole_seconds;
pub use metadata_uses::{MetadataAction, MetadataUse, metadata_uses};
pub use no_output::NoOutput;
pub use object_path::{ObjectPath, ObjectStep, VisitedPath};
pub use obstacle::{Gap, Obstacle, TopologyRefusal};
pub use owner::{DEPLOYMENTS, POOLS, PartRole, TopologyOwner, WORKERS, WorkersKind};
pub use schema::{SchemaViolation, prune};
pub use upgrade::{control_plane_steps, worker_steps};
pub use variables::{StoredDefaults, keep_defaults, set_defaults, stored_defaults};

/// Reads a text as YAML; `None` if it is not.
pub type Yaml = fn(&str) -> Option<serde_json::Value>;
