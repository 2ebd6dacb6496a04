//! Which labels, annotations, in-place fields and cloud tags an object must carry, and why.
//!
//! Cluster API carries metadata from ClusterClass and Cluster down through MachineDeployment, MachineSet and Machine to
//! the Node, by rules that [`RULES`] and [`FORCED`] hold row by row. [`evaluate`] takes one admission request, finds the
//! objects above the one under review, applies the rules, and answers with the completed object, the rule behind every
//! change and the reason for every label that did not travel.
//!
//! On Crossplane composites it stamps the tags that their labels become in a cloud, see [`tags`].
//!
//! The engine is pure: no host call, clock, environment, file or random number. Other objects come through the
//! [`Cluster`] trait. Objects stay raw JSON; only label and annotation maps, in-place mutable fields and cloud tags are
//! ever written, and on request what a CompositeResourceDefinition of Crossplane lacks for cloud tags to survive.
//!
//! ```
//! use metadata_propagation::{Manifests, Review, Settings, evaluate};
//!
//! let mut cluster = Manifests::default();
//! cluster.insert("cluster.x-k8s.io/v1beta2", "Cluster", "fleet", "c1", "{}".into());
//! cluster.insert("cluster.x-k8s.io/v1beta2", "MachineSet", "fleet", "workers", r#"{
//!     "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSet", "metadata": {"name": "workers"},
//!     "spec": {"clusterName": "c1", "template": {"metadata": {"labels": {"team": "red"}}}}}"#.into());
//! let review = Review::from_json(r#"{
//!     "operation": "CREATE", "namespace": "fleet", "name": "worker-1", "userInfo": {"username": "alice"},
//!     "kind": {"group": "cluster.x-k8s.io", "version": "v1beta2", "kind": "Machine"},
//!     "object": {"apiVersion": "cluster.x-k8s.io/v1beta2", "metadata": {"name": "worker-1", "ownerReferences": [
//!         {"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSet", "name": "workers", "controller": true}]}}}"#)?;
//!
//! let outcome = evaluate(&review, &Settings::from_json("{}")?, &cluster);
//! let object = outcome.object.ok_or("unchanged")?;
//! assert!(object.get().contains(r#""labels":{"cluster.x-k8s.io/set-name":"workers","team":"red"}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checks;
mod cluster;
mod differences;
mod duration;
mod evaluate;
mod expected;
mod explain;
mod fields;
mod finding;
mod forced;
mod gather;
mod grants;
mod guards;
mod inheritance;
mod json;
mod keys;
mod lookup;
mod name;
mod object;
mod pattern;
mod payload;
mod place;
mod report;
mod review;
pub mod rollout;
mod rules;
mod settings;
mod sources;
mod splice;
mod stop;
mod subject;
mod survival;
pub mod tags;
mod tracking;
mod unanswered;
mod version;
mod warnings;

pub use cluster::{Cluster, Get, LookupCause, LookupError, Manifests};
pub use evaluate::evaluate;
pub use fields::{Base, FIELDS, Field, FieldAddress, Hop, Shape};
pub use finding::{Finding, Stance};
pub use forced::{FORCED, Forced, ForcedValue};
pub use grants::{GRANTS, Grant, ROUTES, Route};
pub use guards::{GUARDS, Guard};
pub use json::Malformed;
pub use lookup::Looked;
pub use pattern::{Pattern, PatternError};
pub use payload::evaluate_payload;
pub use place::{MapKind, Place};
pub use report::{Action, Carried, Change, Level, LogLine, Outcome, Rejection, Report, SkipReason, Skipped, Value};
pub use review::{Call, GroupVersionKind, Operation, Review};
pub use rules::{Criterion, Keys, RULES, Rule};
pub use settings::{
    CloudTags, ClusterApi, Composites, Guards, Lookup, Mode, NodeSync, OnConflict, OnXrd, OptIn, Problem, Provider,
    RawCloudTags, RawClusterApi, RawLookup, RawNodeSync, RawSettings, Reaction, Registry, Settings, SettingsError,
};
pub use stop::{Inert, InertReason};
pub use survival::{CARRIERS, Carrier, Tags};
pub use version::Version;
