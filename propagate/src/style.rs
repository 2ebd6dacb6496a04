//! Styles of words on a terminal.

use anstyle::{AnsiColor, Style};

/// What a reader looks for first: the name of an object, the verdict, the head of a table.
pub(crate) const BOLD: Style = Style::new().bold();

/// Less important text.
pub(crate) const DIM: Style = Style::new().dimmed();

/// The style of the word `error`.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
