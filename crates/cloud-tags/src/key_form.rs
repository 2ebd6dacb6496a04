//! The form of the keys that a scope defines, as in the specification's qualified keys.
//!
//! Keys are opaque: a key in another form becomes a tag as well. But `acme:checkout/owner` in the platform's registry
//! is most likely a mistake.

use std::collections::BTreeMap;

use crate::fact::CloudTagFact;
use kubernetes::MentionedKeys;
use tag_rules::{Definition, Scope};

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
pub fn keys_of_another<'d>(definitions: impl IntoIterator<Item = (&'d String, &'d Definition)>) -> Vec<CloudTagFact> {
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
