//! Defaults that the webhooks set in the dry-runs of the topology reconciler only.

use serde_json::{Value, json};

use crate::fields::{get, set, text};

/// Whether a field of a KubeadmConfigTemplate has the same value before and after with the defaults that both dry-runs get:
/// the template is updated in place, and not replaced by another one.
///
/// Source: `ApplyPreviousKubeadmConfigDefaults` in bootstrap/kubeadm/webhooks/admission/kubeadmconfigtemplate.go of Cluster
/// API, and `dryRunSSAPatch` in core/reconcilers/topology/cluster/structuredmerge/dryrun.go.
pub(crate) fn is_same(kind: &str, steps: &[String], [from, to]: [Option<&Value>; 2]) -> bool {
    kind == "KubeadmConfigTemplate" && with_defaults(steps, from) == with_defaults(steps, to)
}

/// A template that has nothing except one value, with the defaults.
fn with_defaults(steps: &[String], value: Option<&Value>) -> Value {
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let mut template = json!({});
    match (value, steps.split_last()) {
        (Some(value), _) => set(&mut template, &steps, value.clone()),
        (None, Some((_, holder))) => set(&mut template, holder, json!({})),
        (None, None) => {}
    }
    for (path, default) in PREVIOUS_DEFAULTS {
        set_default(&mut template, &[SPEC, path].concat(), default);
    }
    let exec = [SPEC, EXEC].concat();
    if get(&template, &exec).is_some() {
        set_default(&mut template, &[&*exec, &["apiVersion"]].concat(), "client.authentication.k8s.io/v1");
    }
    template
}

const SPEC: &[&str] = &["spec", "template", "spec"];

const PREVIOUS_DEFAULTS: [(&[&str], &str); 3] = [
    (&["format"], "cloud-config"),
    (&["initConfiguration", "nodeRegistration", "imagePullPolicy"], "IfNotPresent"),
    (&["joinConfiguration", "nodeRegistration", "imagePullPolicy"], "IfNotPresent"),
];

/// What has a default only where it is set.
const EXEC: &[&str] = &["joinConfiguration", "discovery", "file", "kubeConfig", "user", "exec"];

fn set_default(template: &mut Value, path: &[&str], default: &str) {
    if text(template, path).is_empty() {
        set(template, path, json!(default));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_of_earlier_versions_is_the_same_as_none() {
        let exec = "joinConfiguration.discovery.file.kubeConfig.user.exec";
        let join = json!({"nodeRegistration": {"imagePullPolicy": "IfNotPresent"}});
        let cases = [
            ("format".to_owned(), None, Some(json!("cloud-config")), true),
            ("format".to_owned(), Some(json!("cloud-config")), None, true),
            ("format".to_owned(), None, Some(json!("ignition")), false),
            ("joinConfiguration".to_owned(), None, Some(join.clone()), true),
            ("initConfiguration".to_owned(), Some(join), Some(json!({})), true),
            ("joinConfiguration.nodeRegistration.imagePullPolicy".to_owned(), None, Some(json!("Always")), false),
            ("joinConfiguration.nodeRegistration.name".to_owned(), None, Some(json!("a")), false),
            (format!("{exec}.apiVersion"), None, Some(json!("client.authentication.k8s.io/v1")), true),
            (exec.to_owned(), None, Some(json!({"apiVersion": "client.authentication.k8s.io/v1"})), false),
        ];
        for (path, from, to, expected) in cases {
            let steps: Vec<String> = format!("spec.template.spec.{path}").split('.').map(str::to_owned).collect();
            let values = [from.as_ref(), to.as_ref()];
            assert_eq!(is_same("KubeadmConfigTemplate", &steps, values), expected, "{path} {values:?}");
            assert!(!is_same("OtherTemplate", &steps, values), "{path} {values:?}");
        }
    }
}
