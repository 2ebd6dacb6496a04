//! Settings of cloud tags that cannot be combined.

use std::collections::BTreeSet;

use super::CloudTags;
use crate::settings::definition::RegistryReference;
use crate::settings::definition::objections;
use kubernetes::MOST_READS;
use kubernetes::settings::SettingProblem;

impl CloudTags {
    /// Combinations of settings that are not allowed.
    pub fn contradictions(&self) -> Vec<SettingProblem> {
        let mut problems = Vec::new();
        let groups = repeated(self.composites.iter().flat_map(|composites| &composites.api_groups));
        problems.extend(groups.map(|group| {
            SettingProblem::new("cloudTags.composites", format!("API group `{}` is listed twice", &**group))
        }));
        self.add_contradictions_of_registry(&mut problems);
        problems.extend(self.sources.contradictions());
        for (key, from) in self.definitions.iter().filter_map(|(key, definition)| Some((key, definition.from?))) {
            if !self.sources.has(from) {
                problems.push(SettingProblem::new(format!("cloudTags.definitions[{key}].from"), from.unused()));
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
        let required = repeated(self.required.iter().map(|required| &*required.key));
        problems.extend(
            required.map(|key| SettingProblem::new("cloudTags.required", format!("key `{key}` is listed twice"))),
        );
        problems
    }

    fn add_contradictions_of_registry(&self, problems: &mut Vec<SettingProblem>) {
        let Some(registry) = &self.registry else { return };
        if !self.definitions.is_empty() {
            problems.push(SettingProblem::new(
                "cloudTags.registry",
                "cannot be combined with `cloudTags.definitions`: remove one of them",
            ));
        }
        let names = repeated(registry.names().iter().map(|name| &**name));
        problems.extend(
            names.map(|name| SettingProblem::new("cloudTags.registry.names", format!("`{name}` is listed twice"))),
        );
        let listed = registry.names().len();
        if listed > MOST_READS {
            let problem = format!("lists {listed} objects, but at most {MOST_READS} can be read for one request");
            problems.push(SettingProblem::new("cloudTags.registry.names", problem));
        }
        match registry {
            RegistryReference::ByScope(true) => {
                let owners = [("domain", &self.belongs_to.domain), ("project", &self.belongs_to.project)];
                let problem = "is missing: `cloudTags.registry.byScope` needs it to find the registries of a composite";
                let missing = owners.into_iter().filter(|(_, known)| known.is_none());
                problems.extend(
                    missing.map(|(level, _)| SettingProblem::new(format!("cloudTags.belongsTo.{level}"), problem)),
                );
            }
            RegistryReference::ByScope(false) => {
                problems.push(SettingProblem::new("cloudTags.registry.byScope", "must be `true`"));
            }
            _ => {}
        }
    }
}

/// The elements that an earlier one equals.
fn repeated<T: Ord + Copy>(elements: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    let mut seen = BTreeSet::new();
    elements.filter(move |element| !seen.insert(*element))
}
