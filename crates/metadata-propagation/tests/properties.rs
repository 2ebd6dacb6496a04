//! What holds for every fleet and every request. `PROPTEST_CASES` asks for more of them.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "what tests are made of may fail like a test")]

#[path = "properties/fleet.rs"]
mod fleet;
#[path = "properties/fleet_kind.rs"]
mod fleet_kind;
#[path = "properties/objects.rs"]
mod objects;
#[path = "properties/unusual_json.rs"]
mod unusual_json;

use std::collections::BTreeSet;

use fleet::{CONTROLLER, Fleet, TRACKING, any_json, broken_fleet, fleet};
use metadata_propagation::{
    Action, Change, Manifests, Mode, OnConflict, Outcome, Review, Settings, evaluate, evaluate_payload,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{FileFailurePersistence, TestRunner};
use serde_json::{Value, json};
use testkit::laws::{is_answerable, stands};
use testkit::owned::{MANAGED_FIELDS, only_owned_maps_changed, owned};
use testkit::owners::what_is_restored_has_its_owners;

/// At least this number of fleets for each fact: what is rare is met a few times.
const CASES: u32 = 512;

fn config() -> ProptestConfig {
    let regressions = FileFailurePersistence::Direct("tests/properties.regressions");
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.max(CASES), failure_persistence: Some(Box::new(regressions)), ..default }
}

/// The result of a fleet's request.
fn outcome(fleet: &Fleet) -> Outcome {
    evaluate_payload(fleet.payload.as_bytes(), &fleet.cluster)
}

fn text(outcome: &Outcome) -> Option<&str> {
    outcome.object.as_deref()
}

/// Everything that an outcome says, as bytes.
fn bytes(outcome: &Outcome) -> String {
    let Outcome { rejection, object, warnings, notes, log, report, malformed } = outcome;
    let object = object.as_deref();
    format!(
        "{rejection:?}{object:?}{warnings:?}{notes:?}{log:?}{malformed:?}{}",
        serde_json::to_string(report).unwrap()
    )
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The request's object and what was written, where something was.
fn before_and_after(fleet: &Fleet) -> Option<(Value, Value)> {
    let outcome = outcome(fleet);
    text(&outcome).map(|after| (fleet.with(|review, _| parsed(review.object.unwrap())), parsed(after)))
}

/// The object without the maps that the policy may write, and without what holds nothing else.
fn without(mut object: Value, owned: Vec<String>) -> Value {
    fn remove(value: &mut Value, path: &[&str]) {
        let [step, rest @ ..] = path else { return };
        let Some(fields) = value.as_object_mut() else { return };
        if let Some(below) = fields.get_mut(*step) {
            remove(below, rest);
            if rest.is_empty() || below.is_null() || *below == json!({}) {
                fields.remove(*step);
            }
        }
    }
    for path in owned {
        remove(&mut object, &path.split('.').collect::<Vec<_>>());
    }
    object
}

/// Whether a report's object is a Machine or a part of one.
fn keeps_records(object: &str) -> bool {
    ["Machine ", "DevMachine ", "KubeadmConfig "].iter().any(|kind| object.starts_with(kind))
}

/// Who owns what of an object.
fn owners(object: &Value) -> &Value {
    &object["metadata"]["managedFields"]
}

/// The record that an object carries, if one does.
fn record(object: &Value) -> Option<&Value> {
    object["metadata"]["annotations"].get(TRACKING)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn evaluating_an_outcome_again_changes_nothing(fleet in fleet()) {
        let first = outcome(&fleet);
        fleet.with(|review, settings| {
            if let Some(written) = text(&first) {
                let again = evaluate(&Review { object: Some(written), ..review.clone() }, settings, &fleet.cluster);
                prop_assert_eq!(again.rejection, None);
                prop_assert_eq!(again.object.map(|object| object.to_string()), None);
            }
            Ok(())
        })?;
    }

    #[test]
    fn what_an_update_stored_needs_no_change_at_its_next_touch(fleet in fleet()) {
        let first = outcome(&fleet);
        fleet.with(|review, settings| {
            let leaves_nothing = first.report.as_ref().is_some_and(|report| report.drift.is_empty());
            if let Some(written) = text(&first).filter(|_| leaves_nothing) {
                let touch = Review { object: Some(written), old_object: Some(written), ..review.clone() };
                let again = evaluate(&touch, settings, &fleet.cluster);
                prop_assert_eq!(again.object.map(|object| object.to_string()), None);
            }
            Ok(())
        })?;
    }

    #[test]
    fn the_same_request_gets_the_same_bytes(fleet in fleet()) {
        prop_assert_eq!(bytes(&outcome(&fleet)), bytes(&outcome(&fleet.clone())));
    }

    #[test]
    fn a_dry_run_answers_like_the_real_run(fleet in fleet()) {
        fleet.with(|review, settings| {
            let run = |dry_run| evaluate(&Review { dry_run, ..review.clone() }, settings, &fleet.cluster);
            prop_assert_eq!(bytes(&run(true)), bytes(&run(false)));
            Ok(())
        })?;
    }

    #[test]
    fn nothing_but_the_owned_maps_is_written(fleet in fleet()) {
        if let Some((before, after)) = before_and_after(&fleet) {
            fleet.with(|review, _| {
                let paths = || owned(&review.kind).into_iter().chain([MANAGED_FIELDS.to_owned()]).collect();
                prop_assert_eq!(without(before, paths()), without(after, paths()));
                Ok(())
            })?;
        }
    }

    #[test]
    fn every_byte_outside_the_owned_maps_and_every_foreign_entry_survives(fleet in fleet()) {
        let outcome = outcome(&fleet);
        fleet.with(|review, _| {
            let compared = only_owned_maps_changed(&review.kind, review.object.unwrap(), &outcome);
            prop_assert!(compared.is_ok(), "{:#}", compared.unwrap_err());
            Ok(())
        })?;
    }

    #[test]
    fn what_is_restored_keeps_the_owners_that_are_stored(fleet in fleet()) {
        let outcome = outcome(&fleet);
        fleet.with(|review, _| {
            if let (Some(written), Some(old), Some(report)) = (text(&outcome), review.old_object, &outcome.report) {
                let [requested, after, stored] =
                    [review.object.unwrap(), written, old].map(|object| owners(&parsed(object)).to_string());
                // Nobody is left without owners altogether.
                if after != requested {
                    let kept = what_is_restored_has_its_owners(&stored, &after, &report.changes);
                    prop_assert!(kept.is_ok(), "{:#}", kept.unwrap_err());
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn what_decides_over_machines_and_owners_is_never_written(fleet in fleet()) {
        if let Some((before, after)) = before_and_after(&fleet) {
            for path in [
                "/apiVersion", "/kind", "/status", "/spec/selector", "/spec/replicas", "/spec/version", "/spec/rollout",
                "/spec/rolloutAfter", "/spec/taints", "/spec/clusterName", "/spec/template/spec",
                "/spec/machineTemplate/infrastructureRef", "/metadata/name", "/metadata/uid", "/metadata/finalizers",
                "/metadata/ownerReferences", "/metadata/deletionTimestamp",
            ] {
                prop_assert_eq!(before.pointer(path), after.pointer(path), "{}", path);
            }
        }
    }

    #[test]
    fn a_record_is_sorted_and_names_keys_that_are_set(fleet in fleet()) {
        let outcome = outcome(&fleet);
        let report = outcome.report.as_ref();
        let is_kept = report.is_some_and(|report| report.inert.is_none() && keeps_records(&report.object));
        // Nothing is stored of what is refused.
        let is_kept = is_kept && outcome.rejection.is_none();
        let after = fleet.with(|review, settings| {
            // An edit that may stand may drop a key that is recorded.
            let restores = settings.cluster_api.on_conflict == OnConflict::Restore;
            (is_kept && restores).then(|| parsed(text(&outcome).or(review.object).unwrap()))
        });
        // Nobody touches the metadata of what is being deleted.
        let Some(after) = after.filter(|after| after["metadata"]["deletionTimestamp"].is_null()) else { return Ok(()) };
        let Some(text) = record(&after) else { return Ok(()) };
        let record = parsed(text.as_str().unwrap());
        prop_assert_eq!(record.as_object().unwrap().keys().collect::<Vec<_>>(), ["annotations", "fields", "labels"]);
        let mut recorded = 0;
        for map in ["labels", "annotations"] {
            let keys: Vec<&str> = record[map].as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
            prop_assert!(keys.is_sorted_by(|a, b| a < b), "{:?}", keys);
            for key in &keys {
                prop_assert!(after["metadata"][map].get(*key).is_some(), "`{}` is recorded and not there", key);
            }
            recorded += keys.len();
        }
        prop_assert!(recorded > 0, "a record of nothing");
    }

    #[test]
    fn a_record_is_kept_by_machines_and_their_parts_only(fleet in fleet()) {
        let report = outcome(&fleet).report;
        for change in report.iter().flat_map(|report| &report.changes).filter(|change| change.key == TRACKING) {
            prop_assert_eq!(change.action, Action::Recorded);
            prop_assert_eq!(&*change.at, "metadata.annotations");
            prop_assert!(report.iter().all(|report| keeps_records(&report.object)));
        }
    }

    #[test]
    fn only_what_was_recorded_is_ever_removed(fleet in fleet()) {
        let report = outcome(&fleet).report;
        let removed = report.iter().flat_map(|report| &report.changes).filter(|change| change.action == Action::Removed);
        fleet.with(|review, _| {
            let stored = parsed(review.old_object.or(review.object).unwrap());
            let record = record(&stored).and_then(Value::as_str).map_or(Value::Null, parsed);
            for change in removed {
                if !change.at.ends_with("labels") && !change.at.ends_with("annotations") {
                    let fields = record["fields"].as_array().cloned().unwrap_or_default();
                    let of_record = fields.iter().filter_map(Value::as_str).any(|name| change.key.starts_with(name));
                    prop_assert!(of_record, "`{}` was not recorded", change.key);
                    continue;
                }
                let map = change.at.rsplit('.').next().unwrap();
                let keys = record[map].as_array().cloned().unwrap_or_default();
                prop_assert!(keys.contains(&json!(change.key)), "`{}` was not recorded", change.key);
            }
            Ok(())
        })?;
    }

    #[test]
    fn verify_refuses_exactly_what_mutate_writes_by_the_rules(fleet in fleet()) {
        fleet.with(|review, settings| {
            let mut mutate = settings.clone();
            mutate.cluster_api.on_conflict = OnConflict::Restore;
            let verify = Settings { mode: Mode::Verify, ..mutate.clone() };
            let by_rules = |outcome: &Outcome| -> BTreeSet<(String, String, Option<String>)> {
                let report = outcome.report.iter();
                let changes = report.flat_map(|report| report.changes.iter().chain(&report.drift));
                let own = [Action::Recorded, Action::Removed];
                let changes = changes.filter(|change| !own.contains(&change.action));
                let to = |change: &Change| change.to.as_ref().map(|value| value.as_json().into_owned());
                changes.map(|change| (change.at.to_string(), change.key.clone(), to(change))).collect()
            };
            let written = evaluate(review, &mutate, &fleet.cluster);
            let verified = evaluate(review, &verify, &fleet.cluster);
            prop_assert_eq!(text(&verified), None);
            prop_assert_eq!(by_rules(&verified), by_rules(&written));
            let refused = verified.rejection.is_some_and(|rejection| rejection.message.contains("does not match"));
            prop_assert_eq!(refused, !by_rules(&written).is_empty());
            Ok(())
        })?;
    }

    #[test]
    fn what_a_controller_writes_is_never_changed_or_refused(fleet in fleet(), self_check in any::<bool>()) {
        fleet.with(|review, settings| {
            for mode in [Mode::Mutate, Mode::Verify] {
                let mut settings = Settings { mode, ..settings.clone() };
                settings.cluster_api.self_check = self_check;
                let write = Review { username: CONTROLLER.into(), ..review.clone() };
                let outcome = evaluate(&write, &settings, &fleet.cluster);
                prop_assert_eq!(text(&outcome), None);
                prop_assert_eq!(outcome.rejection, None);
                prop_assert_eq!(outcome.warnings, Vec::<String>::new());
            }
            Ok(())
        })?;
    }

    #[test]
    fn every_change_is_from_what_stood_and_to_something_else(fleet in fleet()) {
        let outcome = outcome(&fleet);
        let object = fleet.with(|review, _| parsed(review.object.unwrap()));
        for change in outcome.report.iter().flat_map(|report| report.changes.iter().chain(&report.drift)) {
            let map = object.pointer(&format!("/{}", change.at.replace('.', "/"))).unwrap_or(&Value::Null);
            let stands = change.from.as_ref().map(|from| parsed(&from.as_json()));
            prop_assert_eq!(map.get(&change.key), stands.as_ref());
            prop_assert_ne!(&change.from, &change.to);
        }
    }

    #[test]
    fn any_value_anywhere_gets_an_answer_that_changes_nothing_when_repeated(fleet in broken_fleet()) {
        let outcome = outcome(&fleet);
        prop_assert!(is_answerable(&outcome).is_ok());
        if text(&outcome).is_some() {
            fleet.with(|review, settings| {
                let stands = stands(review, settings, || fleet.cluster.clone(), &outcome);
                prop_assert!(stands.is_ok(), "{:#}", stands.unwrap_err());
                Ok(())
            })?;
        }
    }

    #[test]
    fn any_json_in_the_place_of_a_request_gets_an_answer(request in any_json(), settings in any_json()) {
        for payload in [json!({ "request": request, "settings": settings }), request] {
            let payload = unusual_json::written(&payload, 0);
            prop_assert!(is_answerable(&evaluate_payload(payload.as_bytes(), &Manifests::default())).is_ok());
        }
    }
}

const WRITTEN: &[&str] = &[
    "DevMachine metadata.annotations",
    "DevMachine metadata.labels",
    "KubeadmConfig metadata.annotations",
    "KubeadmConfig metadata.labels",
    "KubeadmControlPlane metadata.annotations",
    "KubeadmControlPlane metadata.labels",
    "KubeadmControlPlane spec.machineTemplate.metadata.annotations",
    "KubeadmControlPlane spec.machineTemplate.metadata.labels",
    "Machine metadata.annotations",
    "Machine metadata.labels",
    "MachineDeployment metadata.annotations",
    "MachineDeployment metadata.labels",
    "MachineDeployment spec.template.metadata.annotations",
    "MachineDeployment spec.template.metadata.labels",
    "MachinePool metadata.annotations",
    "MachinePool metadata.labels",
    "MachinePool spec.template.metadata.annotations",
    "MachinePool spec.template.metadata.labels",
    "MachineSet metadata.annotations",
    "MachineSet metadata.labels",
    "MachineSet spec.template.metadata.annotations",
    "MachineSet spec.template.metadata.labels",
    "Node metadata.annotations",
    "Node metadata.labels",
    "RKE2ControlPlane metadata.annotations",
    "RKE2ControlPlane metadata.labels",
    "RKE2ControlPlane spec.machineTemplate.metadata.annotations",
    "RKE2ControlPlane spec.machineTemplate.metadata.labels",
];

/// Fleets that nobody writes to would prove nothing.
#[test]
fn fleets_meet_every_kind_of_object_change_and_verdict() {
    let mut runner = TestRunner::deterministic();
    let (mut written, mut actions, mut codes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for _ in 0..600 {
        let fleet = fleet().new_tree(&mut runner).unwrap().current();
        let outcome = outcome(&fleet);
        for change in outcome.report.iter().flat_map(|report| &report.changes) {
            let object = outcome.report.iter().flat_map(|report| report.object.split(' ')).next().unwrap_or_default();
            written.insert(format!("{object} {}", change.at));
            actions.insert(format!("{:?}", change.action));
        }
        codes.extend(outcome.rejection.map(|rejection| rejection.code));
    }
    let written: Vec<&str> = written.iter().map(String::as_str).collect();
    assert_eq!(written, WRITTEN);
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    assert_eq!(actions, ["Added", "Changed", "Recorded", "Removed", "Restored"]);
    assert_eq!(codes, BTreeSet::from([403]));
}
