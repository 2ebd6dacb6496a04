//! The targets of the documents' links exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use anyhow::Result;
use regex::Regex;

use documents::{blocks, documents, pages, read};

const REPOSITORY: &str = "https://github.com/plexsphere/metadata-propagation-policy";

/// The targets of a document's links, outside its blocks.
fn links(document: &str) -> Result<Vec<String>> {
    let (_, text) = blocks(document)?;
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    Ok(links.map(|link| link.split_whitespace().collect()).collect())
}

/// The anchors that GitHub generates for a document's headings.
fn anchors(document: &str) -> Result<BTreeSet<String>> {
    let (_, text) = blocks(document)?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    for line in text.lines() {
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() && heading.starts_with(' ') {
            let kept = heading.trim().chars().filter(|char| char.is_alphanumeric() || " -_".contains(*char));
            let slug: String = kept.map(|char| if char == ' ' { '-' } else { char.to_ascii_lowercase() }).collect();
            let count = counts.entry(slug.clone()).or_default();
            anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
            *count += 1;
        }
    }
    Ok(anchors)
}

/// The names of the cases in a file of the corpus.
fn cases(file: &str) -> Result<BTreeSet<String>> {
    Ok(read(file)?.lines().filter_map(|line| line.strip_prefix("case: ")).map(str::to_owned).collect())
}

/// A path with `..` resolved.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_or_a_case() -> Result<()> {
    let mut broken = Vec::new();
    let mut count = 0;
    for document in documents()? {
        let folder = Path::new(&document).parent().unwrap_or(Path::new("")).to_owned();
        for link in links(&document)? {
            let own = ["/blob/main/", "/tree/main/"]
                .iter()
                .find_map(|tree| link.strip_prefix(REPOSITORY)?.strip_prefix(tree));
            if link.starts_with("http") && own.is_none() {
                continue;
            }
            count += 1;
            let (path, anchor) = own.unwrap_or(&link).split_once('#').unwrap_or((own.unwrap_or(&link), ""));
            let target = match (path, own) {
                ("", _) => PathBuf::from(&document),
                (path, Some(_)) => PathBuf::from(path),
                (path, None) => plain(&folder.join(path)),
            };
            let target = target.to_string_lossy().into_owned();
            let is_there = testkit::root().join(&target).exists();
            let inside = if target.ends_with(".yaml") { cases } else { anchors };
            if !is_there || (!anchor.is_empty() && !inside(&target)?.contains(anchor)) {
                broken.push(format!("{document}: {link}"));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
    assert!(count > 50, "only {count} links were found");
    Ok(())
}

/// The page is also shown outside the repository.
#[test]
fn what_goes_into_the_module_has_absolute_links() -> Result<()> {
    let links = links("docs/usage.md")?;
    assert!(!links.is_empty() && links.iter().all(|link| link.starts_with("https://")), "{links:?}");
    Ok(())
}

#[test]
fn the_readme_leads_to_every_page() -> Result<()> {
    let links: BTreeSet<String> =
        links("README.md")?.iter().map(|link| link.split('#').next().unwrap_or_default().to_owned()).collect();
    let missing: Vec<String> = pages()?.into_iter().filter(|page| !links.contains(page)).collect();
    assert_eq!(missing, Vec::<String>::new());
    Ok(())
}

#[test]
fn readme_and_usage_stay_short() -> Result<()> {
    let [readme, usage] = ["README.md", "docs/usage.md"].map(|path| read(path).map(|text| text.len()));
    assert!(readme? <= 8 * 1024);
    assert!((2048..=4096).contains(&usage?));
    Ok(())
}

/// The text of a page without what is generated from code and cases.
fn written(page: &str) -> Result<String> {
    let generated =
        Regex::new(r"(?s)<!-- (\S+): generated -->.*?<!-- \S+: end -->|<!-- answers: [^>]*/.*?<!-- answers: end -->")?;
    Ok(generated.replace_all(&read(page)?, "").into_owned())
}

#[test]
fn pages_stay_short() -> Result<()> {
    const PAGE: usize = 16 * 1024;
    const ALL: usize = 192 * 1024;
    let (mut long, mut all) = (Vec::new(), 0);
    for page in pages()? {
        let length = written(&page)?.len();
        all += length;
        if length > PAGE {
            long.push(format!("{page}: {length}"));
        }
    }
    assert_eq!(long, Vec::<String>::new());
    assert!((ALL / 2..=ALL).contains(&all), "{all} bytes");
    Ok(())
}
