//! Files that are generated from code, completely or between two marks.

use std::fs;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};

use crate::markdown::replace_section;
use crate::{difference, read, root};

/// Pages are read and written by several tests.
static PAGES: Mutex<()> = Mutex::new(());

/// Compares a file, by its path from the checkout's root, with the generated text; with `BLESS`, writes it.
pub fn check(path: &str, expected: &str) -> Result<()> {
    let file = root().join(path);
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
pub fn check_section(path: &str, name: &str, content: &str) -> Result<()> {
    change(path, |text| replace_section(text, name, content).context(path.to_owned()))
}

/// Compares a file with the text that a function derives from it.
pub fn change(path: &str, expected: impl FnOnce(&str) -> Result<String>) -> Result<()> {
    let _alone = PAGES.lock().unwrap_or_else(PoisonError::into_inner);
    check(path, &expected(&read(path)?)?)
}
