//! artifacthub-pkg.yml, from policy-metadata.yml, questions-ui.yml, CHANGELOG.md and Cargo.toml; and every place that repeats a version.

use anyhow::{Context, Result, ensure};
use metadata_propagation::{GUARDS, Guard, Version};
use serde::Serialize;
use serde_json::{Value, json};
use testkit::generated::change;
use testkit::to_yaml;

use documents::policies::manifests;
use documents::read;

const PACKAGE: &str = "artifacthub-pkg.yml";
const QUESTIONS: &str = "questions-ui.yml";
const HEADER: &str = "\
# The entry on Artifact Hub, made from policy-metadata.yml, questions-ui.yml, CHANGELOG.md and Cargo.toml by `make bless`. Only
# the day of the release, createdAt, is written here.
";

/// The entry, in the order of Artifact Hub's documentation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Package {
    version: &'static str,
    name: &'static str,
    display_name: String,
    created_at: Value,
    description: String,
    license: String,
    #[serde(rename = "homeURL")]
    home_url: String,
    containers_images: [PackageImage; 1],
    keywords: Vec<String>,
    links: [PackageLink; 2],
    install: String,
    provider: Value,
    changes: Vec<PackageChange>,
    recommendations: Value,
    annotations: PackageAnnotations,
}

#[derive(Serialize)]
struct PackageImage {
    name: &'static str,
    image: String,
}

#[derive(Serialize)]
struct PackageLink {
    name: &'static str,
    url: String,
}

#[derive(Serialize)]
struct PackageChange {
    kind: String,
    description: String,
}

#[derive(Serialize)]
struct PackageAnnotations {
    #[serde(rename = "kubewarden/mutation")]
    mutation: String,
    #[serde(rename = "kubewarden/resources")]
    resources: String,
    #[serde(rename = "kubewarden/rules")]
    rules: String,
    #[serde(rename = "kubewarden/contextAwareResources")]
    context_aware_resources: String,
    #[serde(rename = "kubewarden/questions-ui")]
    questions_ui: String,
}

#[test]
fn the_catalog_is_made_from_its_sources() -> Result<()> {
    let metadata: Value = serde_saphyr::from_str(&read("policy-metadata.yml")?)?;
    let questions = read(QUESTIONS)?;
    change(PACKAGE, |text| {
        let package: Value = serde_saphyr::from_str(text)?;
        let created = package.get("createdAt").context("no createdAt")?;
        Ok(format!("{HEADER}{}", to_yaml(&entry(&metadata, &questions, created)?)?))
    })
}

#[test]
fn the_form_asks_about_every_guard_rail() -> Result<()> {
    const NEXT: &str = "  - variable: guards.exemptBy\n";
    change(QUESTIONS, |text| {
        let (before, rest) = text.split_once("  - variable: guards.").context("no question about a guard rail")?;
        let (_, after) = rest.split_once(NEXT).context("no question about exemptions")?;
        let questions = GUARDS.iter().map(question).collect::<Result<String>>()?;
        Ok(format!("{before}{questions}{NEXT}{after}"))
    })
}

/// The question about a guard rail, from its row.
fn question(Guard { setting, default, finds, because, .. }: &Guard) -> Result<String> {
    let default = serde_json::to_value(default)?;
    let mut label = String::new();
    for char in setting.trim_start_matches("guards.").chars() {
        if char.is_uppercase() {
            label.push(' ');
        }
        label.extend(char.to_lowercase());
    }
    let [label, description] = [label, format!("{finds}: {because}.")].map(|text| {
        let mut rest = text.chars();
        let first = rest.next().into_iter().flat_map(char::to_uppercase);
        first.chain(rest).collect::<String>()
    });
    Ok(format!(
        "  - variable: {setting}\n    label: {label}\n    group: Guard rails\n    description: >-\n      {description}\n    \
         type: enum\n    options: [ignore, warn, reject]\n    default: {}\n    required: true\n",
        default.as_str().unwrap_or_default()
    ))
}

fn entry(metadata: &Value, questions: &str, created: &Value) -> Result<Package> {
    let annotation = |name: &str| -> Result<String> {
        let text = metadata.get("annotations").and_then(|annotations| annotations.get(name)).and_then(Value::as_str);
        Ok(text.with_context(|| format!("no annotation {name}"))?.trim().to_owned())
    };
    let part =
        |name: &str| -> Result<String> { Ok(to_yaml(metadata.get(name).with_context(|| format!("no {name}"))?)?) };
    let version = env!("CARGO_PKG_VERSION");
    let url = annotation("io.kubewarden.policy.url")?;
    let image = format!("{}:v{version}", annotation("io.kubewarden.policy.ociUrl")?);
    Ok(Package {
        version,
        name: "metadata-propagation-policy",
        display_name: annotation("io.artifacthub.displayName")?,
        created_at: created.clone(),
        description: annotation("io.kubewarden.policy.description")?,
        license: annotation("io.kubewarden.policy.license")?,
        containers_images: [PackageImage { name: "policy", image: image.clone() }],
        keywords: annotation("io.artifacthub.keywords")?.split(", ").map(str::to_owned).collect(),
        links: [
            PackageLink { name: "policy", url: format!("{url}/releases/download/v{version}/policy.wasm") },
            PackageLink { name: "source", url: annotation("io.kubewarden.policy.source")? },
        ],
        install: install(&image),
        provider: json!({ "name": "plexsphere" }),
        changes: changes(&read("CHANGELOG.md")?, version)?,
        recommendations: json!([{ "url": "https://artifacthub.io/packages/helm/kubewarden/admission-controller" }]),
        annotations: PackageAnnotations {
            mutation: part("mutating")?.trim().to_owned(),
            resources: annotation("io.artifacthub.resources")?,
            rules: part("rules")?,
            context_aware_resources: part("contextAwareResources")?,
            questions_ui: questions
                .lines()
                .filter(|line| !line.starts_with('#'))
                .flat_map(|line| [line, "\n"])
                .collect(),
        },
        home_url: url,
    })
}

/// The lines of a version's section, each with the kind that its heading names, as Artifact Hub spells it.
fn changes(changelog: &str, version: &str) -> Result<Vec<PackageChange>> {
    let section = changelog.split("\n## ").find(|section| section.starts_with(&format!("{version} ")));
    let section = section.with_context(|| format!("no section {version}"))?;
    let mut changes = Vec::new();
    for part in section.split("\n### ").skip(1) {
        let (kind, lines) = part.split_once('\n').context("no lines")?;
        for line in lines.trim().strip_prefix("- ").with_context(|| kind.to_owned())?.split("\n- ") {
            let description = line.trim_start_matches("\\* ").split_whitespace().collect::<Vec<&str>>().join(" ");
            changes.push(PackageChange { kind: kind.to_lowercase(), description });
        }
    }
    ensure!(!changes.is_empty(), "no changes in {version}");
    Ok(changes)
}

fn install(image: &str) -> String {
    format!(
        "\
The policy can be pulled with [kwctl](https://docs.kubewarden.io/admission-controller/latest/en/howtos/install-kwctl.html):
```console
kwctl pull registry://{image}
```
Then scaffold a manifest and adapt it. The policy reads the owners and sources of the object under review;
`--allow-context-aware` writes the grants for that into the manifest:
```console
kwctl scaffold manifest -t ClusterAdmissionPolicy --allow-context-aware \\
  registry://{image}
```
The service account of the PolicyServer must be allowed to `get` the same kinds. `deploy/` in the source repository has the
ClusterRole, the Helm values, and a finished manifest.
"
    )
}

/// The text before a version, and the version: this project's from Cargo.toml, Cluster API's the newest that the engine
/// supports.
fn repeated() -> Result<Vec<(String, &'static str, String)>> {
    let (ours, newest) = (env!("CARGO_PKG_VERSION").to_owned(), Version::NEWEST.to_string());
    let mut places = vec![
        ("policy-metadata.yml".to_owned(), "io.kubewarden.policy.version: ", ours.clone()),
        ("questions-ui.yml".to_owned(), "    default: v", newest.trim_start_matches('v').to_owned()),
        ("README.md".to_owned(), "From v", ours.clone()),
        ("docs/first-ten-minutes.md".to_owned(), "plexsphere/propagate:v", ours.clone()),
        ("deploy/third-party-touch.yaml".to_owned(), "plexsphere/propagate:v", ours.clone()),
        ("docs/usage.md".to_owned(), "  version: ", newest.clone()),
        ("docs/pipelines.md".to_owned(), "plexsphere/metadata-propagation-policy@v", ours.clone()),
        ("docs/pipelines.md".to_owned(), "VERSION: v", ours.clone()),
        ("docs/pipelines.md".to_owned(), "rev: v", ours.clone()),
        ("docs/settings.md".to_owned(), "  version: ", newest.clone()),
        ("deploy/charts/metadata-propagation-policy/Chart.yaml".to_owned(), "\nversion: ", ours.clone()),
        ("deploy/charts/metadata-propagation-policy/Chart.yaml".to_owned(), "\nappVersion: v", ours.clone()),
        (
            "deploy/charts/metadata-propagation-policy/values.yaml".to_owned(),
            "metadata-propagation-policy:v",
            ours.clone(),
        ),
        ("docs/verifying.md".to_owned(), "policies/metadata-propagation-policy:v", ours.clone()),
        ("docs/verifying.md".to_owned(), "release.yml@refs/tags/v", ours.clone()),
        ("docs/verifying.md".to_owned(), "git checkout v", ours.clone()),
        ("docs/operating.md".to_owned(), "metadata-propagation-policy --version ", ours.clone()),
    ];
    for path in manifests()? {
        let text = read(&path)?;
        if text.contains("kind: ClusterAdmissionPolicy") {
            places.push((path.clone(), "policies/metadata-propagation-policy:v", ours.clone()));
        }
        if text.contains("    clusterApi:") {
            places.push((path, "      version: ", newest.clone()));
        }
    }
    places.sort();
    Ok(places)
}

#[test]
fn every_version_is_the_one_of_its_source() -> Result<()> {
    for (path, before, version) in repeated()? {
        change(&path, |text| {
            let mut parts = text.split(before);
            let mut whole = parts.next().unwrap_or_default().to_owned();
            let mut count = 0;
            for part in parts {
                let rest = part.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || ".+-".contains(char));
                whole.extend([before, &version, rest]);
                count += 1;
            }
            ensure!(count > 0, "{path} has no `{before}`");
            Ok(whole)
        })?;
    }
    Ok(())
}
