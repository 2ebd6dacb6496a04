//! The cloud tags of one composite.

use serde_json::Value;

use crate::{AnsweredObject, text};

/// Prints a composite: its tags, the labels that are not tags and why, and the labels that are not opted in.
pub(crate) fn print(written: &AnsweredObject) {
    println!("{}", written.id());
    let report = &written.answer.report;
    let Some(tags) = report.get("cloudTags") else {
        return match report.get("inert") {
            Some(inert) => println!("    left alone: {}", text(inert, "reason")),
            None => println!("    read by others; no rule writes it"),
        };
    };
    println!("    profile {}", text(tags, "profile"));
    for (key, value) in fields(tags, "tags") {
        println!("  + {key}={}", value.as_str().unwrap_or_default());
    }
    for change in written.list("changes").iter().filter(|change| text(change, "action") == "removed") {
        println!("  - {}: removed, its label is gone", text(change, "key"));
    }
    for skip in tags.get("skipped").and_then(Value::as_array).into_iter().flatten() {
        println!("  - {}: {}", text(skip, "qualifiedKey"), text(skip, "reason"));
    }
    for (key, reason) in fields(tags, "notPropagating") {
        println!("  . {key}: {}", reason.as_str().unwrap_or_default());
    }
}

fn fields<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value.get(name).and_then(Value::as_object).into_iter().flatten()
}
