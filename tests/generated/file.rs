//! Files that are generated from code, completely or between two marks.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use testkit::difference;
use testkit::markdown::replace_section;

use crate::documents::read;

/// Pages are read and written by several tests.
static PAGES: Mutex<()> = Mutex::new(());

/// Compares a file with the generated text, or writes it.
pub(crate) fn check(path: &str, expected: &str) -> Result<()> {
    let file = testkit::root().join(path);
    if std::env::var_os("BLESS").is_some() {
        // Other tests may read the file at the same time: it is replaced as a whole, and only if it differs.
        if fs::read_to_string(&file).is_ok_and(|found| found == expected) {
            return Ok(());
        }
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut new = file.clone().into_os_string();
        new.push(".new");
        fs::write(&new, expected)?;
        return Ok(fs::rename(new, file)?);
    }
    let found = read(path)?;
    let differs = difference::lines(expected, &found);
    ensure!(found == expected, "{path} is not what the code says; `make bless` writes it\n{differs}");
    Ok(())
}

/// Compares the section between the marks `<!-- NAME: generated -->` and `<!-- NAME: end -->` of a page with the
/// generated text.
pub(crate) fn check_section(path: &str, name: &str, content: &str) -> Result<()> {
    change(path, |text| replace_section(text, name, content).context(path.to_owned()))
}

/// What the repository's page has in place of a table that is too long for it.
const LEFT_OUT: &str =
    "*The table is on the documentation site. `make site-pages` writes this page with it below `target/pages-source`.*";

/// Like [`check_section`], for a table that is not kept in the repository: the generated text is written into the folder
/// `SITE_PAGES`, if that is set.
pub(crate) fn site_section(path: &str, name: &str, content: &str) -> Result<()> {
    check_section(path, name, LEFT_OUT)?;
    let Some(folder) = std::env::var_os("SITE_PAGES") else { return Ok(()) };
    let _alone = PAGES.lock().unwrap_or_else(PoisonError::into_inner);
    let page = Path::new(&folder).join(path);
    let text = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
    Ok(fs::write(&page, replace_section(&text, name, content).context(path.to_owned())?)?)
}

/// Compares a file with the text that a function derives from it.
pub(crate) fn change(path: &str, expected: impl FnOnce(&str) -> Result<String>) -> Result<()> {
    let _alone = PAGES.lock().unwrap_or_else(PoisonError::into_inner);
    check(path, &expected(&read(path)?)?)
}
