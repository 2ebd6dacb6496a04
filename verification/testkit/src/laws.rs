//! Laws for every outcome and user, used by property tests and fuzzing.

use anyhow::{Context, Result, ensure};
use metadata_propagation::{Cluster, Outcome, Review, Settings, evaluate};

use crate::owned::only_owned_maps_changed;

/// Set on objects in the topology controller's dry runs: the policy leaves them alone.
pub(crate) const TOPOLOGY_DRY_RUN: &str = "topology.cluster.x-k8s.io/dry-run";

/// An outcome can be answered: short warnings, one verdict, serializable reports and log lines.
pub fn is_answerable(outcome: &Outcome) -> Result<()> {
    for warning in &outcome.warnings {
        ensure!(!warning.is_empty() && warning.chars().count() <= 120, "a warning of another length: {warning}");
    }
    ensure!(outcome.warnings.len() <= 20, "{} warnings", outcome.warnings.len());
    if let Some(rejection) = &outcome.rejection {
        ensure!([400, 403, 503].contains(&rejection.code), "code {}", rejection.code);
        ensure!(!rejection.message.is_empty(), "a refusal without a reason");
        ensure!(outcome.object.is_none(), "refused and written: {}", rejection.message);
    }
    if let Some(report) = &outcome.report {
        serde_json::to_string(report).context("the report cannot be written")?;
    }
    for line in &outcome.log {
        serde_json::to_string(line).context("a log line cannot be written")?;
    }
    Ok(())
}

/// What was written is correct: only in the policy's own maps, the same in a dry run, and complete, so that evaluating
/// it again writes nothing. `cluster` creates a new cluster for each evaluation.
pub fn stands<C: Cluster>(
    review: &Review<'_>,
    settings: &Settings,
    cluster: impl Fn() -> C,
    outcome: &Outcome,
) -> Result<()> {
    let (Some(written), Some(object)) = (outcome.object.as_deref(), review.object) else { return Ok(()) };
    only_owned_maps_changed(&review.kind, object, outcome)?;
    let dry = evaluate(&Review { dry_run: !review.dry_run, ..review.clone() }, settings, &cluster());
    let same = dry.object.as_deref() == Some(written);
    ensure!(same || object.contains(TOPOLOGY_DRY_RUN), "a dry run answers otherwise");
    let again = evaluate(&Review { object: Some(written), ..review.clone() }, settings, &cluster());
    is_answerable(&again)?;
    ensure!(
        again.object.is_none() && again.rejection.is_none(),
        "evaluating `{written}` again gives {:?} and {:?}",
        again.object,
        again.rejection
    );
    Ok(())
}
