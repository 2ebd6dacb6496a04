//! What an object must carry, without a decision about a request.

use super::role::Role;
use crate::settings::Settings;
use cluster_api::catalog::effects::EditedKind;
use cluster_api::propagation::listing::Propagated;
use cluster_api::propagation::listing::propagated as entries;
use cluster_api::subject::Subject;
use kubernetes::{
    Answers, Cluster, Lookups, NotApplicable, NotApplicableReason, Object, Objects, Reads, Review, ReviewedObject,
    Stop, Stored,
};

/// The labels and annotations that an object must carry by the rules, whether it does or not; none if no rule writes
/// such objects. Whether its Cluster is paused is not checked.
///
/// # Errors
/// When nothing propagates to the object, or when it is not known what does.
pub fn propagated(review: &Review<'_>, settings: &Settings, cluster: &dyn Cluster) -> Listed {
    let Some(place) = Role::of(review, settings).and_then(Role::place) else { return Ok(Vec::new()) };
    let objects = Objects::of(review);
    let stored = Stored::new(objects.old);
    let answers = Answers::new(Reads::Cached);
    let lookups = Lookups::new(&review.kind, settings, cluster, &answers);
    match ReviewedObject::read(review, &objects.new, &stored) {
        Ok(object) => list(&Subject::new(Some(place), object), settings, &lookups),
        Err(malformed) => Err(unknown(malformed.into())),
    }
}

/// What an object must carry, or why that is not known.
pub type Listed = Result<Vec<Propagated>, NotApplicable>;

/// Like [`propagated`], for an object that was already read.
pub(super) fn list<'e>(subject: &Subject<'e>, settings: &Settings, lookups: &Lookups<'e>) -> Listed {
    match subject.place {
        Some(_) => entries(subject, &settings.cluster_api, lookups).map_err(unknown),
        None => Ok(Vec::new()),
    }
}

fn unknown(stop: Stop) -> NotApplicable {
    match stop {
        Stop::NotApplicable(reason) => reason,
        Stop::LookupFailed(failed) | Stop::RegistryFailed(failed) | Stop::SourceFailed(failed) => {
            NotApplicable { reason: failed.reason(), because: failed.query.into() }
        }
        Stop::Malformed(malformed) => {
            NotApplicable { reason: NotApplicableReason::LookupFailed, because: malformed.to_string().into() }
        }
    }
}

/// Whether the policy reads objects of this kind at all.
pub fn concerns(review: &Review<'_>, settings: &Settings) -> bool {
    Role::of(review, settings).is_some()
}

/// Whether an UPDATE may contain edits that the table of effects has, whatever the settings are.
pub fn has_effects(review: &Review<'_>) -> bool {
    let Some(old) = Objects::of(review).old else { return false };
    Object::read(&old).is_ok_and(|old| EditedKind::of_object(&review.kind, Some(&old)).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MalformedObject;
    use crate::evaluate::{evaluate, evaluate_and_list};
    use kubernetes::{GroupVersionKind, Manifests, MapKind, Value};

    fn machine(labels: &str) -> String {
        format!(
            r#"{{"operation":"CREATE","namespace":"fleet","name":"m","userInfo":{{}},
            "kind":{{"group":"cluster.x-k8s.io","version":"v1beta2","kind":"Machine"}},
            "object":{{"apiVersion":"cluster.x-k8s.io/v1beta2","metadata":{{"name":"m","labels":{labels},"ownerReferences":[
                {{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineSet","name":"ms","controller":true}}]}}}}}}"#
        )
    }

    fn with_set() -> Manifests {
        let mut cluster = Manifests::default();
        let set = r#"{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineSet","metadata":{"name":"ms"},
            "spec":{"template":{"metadata":{"labels":{"team":"red"}}}}}"#;
        cluster.insert("cluster.x-k8s.io/v1beta2", "MachineSet", "fleet", "ms", set.to_owned());
        cluster
    }

    #[test]
    fn what_an_object_has_already_is_listed_too() {
        let request = machine(r#"{"team":"red"}"#);
        let found = propagated(&Review::from_json(&request).unwrap(), &Settings::default(), &with_set()).unwrap();
        let (forced, team) = (&found[0], &found[1]);
        assert_eq!((found.len(), &*forced.key, &forced.found), (2, "cluster.x-k8s.io/set-name", &None));
        let expected = Propagated {
            at: "metadata.labels".to_owned(),
            map: MapKind::Labels,
            key: "team".to_owned(),
            value: Value::string("red"),
            found: Some(Value::string("red")),
            rule:
                "`.spec.template.metadata.labels` => `Machine.labels`, `InfraMachine.labels`, `BootstrapConfig.labels`"
                    .to_owned(),
            source: "MachineSet fleet/ms".to_owned(),
            place: Some(".spec.template.metadata.labels".to_owned()),
        };
        assert_eq!(team, &expected);
    }

    #[test]
    fn an_owner_that_is_not_there_is_the_reason_for_no_answer() {
        let request = machine("{}");
        let found = propagated(&Review::from_json(&request).unwrap(), &Settings::default(), &Manifests::default());
        let because = "cluster.x-k8s.io/v1beta2 MachineSet fleet/ms".into();
        assert_eq!(found, Err(NotApplicable { reason: NotApplicableReason::ParentMissing, because }));
    }

    #[test]
    fn an_evaluation_with_a_list_is_the_evaluation_and_the_list() {
        let request = machine(r#"{"team":"blue"}"#);
        let review = Review::from_json(&request).unwrap();
        let settings = Settings::default();
        let cluster = Manifests::default();
        let (outcome, listed) = evaluate_and_list(&review, &settings, &cluster);
        assert_eq!((outcome.object, &listed), (None, &propagated(&review, &settings, &cluster)));
        let cluster = with_set();
        let (outcome, listed) = evaluate_and_list(&review, &settings, &cluster);
        let alone = evaluate(&review, &settings, &cluster);
        assert_eq!((outcome.object, outcome.warnings), (alone.object, alone.warnings));
        assert_eq!(listed, propagated(&review, &settings, &cluster));
        assert_eq!(listed.map(|entries| entries.len()), Ok(2));
    }

    #[test]
    fn effects_are_of_kinds_that_the_table_knows() {
        let of_kind = |kind: &str| {
            format!(
                r#"{{"operation":"UPDATE","namespace":"fleet","name":"a","userInfo":{{}},
                "kind":{{"group":"cluster.x-k8s.io","version":"v1beta2","kind":"{kind}"}},
                "object":{{"metadata":{{"name":"a"}}}},"oldObject":{{"metadata":{{"name":"a"}}}}}}"#
            )
        };
        for (kind, expected) in [("MachineDeployment", true), ("Machine", false), ("MachineHealthCheck", false)] {
            assert_eq!(has_effects(&Review::from_json(&of_kind(kind)).unwrap()), expected, "{kind}");
        }
    }

    #[test]
    fn an_object_that_cannot_be_read_is_named_and_so_is_the_path_in_it() {
        let request = machine("[]");
        let outcome = evaluate(&Review::from_json(&request).unwrap(), &Settings::default(), &Manifests::default());
        assert_eq!(outcome.rejection.unwrap().at.as_deref(), Some("metadata.labels"));
        let MalformedObject { object, problem } = outcome.malformed.unwrap();
        assert_eq!((&*object, &*problem.path), ("Machine fleet/m", "metadata.labels"));
    }

    #[test]
    fn the_facts_of_warnings_are_in_the_outcome_too() {
        let request = machine(r#"{"cluster.x-k8s.io/set-name":"ms"}"#);
        let outcome = evaluate(&Review::from_json(&request).unwrap(), &Settings::default(), &with_set());
        let expected = ["label `team` added: set on MachineSet fleet/ms (.spec.template.metadata.labels)"];
        assert_eq!(outcome.warnings, expected);
        assert_eq!(outcome.notes.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn only_objects_of_kinds_with_a_role_are_read() {
        for (group, kind, expected) in [("cluster.x-k8s.io", "Machine", true), ("apps", "Deployment", false)] {
            let kind = GroupVersionKind { group: group.into(), version: "v1beta2".into(), kind: kind.into() };
            assert_eq!(
                crate::concerns(&Review { kind, ..Review::default() }, &Settings::default()),
                expected,
                "{group}"
            );
        }
    }

    /// Only what an API server sends has owners of fields that must be kept.
    #[test]
    fn a_request_is_of_an_api_server() {
        assert!(Review::from_json(&machine("{}")).unwrap().is_of_api_server);
    }
}
