//! Generated parts of documents: sections between two marks, and tables.

use anyhow::{Context, Result};

/// Replaces the section between the marks `<!-- NAME: generated -->` and `<!-- NAME: end -->` of a document.
pub fn replace_section(document: &str, name: &str, content: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- {name}: generated -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) = document.split_once(&begin).with_context(|| format!("no mark {begin}"))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("no mark {end}"))?;
    Ok(format!("{before}{begin}\n{}\n\n{end}{after}", content.trim()))
}

/// A table as Markdown, its columns aligned; the first column is text, the others are numbers.
pub fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(Vec::as_slice).chain([header]).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let rule = widths.iter().enumerate().map(|(column, width)| match column {
        0 => "-".repeat(*width),
        _ => format!("{}:", "-".repeat(width - 1)),
    });
    let mut text = line(header) + &line(&rule.collect::<Vec<_>>());
    rows.iter().for_each(|row| text.push_str(&line(row)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_the_text_between_its_marks() -> Result<()> {
        let document = "a\n<!-- x: generated -->\nold\n<!-- x: end -->\nb\n";
        let replaced = "a\n<!-- x: generated -->\n\nnew\n\n<!-- x: end -->\nb\n";
        assert_eq!(replace_section(document, "x", "new\n")?, replaced);
        assert_eq!(replace_section(replaced, "x", "new")?, replaced);
        assert!(replace_section(document, "y", "new").is_err());
        Ok(())
    }

    #[test]
    fn columns_of_numbers_end_at_the_right() {
        let cells = |row: [&str; 2]| row.map(str::to_owned).to_vec();
        let text = table(&cells(["review", "×"]), &[cells(["a", "1.50"]), cells(["é", "10.25"])]);
        assert_eq!(text, "| review |     × |\n| ------ | ----: |\n| a      |  1.50 |\n| é      | 10.25 |\n");
    }
}
