//! What is wrong with settings: `testdata/settings.txt` has settings, and below them what is said of them.

use anyhow::Result;
use metadata_propagation::Settings;
use testkit::generated::change;

#[test]
fn every_problem_is_named_with_its_path() -> Result<()> {
    change("testdata/settings.txt", |text| {
        let mut whole = String::new();
        for line in text.lines().filter(|line| !line.starts_with(' ')) {
            whole += &format!("{line}\n");
            let is_comment = line.is_empty() || line.starts_with('#');
            match Settings::validate(line) {
                _ if is_comment => {}
                Ok(()) => whole += "  valid\n",
                Err(error) => {
                    let problems = error.problems.iter().map(|problem| problem.to_string().replace('\n', "\\n"));
                    problems.for_each(|problem| whole += &format!("  {problem}\n"));
                }
            }
        }
        Ok(whole)
    })
}
