//! The workflows agree with the files that they build, sign and release, and have no more permissions than they need.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use testkit::yaml;

use documents::{documents, read};

/// The workflows, by the names of their files.
fn workflows() -> Result<BTreeMap<String, Value>> {
    let mut workflows = BTreeMap::new();
    for entry in fs::read_dir(testkit::root().join(".github/workflows"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        workflows.insert(name.clone(), yaml(&format!(".github/workflows/{name}"))?);
    }
    ensure!(workflows.len() >= 3, "{:?}", workflows.keys());
    Ok(workflows)
}

/// Workflow, name and content of every job.
fn jobs(workflows: &BTreeMap<String, Value>) -> impl Iterator<Item = (&str, &str, &Value)> {
    workflows.iter().flat_map(|(workflow, content)| {
        let jobs = content["jobs"].as_object().into_iter().flatten();
        jobs.map(|(name, job)| (workflow.as_str(), name.as_str(), job))
    })
}

fn steps(job: &Value) -> impl Iterator<Item = &Value> {
    job["steps"].as_array().into_iter().flatten()
}

/// Actions are pinned by commit digest, with the tag as a comment; each action has one version.
#[test]
fn every_action_is_pinned() -> Result<()> {
    let mut pinned: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for workflow in workflows()?.keys() {
        for line in read(&format!(".github/workflows/{workflow}"))?.lines() {
            let Some((_, action)) = line.split_once("uses: ") else { continue };
            let (name, version) = action.split_once('@').with_context(|| line.to_owned())?;
            let (digest, tag) = version.split_once(" # v").with_context(|| line.to_owned())?;
            let is_digest = digest.len() == 40 && digest.chars().all(|char| char.is_ascii_hexdigit());
            ensure!(is_digest && tag.split('.').all(|part| part.parse::<u32>().is_ok()), "{line}");
            pinned.entry(name.to_owned()).or_default().insert(version.to_owned());
        }
    }
    let twice: Vec<_> = pinned.iter().filter(|(_, versions)| versions.len() > 1).collect();
    ensure!(pinned.len() >= 5 && twice.is_empty(), "{twice:?}");
    Ok(())
}

#[test]
fn only_these_jobs_may_write() -> Result<()> {
    let workflows = workflows()?;
    let mut writing = BTreeMap::new();
    for (workflow, name, job) in jobs(&workflows) {
        assert_eq!(workflows[workflow]["permissions"], json!({}), "{workflow}");
        let permissions = job["permissions"].as_object().with_context(|| format!("{workflow}: {name}"))?;
        let write: Vec<&String> =
            permissions.iter().filter(|(_, access)| *access == "write").map(|(scope, _)| scope).collect();
        if !write.is_empty() {
            writing.insert(format!("{workflow}: {name}"), serde_json::to_value(write)?);
        }
    }
    assert_eq!(
        serde_json::to_value(writing)?,
        json!({
            "pages.yml: publish": ["id-token", "pages"],
            "release.yml: artifacthub": ["contents"],
            "release.yml: publish": ["attestations", "id-token", "packages"],
            "release.yml: release": ["contents"],
        })
    );
    Ok(())
}

#[test]
fn what_the_workflows_run_exists() -> Result<()> {
    let workflows = workflows()?;
    let makefile = read("Makefile")?;
    let (mut targets, mut scripts) = (BTreeSet::new(), BTreeSet::new());
    for (_, _, job) in jobs(&workflows) {
        for line in steps(job).filter_map(|step| step["run"].as_str()).flat_map(str::lines) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["make", rest @ ..] = words.as_slice() {
                targets.extend(rest.iter().map(|word| (*word).to_owned()));
            }
            scripts.extend(
                words.iter().filter(|word| word.starts_with("verification/scripts/")).map(|word| (*word).to_owned()),
            );
        }
        for step in steps(job) {
            scripts.extend(step["with"]["go-version-file"].as_str().map(str::to_owned));
        }
    }
    let no_target = |target: &String| !makefile.lines().any(|line| line.starts_with(&format!("{target}:")));
    let missing: Vec<&String> = targets.iter().filter(|target| no_target(target)).collect();
    assert_eq!(missing, Vec::<&String>::new());
    let missing: Vec<&String> = scripts.iter().filter(|path| !testkit::root().join(path).exists()).collect();
    assert_eq!(missing, Vec::<&String>::new());
    ensure!(targets.len() > 5 && scripts.len() > 3, "{targets:?} {scripts:?}");
    Ok(())
}

/// The documented toolchain for rebuilding the module is that of the release, and Cargo.toml accepts it.
#[test]
fn one_compiler_builds_all() -> Result<()> {
    let workflows = workflows()?;
    let compilers: BTreeSet<&str> =
        workflows.values().filter_map(|content| content["env"]["RUSTUP_TOOLCHAIN"].as_str()).collect();
    let compiler = compilers.first().context("no compiler")?;
    assert_eq!(compilers.len(), 1, "{compilers:?}");
    ensure!(compiler.starts_with(env!("CARGO_PKG_RUST_VERSION")), "{compiler}");
    ensure!(read("docs/verifying.md")?.contains(&format!("rustup toolchain install {compiler} ")), "{compiler}");
    Ok(())
}

/// The catalog and the page link to what is pushed and released.
#[test]
fn the_release_is_where_the_catalog_says() -> Result<()> {
    let release = workflows()?.remove("release.yml").context("no release")?;
    let metadata = yaml("policy-metadata.yml")?;
    let image = &release["env"]["IMAGE"];
    assert_eq!(*image, metadata["annotations"]["io.kubewarden.policy.ociUrl"]);
    let upload = steps(&release["jobs"]["publish"]).find(|step| step["with"]["name"] == "release");
    let files: BTreeSet<&str> =
        upload.and_then(|step| step["with"]["path"].as_str()).context("no files")?.lines().collect();
    let package = yaml("artifacthub-pkg.yml")?;
    let module = package["links"][0]["url"].as_str().and_then(|url| url.rsplit('/').next()).context("no link")?;
    ensure!(files.contains(module), "{files:?}");
    let page = read("docs/verifying.md")?;
    let unnamed: Vec<&&str> = files.iter().filter(|file| !page.contains(**file)).collect();
    assert_eq!(unnamed, Vec::<&&str>::new());
    ensure!(page.contains(image.as_str().context("no image")?));
    Ok(())
}

/// What only a release has.
const OFFERS: [&str; 6] = [
    "releases/download",
    "releases/latest",
    "ghcr.io/plexsphere",
    "krew install",
    "cargo binstall",
    "metadata-propagation-policy@v",
];

/// The sections of a document. The first one is the text before the headings, which is about the whole document.
fn sections(text: &str) -> Vec<String> {
    let (mut sections, mut in_block) = (vec![String::new()], false);
    for line in text.lines() {
        in_block ^= line.trim_start().starts_with("```");
        if !in_block && line.starts_with("## ") {
            sections.push(String::new());
        }
        if let Some(section) = sections.last_mut() {
            section.extend([line, "\n"]);
        }
    }
    sections
}

/// No document offers a download before it exists: its section, or the beginning of the page, says from which version on.
#[test]
fn downloads_are_offered_from_their_release_on() -> Result<()> {
    let changelog = read("CHANGELOG.md")?;
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## ")?.split_once(" ("));
    let (unreleased, released): (Vec<_>, Vec<_>) = headings.partition(|(_, date)| *date == "unreleased)");
    ensure!(unreleased.len() + released.len() > 0, "no versions");
    let (mut early, mut count) = (Vec::new(), 0);
    for document in documents()?.into_iter().filter(|document| document != "CHANGELOG.md") {
        let sections = sections(&read(&document)?);
        for section in &sections {
            let offers = OFFERS.iter().filter(|offer| section.contains(**offer));
            let says = |text: &String| {
                let text = text.to_lowercase();
                unreleased.iter().any(|(version, _)| text.contains(&format!("from v{version}")))
            };
            for offer in offers {
                count += 1;
                if released.is_empty() && !says(section) && !sections.first().is_some_and(says) {
                    early.push(format!("{document}: {offer}"));
                }
            }
        }
    }
    assert_eq!(early, Vec::<String>::new());
    ensure!(count > 5, "only {count} offers were found");
    Ok(())
}

/// The ways that work before a release build all of `propagate`, from the versions that were tested.
#[test]
fn propagate_is_installed_with_all_features() -> Result<()> {
    let mut lines = Vec::new();
    for document in documents()? {
        let text = read(&document)?;
        let commands = text.lines().filter(|line| line.contains("cargo install") && line.contains("propagate"));
        lines.extend(commands.map(|line| (document.clone(), line.trim().to_owned())));
    }
    let installs = [
        "cargo install --locked --path propagate --all-features",
        "cargo install --locked --git https://github.com/plexsphere/metadata-propagation-policy --all-features propagate",
    ];
    assert!(lines.iter().any(|(document, _)| document == "README.md"), "{lines:?}");
    let others: Vec<_> = lines.iter().filter(|(_, line)| !installs.contains(&&**line)).collect();
    assert_eq!(others, Vec::<&(String, String)>::new());
    Ok(())
}
