//! What the ServiceAccount of the PolicyServer may read.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{FindingLevel, count};

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;
use super::item::{Item, KUBEWARDEN};
use super::needs::{Need, needs};
use super::rbac::{Account, Allowed, Wish, allowed};

/// Namespaces of Kubewarden: its chart's, and Rancher's.
const NAMESPACES: &[&str] = &["kubewarden", "cattle-kubewarden-system"];

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    let mut by_server: BTreeMap<&str, BTreeSet<Need>> = BTreeMap::new();
    for policy in &installation.policies {
        let Some(settings) = policy.valid_settings(results) else { continue };
        by_server.entry(policy.server()).or_default().extend(needs(installation, policy, settings));
    }
    for (name, needs) in by_server {
        let subject = format!("PolicyServer {name}");
        let server = installation.of_kind(KUBEWARDEN, "PolicyServer").find(|server| server.object.id.name == name);
        let Some(server) = server else {
            results.not_examined(&subject, "does not exist");
            continue;
        };
        let Some(account) = account(installation, server) else {
            results.not_examined(&subject, "the namespace of its ServiceAccount is not known");
            continue;
        };
        if !installation.is_live && installation.of_kind("rbac.authorization.k8s.io", "ClusterRole").next().is_none() {
            results.not_examined(&subject, "no ClusterRole is among the files");
            continue;
        }
        let title = format!("ServiceAccount {}/{}", account.namespace, account.name);
        let finding = missing(installation, server, &account);
        let finding = finding.or_else(|| denied(installation, server, &account, &needs));
        let findings = finding.into_iter().collect();
        results.judge(&title, findings, || format!("may `get` all that is read: {}", count(needs.len(), "kind")));
    }
}

/// The account of a PolicyServer, if its namespace is known: that of its Deployment, else that of an account with its
/// name.
fn account(installation: &Installation<'_>, server: &Item<'_>) -> Option<Account> {
    let server_name = &server.object.id.name;
    let name = Some(server.text("/spec/serviceAccountName")).filter(|name| !name.is_empty()).unwrap_or("default");
    let deployment = installation.of_kind("apps", "Deployment").find(|deployment| {
        deployment.label("kubewarden/policy-server") == Some(server_name)
            || deployment.object.id.name == format!("policy-server-{server_name}")
    });
    let accounts = installation.of_kind("", "ServiceAccount").filter(|item| item.object.id.name == name);
    let accounts: Vec<&str> = accounts.map(|item| &*item.object.id.namespace).collect();
    let namespace = match (deployment, &*accounts) {
        (Some(deployment), _) => &*deployment.object.id.namespace,
        (None, [only]) => only,
        (None, several) => NAMESPACES.iter().find(|known| several.contains(known))?,
    };
    Some(Account { namespace: namespace.to_owned(), name: name.to_owned() })
}

/// The account does not exist.
fn missing<'a>(
    installation: &Installation<'a>,
    server: &'a Item<'a>,
    account: &Account,
) -> Option<InstallationFinding<'a>> {
    let mut accounts = installation.of_kind("", "ServiceAccount").peekable();
    let is_known = installation.is_live || accounts.peek().is_some();
    let is_there =
        accounts.any(|item| (&item.object.id.namespace, &item.object.id.name) == (&account.namespace, &account.name));
    let Account { namespace, name } = account;
    (is_known && !is_there).then(|| {
        InstallationFinding::of(
            FindingLevel::Error,
            (server.object, "spec.serviceAccountName"),
            format!("ServiceAccount {namespace}/{name} of PolicyServer {} does not exist", server.object.id.name),
            "Pods of the PolicyServer cannot start without it",
            "apply deploy/policy-server.yaml, which has both",
        )
    })
}

/// Kinds that the account may not read, or not everywhere.
fn denied<'a>(
    installation: &Installation<'a>,
    server: &'a Item<'a>,
    account: &Account,
    needs: &BTreeSet<Need>,
) -> Option<InstallationFinding<'a>> {
    let mut kinds = Vec::new();
    for need in needs {
        let resource = installation.resource(&need.group, &need.kind);
        let wish = Wish { verb: "get", group: &need.group, resource: &resource, names: &need.names };
        let name = need.resource(installation);
        match allowed(installation, account, &wish) {
            Allowed::Everywhere => {}
            Allowed::In(namespaces) if namespaces.is_empty() => kinds.push(format!("`{name}`")),
            Allowed::In(namespaces) => {
                let namespaces: Vec<String> = namespaces.iter().map(|name| format!("`{name}`")).collect();
                kinds.push(format!("`{name}` (only in namespace {})", namespaces.join(", ")));
            }
        }
    }
    let Account { namespace, name } = account;
    (!kinds.is_empty()).then(|| InstallationFinding {
        level: FindingLevel::Error,
        message: format!("ServiceAccount {namespace}/{name} may not `get` {}", kinds.join(", ")),
        object: Some(server.object),
        at: "spec.serviceAccountName".to_owned(),
        why: "owners of the object that is written cannot be read, so nothing propagates from them",
        fix: format!(
            "apply deploy/rbac.yaml, with ServiceAccount `{name}` in namespace `{namespace}` as the subject of its \
             ClusterRoleBinding; add resources that its ClusterRole does not have"
        ),
    })
}
