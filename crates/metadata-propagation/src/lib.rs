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

mod checks;
mod evaluate;
mod fact;
mod grants;
mod report;
mod settings;

use raw_json as json;

/// API groups, labels and annotations of Cluster API, for callers that read its objects themselves.
pub mod cluster_api {
    pub use ::cluster_api::catalog::keys::{
        CLUSTER_NAME, NODE_CLUSTER_NAMESPACE, NODE_MACHINE, PAUSED, TOPOLOGY_DEPLOYMENT_NAME, TOPOLOGY_OWNED,
        TOPOLOGY_POOL_NAME,
    };
    pub use ::cluster_api::catalog::node_restriction::forbids as is_forbidden_to_kubelets;
    pub use ::cluster_api::catalog::{
        BOOTSTRAP_GROUP, CLASS_MASKS, CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_GROUP,
    };
}

/// Cloud tags: what sets them, and the tables of what providers admit.
pub mod tags {
    pub use ::cloud_tags::{CloudVerdict, Labels, SkippedLabel, TagReport, Transformed, cloud_tags, verdicts};
    pub use ::tag_rules::{
        CLOUD_TAG_PREFIX, CLOUDS, Cloud, Definition, Form, INFRA_CLUSTERS, InfraCluster, KeyCase, Length, PROFILES,
        Profile, SEEDED, STRICT_PROFILES, StrictProfile, TagRules, TagSkipReason, Text, Unit,
    };
}

pub use self::fact::{Fact, Finding};
pub use ::cluster_api::catalog::effects::table::EFFECTS;
pub use ::cluster_api::catalog::effects::{EditedKind, Effect, EffectBlock, Given, KeyEdit, Row, Same};
pub use ::cluster_api::catalog::guards::{GUARDS, Guard};
pub use ::cluster_api::catalog::{
    Criterion, FIELDS, FORCED, Field, Forced, Hop, Keys, Place, RULES, Rule, Shape, Version,
};
pub use ::cluster_api::propagation::listing::Propagated;
pub use ::cluster_api::settings::{ClusterApi, Guards, OnConflict, OptIn};
pub use ::cluster_api::skipped::{Carried, SkipReason, Skipped};
pub use ::tag_delivery::fault::TagFault;
pub use ::tag_delivery::tag_finding::{TagDelivery, TagSubject};
pub use cloud_tags::NoTagReason;
pub use cloud_tags::fact::CloudTagFact;
pub use evaluate::inspect::{Listed, concerns, has_effects, propagated};
pub use evaluate::{evaluate, evaluate_and_list, evaluate_payload};
pub use grants::{GRANTS, Grant, ROUTES, Route};
pub use json::{Embedded, Malformed, NotWritten, Quoted, to_json, utf8};
pub use kubernetes::settings::{FieldPath, Mode, Pattern, SettingsError, Stance};
pub use kubernetes::{
    Action, Call, Change, ChangeRule, Cluster, EXEMPT, Get, GroupVersionKind, LookupCause, LookupError, LookupRecord,
    Manifests, MapKind, Masks, NotApplicable, NotApplicableReason, Operation, Review, Sentence, SourceObject, Value,
    is_annotation_key, is_label_key, is_label_value,
};
pub use report::{LogLevel, LogLine, MalformedObject, Outcome, Rejection, Report};
pub use settings::{Lookup, Settings};
pub use tag_delivery::CROSSPLANE_PAUSED;
pub use tag_delivery::carriers::{CARRIERS, Carrier, Holds, Item, Tags, cloud_of, tags_of_kind};
pub use tag_delivery::functions::{FUNCTIONS, Function, FunctionEffect};
pub use tag_rules::{
    BelongsTo, CloudTags, ClusterCloudTags, CompositeGroup, Composites, InfraClusterKind, LabelSource, OnMissingTag,
    OnRefused, OnXrd, OwnerLabel, ProfileName, Provider, RegistryReference, RequiredTag, TagPrefix, TagSourceSettings,
    Tenant, TenantName,
};
