//! Annotations and labels with which what applies objects leaves them as they are.

use std::fmt;

use fleet::FleetObject;
use serde_json::Value;

use crate::applied::Applier;

/// Sources: `shouldSkipApply` in ssa/manager_apply.go and `Delete` in ssa/manager_delete.go of fluxcd/pkg, with the options of
/// `apply` and `deleteObjects` in internal/controller/kustomization_controller.go of Flux's kustomize-controller;
/// docs/user-guide/sync-options.md of Argo CD, `runTasks` in its engine's pkg/sync/sync_context.go and `shouldBeDeleted` in
/// controller/appcontroller.go; Helm's documentation of charts, "Tell Helm Not To Uninstall a Resource".
const PROTECTIONS: &[Protection] = &[
    row("kustomize.toolkit.fluxcd.io/prune", "disabled", Tool::Flux, Moment::Removed, Protects::Stays),
    row("kustomize.toolkit.fluxcd.io/reconcile", "disabled", Tool::Flux, Moment::Removed, Protects::IfInCluster),
    row("kustomize.toolkit.fluxcd.io/reconcile", "disabled", Tool::Flux, Moment::Edited, Protects::Stays),
    row("kustomize.toolkit.fluxcd.io/ssa", "Ignore", Tool::Flux, Moment::Removed, Protects::IfInCluster),
    row("kustomize.toolkit.fluxcd.io/ssa", "Ignore", Tool::Flux, Moment::Edited, Protects::Stays),
    row("kustomize.toolkit.fluxcd.io/ssa", "IfNotPresent", Tool::Flux, Moment::Edited, Protects::Stays),
    row("argocd.argoproj.io/sync-options", "Prune=false", Tool::Argo, Moment::Pruned, Protects::Stays),
    row("argocd.argoproj.io/sync-options", "Prune=confirm", Tool::Argo, Moment::Pruned, Protects::UntilConfirmed),
    row("argocd.argoproj.io/sync-options", "Delete=false", Tool::Argo, Moment::WithApplier, Protects::Stays),
    row("argocd.argoproj.io/sync-options", "Delete=confirm", Tool::Argo, Moment::WithApplier, Protects::UntilConfirmed),
    row("helm.sh/resource-policy", "keep", Tool::Argo, Moment::WithApplier, Protects::Stays),
    row("helm.sh/resource-policy", "keep", Tool::Helm, Moment::Removed, Protects::Stays),
];

/// A row of [`PROTECTIONS`].
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Protection {
    key: &'static str,
    /// One of the values, which commas separate.
    value: &'static str,
    tool: Tool,
    moment: Moment,
    pub(super) protects: Protects,
}

/// What obeys an annotation.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tool {
    Flux,
    Argo,
    Helm,
}

/// What happens to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    Edited,
    /// One of the next two.
    Removed,
    /// It is taken out of what is applied.
    Pruned,
    /// What applies it is deleted, and it with that.
    WithApplier,
}

/// How an annotation protects an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Protects {
    Stays,
    /// Only if the object in the cluster has it: it is not applied with the object.
    IfInCluster,
    /// Until somebody confirms the deletion.
    UntilConfirmed,
}

const fn row(key: &'static str, value: &'static str, tool: Tool, moment: Moment, protects: Protects) -> Protection {
    Protection { key, value, tool, moment, protects }
}

/// What protects an object at a moment, if what applies it obeys that.
pub(super) fn protection(object: &FleetObject, moment: Moment, appliers: &[&Applier]) -> Option<&'static Protection> {
    // Most objects have none of the keys anywhere.
    if !PROTECTIONS.iter().any(|row| object.json.contains(row.key)) {
        return None;
    }
    let json = object.value();
    PROTECTIONS.iter().find(|row| row.is_of(&json, moment, appliers))
}

impl Protection {
    fn is_of(&self, object: &Value, moment: Moment, appliers: &[&Applier]) -> bool {
        let entry = |map: &str| object.pointer(map)?.get(self.key)?.as_str();
        let label = |key: &str| object.pointer("/metadata/labels")?.get(key)?.as_str();
        let has = |value: &str| value.split(',').any(|value| value.trim().eq_ignore_ascii_case(self.value));
        let is_of_group = |group: &str| appliers.is_empty() || appliers.iter().any(|it| it.id.group.contains(group));
        let is_obeyed = || match self.tool {
            Tool::Flux => is_of_group("fluxcd"),
            Tool::Argo => is_of_group("argoproj"),
            Tool::Helm => appliers.is_empty() && label("app.kubernetes.io/managed-by") == Some("Helm"),
        };
        let is_now = self.moment == moment || self.moment == Moment::Removed && moment != Moment::Edited;
        let value = entry("/metadata/annotations").or_else(|| entry("/metadata/labels"));
        is_now && value.is_some_and(has) && is_obeyed()
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}: {}`", self.key, self.value)
    }
}
