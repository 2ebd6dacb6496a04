//! `clusterApi.controllers` and the accounts of the installed managers, in both directions.

use std::collections::BTreeSet;

use metadata_propagation::Settings;

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;
use super::managers::{Manager, managers};
use super::names::did_you_mean;
use super::policy::InstalledPolicy;
use super::rbac::Account;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    let managers = managers(installation);
    let accounts = accounts(installation);
    for policy in installation.policies.iter().filter(|policy| policy.is_for_cluster_api()) {
        let title = policy.title();
        let Some(settings) = policy.valid_settings(results) else { continue };
        if managers.is_empty() && !installation.is_live {
            results.not_examined(&title, "no Deployment of Cluster API's managers is among the files");
            continue;
        }
        let (unknown, not_examined) = unknown(policy, settings, &managers, &accounts, installation.is_live);
        for why in not_examined {
            results.not_examined(&title, why);
        }
        let findings = [not_installed(policy, &managers), not_listed(policy, settings, &managers), unknown];
        results.judge(&title, findings.concat(), || {
            let names: Vec<String> = managers.iter().map(|manager| format!("`{}`", manager.account.user())).collect();
            format!("`clusterApi.controllers` lists the installed managers: {}", names.join(", "))
        });
    }
}

/// The accounts that exist, as far as Deployments and ServiceAccounts show.
fn accounts(installation: &Installation<'_>) -> BTreeSet<Account> {
    let deployments = installation.of_kind("apps", "Deployment").map(|item| {
        let name = Some(item.text("/spec/template/spec/serviceAccountName")).filter(|name| !name.is_empty());
        (item.object.id.namespace.clone(), name.unwrap_or("default").to_owned())
    });
    let accounts = installation.of_kind("", "ServiceAccount");
    let accounts = accounts.map(|item| (item.object.id.namespace.clone(), item.object.id.name.clone()));
    deployments.chain(accounts).map(|(namespace, name)| Account { namespace, name }).collect()
}

fn not_installed<'a>(policy: &InstalledPolicy<'a>, managers: &[Manager<'a>]) -> Vec<InstallationFinding<'a>> {
    if managers.iter().any(|manager| manager.is_core) {
        return Vec::new();
    }
    vec![policy.warning(
        "spec.rules",
        " has rules for Cluster API, but no Deployment runs its core manager",
        "the names of its controllers, its version and its flags cannot be compared with the settings",
        "install Cluster API, or delete the policy; a manager is known by its label `cluster.x-k8s.io/provider` or its image",
    )]
}

/// Managers that are not in the list.
fn not_listed<'a>(
    policy: &InstalledPolicy<'a>,
    settings: &Settings,
    managers: &[Manager<'a>],
) -> Vec<InstallationFinding<'a>> {
    let listed = &settings.cluster_api.controllers;
    let is_listed = |account: &Account| {
        let groups = account.groups();
        listed.contains(&account.user()) || groups.iter().any(|group| listed.contains(group))
    };
    let missing = managers.iter().filter(|manager| !is_listed(&manager.account));
    let finding = |manager: &Manager<'a>| {
        let (user, title, place) = (manager.account.user(), manager.title, manager.place());
        policy.error(
            policy.setting("clusterApi.controllers"),
            format!(": `clusterApi.controllers` does not list `{user}`, the account of {title} ({place})"),
            "its writes are treated as those of a user: each needs lookups, causes a warning, and may be rejected",
            format!("add `{user}` to `clusterApi.controllers`, and to `matchConditions`"),
        )
    };
    missing.map(finding).collect()
}

/// Names in the list that no account has, and those that are unknown. Default names may belong to installations of
/// another type.
fn unknown<'a>(
    policy: &InstalledPolicy<'a>,
    settings: &Settings,
    managers: &[Manager<'a>],
    accounts: &BTreeSet<Account>,
    is_live: bool,
) -> (Vec<InstallationFinding<'a>>, Vec<String>) {
    let defaults = Settings::default().cluster_api.controllers;
    let (mut findings, mut not_examined) = (Vec::new(), Vec::new());
    for (number, name) in settings.cluster_api.controllers.iter().enumerate() {
        let is_there = match (name.strip_prefix("system:serviceaccount:"), name.strip_prefix("system:serviceaccounts:"))
        {
            (Some(_), _) => accounts.iter().any(|account| account.user() == name),
            (_, Some(namespace)) => accounts.iter().any(|account| account.namespace == namespace),
            (None, None) => true,
        };
        if is_there || defaults.contains(name) {
            continue;
        }
        let users: Vec<String> = managers.iter().map(|manager| manager.account.user()).collect();
        let guess = did_you_mean(name, users.iter().map(|user| &**user));
        // With files, the account may be in one that was not passed.
        if guess.is_empty() && !is_live {
            not_examined.push(format!("the account `{name}` is not among the files"));
            continue;
        }
        findings.push(policy.warning(
            policy.setting(&format!("clusterApi.controllers[{number}]")),
            format!(": `clusterApi.controllers` lists `{name}`, but no such account exists{guess}"),
            "names are compared exactly: a misspelled one matches nobody, and anyone who can create that account would be trusted",
            "correct or remove the name, in `matchConditions` too",
        ));
    }
    (findings, not_examined)
}
