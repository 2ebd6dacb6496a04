//! What is checked.

use super::finding::CheckResults;
use super::installation::Installation;
use super::{
    activation, composites, conditions, controllers, grants, installed, operation, permissions, registry, reports,
    server, settings,
};
use super::{flags, status, version};

/// One thing that is checked.
pub(crate) struct InstallationCheck {
    pub(crate) name: &'static str,
    /// What it compares.
    pub(crate) about: &'static str,
    /// The resources that are required, in addition to policies.
    pub(crate) reads: &'static [&'static str],
    run: for<'a> fn(&Installation<'a>, &mut CheckResults<'a>),
}

const POLICIES: &str = "clusteradmissionpolicies.policies.kubewarden.io";
const SERVERS: &str = "policyservers.policies.kubewarden.io";
const DEPLOYMENTS: &str = "deployments.apps";
const ACCOUNTS: &str = "serviceaccounts";
const ROLES: &str = "clusterroles.rbac.authorization.k8s.io";
const NAMESPACE_ROLES: &str = "roles.rbac.authorization.k8s.io";
const BINDINGS: &str = "clusterrolebindings.rbac.authorization.k8s.io";
const NAMESPACE_BINDINGS: &str = "rolebindings.rbac.authorization.k8s.io";
const KINDS: &str = "customresourcedefinitions.apiextensions.k8s.io";
const DEFINITIONS: &str = "compositeresourcedefinitions.apiextensions.crossplane.io";
const COMPOSITIONS: &str = "compositions.apiextensions.crossplane.io";
const ACTIVATION: &str = "managedresourceactivationpolicies.apiextensions.crossplane.io";
const REGISTRIES: &str = "labelregistries.labels.plexsphere.com";

/// All checks, in the order in which they are printed.
#[rustfmt::skip]
pub(crate) const INSTALLATION_CHECKS: &[InstallationCheck] = &[
    check("installed",   "a policy runs this module, and its kind may read other objects",    &[],                                     installed::run),
    check("server",      "the PolicyServer exists, and its version is supported",             &[SERVERS],                              server::run),
    check("status",      "Kubewarden has made the policies active",                           &[],                                     status::run),
    check("settings",    "the settings are valid",                                            &[],                                     settings::run),
    check("operation",   "mode, failurePolicy, time limits and rules are as documented",      &[],                                     operation::run),
    check("grants",      "contextAwareResources has the kinds that are read",                 &[KINDS],                                grants::run),
    check("permissions", "the PolicyServer's ServiceAccount may get the kinds that are read", &[SERVERS, DEPLOYMENTS, ACCOUNTS, ROLES, NAMESPACE_ROLES, BINDINGS, NAMESPACE_BINDINGS, KINDS], permissions::run),
    check("controllers", "clusterApi.controllers names the installed managers",               &[DEPLOYMENTS, ACCOUNTS],                controllers::run),
    check("conditions",  "matchConditions names the accounts of clusterApi.controllers",      &[],                                     conditions::run),
    check("version",     "clusterApi.version is the installed Cluster API",                   &[DEPLOYMENTS],                          version::run),
    check("flags",       "clusterApi.taints and clusterApi.node are the manager's flags",     &[DEPLOYMENTS],                          flags::run),
    check("composites",  "rules and settings name the composites that are defined",           &[DEFINITIONS],                          composites::run),
    check("activation",  "policies activate the managed resources of Compositions",           &[COMPOSITIONS, ACTIVATION],             activation::run),
    check("reports",     "what the audit scanner writes is served",                           &[KINDS],                                reports::run),
    check("registry",    "the LabelRegistry objects of the settings exist",                   &[REGISTRIES],                           registry::run),
];

const fn check(
    name: &'static str,
    about: &'static str,
    reads: &'static [&'static str],
    run: for<'a> fn(&Installation<'a>, &mut CheckResults<'a>),
) -> InstallationCheck {
    InstallationCheck { name, about, reads, run }
}

/// Runs all checks. If a check needs something that cannot be read, that is reported, and the check does not pass.
pub(crate) fn all<'a>(installation: &Installation<'a>) -> CheckResults<'a> {
    let mut results = CheckResults::default();
    for InstallationCheck { name, reads, run, .. } in INSTALLATION_CHECKS {
        results.check = name;
        let needed = reads.iter().chain(&[POLICIES]);
        let missing: Vec<String> =
            needed.filter(|name| installation.unreadable.contains(**name)).map(|name| format!("`{name}`")).collect();
        match missing.is_empty() {
            true => {
                let before = results.statement_count();
                run(installation, &mut results);
                if results.statement_count() == before {
                    results.judge("", Vec::new(), || "no policy needs this".to_owned());
                }
            }
            false => results.not_examined("", format!("cannot read {}", missing.join(", "))),
        }
        // There is nothing for the other checks.
        if installation.policies.is_empty() && missing.is_empty() {
            break;
        }
    }
    results
}
