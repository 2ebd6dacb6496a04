//! Reads settings, and finds everything that is wrong with them.
//!
//! serde ends at the first problem. So a text is read the ordinary way first, which is all that happens where nothing is
//! wrong. Only what cannot be read that way is parsed to a tree, and read from there again and again, each time
//! without the values that were found wrong, until nothing is left to find.
//!
//! No crate does this for types that serde reads: eserde 0.1.7 ends at an unknown field, loses its place after an unknown
//! variant, and has neither defaults nor conversions of whole types; deserr 0.6 wants attributes of its own at every
//! field; serde_path_to_error tells where the first problem is, and no more.

mod fault;
mod node;
mod place;

use std::marker::PhantomData;
use std::ptr;

use serde::de::DeserializeOwned;
use serde_json::Value;

use self::place::{SettingNode, Wrong};
use super::problems::SettingProblem;

/// What a text holds, as far as it can be read, and all that is wrong with it.
///
/// In objects that are read as structs, null is absent; of a field that occurs twice the last one counts.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> (Option<T>, Vec<SettingProblem>) {
    if let Ok(read) = serde_json::from_str(text) {
        return (Some(read), Vec::new());
    }
    match serde_json::from_str(text) {
        Ok(tree) => collect(&tree),
        Err(error) => {
            // A line and column of settings that a host has re-written would point nowhere.
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
