//! The list of all messages in docs/troubleshooting.md: each sentence with the documentation of its fact.

use std::fmt::Write as _;

use anyhow::{Result, ensure};

use crate::all_messages::{Message, messages};
use crate::file::site_section;

#[test]
fn every_message_has_its_meaning() -> Result<()> {
    let messages = messages()?;
    let without: Vec<&Message> = messages.iter().filter(|message| message.meaning.is_empty()).collect();
    ensure!(without.is_empty(), "sentences of items without documentation: {without:#?}");
    let (mut text, mut topic) = (String::new(), "");
    for message in &messages {
        if message.topic != topic {
            topic = &message.topic;
            writeln!(text, "\n### {}\n\n| message | meaning |\n|---|---|", topic.trim_end_matches('.'))?;
        }
        writeln!(text, "| {} | {} |", code(&message.text), cell(&message.meaning))?;
    }
    site_section("docs/troubleshooting.md", "messages", text.trim_start())
}

/// A text that may contain backticks, as code.
fn code(text: &str) -> String {
    format!("`` {} ``", cell(text))
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
