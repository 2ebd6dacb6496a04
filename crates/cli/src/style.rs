//! Styles of words on a terminal.

use anstyle::{AnsiColor, Style};

/// What a reader looks for first: the name of an object, the line of a verdict, the head of a table.
pub(crate) const BOLD: Style = Style::new().bold();

/// What a reader may pass over.
pub(crate) const DIM: Style = Style::new().dimmed();

/// The style of the word `error`.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
