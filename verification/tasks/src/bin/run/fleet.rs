//! What the policy did to one object of a fleet, in a few lines.

use std::collections::BTreeMap;

use crate::{AnsweredObject, text};

/// Prints an object: what was added, by map; what is not propagated, by reason; and warnings about anything else.
pub(crate) fn print(written: &AnsweredObject) {
    println!("{}", written.id());
    if written.answer.report.is_null() {
        return println!("    read by others; no rule writes it");
    }
    if let Some(message) = &written.answer.message {
        println!("    refused: {message}");
    }
    if let Some(inert) = written.answer.report.get("inert") {
        println!("    left alone: {} {}", text(inert, "reason"), text(inert, "because"));
    }
    let changes = written.list("changes");
    let added = changes.iter().map(|change| {
        let value = change.get("to").map(|to| to.as_str().map_or_else(|| to.to_string(), str::to_owned));
        (text(change, "at"), format!("{}={}", text(change, "key"), value.unwrap_or_default()))
    });
    lines("+", added);
    lines("-", written.list("skipped").iter().map(|skip| (text(skip, "reason"), text(skip, "key").to_owned())));
    let changed = |warning: &str| changes.iter().any(|change| warning.contains(&format!("`{}`", text(change, "key"))));
    for warning in written.answer.warnings.iter().filter(|warning| !changed(warning)) {
        println!("  ! {warning}");
    }
}

/// One line for each title, with all its entries.
fn lines<'a>(mark: &str, entries: impl Iterator<Item = (&'a str, String)>) {
    let mut titles: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (title, entry) in entries {
        titles.entry(title).or_default().push(entry);
    }
    for (title, entries) in titles {
        println!("{}", wrapped(&format!("  {mark} {title}: {}", entries.join(", "))));
    }
}

/// A text with lines of at most 120 characters, if its words allow it.
fn wrapped(text: &str) -> String {
    let mut wrapped = String::new();
    let mut length = 0;
    for (number, word) in text.split(' ').enumerate() {
        let more = word.chars().count() + 1;
        if length + more > 120 {
            wrapped.push_str("\n       ");
            length = 7;
        }
        if number > 0 {
            wrapped.push(' ');
        }
        wrapped.push_str(word);
        length += more;
    }
    wrapped
}
