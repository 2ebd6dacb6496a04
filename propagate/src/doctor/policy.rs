//! Policies that run this module.

use std::fmt;

use fleet::FindingLevel;
use metadata_propagation::{Settings, SettingsError};
use serde_json::Value;

use super::finding::{CheckResults, InstallationFinding};
use super::item::{Item, KUBEWARDEN, texts};

/// The suffix of the module's name, wherever it is stored.
pub(crate) const MODULE: &str = "metadata-propagation-policy";

/// The kinds of policies; whether one contains several modules, and whether it may read other objects.
pub(crate) const KINDS: &[PolicyKind] = &[
    PolicyKind { name: "ClusterAdmissionPolicy", is_group: false, reads_objects: true },
    PolicyKind { name: "AdmissionPolicy", is_group: false, reads_objects: false },
    PolicyKind { name: "ClusterAdmissionPolicyGroup", is_group: true, reads_objects: true },
    PolicyKind { name: "AdmissionPolicyGroup", is_group: true, reads_objects: false },
];

/// A kind of policies.
pub(crate) struct PolicyKind {
    pub(crate) name: &'static str,
    pub(crate) is_group: bool,
    pub(crate) reads_objects: bool,
}

/// A policy, or a member of a group of policies.
pub(crate) struct InstalledPolicy<'a> {
    pub(crate) item: &'a Item<'a>,
    pub(crate) kind: &'static PolicyKind,
    /// The path of module and settings: `spec`, or the one of a member.
    pub(crate) at: String,
    own: &'a Value,
    pub(crate) settings: Result<Settings, SettingsError>,
}

/// Some resources of one group in some versions.
pub(crate) struct WebhookRule<'a> {
    pub(crate) groups: Vec<&'a str>,
    pub(crate) versions: Vec<&'a str>,
    pub(crate) resources: Vec<&'a str>,
    pub(crate) at: String,
}

/// The policies that run this module.
pub(crate) fn policies<'a>(items: &'a [Item<'a>]) -> Vec<InstalledPolicy<'a>> {
    let mut found = Vec::new();
    for item in items.iter().filter(|item| item.object.id.group == KUBEWARDEN) {
        let Some(kind) = KINDS.iter().find(|kind| kind.name == item.object.id.kind) else { continue };
        let members: Vec<(String, &Value)> = match kind.is_group {
            false => vec![("spec".to_owned(), item.at("/spec"))],
            true => {
                let members = item.at("/spec/policies").as_object().into_iter().flatten();
                members.map(|(name, member)| (format!("spec.policies.{name}"), member)).collect()
            }
        };
        let members = members.into_iter().filter(|(_, own)| is_ours(text(own, "module")));
        found.extend(members.map(|(at, own)| {
            let json = own.get("settings").unwrap_or(&Value::Null).to_string();
            let settings = Settings::validate(&json).and_then(|()| Settings::from_json(&json));
            InstalledPolicy { item, kind, at, own, settings }
        }));
    }
    found
}

/// Whether the last part of a module's path, without tag and digest, is the name of this policy.
fn is_ours(module: &str) -> bool {
    let path = module.split('@').next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split(':').next().unwrap_or_default().trim_end_matches(".wasm") == MODULE
}

impl<'a> InstalledPolicy<'a> {
    /// Kind and name; of a group, the member too.
    pub(crate) fn title(&self) -> String {
        match self.at.strip_prefix("spec.policies.") {
            Some(member) => format!("{} (member `{member}`)", self.item.object.id),
            None => self.item.object.id.to_string(),
        }
    }

    /// An error about a path in it: the message continues its title.
    pub(crate) fn error(
        &self,
        at: impl Into<String>,
        message: impl fmt::Display,
        why: &'static str,
        fix: impl Into<String>,
    ) -> InstallationFinding<'a> {
        let message = format!("{}{message}", self.title());
        InstallationFinding::of(FindingLevel::Error, (self.item.object, at), message, why, fix)
    }

    /// The same as a warning.
    pub(crate) fn warning(
        &self,
        at: impl Into<String>,
        message: impl fmt::Display,
        why: &'static str,
        fix: impl Into<String>,
    ) -> InstallationFinding<'a> {
        InstallationFinding { level: FindingLevel::Warning, ..self.error(at, message, why, fix) }
    }

    /// Its settings; the result says so if they are not valid.
    pub(crate) fn valid_settings(&self, results: &mut CheckResults<'a>) -> Option<&Settings> {
        if self.settings.is_err() {
            results.not_examined(&self.title(), "its settings are not valid");
        }
        self.settings.as_ref().ok()
    }

    /// The path of a setting.
    pub(crate) fn setting(&self, path: &str) -> String {
        format!("{}.settings.{path}", self.at)
    }

    pub(crate) fn module(&self) -> &str {
        text(self.own, "module")
    }

    /// A field of the policy's `spec`.
    pub(crate) fn spec(&self, field: &str) -> Option<&'a Value> {
        self.item.at("/spec").get(field).filter(|value| !value.is_null())
    }

    /// The PolicyServer that runs it.
    pub(crate) fn server(&self) -> &str {
        self.spec("policyServer").and_then(Value::as_str).filter(|name| !name.is_empty()).unwrap_or("default")
    }

    /// The rules that say which objects are sent to it.
    pub(crate) fn rules(&self) -> Vec<WebhookRule<'a>> {
        let rules = self.spec("rules").and_then(Value::as_array).into_iter().flatten().enumerate();
        let rule = |(number, rule): (usize, &'a Value)| WebhookRule {
            groups: texts(rule.get("apiGroups")).collect(),
            versions: texts(rule.get("apiVersions")).collect(),
            resources: texts(rule.get("resources")).collect(),
            at: format!("spec.rules[{number}]"),
        };
        rules.map(rule).collect()
    }

    /// Whether a rule names a group for which this is true.
    pub(crate) fn has_group(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        self.rules().iter().any(|rule| rule.groups.iter().any(|group| is_meant(group)))
    }

    /// Whether it is about objects of Cluster API, or about Nodes.
    pub(crate) fn is_for_cluster_api(&self) -> bool {
        self.has_group(|group| group.is_empty() || group.ends_with("cluster.x-k8s.io"))
    }

    /// Versions and kinds of `contextAwareResources`.
    pub(crate) fn grants(&self) -> Vec<(&'a str, &'a str)> {
        let grants = self.own.get("contextAwareResources").and_then(Value::as_array).into_iter().flatten();
        grants.map(|grant| (text(grant, "apiVersion"), text(grant, "kind"))).collect()
    }
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_known_by_its_name_wherever_it_is_stored() {
        for (module, expected) in [
            ("registry://ghcr.io/plexsphere/policies/metadata-propagation-policy:v0.1.0", true),
            ("registry://mirror.example.com:5000/metadata-propagation-policy@sha256:00", true),
            ("https://example.com/metadata-propagation-policy.wasm", true),
            ("ghcr.io/plexsphere/other:v1", false),
            ("", false),
        ] {
            assert_eq!(is_ours(module), expected, "{module}");
        }
    }
}
