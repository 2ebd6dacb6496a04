//! The list of all messages in docs/troubleshooting.md: each sentence with the documentation of its fact.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use testkit::generated::check_section;
use testkit::markdown::replace_section;

use documents::messages::{Message, messages};

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

/// What the repository's page has in place of a table that is too long for it.
const LEFT_OUT: &str = "*The table is too long for this page. `verification/scripts/pages.sh sources` writes it into `target/pages-source/docs/troubleshooting.md`.*";

/// Like `check_section`, for a table that is not kept in the repository: the generated text is written into the folder
/// `SITE_PAGES`, if that is set.
fn site_section(path: &str, name: &str, content: &str) -> Result<()> {
    check_section(path, name, LEFT_OUT)?;
    let Some(folder) = std::env::var_os("SITE_PAGES") else { return Ok(()) };
    let page = Path::new(&folder).join(path);
    let text = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
    Ok(fs::write(&page, replace_section(&text, name, content).context(path.to_owned())?)?)
}
