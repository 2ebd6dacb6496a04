//! Seed inputs: the corpus of cases, in the format of each target.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use metadata_propagation::{Cluster, Get, LookupError, Review, Settings, evaluate};
use serde_json::{Value, json};

use super::scenes;
use crate::case::{Case, corpus};
use crate::cluster::ApiServer;

/// The inputs of every target, by the target's name.
pub fn seeds() -> Result<BTreeMap<&'static str, BTreeSet<Vec<u8>>>> {
    let mut seeds: BTreeMap<&'static str, BTreeSet<Vec<u8>>> = BTreeMap::new();
    let mut add = |target, input: Vec<u8>| seeds.entry(target).or_default().insert(input);
    for case in corpus()? {
        add("settings", case.settings.to_string().into_bytes());
        for review in &case.reviews {
            let objects = case.cluster.objects();
            let payload = json!({ "request": review, "settings": case.settings, "cluster": objects });
            add("review", payload.to_string().into_bytes());
            for input in looked_up(review, &case)? {
                add("looked_up", input);
            }
        }
    }
    Ok(seeds)
}

/// The cluster's answers in a case, for every scene of the same kind.
fn looked_up(review: &Value, case: &Case) -> Result<Vec<Vec<u8>>> {
    let text = review.to_string();
    let Ok(review) = Review::from_json(&text) else { return Ok(Vec::new()) };
    let listener = Listener { cluster: &case.cluster, lines: RefCell::default() };
    evaluate(&review, &Settings::from_json(&case.settings.to_string())?, &listener);
    let lines = listener.lines.into_inner().join("\n");
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    let same = |of: (&str, &str)| of == (&*review.kind.group, &*review.kind.kind);
    let numbers = (0_u8..).zip(scenes()).filter(|(_, scene)| same(scene.of)).map(|(number, _)| number);
    Ok(numbers.map(|number| [&[number], lines.as_bytes()].concat()).collect())
}

/// Records a cluster's answers.
struct Listener<'a> {
    cluster: &'a ApiServer,
    lines: RefCell<Vec<String>>,
}

impl Cluster for Listener<'_> {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let answer = self.cluster.get(get);
        self.lines.borrow_mut().push(answer.clone().unwrap_or_default());
        answer
    }
}
