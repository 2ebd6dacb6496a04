//! Writes the fixtures that kwctl replays to e2e-tests/data: the cases of e2e-tests/cases.txt, with the questions of the compiled
//! policy.

use std::fs;

use anyhow::Result;
use testkit::kwctl::{cases, fixture, folder};
use testkit::module::Module;

fn main() -> Result<()> {
    let policy = Module::policy()?;
    for case in cases()? {
        let folder = testkit::root().join("e2e-tests/data").join(folder(&case));
        fs::create_dir_all(&folder)?;
        for (file, content) in fixture(&case, &policy)? {
            fs::write(folder.join(file), content)?;
        }
    }
    Ok(())
}
