//! Whose definition of a label a key names, the form of such keys, and the registry object of that owner.
//!
//! Keys are opaque: a key in another form becomes a tag as well. But `acme:checkout/owner` in the platform's registry is
//! most likely a mistake.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::fact::CloudTagFact;
use kubernetes::MentionedKeys;
use tag_rules::{Definition, Scope};

/// The prefix of a part of a name that is encoded.
const ENCODED: &str = "x--";
/// The maximum length of an object's name.
const NAME_LENGTH: usize = 253;

/// Domains of labels that belong to Kubernetes and to Crossplane: no registry defines them.
const RESERVED: [&str; 3] = ["kubernetes.io", "k8s.io", "crossplane.io"];

/// A platform, a domain or a project, which defines the keys of its own form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RegistryOwner<'k> {
    /// Defines `platform/NAME`.
    Platform,
    /// Defines `DOMAIN/NAME`.
    Domain(&'k str),
    /// Defines `DOMAIN:PROJECT/NAME`.
    Project(&'k str, &'k str),
}

impl<'k> RegistryOwner<'k> {
    /// The owner that a qualified key names, if it has one of the three forms, and is not Kubernetes' or Crossplane's.
    pub(super) fn of_key(key: &'k str) -> Option<Self> {
        let (owner, _) = key.split_once('/').filter(|_| !is_reserved(key))?;
        Some(match owner.split_once(':') {
            None if fits(Scope::Platform, key) => RegistryOwner::Platform,
            None if fits(Scope::Domain, key) => RegistryOwner::Domain(owner),
            Some((domain, project)) if fits(Scope::Project, key) => RegistryOwner::Project(domain, project),
            _ => return None,
        })
    }

    /// The owner of a registry object with a scope; `None` if the object does not say which.
    pub(super) fn of_registry(scope: Scope, domain: Option<&'k str>, project: Option<&'k str>) -> Option<Self> {
        match scope {
            Scope::Platform => Some(RegistryOwner::Platform),
            Scope::Domain => Some(RegistryOwner::Domain(domain?)),
            Scope::Project => Some(RegistryOwner::Project(domain?, project?)),
        }
    }

    pub(super) fn scope(self) -> Scope {
        match self {
            RegistryOwner::Platform => Scope::Platform,
            RegistryOwner::Domain(_) => Scope::Domain,
            RegistryOwner::Project(..) => Scope::Project,
        }
    }

    /// The name of the owner's registry object. Different owners have different names; `None` if it would be too long.
    pub(super) fn registry_name(self) -> Option<String> {
        let name = match self {
            RegistryOwner::Platform => "platform".to_owned(),
            RegistryOwner::Domain(domain) => format!("domain.{}", part(domain)),
            RegistryOwner::Project(domain, project) => format!("project.{}.{}", part(domain), part(project)),
        };
        Some(name).filter(|name| name.len() <= NAME_LENGTH)
    }
}

/// A part of an object's name: the text itself if it is a DNS label, otherwise its bytes as hexadecimal digits.
fn part(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_label = text.bytes().all(|byte| is_plain(byte) || byte == b'-')
        && [text.bytes().next(), text.bytes().last()].into_iter().all(|end| end.is_some_and(is_plain));
    if is_label && !text.starts_with(ENCODED) {
        return text.to_owned();
    }
    let mut encoded = ENCODED.to_owned();
    for byte in text.bytes() {
        let _ = write!(encoded, "{byte:02x}");
    }
    encoded
}

/// Whether a key belongs to Kubernetes or to Crossplane.
pub(super) fn is_reserved(key: &str) -> bool {
    let Some((domain, _)) = key.split_once('/') else { return false };
    RESERVED.iter().any(|known| domain.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// The domain and the project of a composite: `None` if the settings do not say where they are found, and an empty text
/// if the composite names none.
#[derive(Debug, Default)]
pub(super) struct Belonging<'e> {
    pub(super) domain: Option<&'e str>,
    pub(super) project: Option<&'e str>,
}

impl Belonging<'_> {
    /// Whether the composite belongs to an owner, as far as that is known.
    pub(super) fn is_below(&self, owner: RegistryOwner<'_>) -> bool {
        let is_of = |known: Option<&str>, name: &str| known.is_none_or(|known| known == name);
        match owner {
            RegistryOwner::Platform => true,
            RegistryOwner::Domain(domain) => is_of(self.domain, domain),
            RegistryOwner::Project(domain, project) => is_of(self.domain, domain) && is_of(self.project, project),
        }
    }
}

/// The form, for a reader.
pub(super) const fn form(scope: Scope) -> &'static str {
    match scope {
        Scope::Platform => "platform/NAME",
        Scope::Domain => "DOMAIN/NAME",
        Scope::Project => "DOMAIN:PROJECT/NAME",
    }
}

pub(super) fn fits(scope: Scope, key: &str) -> bool {
    let Some((owner, name)) = key.split_once('/') else { return false };
    let fits = match (scope, owner.split_once(':')) {
        (Scope::Platform, None) => owner == "platform",
        (Scope::Domain, None) => !owner.is_empty() && owner != "platform",
        (Scope::Project, Some((domain, project))) => !domain.is_empty() && !project.is_empty(),
        _ => false,
    };
    fits && !name.is_empty()
}

/// What is reported about definitions whose keys have another form than those of their scope.
pub fn keys_of_another_form<'d>(
    definitions: impl IntoIterator<Item = (&'d String, &'d Definition)>,
) -> Vec<CloudTagFact> {
    let mut keys = BTreeMap::<Scope, Vec<&str>>::new();
    for (key, Definition { scope, .. }) in definitions {
        if !fits(*scope, key) {
            keys.entry(*scope).or_default().push(key);
        }
    }
    let fact = |(scope, keys): (Scope, Vec<&str>)| {
        let (form, keys) = (form(scope).into(), MentionedKeys::some(keys)?);
        Some(CloudTagFact::KeysOfAnotherForm { form, scope: scope.as_str(), keys })
    };
    keys.into_iter().filter_map(fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_registry_follows_from_the_key_of_a_label() {
        for (key, expected) in [
            ("platform/env", Some("platform")),
            ("acme/cost", Some("domain.acme")),
            ("team-a/cost", Some("domain.team-a")),
            ("acme:checkout/owner", Some("project.acme.checkout")),
            ("acme.example:check out/owner", Some("project.x--61636d652e6578616d706c65.x--636865636b206f7574")),
            ("x--61/a", Some("domain.x--782d2d3631")),
            ("platform:a/b", Some("project.platform.a")),
            ("team", None),
            (":a/b", None),
            ("crossplane.io/composite", None),
        ] {
            let name = RegistryOwner::of_key(key).and_then(RegistryOwner::registry_name);
            assert_eq!(name.as_deref(), expected, "{key}");
        }
        let (long, longer) = ("d".repeat(246), "d".repeat(247));
        assert_eq!(
            [&long, &longer].map(|domain| RegistryOwner::Domain(domain).registry_name().is_some()),
            [true, false]
        );
    }

    #[test]
    fn different_owners_have_different_names() {
        let names = ["a", "b", "a.b", "a-b", "A", "-", "x--61", "x--", "", "ä", "platform"];
        let mut owners: Vec<RegistryOwner<'_>> = names.iter().map(|name| RegistryOwner::Domain(name)).collect();
        owners
            .extend(names.iter().flat_map(|domain| names.iter().map(move |name| RegistryOwner::Project(domain, name))));
        owners.push(RegistryOwner::Platform);
        let all: std::collections::BTreeSet<_> = owners.iter().filter_map(|owner| owner.registry_name()).collect();
        assert_eq!(all.len(), owners.len());
    }

    #[test]
    fn a_composite_belongs_to_its_own_domain_and_project() {
        let all = [
            RegistryOwner::Platform,
            RegistryOwner::Domain("acme"),
            RegistryOwner::Domain("globex"),
            RegistryOwner::Project("acme", "checkout"),
            RegistryOwner::Project("acme", "billing"),
            RegistryOwner::Project("globex", "checkout"),
        ];
        let below = |domain, project| all.map(|owner| Belonging { domain, project }.is_below(owner));
        assert_eq!(below(Some("acme"), Some("checkout")), [true, true, false, true, false, false]);
        assert_eq!(below(Some("acme"), None), [true, true, false, true, true, false]);
        assert_eq!(below(Some(""), Some("")), [true, false, false, false, false, false]);
        assert_eq!(below(None, None), [true; 6]);
    }

    #[test]
    fn keys_of_kubernetes_and_crossplane_belong_to_nobody_else() {
        let keys =
            ["crossplane.io/composite", "app.kubernetes.io/name", "k8s.io/a", "kubernetes.io", "mykubernetes.io/a"];
        assert_eq!(keys.map(is_reserved), [true, true, true, false, false]);
    }

    #[test]
    fn each_form_fits_one_scope_at_most() {
        let scopes = [Scope::Platform, Scope::Domain, Scope::Project];
        for (key, expected) in [
            ("platform/env", Some(Scope::Platform)),
            ("acme/cost centre", Some(Scope::Domain)),
            ("acme:checkout/owner", Some(Scope::Project)),
            ("acme:checkout/owner/of", Some(Scope::Project)),
            ("team", None),
            ("platform/", None),
            ("/env", None),
            (":checkout/owner", None),
            ("acme:/owner", None),
        ] {
            let fitting: Vec<Scope> = scopes.into_iter().filter(|scope| fits(*scope, key)).collect();
            assert_eq!(fitting, expected.into_iter().collect::<Vec<_>>(), "{key}");
        }
    }
}
