//! `matchConditions` and the list of controllers in the settings.

use std::collections::BTreeSet;

use fleet::count;
use serde_json::Value;

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;
use super::policy::InstalledPolicy;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    for policy in installation.policies.iter().filter(|policy| policy.is_for_cluster_api()) {
        let title = policy.title();
        let Some(settings) = policy.valid_settings(results) else { continue };
        let listed: BTreeSet<&str> = settings.cluster_api.controllers.iter().collect();
        let conditions = policy.spec("matchConditions").and_then(Value::as_array).map(|it| &**it).unwrap_or_default();
        let mut findings = Vec::new();
        let mut number_of_lists = 0;
        for (number, condition) in conditions.iter().enumerate() {
            let text = |field: &str| condition.get(field).and_then(Value::as_str).unwrap_or_default();
            let named = accounts(text("expression"), &listed);
            if named.is_empty() {
                continue;
            }
            number_of_lists += 1;
            let at = format!("spec.matchConditions[{number}]");
            findings.extend(differences(policy, (text("name"), at.clone()), &named, &listed));
            if settings.cluster_api.self_check {
                let name = text("name");
                findings.push(policy.warning(
                    at,
                    format!(": `clusterApi.selfCheck` is on, but match condition `{name}` excludes controllers"),
                    "the writes of controllers are not sent to the policy, so nothing of them is compared",
                    "remove the match condition, or set `clusterApi.selfCheck: false`",
                ));
            }
        }
        results.judge(&title, findings, || match number_of_lists {
            0 => "`matchConditions` names no accounts".to_owned(),
            _ => format!(
                "`matchConditions` names what `clusterApi.controllers` lists: {}",
                count(listed.len(), "account")
            ),
        });
    }
}

fn differences<'a>(
    policy: &InstalledPolicy<'a>,
    (name, at): (&str, String),
    named: &BTreeSet<&str>,
    listed: &BTreeSet<&str>,
) -> Vec<InstallationFinding<'a>> {
    let join = |names: Vec<&&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let (more, less) = (named.difference(listed).collect::<Vec<_>>(), listed.difference(named).collect::<Vec<_>>());
    let mut findings = Vec::new();
    if !more.is_empty() {
        findings.push(policy.error(
            &at,
            format!(": match condition `{name}` names {}, but `clusterApi.controllers` does not", join(more)),
            "the policy never sees what these accounts write: no label is added, and no guard rail is on",
            "make both lists the same: remove the names here, or add them to `clusterApi.controllers`",
        ));
    }
    if !less.is_empty() {
        findings.push(policy.warning(
            at,
            format!(": match condition `{name}` does not name {}, but `clusterApi.controllers` does", join(less)),
            "each write of these accounts calls the PolicyServer, and with `failurePolicy: Fail` depends on it",
            "make both lists the same: add the names here, or remove them from `clusterApi.controllers`",
        ));
    }
    findings
}

/// The service accounts and groups of them that are texts in a CEL expression, and what else of the list it contains.
fn accounts<'e>(expression: &'e str, listed: &BTreeSet<&str>) -> BTreeSet<&'e str> {
    let is_account = |text: &str| {
        let parts: Vec<&str> = text.split(':').collect();
        match *parts {
            ["system", "serviceaccount", namespace, name] => !namespace.is_empty() && !name.is_empty(),
            ["system", "serviceaccounts", namespace] => !namespace.is_empty(),
            _ => false,
        }
    };
    texts(expression).into_iter().filter(|text| is_account(text) || listed.contains(text)).collect()
}

/// The texts in a CEL expression, in either kind of quotes.
fn texts(expression: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), expression);
    while let Some(begin) = rest.find(['\'', '"']) {
        let (quote, after) = (rest.get(begin..=begin).unwrap_or_default(), rest.get(begin + 1..).unwrap_or_default());
        let Some((text, behind)) = after.split_once(quote) else { break };
        found.push(text);
        rest = behind;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_found_in_either_kind_of_quotes() {
        let listed = BTreeSet::from(["jane"]);
        let expression = r#"!(request.userInfo.username in ['system:serviceaccount:a:b', "system:serviceaccounts:c", 'jane', 'joe'])
            && !request.userInfo.username.startsWith("system:serviceaccount:")"#;
        let expected = BTreeSet::from(["system:serviceaccount:a:b", "system:serviceaccounts:c", "jane"]);
        assert_eq!(accounts(expression, &listed), expected);
        assert_eq!(accounts("object.kind == 'unclosed", &listed), BTreeSet::new());
    }
}
