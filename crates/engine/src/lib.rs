//! Which labels, annotations, in-place fields and cloud tags an object must carry, and why.
//!
//! Cluster API propagates metadata from ClusterClass and Cluster down through MachineDeployment, MachineSet and Machine
//! to the Node, by the rules in [`RULES`] and [`FORCED`], one row each. [`evaluate`] takes one admission request, finds
//! the objects above the one under review, applies the rules, and returns the completed object, the rule behind every
//! change and the reason for every label that is not propagated.
//!
//! On Crossplane composites it sets the cloud tags for their labels, see [`tags`].
//!
//! The engine is pure: no host call, clock, environment, file or random number. Other objects are read through the
//! [`Cluster`] trait. Objects remain raw JSON; only label and annotation maps, in-place mutable fields and cloud tags
//! are written, and, if the settings ask for it, the declaration of cloud tags that a CompositeResourceDefinition of
//! Crossplane lacks.
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
//! assert!(object.contains(r#""labels":{"cluster.x-k8s.io/set-name":"workers","team":"red"}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod admission;
mod catalog;
mod checks;
mod evaluate;
mod kube;
mod propagation;
mod report;
mod settings;
pub mod tags;

use raw_json as json;

/// API groups, labels and annotations of Cluster API, for callers that read its objects themselves.
pub mod cluster_api {
    pub use crate::catalog::groups::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_GROUP};
    pub use crate::catalog::keys::{
        CLUSTER_NAME, NODE_CLUSTER_NAMESPACE, NODE_MACHINE, TOPOLOGY_DEPLOYMENT_NAME, TOPOLOGY_OWNED,
        TOPOLOGY_POOL_NAME,
    };
}

pub use admission::request::{Call, Operation, Review};
pub use catalog::effects::table::EFFECTS;
pub use catalog::effects::{EditedKind, Effect, EffectBlock, Given, KeyEdit, KeyRow, Row, Same};
pub use catalog::fields::{Base, FIELDS, Field, FieldAddress, Hop, Shape};
pub use catalog::forced::{FORCED, Forced, ForcedValue};
pub use catalog::functions::{FUNCTIONS, Function, FunctionEffect};
pub use catalog::grants::{GRANTS, Grant, MOST_READS, ROUTES, Route};
pub use catalog::guards::{GUARDS, Guard, GuardRail};
pub use catalog::masks::Masks;
pub use catalog::place::{MapKind, Place};
pub use catalog::rules::{Criterion, Keys, RULES, Rule};
pub use catalog::tools::{TOOL_KEYS, ToolKeys};
pub use catalog::version::Version;
pub use evaluate::inspect::{Listed, concerns, has_effects, propagated};
pub use evaluate::payload::evaluate_payload;
pub use evaluate::{evaluate, evaluate_and_list};
pub use json::{Embedded, Malformed, NotWritten, Quoted, to_json, utf8};
pub use kube::cluster::{Cluster, Get, LookupCause, LookupError, Manifests};
pub use kube::group_version_kind::GroupVersionKind;
pub use report::change::{Action, Change, EntryNoun, Value};
pub use report::fact::{Fact, InPlacePaths, Mentioned, NamedEntry};
pub use report::finding::{Finding, TagDelivery};
pub use report::lookup_record::LookupRecord;
pub use report::not_applicable::{NotApplicable, NotApplicableReason};
pub use report::outcome::{LogLevel, LogLine, MalformedObject, Outcome, Rejection, Report};
pub use report::propagated::Propagated;
pub use report::rollout_impact::{RolloutEdit, RolloutImpact};
pub use report::skipped::{Carried, SkipReason, Skipped};
pub use report::source::{SourceObject, SourcePlace};
pub use settings::{
    ApiVersion, BelongsTo, CloudTags, ClusterApi, ClusterCloudTags, CompositeGroup, Composites, Controllers, FieldPath,
    Guards, InfraClusterKind, KeyOrDomain, KindAndGroup, LabelSource, Lookup, Mode, NodeSync, NonEmpty, OnConflict,
    OnMissingTag, OnRefused, OnXrd, OptIn, OwnerLabel, Pattern, PatternError, ProfileName, Provider, Reaction,
    RegistryReference, RequiredTag, SettingProblem, Settings, SettingsError, Sources, Stance, TagPrefix, Tenant,
    TenantName, Users,
};
pub use tag_carriers::{CARRIERS, Carrier, Holds, OTHER_FIELDS, OtherField, ProviderCarriers, Tags};
