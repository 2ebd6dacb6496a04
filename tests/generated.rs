//! Files that are made from code: tables of the README, the schema of the settings, fixtures for kwctl. `BLESS=1` writes
//! them; without it a file that differs fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use kube_core::admission::AdmissionRequest;
use kube_core::{ApiResource, DynamicObject, GroupVersionKind};
use metadata_propagation::tags::PROFILES;
use metadata_propagation::{
    CARRIERS, Criterion, FIELDS, FORCED, GRANTS, GUARDS, Guard, Keys, Place, ROUTES, RULES, RawSettings, Rule, Tags,
    Version,
};
use metadata_propagation::{EFFECTS, Effect};
use serde_json::Value;
use testkit::case::Case;
use testkit::kwctl::fixture;
use testkit::module::Module;
use testkit::recorded::{SAMPLE, requests};
use testkit::request::plural;

/// The README is read and written by several tests.
static README: Mutex<()> = Mutex::new(());

fn check(path: &Path, expected: &str) -> Result<()> {
    if std::env::var_os("BLESS").is_some() {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        return Ok(fs::write(path, expected)?);
    }
    let found = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    ensure!(found == expected, "{} is not what the code says; `make bless` writes it", path.display());
    Ok(())
}

/// Replaces what stands between the two marks of a section.
fn check_section(name: &str, content: &str) -> Result<()> {
    let path = testkit::root().join("README.md");
    let _alone = README.lock().unwrap_or_else(PoisonError::into_inner);
    let text = fs::read_to_string(&path)?;
    let (begin, end) = (format!("<!-- {name}: generated -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) = text.split_once(&begin).with_context(|| format!("README.md has no {begin}"))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("README.md has no {end}"))?;
    check(&path, &format!("{before}{begin}\n{content}\n{end}{after}"))
}

/// The rules that hold in one edition, in the page's order.
fn edition(version: Version) -> Result<String> {
    let mut table = "| from | keys | to | since |\n|---|---|---|---|\n".to_owned();
    for rule in RULES.iter().filter(|rule| rule.holds(version)) {
        let printed = rule.to_string();
        let (from, to) = printed.split_once(" => ").context("a rule without arrow")?;
        let note = if rule.on_page { "" } else { " \\*" };
        let (owner, to, keys) = (rule.from.owner(), to.trim_end_matches('.'), keys(rule, version));
        writeln!(table, "| {owner} {from}{note} | {keys} | {to} | {} |", rule.since)?;
    }
    Ok(table)
}

fn keys(rule: &Rule, version: Version) -> String {
    match &rule.keys {
        Keys::Every => "all".to_owned(),
        Keys::OptIn => "those of `clusterApi.optIn.machineToInfra`".to_owned(),
        Keys::Except(keys) => {
            let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            format!("all but {}", keys.join(", "))
        }
        Keys::Only(criteria) => {
            let configured = |criterion: &&Criterion| matches!(criterion, Criterion::Prefix(_) | Criterion::Domain(_));
            let expressions = version.at_least(Version::NODE_EXPRESSIONS);
            let criteria = criteria.iter().filter(|criterion| expressions || configured(criterion));
            criteria.map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
    }
}

#[test]
fn the_readme_shows_both_editions() -> Result<()> {
    check_section("rules-v1.10", &edition(Version::NEWEST)?)?;
    check_section("rules-v1.6", &edition(Version::OLDEST_EDITION)?)
}

#[test]
fn the_readme_shows_the_forced_labels() -> Result<()> {
    let mut table = "| below | label | forced on | value |\n|---|---|---|---|\n".to_owned();
    for forced in FORCED {
        let to: Vec<String> = forced.to.iter().map(|to| format!("`{}{to}.labels`", to.owner())).collect();
        let (from, to) = (format!("{}{}", forced.from.owner(), forced.from), to.join(", "));
        writeln!(table, "| `{from}` | `{}` | {to} | {} |", forced.key, forced.value)?;
    }
    check_section("forced", &table)
}

#[test]
fn the_readme_shows_the_fields() -> Result<()> {
    let mut table =
        "| field | carried | at a Machine, or the last object | while deleting |\n|---|---|---|---|\n".to_owned();
    for field in FIELDS {
        let mut hops = Vec::new();
        for hop in field.hops {
            let mut from: Vec<&str> = hop.from.iter().map(|place| place.owner()).collect();
            from.dedup();
            let since = if hop.since > Version::OLDEST_EDITION { format!(" ({})", hop.since) } else { String::new() };
            let asked = if hop.opt_in { " (`optIn.poolToMachine`)" } else { "" };
            hops.push(format!("{} → {}{since}{asked}", from.join(", "), hop.to.owner()));
        }
        let last =
            if field.hops.iter().any(|hop| hop.to == Place::Machine) { Place::Machine } else { Place::MachineSet };
        let paths = ["v1beta2", "v1beta1"].map(|version| {
            let path = field.path(last, version).map(|path| format!("`{}`", path.join(".")));
            path.unwrap_or_else(|| "none".to_owned())
        });
        let path =
            if paths[0] == paths[1] { paths[0].clone() } else { format!("{}, in v1beta1 {}", paths[0], paths[1]) };
        let deleting = field.hops.iter().filter_map(|hop| Some((hop, hop.deleting?)));
        let deleting: Vec<String> = deleting.map(|(hop, since)| format!("{} ({since})", hop.from[0].owner())).collect();
        writeln!(table, "| {} | {} | {path} | {} |", field.name, hops.join("; "), deleting.join(", "))?;
    }
    check_section("fields", &table)
}

#[test]
fn the_readme_shows_the_guards() -> Result<()> {
    let mut table = "| setting | default | on | finds | because |\n|---|---|---|---|---|\n".to_owned();
    for Guard { setting, default, on, finds, because, .. } in GUARDS {
        let default = serde_json::to_value(default)?;
        writeln!(table, "| `{setting}` | {} | {on} | {finds} | {because} |", default.as_str().unwrap_or_default())?;
    }
    check_section("guards", &table)
}

#[test]
fn the_readme_shows_the_tag_profiles() -> Result<()> {
    let mut table = "| provider | tag key | value | tags | characters of a tag key | reserved |\n".to_owned();
    table.push_str("|---|---|---|---|---|---|\n");
    for profile in PROFILES {
        writeln!(table, "| {profile} |")?;
    }
    check_section("tag-profiles", &table)
}

#[test]
fn the_readme_shows_where_tags_stand() -> Result<()> {
    let mut table = "| provider | kinds | tags | source |\n|---|---|---|---|\n".to_owned();
    for row in CARRIERS {
        let kinds: Vec<String> = row.kinds.iter().map(|kind| kind.trim_start_matches('/').to_owned()).collect();
        let kinds = if kinds.is_empty() { "all others \\*".to_owned() } else { kinds.join(", ") };
        let tags = match row.tags {
            Tags::Map(path) => format!("`{path}`"),
            Tags::List(path) => format!("`{path}`, a list"),
            Tags::Nowhere => "none".to_owned(),
        };
        writeln!(table, "| {} | {kinds} | {tags} | {} |", row.provider, row.source)?;
    }
    check_section("carriers", &table)
}

#[test]
fn the_readme_shows_every_lookup() -> Result<()> {
    let mut table = "| object | when | gets, in order |\n|---|---|---|\n".to_owned();
    let mut fields = Vec::new();
    for route in ROUTES {
        let gets: Vec<&str> = route.gets.iter().map(|(kind, _)| *kind).collect();
        writeln!(table, "| {} | {} | {} |", route.of, route.when, gets.join(", "))?;
        for (kind, masks) in route.gets {
            let line = format!("- {kind}: `{}`", masks.join("`, `"));
            if !fields.contains(&line) {
                fields.push(line);
            }
        }
    }
    let fields = fields.join("\n");
    check_section(
        "lookups",
        &format!("{table}\nBesides apiVersion, kind and metadata, these fields are read:\n\n{fields}\n"),
    )
}

/// One row for each kind and effect, the gravest first; a path in v1beta1 only where it is another one.
#[test]
fn the_readme_shows_what_would_roll_out() -> Result<()> {
    let mut table = "| object | effect | paths | in v1beta1 |\n|---|---|---|---|\n".to_owned();
    let mut kinds: Vec<_> = EFFECTS.iter().map(|block| block.kind).collect();
    kinds.dedup();
    for kind in kinds {
        let mut by_effect: BTreeMap<Effect, [Vec<String>; 2]> = BTreeMap::new();
        for block in EFFECTS.iter().filter(|block| block.kind == kind) {
            for row in block.rows {
                let [old, new] = row.paths(block);
                let [old_paths, paths] = by_effect.entry(row.effect).or_default();
                old_paths.extend(old.filter(|old| new.as_ref() != Some(old)).map(|path| format!("`{path}`")));
                paths.extend(new.map(|path| format!("`{path}`")));
            }
        }
        for (effect, [old, new]) in by_effect.into_iter().rev() {
            writeln!(table, "| {kind} | {effect} | {} | {} |", new.join(", "), old.join(", "))?;
        }
    }
    check_section("effects", &table)
}

#[test]
fn the_conformance_page_counts_the_vectors() -> Result<()> {
    check(&testkit::root().join("docs/conformance.md"), &testkit::agreement::page()?)
}

#[test]
fn the_schema_is_the_settings_types() -> Result<()> {
    let schema = schemars::schema_for!(RawSettings);
    let text = serde_json::to_string_pretty(&schema)? + "\n";
    check(&testkit::root().join("settings.schema.json"), &text)
}

#[test]
fn kwctl_fixtures_are_the_corpus() -> Result<()> {
    let policy = Module::policy()?;
    let folder = testkit::root().join("e2e-tests/data");
    let wanted = fs::read_to_string(testkit::root().join("e2e-tests/cases.txt"))?;
    let wanted: Vec<&str> = wanted.lines().filter(|line| !line.starts_with('#')).collect();
    let corpus = Case::corpus()?;
    for name in &wanted {
        let case = corpus.iter().find(|case| case.name == *name).with_context(|| format!("no case {name}"))?;
        for (file, content) in fixture(case, &policy)? {
            check(&folder.join(name.replace('/', "--")).join(file), &content)?;
        }
    }
    let mut bats =
        "#!/usr/bin/env bats\n# Generated from cases.txt: every fixture under data/ through kwctl.\n\nload helpers\n"
            .to_owned();
    for name in &wanted {
        write!(bats, "\n@test \"{name}\" {{\n    replay {}\n}}\n", name.replace('/', "--"))?;
    }
    check(&testkit::root().join("e2e-tests/policy.bats"), &bats)?;
    let stale = fs::read_dir(&folder)?.count() - wanted.len();
    ensure!(stale == 0, "{stale} folders in e2e-tests/data are not in e2e-tests/cases.txt");
    Ok(())
}

/// A request as Kubernetes' own type reads it: nothing is missing that it demands, nothing is there that it does not know.
fn whole(request: &Value) -> Result<()> {
    let read: AdmissionRequest<DynamicObject> = serde_json::from_value(request.clone())?;
    let known = serde_json::to_value(read)?;
    let unknown = request.as_object().into_iter().flatten().find(|(field, _)| known.get(field).is_none());
    ensure!(unknown.is_none(), "no AdmissionRequest has {unknown:?}");
    Ok(())
}

/// kwctl runs on nothing less.
#[test]
fn every_fixture_is_a_whole_admission_request() -> Result<()> {
    for folder in fs::read_dir(testkit::root().join("e2e-tests/data"))? {
        let path = folder?.path().join("request.json");
        let request: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        whole(&request).with_context(|| path.display().to_string())?;
        for field in ["uid", "kind", "resource", "operation", "userInfo"] {
            let mut less = request.clone();
            less.as_object_mut().and_then(|fields| fields.remove(field)).with_context(|| field.to_owned())?;
            ensure!(whole(&less).is_err(), "{} is whole without `{field}`", path.display());
        }
    }
    Ok(())
}

/// What the format fills in are the fields that an API server sent, and resources are named as Kubernetes' clients do.
#[test]
fn every_case_asks_as_an_api_server_does() -> Result<()> {
    let fields = |request: &Value| -> BTreeSet<String> {
        let optional = ["name", "namespace", "subResource", "requestSubResource"];
        request
            .as_object()
            .into_iter()
            .flatten()
            .map(|(field, _)| field.clone())
            .filter(|field| !optional.contains(&&**field))
            .collect()
    };
    let sent = fields(requests(SAMPLE)?.first().context("no review")?);
    for case in Case::corpus()?.iter().filter(|case| !case.name.starts_with("unreadable/")) {
        for review in &case.reviews {
            let mut around = review.clone();
            // An object may be unreadable on purpose.
            around["object"] = Value::Null;
            around["oldObject"] = Value::Null;
            whole(&around).with_context(|| case.name.clone())?;
            assert_eq!(fields(review), sent, "{}", case.name);
            let part = |name: &str| review["kind"][name].as_str().unwrap_or_default();
            let kind = GroupVersionKind::gvk(part("group"), part("version"), part("kind"));
            assert_eq!(plural(&kind.kind), ApiResource::from_gvk(&kind).plural, "{}", case.name);
        }
    }
    Ok(())
}

/// The kinds that policy and deployment grant are the kinds that the engine asks for.
#[test]
fn every_manifest_grants_what_the_engine_reads() -> Result<()> {
    let mut granted: Vec<(String, String)> = GRANTS
        .iter()
        .flat_map(|grant| {
            grant.versions.iter().map(|version| (format!("{}/{version}", grant.group), grant.kind.to_owned()))
        })
        .collect();
    granted.sort();
    for (file, path) in
        [("policy-metadata.yml", ""), ("deploy/cluster-admission-policy.yaml", "spec"), ("deploy/verify.yaml", "spec")]
    {
        let text = fs::read_to_string(testkit::root().join(file))?;
        let manifest: Value = serde_yaml_ng::from_str(&text).context(file)?;
        let manifest = if path.is_empty() { &manifest } else { &manifest[path] };
        let listed = manifest["contextAwareResources"].as_array().context("contextAwareResources")?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut listed: Vec<_> =
            listed.iter().map(|grant| (text(&grant["apiVersion"]), text(&grant["kind"]))).collect();
        listed.sort();
        assert_eq!(listed, granted, "{file}");
    }
    Ok(())
}
