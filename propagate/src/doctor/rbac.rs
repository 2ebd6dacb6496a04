//! What RBAC allows an account: computed from roles and bindings, without a request to the API server.

use std::collections::BTreeSet;

use serde_json::Value;

use super::installation::Installation;
use super::item::{Item, texts};

const RBAC: &str = "rbac.authorization.k8s.io";

/// A ServiceAccount.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Account {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// Where something is allowed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    Everywhere,
    /// In some namespaces only, or in none.
    In(BTreeSet<String>),
}

impl Allowed {
    /// Where both are allowed.
    fn and(self, other: Allowed) -> Allowed {
        match (self, other) {
            (Allowed::Everywhere, other) => other,
            (this, Allowed::Everywhere) => this,
            (Allowed::In(this), Allowed::In(other)) => Allowed::In(this.intersection(&other).cloned().collect()),
        }
    }
}

/// What should be allowed.
pub(crate) struct Wish<'w> {
    pub(crate) verb: &'w str,
    pub(crate) group: &'w str,
    pub(crate) resource: &'w str,
    /// The names of the only objects it is about; none if any may be read.
    pub(crate) names: &'w [String],
}

impl Account {
    /// The name of its user.
    pub(crate) fn user(&self) -> String {
        format!("system:serviceaccount:{}:{}", self.namespace, self.name)
    }

    /// The groups of its user.
    pub(crate) fn groups(&self) -> [String; 3] {
        [
            "system:serviceaccounts".to_owned(),
            format!("system:serviceaccounts:{}", self.namespace),
            "system:authenticated".to_owned(),
        ]
    }

    /// Whether a binding names it.
    fn is_in(&self, binding: &Item<'_>) -> bool {
        let text = |subject: &Value, field: &str| {
            subject.get(field).and_then(Value::as_str).unwrap_or(&binding.object.id.namespace).to_owned()
        };
        binding.at("/subjects").as_array().into_iter().flatten().any(|subject| match &*text(subject, "kind") {
            "ServiceAccount" => text(subject, "name") == self.name && text(subject, "namespace") == self.namespace,
            "User" => text(subject, "name") == self.user(),
            "Group" => self.groups().contains(&text(subject, "name")),
            _ => false,
        })
    }
}

/// Where an account may do something.
pub(crate) fn allowed(installation: &Installation<'_>, account: &Account, wish: &Wish<'_>) -> Allowed {
    // Each name may be granted by a different rule.
    let each = wish.names.iter().map(|name| allowed_one(installation, account, wish, Some(name)));
    each.reduce(Allowed::and).unwrap_or_else(|| allowed_one(installation, account, wish, None))
}

fn allowed_one(installation: &Installation<'_>, account: &Account, wish: &Wish<'_>, name: Option<&str>) -> Allowed {
    let is_allowed = |binding: &Item<'_>| {
        let role = (binding.text("/roleRef/kind"), binding.text("/roleRef/name"));
        let roles = installation.of_kind(RBAC, role.0).filter(|item| {
            let is_cluster = role.0 == "ClusterRole";
            item.object.id.name == role.1 && (is_cluster || item.object.id.namespace == binding.object.id.namespace)
        });
        account.is_in(binding)
            && roles.flat_map(|role| rules(installation, role)).any(|rule| wish.is_granted(rule, name))
    };
    if installation.of_kind(RBAC, "ClusterRoleBinding").any(is_allowed) {
        return Allowed::Everywhere;
    }
    let bindings = installation.of_kind(RBAC, "RoleBinding").filter(|binding| is_allowed(binding));
    Allowed::In(bindings.map(|binding| binding.object.id.namespace.clone()).collect())
}

/// The rules of a role, and of those that it aggregates: in files they have not been copied yet.
fn rules<'a>(installation: &Installation<'a>, role: &'a Item<'a>) -> Vec<&'a Value> {
    let selectors = role.at("/aggregationRule/clusterRoleSelectors").as_array().into_iter().flatten();
    let selectors: Vec<&Value> = selectors.filter_map(|selector| selector.get("matchLabels")).collect();
    let is_selected = |other: &&Item<'_>| {
        selectors.iter().any(|selector| {
            let mut labels = selector.as_object().into_iter().flatten();
            labels.all(|(key, value)| other.label(key) == value.as_str())
        })
    };
    let aggregated = installation.of_kind(RBAC, "ClusterRole").filter(is_selected);
    let roles = std::iter::once(role).chain(aggregated);
    roles.flat_map(|role| role.at("/rules").as_array().into_iter().flatten()).collect()
}

impl Wish<'_> {
    /// Whether a rule grants it for an object of this name; without a name, for all.
    fn is_granted(&self, rule: &Value, name: Option<&str>) -> bool {
        let has = |field: &str, wanted: &str| texts(rule.get(field)).any(|known| known == wanted || known == "*");
        let mut named = texts(rule.get("resourceNames")).peekable();
        let is_named = named.peek().is_none() || name.is_some_and(|name| named.any(|known| known == name));
        is_named && has("apiGroups", self.group) && has("resources", self.resource) && has("verbs", self.verb)
    }
}
