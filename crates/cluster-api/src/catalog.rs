//! The facts, as tables. Nothing here decides about an object.

pub(crate) mod appliers;
pub mod effects;
mod fields;
mod forced;
pub mod guards;
pub mod keys;
mod kinds;
pub mod limits;
mod masks;
pub mod node_restriction;
pub(crate) mod place;
mod rules;
pub mod tools;
pub mod topology_values;
mod version;

pub use self::appliers::{CONTROLLERS, is_of_cluster_api};
pub(crate) use self::appliers::{may_be_begun, responsible};
pub use self::fields::{Base, FIELDS, Field, FieldAddress, Hop, Shape};
pub(crate) use self::forced::is_forced;
pub use self::forced::{FORCED, Forced, ForcedValue};
pub use self::kinds::KindRow;
pub(crate) use self::kinds::{Owner, may_carry_record};
pub(crate) use self::masks::TOPOLOGY_ENTRY_MASKS;
pub use self::masks::{
    CLASS_MASKS, CLUSTER_MASKS, CONTROL_PLANE_MASKS, CONTROL_PLANE_TEMPLATE_MASKS, INFRASTRUCTURE_MASKS, MACHINE_MASKS,
    NODE_MACHINE_MASKS, TEMPLATE_MASKS, TOPOLOGY_MASKS, TOPOLOGY_VALUE_MASKS,
};
use self::place::PAGE_VERSION;
pub use self::place::Place;
pub use self::rules::{Criterion, Keys, RULES, Rule};
pub use self::version::Version;

pub const CORE_GROUP: &str = "cluster.x-k8s.io";
/// The group of control planes, Cluster API's own and others.
pub const CONTROL_PLANE_GROUP: &str = "controlplane.cluster.x-k8s.io";
pub const BOOTSTRAP_GROUP: &str = "bootstrap.cluster.x-k8s.io";
pub const INFRASTRUCTURE_GROUP: &str = "infrastructure.cluster.x-k8s.io";
