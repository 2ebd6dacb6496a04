//! Rules and settings for composites, and the definitions that exist.

use fleet::{CROSSPLANE_GROUP, FindingLevel};
use metadata_propagation::Settings;
use serde_json::Value;

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;
use super::item::Item;
use super::names::did_you_mean;
use super::policy::{InstalledPolicy, WebhookRule};

/// Policies that set cloud tags of composites, each with its settings.
type Tagging<'p, 'a> = Vec<(&'p InstalledPolicy<'a>, &'p Settings)>;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    let definitions: Vec<&'a Item<'a>> =
        installation.of_kind(CROSSPLANE_GROUP, "CompositeResourceDefinition").collect();
    let valid = installation.policies.iter().filter_map(|policy| Some((policy, policy.settings.as_ref().ok()?)));
    let tagging: Tagging<'_, 'a> = valid.filter(|(_, settings)| !settings.cloud_tags.composites.is_empty()).collect();
    for (policy, settings) in &tagging {
        let title = policy.title();
        let mut findings = groups(policy, settings);
        if definitions.is_empty() && !installation.is_live {
            results.not_examined(&title, "no CompositeResourceDefinition is among the files");
        } else {
            findings.extend(undefined(policy, settings, &definitions));
        }
        results.judge(&title, findings, || "rules and settings name the composites that are defined".to_owned());
    }
    let valid = installation.policies.iter().filter_map(|policy| Some((policy, policy.settings.as_ref().ok()?)));
    for (policy, settings) in valid {
        results.findings.extend(unnamed(policy, settings, installation).into_iter().map(|it| (results.check, it)));
    }
    let invalid = || installation.policies.iter().filter(|policy| policy.settings.is_err());
    for policy in invalid() {
        results.not_examined(&policy.title(), "its settings are not valid");
    }
    // A policy whose settings cannot be read may cover any definition.
    for definition in definitions.iter().filter(|_| invalid().next().is_none()) {
        let id = &definition.object.id;
        if !declares_tags(definition) {
            continue;
        }
        let findings = uncovered(definition, &tagging);
        results.judge(&id.to_string(), findings.into_iter().collect(), || {
            "its composites are sent to a policy".to_owned()
        });
    }
}

/// Groups of the settings that no rule has.
fn groups<'a>(policy: &InstalledPolicy<'a>, settings: &Settings) -> Vec<InstallationFinding<'a>> {
    let mut findings = Vec::new();
    for (number, composites) in settings.cloud_tags.composites.iter().enumerate() {
        for group in composites.api_groups.iter().filter(|group| !policy.has_group(|known| *known == ***group)) {
            let group = &**group;
            findings.push(policy.error(
                policy.setting(&format!("cloudTags.composites[{number}].apiGroups")),
                format!(": `cloudTags.composites` has group `{group}`, but no rule has it"),
                "composites of this group are not sent to the policy, so they get no cloud tags",
                format!("add a rule with `apiGroups: [{group}]` and the resources of its composites"),
            ));
        }
    }
    findings
}

/// Groups of rules that no setting names and that the policy does not check otherwise.
fn unnamed<'a>(
    policy: &InstalledPolicy<'a>,
    settings: &Settings,
    installation: &Installation<'a>,
) -> Vec<InstallationFinding<'a>> {
    let is_known = |group: &str| {
        settings.cloud_tags.has_group(group)
            || [CROSSPLANE_GROUP, "labels.plexsphere.com", "", "*"].contains(&group)
            || group.ends_with("cluster.x-k8s.io")
    };
    let mut findings = Vec::new();
    for WebhookRule { groups, resources, at, .. } in policy.rules() {
        for group in groups.into_iter().filter(|group| !is_known(group)) {
            let has = format!(": a rule has group `{group}`");
            findings.push(policy.warning(
                &at,
                format!("{has}, which no setting names"),
                "its objects are sent to the policy, which does nothing about them",
                "remove the group from the rule, or add it to `cloudTags.composites`",
            ));
            let undefined = resources.iter().find(|resource| !installation.defines_resource(group, resource));
            let is_audited = policy.spec("backgroundAudit").and_then(Value::as_bool) != Some(false);
            if let Some(resource) = undefined.filter(|_| is_audited && installation.knows_definitions()) {
                findings.push(policy.warning(
                    &at,
                    format!("{has}, whose `{resource}` are not defined"),
                    "a rule is for each of its resources in each of its groups: if one is not served, the audit scanner \
                     skips the whole policy",
                    "give each group a rule of its own, with its resources",
                ));
            }
        }
    }
    findings
}

/// Resources of rules that no definition defines in one of the rule's versions.
fn undefined<'a>(
    policy: &InstalledPolicy<'a>,
    settings: &Settings,
    definitions: &[&'a Item<'a>],
) -> Vec<InstallationFinding<'a>> {
    let composites = &settings.cloud_tags.composites;
    let is_composite =
        |group: &&&str| composites.iter().any(|it| it.api_groups.iter().any(|known| **known == ***group));
    let mut findings = Vec::new();
    for WebhookRule { groups, versions, resources, at } in policy.rules() {
        for group in groups.iter().filter(is_composite) {
            for resource in resources.iter().filter(|resource| !resource.contains('*')) {
                let of_group = definitions.iter().filter(|definition| *definition.text("/spec/group") == **group);
                let named = of_group.clone().find(|definition| plurals(definition).contains(resource));
                const WHY: &str = "the rule matches nothing, so these composites get no cloud tags";
                match named {
                    None => {
                        let known: Vec<&str> = of_group.flat_map(|definition| plurals(definition)).collect();
                        let guess = did_you_mean(resource, known.into_iter());
                        findings.push(policy.error(
                            &at,
                            format!(": a rule names `{resource}` of group `{group}`, but no CompositeResourceDefinition defines it{guess}"),
                            WHY,
                            "write the plural that the definition has in `spec.names` or `spec.claimNames`",
                        ));
                    }
                    Some(definition) => {
                        let served = served(definition);
                        if versions.iter().all(|version| *version != "*" && !served.contains(version)) {
                            let versions = quoted(&versions);
                            findings.push(policy.error(
                                &at,
                                format!(": a rule has `{resource}` of group `{group}` in version {versions}, which is not served"),
                                WHY,
                                format!("name a version that is served: {}", quoted(&served)),
                            ));
                        }
                    }
                }
            }
        }
    }
    findings
}

/// A definition with cloud tags whose composites are sent to no policy.
fn uncovered<'a>(definition: &'a Item<'a>, tagging: &Tagging<'_, 'a>) -> Option<InstallationFinding<'a>> {
    let (group, plural) = (definition.text("/spec/group"), definition.text("/spec/names/plural"));
    let is_sent = |(policy, settings): &(&InstalledPolicy<'_>, &Settings)| {
        let composites = &settings.cloud_tags.composites;
        let in_settings = composites.iter().any(|it| it.api_groups.iter().any(|known| **known == *group));
        let mut rules = policy.rules().into_iter();
        in_settings
            && rules.any(|rule| {
                let has = |list: &[&str], wanted: &str| list.contains(&wanted) || list.contains(&"*");
                has(&rule.groups, group) && has(&rule.resources, plural)
            })
    };
    if tagging.iter().any(is_sent) {
        return None;
    }
    let id = &definition.object.id;
    Some(InstallationFinding::of(
        FindingLevel::Error,
        (definition.object, "spec.names.plural"),
        format!(
            "{id} declares `spec.cloudTags`, but no policy has both a rule for `{plural}` and group `{group}` in `cloudTags.composites`"
        ),
        "its composites are stored without cloud tags, and no controller adds them later",
        "add the resource to the rules, and the group to `cloudTags.composites`: deploy/cloud-tags.yaml",
    ))
}

/// The resources of a definition: composites and claims.
fn plurals<'a>(definition: &'a Item<'a>) -> Vec<&'a str> {
    let names = ["/spec/names/plural", "/spec/claimNames/plural"].map(|path| definition.text(path));
    names.into_iter().filter(|name| !name.is_empty()).collect()
}

fn served<'a>(definition: &'a Item<'a>) -> Vec<&'a str> {
    definition.served().filter_map(|version| version.get("name")?.as_str()).collect()
}

/// Whether a served version has `spec.cloudTags` in its schema.
fn declares_tags<'a>(definition: &'a Item<'a>) -> bool {
    const TAGS: &str = "/schema/openAPIV3Schema/properties/spec/properties/cloudTags";
    definition.served().any(|version| version.pointer(TAGS).is_some())
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
