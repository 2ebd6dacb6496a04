//! Settings of cloud tags that can never work: prefixes, numbers and required labels of which no tag can be made.

use std::collections::BTreeSet;

use super::CloudTags;
use crate::profiles::{PROFILES, Profile};
use crate::rules::TagRules;
use crate::settings::composites::Provider;
use crate::settings::definition::RegistryReference;
use crate::settings::definition::SEEDED;
use kubernetes::settings::SettingProblem;

/// The shortest name of a label.
const SHORTEST: &str = "a";

impl CloudTags {
    /// Settings that can never work.
    pub(super) fn impossible(&self) -> Vec<SettingProblem> {
        let known = self.known_profiles();
        let mut problems = Vec::new();
        problems.extend(self.unusable_prefix(&known));
        problems.extend(self.too_large_reserve(&known));
        problems.extend(self.too_many_required(&known));
        for (index, required) in self.required.iter().enumerate() {
            let reason = self.why_never_tagged(&required.key);
            let refusing = || {
                known
                    .iter()
                    .find(|profile| !profile.admits(&self.prefix, &required.key))
                    .map(|profile| format!("profile `{}` does not allow its key", profile.name()))
            };
            if let Some(reason) = reason.map(str::to_owned).or_else(refusing) {
                let problem = format!("`{}` can never be a tag: {reason}", &*required.key);
                problems.push(SettingProblem::new(format!("cloudTags.required[{index}].key"), problem));
            }
        }
        problems
    }

    /// The profiles that the settings assign to providers, and those of providers that they name for composites. A
    /// composite may also name its provider itself.
    fn known_profiles(&self) -> Vec<TagRules> {
        let mut names: BTreeSet<&str> = self.profiles.values().map(|profile| &**profile).collect();
        for composites in &self.composites {
            let providers: Vec<&str> = match &composites.provider {
                Provider::Path(_) => Vec::new(),
                Provider::Fixed(provider) => vec![provider],
                Provider::ByKind(kinds) => kinds.values().map(String::as_str).collect(),
            };
            let profile = |provider| self.profile_of(provider).unwrap_or_else(|| Profile::of(provider).name);
            names.extend(providers.into_iter().map(profile));
        }
        names.into_iter().map(|name| TagRules::named(name, self.reserve.into())).collect()
    }

    fn unusable_prefix(&self, known: &[TagRules]) -> Option<SettingProblem> {
        let admits = |profile: &TagRules| profile.admits(&self.prefix, SHORTEST);
        let refusing = match known {
            [] if PROFILES.iter().map(TagRules::from).any(|profile| admits(&profile)) => return None,
            [] => "no profile".to_owned(),
            known => format!("profile `{}` never", known.iter().find(|profile| !admits(profile))?.name()),
        };
        Some(SettingProblem::new("cloudTags.prefix", format!("{refusing} allows a key with this prefix")))
    }

    fn too_large_reserve(&self, known: &[TagRules]) -> Vec<SettingProblem> {
        let reserve = usize::from(self.reserve);
        let problem = |problem| SettingProblem::new("cloudTags.reserve", problem);
        let too_small = known.iter().filter(|profile| profile.tags() <= reserve).map(|profile| {
            let (tags, name) = (profile.tags(), profile.name());
            problem(format!("must be less than {tags}, the number of tags that profile `{name}` allows"))
        });
        let most = PROFILES.iter().map(|profile| profile.tags).max().unwrap_or_default();
        let is_above_all = known.is_empty() && !self.composites.is_empty() && most <= reserve;
        let above_all = is_above_all
            .then(|| problem(format!("must be less than {most}, the largest number of tags that a profile allows")));
        too_small.chain(above_all).collect()
    }

    fn too_many_required(&self, known: &[TagRules]) -> Option<SettingProblem> {
        let (count, reserve) = (self.required.len(), usize::from(self.reserve));
        let least = known.iter().filter(|profile| profile.tags() > reserve).min_by_key(|profile| profile.tags());
        let most = PROFILES.iter().max_by_key(|profile| profile.tags).map(TagRules::from);
        let profile = least.copied().or(most.filter(|_| known.is_empty()))?;
        let room = profile.tags().saturating_sub(reserve);
        (count > room && room > 0).then(|| {
            let problem = format!("lists {count} keys, but profile `{}` leaves room for {room} tags", profile.name());
            SettingProblem::new("cloudTags.required", problem)
        })
    }

    /// Why no registry makes a tag of a label, if that is known from the settings.
    fn why_never_tagged(&self, key: &str) -> Option<&'static str> {
        match &self.registry {
            _ if SEEDED.contains(&key) => Some("a seeded label cannot be opted in"),
            None => match self.definitions.get(key) {
                None => Some("`cloudTags.definitions` does not define it"),
                Some(definition) if !definition.cloud_tag_propagation => Some("its definition does not opt it in"),
                Some(_) => None,
            },
            Some(RegistryReference::ByScope(_)) if !names_an_owner(key) => Some("it does not name a registry"),
            Some(_) => None,
        }
    }
}

/// Whether a key has the form `platform/NAME`, `DOMAIN/NAME` or `DOMAIN:PROJECT/NAME`.
fn names_an_owner(key: &str) -> bool {
    let is_owner = |owner: &str| match owner.split_once(':') {
        None => !owner.is_empty(),
        Some((domain, project)) => !domain.is_empty() && !project.is_empty(),
    };
    key.split_once('/').is_some_and(|(owner, name)| is_owner(owner) && !name.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::test_settings::Settings;

    #[track_caller]
    fn problems(cloud_tags: &str) -> String {
        let read = Settings::from_json(&format!(r#"{{"cloudTags":{cloud_tags}}}"#));
        read.map(|_| String::new()).unwrap_or_else(|error| error.to_string())
    }

    fn of_provider(provider: &str, rest: &str) -> String {
        problems(&format!(r#"{{"composites":[{{"apiGroups":["a.b"],"provider":{provider}}}],{rest}}}"#))
    }

    const AWS: &str = r#"{"fixed":"aws"}"#;
    const PATH: &str = r#"{"path":"spec.provider"}"#;

    #[test]
    fn required_tags_fit() {
        let with = |count: usize, rest: &str| {
            let keys: Vec<String> = (0..count).map(|number| format!(r#"{{"key":"k{number}"}}"#)).collect();
            format!(r#""registry":{{"name":"a"}},"required":[{}]{rest}"#, keys.join(","))
        };
        let refused = |count, profile, room| {
            format!("cloudTags.required: lists {count} keys, but profile `{profile}` leaves room for {room} tags")
        };
        assert_eq!(of_provider(AWS, &with(50, "")), "");
        assert_eq!(of_provider(AWS, &with(51, "")), refused(51, "aws", 50));
        assert_eq!(of_provider(AWS, &with(46, r#","reserve":5"#)), refused(46, "aws", 45));
        assert_eq!(of_provider(PATH, &with(11, r#","profiles":{"oci":"oci"}"#)), refused(11, "oci", 10));
        assert_eq!(of_provider(r#"{"byKind":{"A":"hetzner","B":"aws"}}"#, &with(51, "")), refused(51, "aws", 50));
        assert_eq!(
            (of_provider(PATH, &with(64, "")), of_provider(PATH, &with(65, ""))),
            (String::new(), refused(65, "hetzner", 64))
        );
    }

    #[test]
    fn a_prefix_is_as_long_as_keys_can_be() {
        let prefix = |prefix: &str| format!(r#""prefix":"{prefix}:""#);
        let never = "cloudTags.prefix: profile `aws` never allows a key with this prefix";
        for (provider, length, expected) in [(AWS, 126, ""), (AWS, 127, never), (PATH, 253, "")] {
            assert_eq!(of_provider(provider, &prefix(&"a".repeat(length))), expected, "{length}");
        }
        let found = of_provider(PATH, &prefix(&"a".repeat(300)));
        assert!(found.starts_with("cloudTags.prefix: expected a prefix such as `acme:`"), "{found}");
    }
}
