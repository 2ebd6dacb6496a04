//! Reads settings, and finds everything that is wrong with them.
//!
//! serde stops at the first problem. So a text is first read the ordinary way, which is sufficient if nothing is wrong.
//! Only a text that cannot be read that way is parsed to a tree, and read from there repeatedly, each time without the
//! values that were found wrong, until there are no more problems.
//!
//! No crate does this for types that serde reads: eserde 0.1.7 stops at an unknown field, loses its position after an
//! unknown variant, and supports neither defaults nor conversions of whole types; deserr 0.6 needs its own attributes
//! at every field; serde_path_to_error only reports where the first problem is.

mod fault;
mod node;

use std::marker::PhantomData;
use std::ptr;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::fault::type_name;
use self::node::{SettingNode, Wrong};
use super::problems::SettingProblem;

/// The value of a text, as far as it can be read, and everything that is wrong with it.
///
/// In objects that are read as structs, null is absent; of a field that occurs twice the last one counts.
pub fn read<T: DeserializeOwned>(text: &str) -> (Option<T>, Vec<SettingProblem>) {
    if let Ok(read) = serde_json::from_str(text) {
        return (Some(read), Vec::new());
    }
    match serde_json::from_str(text) {
        Ok(tree) => collect(&tree),
        Err(error) => {
            // A line and column of settings that a host has rewritten would point nowhere.
            let error = error.to_string();
            let problem = error.rsplit_once(" at line ").map_or(error.as_str(), |(problem, _)| problem);
            (None, vec![SettingProblem::new("", problem)])
        }
    }
}

fn collect<T: DeserializeOwned>(tree: &Value) -> (Option<T>, Vec<SettingProblem>) {
    let (mut wrong, mut problems) = (Wrong::new(), Vec::new());
    loop {
        match SettingNode::root(tree, &wrong).read(PhantomData) {
            Ok(read) => return (Some(read), problems),
            Err(fault) => {
                let culprit = fault.culprit();
                problems.extend(fault.into_problem());
                let goes_on = culprit.is_some_and(|culprit| !ptr::eq(culprit, tree) && wrong.insert(culprit));
                if !goes_on {
                    return (None, problems);
                }
            }
        }
    }
}
