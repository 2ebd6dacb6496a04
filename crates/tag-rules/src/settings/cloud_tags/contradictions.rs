//! Settings of cloud tags that cannot be combined.

use std::collections::BTreeSet;

use super::CloudTags;
use crate::settings::definition::objections;
use crate::settings::registry_reference::RegistryReference;
use kubernetes::answers::MOST_READS;
use kubernetes::settings::SettingProblem;

impl CloudTags {
    /// Combinations of settings that are not allowed.
    pub fn contradictions(&self) -> Vec<SettingProblem> {
        let mut problems = Vec::new();
        let mut seen = BTreeSet::new();
        for group in self.composites.iter().flat_map(|composites| &composites.api_groups) {
            if !seen.insert(group) {
                problems.push(SettingProblem::new(
                    "cloudTags.composites",
                    format!("API group `{}` is listed twice", &**group),
                ));
            }
        }
        if self.registry.is_some() && !self.definitions.is_empty() {
            problems.push(SettingProblem::new(
                "cloudTags.registry",
                "cannot be combined with `cloudTags.definitions`: remove one of them",
            ));
        }
        let mut names = BTreeSet::new();
        let listed_names = self.registry.iter().flat_map(RegistryReference::names).map(|name| &**name);
        for name in listed_names.filter(|name| !names.insert(*name)) {
            problems.push(SettingProblem::new("cloudTags.registry.names", format!("`{name}` is listed twice")));
        }
        let listed = self.registry.as_ref().map_or(0, |registry| registry.names().len());
        if listed > MOST_READS {
            let problem = format!("lists {listed} objects, but at most {MOST_READS} can be read for one request");
            problems.push(SettingProblem::new("cloudTags.registry.names", problem));
        }
        if let Some(RegistryReference::ByScope(by_scope)) = &self.registry {
            let is_missing = |known: bool| *by_scope && !known;
            let problem = "is missing: `cloudTags.registry.byScope` needs it to find the registries of a composite";
            let missing =
                [("domain", self.belongs_to.domain.is_some()), ("project", self.belongs_to.project.is_some())];
            problems.extend(
                missing
                    .into_iter()
                    .filter(|(_, known)| is_missing(*known))
                    .map(|(level, _)| SettingProblem::new(format!("cloudTags.belongsTo.{level}"), problem)),
            );
            if !by_scope {
                problems.push(SettingProblem::new("cloudTags.registry.byScope", "must be `true`"));
            }
        }
        problems.extend(self.sources.contradictions());
        for (key, from) in self.definitions.iter().filter_map(|(key, definition)| Some((key, definition.from?))) {
            if !self.sources.has(from) {
                let problem = format!("`{}` is not in `cloudTags.sources.precedence`", from.as_str());
                problems.push(SettingProblem::new(format!("cloudTags.definitions[{key}].from"), problem));
            }
        }
        let of_definitions = objections(&self.definitions).into_iter();
        problems.extend(of_definitions.map(|problem| problem.below("cloudTags.definitions")));
        let mut providers = BTreeSet::new();
        for provider in self.profiles.keys().filter(|provider| !providers.insert(provider.to_ascii_lowercase())) {
            let problem = format!("provider `{provider}` is listed twice: case is ignored");
            problems.push(SettingProblem::new("cloudTags.profiles", problem));
        }
        problems.extend(self.impossible());
        let mut keys = BTreeSet::new();
        for required in self.required.iter().filter(|required| !keys.insert(&*required.key)) {
            problems
                .push(SettingProblem::new("cloudTags.required", format!("key `{}` is listed twice", &*required.key)));
        }
        problems
    }
}
