//! What holds for the tags of any labels under any provider.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "what tests are made of may fail like a test")]

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::tags::{
    CLOUD_TAG_PREFIX, CloudVerdict, Labels, PROFILES, Profile, STRICT_PROFILES, TagRules, TagSkipReason, Transformed,
    cloud_tags,
};
use metadata_propagation::{Manifests, Outcome, Review, Settings, evaluate};
use proptest::collection::btree_map;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Every profile's provider in both cases, and some that have none.
fn provider() -> impl Strategy<Value = String> {
    let known = PROFILES.iter().flat_map(|profile| [profile.name.to_owned(), profile.name.to_uppercase()]);
    prop::sample::select(known.chain(["unknown".to_owned(), String::new()]).collect::<Vec<_>>())
}

fn strict_rules() -> impl Strategy<Value = TagRules> {
    let strict =
        STRICT_PROFILES.iter().flat_map(|profile| [0, 5, 9].map(|reserve| TagRules::Strict { profile, reserve }));
    prop::sample::select(strict.collect::<Vec<_>>())
}

/// All profiles, the specification's and the strict ones.
fn rules() -> impl Strategy<Value = TagRules> {
    let specified = PROFILES.iter().map(TagRules::from).collect::<Vec<_>>();
    prop_oneof![1 => prop::sample::select(specified), 4 => strict_rules()]
}

/// Keys of all kinds: plain ones, long ones, reserved ones, with characters that somebody refuses.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z]{1,4}",
        2 => "[a-z:/.@ +,]{1,12}",
        2 => "[ab][:/._][abAB]",
        1 => "(aws:|AWS:)[a-z]{0,3}",
        1 => "[a-zä名🦀\u{7}\u{85}]{40,130}",
        1 => "\\PC{1,20}",
    ]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![6 => "[a-z]{0,5}", 1 => "[a-zä名]{60,130}", 1 => "[a-zä]{200,260}"]
}

/// More labels than any provider takes, often enough.
fn labels() -> impl Strategy<Value = Labels> {
    prop_oneof![btree_map(key(), value(), 0..12), btree_map(key(), value(), 20..90)]
}

fn tagged(provider: &str, labels: &Labels) -> Transformed {
    cloud_tags(Profile::of(provider), labels)
}

/// A composite with these labels in its annotation.
fn composite(provider: &str, labels: &Labels, cloud_tags: &Value) -> Value {
    let annotations = json!({ "labels.plexsphere.com/assignments": json!(labels).to_string() });
    let spec = json!({ "parameters": { "provider": provider }, "size": 1.0, "cloudTags": cloud_tags });
    json!({ "apiVersion": "blueprints.example.org/v1", "kind": "XVM",
        "metadata": { "namespace": "team-a", "name": "vm-1", "annotations": annotations }, "spec": spec })
}

/// Settings that opt in these labels.
fn settings(mode: &str, opted_in: &Labels) -> Settings {
    settings_with(mode, opted_in, json!({}), json!({ "path": "spec.parameters.provider" }))
}

fn settings_with(mode: &str, opted_in: &Labels, mut tags: Value, provider: Value) -> Settings {
    let definition = json!({ "scope": "project", "cloudTagPropagation": true });
    let definitions: BTreeMap<_, _> = opted_in.keys().map(|key| (key, &definition)).collect();
    tags["composites"] = json!([{ "apiGroups": ["blueprints.example.org"], "provider": provider }]);
    tags["definitions"] = json!(definitions);
    Settings::from_json(&json!({ "mode": mode, "cloudTags": tags }).to_string()).unwrap()
}

fn admitted(object: &Value, settings: &Settings) -> Outcome {
    let request = json!({ "operation": "CREATE", "userInfo": { "username": "alice" }, "namespace": "team-a",
        "kind": { "group": "blueprints.example.org", "version": "v1", "kind": "XVM" }, "object": object })
    .to_string();
    evaluate(&Review::from_json(&request).unwrap(), settings, &Manifests::default())
}

/// The object as it would be stored.
fn stored(object: &Value, outcome: &Outcome) -> Value {
    outcome.object.as_ref().map_or_else(|| object.clone(), |object| serde_json::from_str(object).unwrap())
}

/// Tags as a user and an earlier evaluation may have left them.
fn some_tags() -> impl Strategy<Value = Value> {
    let prefixed = |prefix: &'static str| key().prop_map(move |key| format!("{prefix}{key}"));
    let tag = prop_oneof![key(), prefixed(CLOUD_TAG_PREFIX), prefixed("plexsphere/"), prefixed("plexsphere_")];
    prop_oneof![Just(Value::Null), btree_map(tag, value(), 0..8).prop_map(|tags| json!(tags))]
}

/// Settings that give a provider these rules, and opt in these labels.
fn settings_by(rules: TagRules, mode: &str, opted_in: &Labels) -> Settings {
    let reserve = if let TagRules::Strict { reserve, .. } = rules { reserve } else { 0 };
    let tags = json!({ "profiles": { "cloud": rules.name() }, "reserve": reserve });
    settings_with(mode, opted_in, tags, json!({ "fixed": "cloud" }))
}

proptest! {
    #[test]
    fn tags_and_skipped_are_the_propagating_set(rules in rules(), all in labels()) {
        let Transformed { tags, labels, skipped } = cloud_tags(rules, &all);
        prop_assert!(tags.keys().eq(labels.keys()));
        let of_tags = labels.values().cloned();
        let found: Vec<String> = of_tags.chain(skipped.iter().map(|skip| skip.qualified_key.clone())).collect();
        prop_assert_eq!(found.len(), all.len());
        prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), all.keys().cloned().collect());
        for (tag, label) in &labels {
            prop_assert_eq!(tag, &rules.tag_key(label));
            prop_assert_eq!(&tags[tag], &all[label]);
        }
    }

    #[test]
    fn there_are_never_more_tags_than_the_cap(rules in rules(), labels in labels()) {
        let made = cloud_tags(rules, &labels);
        let capped = made.skipped.iter().any(|skip| skip.reason == TagSkipReason::CountCap);
        prop_assert!(made.tags.len() <= rules.most());
        prop_assert!(!capped || made.tags.len() == rules.most());
    }

    #[test]
    fn the_lowest_keys_of_those_that_fit_stay(rules in rules(), labels in labels()) {
        let made = cloud_tags(rules, &labels);
        let last = made.labels.values().max();
        for skip in &made.skipped {
            match skip.reason {
                TagSkipReason::CountCap => prop_assert!(last < Some(&skip.qualified_key)),
                TagSkipReason::KeyCollision => {
                    let taken = |(tag, label): (&String, &String)| {
                        tag.to_lowercase() == skip.tag_key.to_lowercase() && *label < skip.qualified_key
                    };
                    prop_assert!(made.labels.iter().any(taken), "{:?}", skip);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn tags_are_a_function_of_labels_and_rules(rules in rules(), labels in labels()) {
        let made = cloud_tags(rules, &labels);
        prop_assert_eq!(&made, &cloud_tags(rules, &labels));
        let reversed: Labels = labels.iter().rev().map(|(key, value)| (key.clone(), value.clone())).collect();
        prop_assert_eq!(&made, &cloud_tags(rules, &reversed));
    }

    #[test]
    fn a_providers_case_does_not_matter(provider in provider(), labels in labels()) {
        prop_assert_eq!(tagged(&provider, &labels), tagged(&provider.to_uppercase(), &labels));
    }

    #[test]
    fn the_specifications_profiles_have_five_reasons(provider in provider(), labels in labels()) {
        for skip in tagged(&provider, &labels).skipped {
            prop_assert!(TagSkipReason::ALL.contains(&skip.reason));
        }
    }

    #[test]
    fn a_cloud_takes_what_its_strict_profile_admits(rules in strict_rules(), labels in labels()) {
        let object = composite("", &labels, &Value::Null);
        let report = admitted(&object, &settings_by(rules, "mutate", &labels)).report.unwrap().cloud_tags.unwrap();
        prop_assert_eq!(report.profile, rules.name());
        prop_assert_eq!(report.headroom, rules.most() - report.tags.len());
        prop_assert!(report.cloud.keys().eq(report.tags.keys()));
        prop_assert!(report.cloud.values().all(|verdict| *verdict == CloudVerdict::Accepted), "{:?}", report.cloud);
    }

    #[test]
    fn by_any_profile_a_second_evaluation_changes_nothing_and_verifies(
        rules in rules(), labels in labels(), tags in some_tags(),
    ) {
        let object = composite("", &labels, &tags);
        let mutate = settings_by(rules, "mutate", &labels);
        let object = stored(&object, &admitted(&object, &mutate));
        prop_assert!(admitted(&object, &mutate).object.is_none());
        let verified = admitted(&object, &settings_by(rules, "verify", &labels));
        prop_assert!(verified.rejection.is_none() && verified.object.is_none());
        // What is left under the prefix are the tags; of a strict profile, as far as there is room beside those of others.
        let made = cloud_tags(rules, &labels).tags;
        let of_labels: BTreeSet<String> = labels.keys().map(|label| rules.tag_key(label)).collect();
        let found = object["spec"]["cloudTags"].as_object().cloned().unwrap_or_default();
        let is_own = |key: &&String| key.starts_with(CLOUD_TAG_PREFIX) || of_labels.contains(*key);
        let (own, others): (Vec<&String>, Vec<&String>) = found.keys().partition(is_own);
        if others.is_empty() || matches!(rules, TagRules::Specified { .. }) {
            prop_assert!(own.into_iter().eq(made.keys()), "{:?}", found);
        } else {
            prop_assert!(own.iter().all(|key| of_labels.contains(*key)), "{:?}", found);
            prop_assert!(own.len() <= rules.most().saturating_sub(others.len()), "{:?}", found);
        }
    }

    #[test]
    fn one_label_more_changes_the_value_of_no_other(
        provider in provider(), labels in labels(), key in key(), value in value(),
    ) {
        // Another value of a label that is there may free the place of its tag.
        prop_assume!(!labels.contains_key(&key));
        let before = tagged(&provider, &labels);
        let mut more = labels.clone();
        more.insert(key.clone(), value);
        let after = tagged(&provider, &more);
        let own = format!("{CLOUD_TAG_PREFIX}{key}");
        for (tag, value) in after.tags.iter().filter(|(tag, _)| **tag != own) {
            prop_assert_eq!(before.tags.get(tag), Some(value));
        }
        // It takes at most one other's place.
        let lost = before.tags.keys().filter(|tag| **tag != own && !after.tags.contains_key(*tag));
        prop_assert!(lost.count() <= 1);
    }

    #[test]
    fn an_evaluated_composite_carries_the_tags_and_what_others_wrote(
        provider in provider(), labels in labels(), tags in some_tags(),
    ) {
        let object = composite(&provider, &labels, &tags);
        let found = stored(&object, &admitted(&object, &settings("mutate", &labels)));
        let mut expected = object.clone();
        let mut all = tagged(&provider, &labels).tags;
        for (key, value) in tags.as_object().into_iter().flatten() {
            if !key.starts_with(CLOUD_TAG_PREFIX) {
                all.insert(key.clone(), value.as_str().unwrap().to_owned());
            }
        }
        let spec = expected.get_mut("spec").and_then(Value::as_object_mut).unwrap();
        // A null that nothing takes the place of stays.
        if !all.is_empty() {
            spec.insert("cloudTags".to_owned(), json!(all));
        } else if !tags.is_null() {
            spec.remove("cloudTags");
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_second_evaluation_changes_nothing_and_verifies(
        provider in provider(), labels in labels(), tags in some_tags(),
    ) {
        let object = composite(&provider, &labels, &tags);
        let mutate = settings("mutate", &labels);
        let first = admitted(&object, &mutate);
        prop_assert!(first.rejection.is_none());
        let object = stored(&object, &first);
        prop_assert!(admitted(&object, &mutate).object.is_none());
        let verified = admitted(&object, &settings("verify", &labels));
        prop_assert!(verified.rejection.is_none() && verified.object.is_none());
    }

    #[test]
    fn verify_refuses_what_mutate_would_write(provider in provider(), labels in labels(), tags in some_tags()) {
        let object = composite(&provider, &labels, &tags);
        // A definition's default restores an empty map after every write: it is no drift.
        let is_only_empty = tags == json!({}) && tagged(&provider, &labels).tags.is_empty();
        let would_write = admitted(&object, &settings("mutate", &labels)).object.is_some() && !is_only_empty;
        let verified = admitted(&object, &settings("verify", &labels));
        prop_assert_eq!(verified.rejection.is_some(), would_write);
        prop_assert!(verified.object.is_none());
    }

    #[test]
    fn every_skip_is_logged_once(provider in provider(), labels in labels()) {
        let outcome = admitted(&composite(&provider, &labels, &Value::Null), &settings("mutate", &labels));
        let attribute = |line: &metadata_propagation::LogLine, name: &str| {
            line.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
        };
        let logged: Vec<_> = outcome
            .log
            .iter()
            .filter_map(|line| Some((attribute(line, "qualified_key")?, attribute(line, "reason")?)))
            .collect();
        let skipped: Vec<_> = tagged(&provider, &labels)
            .skipped
            .into_iter()
            .map(|skip| (skip.qualified_key, skip.reason.as_str().to_owned()))
            .collect();
        prop_assert_eq!(logged, skipped);
    }
}
