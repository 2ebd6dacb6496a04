//! Settings of cloud tags that never do what they say, and that an evaluation can do without.

use std::collections::BTreeMap;

use super::CloudTags;
use crate::clouds::KeyCase;
use crate::settings::ClusterCloudTags;
use crate::settings::composites::{Composites, Provider};
use crate::settings::sources::LabelSource;
use crate::strict::StrictProfile;
use kubernetes::MOST_READS;
use kubernetes::settings::SettingProblem;

/// The steps of the field of a composite's tags.
const TAGS: [&str; 2] = ["spec", "cloudTags"];

impl CloudTags {
    /// Settings that never do what they say, together with those about infrastructure clusters.
    pub fn useless(&self, clusters: &ClusterCloudTags) -> Vec<SettingProblem> {
        let mut problems = self.crossplane.problems_of_groups("cloudTags.crossplane");
        let composites = self.composites.iter().enumerate();
        problems.extend(composites.flat_map(|(index, composites)| useless_provider(index, composites)));
        problems.extend(self.too_many_reads(clusters));
        problems.extend(self.strict_profiles().flat_map(|profile| self.required_alike(profile)));
        if !self.required.is_empty() && self.composites.is_empty() {
            let problem = "has no effect: `cloudTags.composites` is empty, and only composites have required tags";
            problems.push(SettingProblem::new("cloudTags.required", problem));
        }
        if !clusters.kinds.is_empty() && self.registry.is_none() && self.definitions.is_empty() {
            let problem = "has no effect: neither `cloudTags.definitions` nor `cloudTags.registry` defines labels";
            problems.push(SettingProblem::new("clusterApi.cloudTags.kinds", problem));
        }
        problems
    }

    /// The registries that are listed, if the last ones are never read: what else is read comes first.
    fn too_many_reads(&self, clusters: &ClusterCloudTags) -> Option<SettingProblem> {
        let listed = self.registry.as_ref()?.names().len();
        let others = [
            ("the Cluster", !clusters.kinds.is_empty()),
            ("the Namespace", self.reads_namespaces()),
            ("the tenant", self.sources.has(LabelSource::Tenant)),
        ];
        let others: Vec<&str> = others.into_iter().filter(|(_, is_read)| *is_read).map(|(name, _)| name).collect();
        (listed + others.len() > MOST_READS).then(|| {
            let others = others.join(" and ");
            let problem =
                format!("lists {listed} objects, but with {others} at most {MOST_READS} can be read for one request");
            SettingProblem::new("cloudTags.registry.names", problem)
        })
    }

    /// The required labels that a profile spells like an earlier one: a resource has only one of these tags.
    fn required_alike(&self, profile: &StrictProfile) -> Vec<SettingProblem> {
        let (mut earlier, mut problems) = (BTreeMap::new(), Vec::new());
        for (index, required) in self.required.iter().enumerate() {
            let spelled = profile.spelling.of(&self.prefix, &required.key);
            let spelled = if profile.cloud.case == KeyCase::Ignored { spelled.to_lowercase() } else { spelled };
            let Some(other) = earlier.insert(spelled, &*required.key).filter(|other| *other != &*required.key) else {
                continue;
            };
            let problem = format!("`{}` and `{other}` are one tag in profile `{}`", &*required.key, profile.name);
            problems.push(SettingProblem::new(format!("cloudTags.required[{index}].key"), problem));
        }
        problems
    }
}

fn useless_provider(index: usize, composites: &Composites) -> Vec<SettingProblem> {
    let at = |rest: &str| format!("cloudTags.composites[{index}].provider.{rest}");
    let unnamed = |rest: &str| SettingProblem::new(at(rest), "names no provider");
    match &composites.provider {
        Provider::Fixed(provider) if provider.is_empty() => vec![unnamed("fixed")],
        Provider::ByKind(kinds) if kinds.is_empty() => vec![unnamed("byKind")],
        Provider::Path(path) if path.steps().take(TAGS.len()).eq(TAGS) => {
            vec![SettingProblem::new(at("path"), "is the field of the tags, which the policy writes")]
        }
        Provider::Fixed(_) | Provider::Path(_) => Vec::new(),
        Provider::ByKind(kinds) => {
            let problem = |(kind, provider): (&String, &String)| {
                let here = format!("byKind[{kind}]");
                if provider.is_empty() {
                    return Some(unnamed(&here));
                }
                let here = at(&here);
                let is_claim = composites.claim_kinds.contains(kind);
                let claims = format!("cloudTags.composites[{index}].claimKinds");
                is_claim.then(|| SettingProblem::new(here, format!("is also in `{claims}`: claims get no tags")))
            };
            kinds.iter().filter_map(problem).collect()
        }
    }
}
