//! Where the audit scanner writes what it finds.

use fleet::plural;
use serde_json::Value;

use super::finding::CheckResults;
use super::installation::Installation;
use super::policy::InstalledPolicy;

/// The reports of one API: the scanner writes both kinds, for namespaces and for the cluster.
struct ReportApi {
    /// As `auditScanner.reportCRDsKind` of Kubewarden's chart names it.
    name: &'static str,
    group: &'static str,
    kinds: [&'static str; 2],
}

/// The APIs, Kubewarden's default first.
///
/// Source: Kubewarden's helm-charts, charts/admission-controller/values.yaml; kubewarden-controller,
/// internal/audit-scanner/report.
const APIS: &[ReportApi] = &[
    ReportApi { name: "openreports", group: "openreports.io", kinds: ["Report", "ClusterReport"] },
    ReportApi { name: "policyreport", group: "wgpolicyk8s.io", kinds: ["PolicyReport", "ClusterPolicyReport"] },
];

/// The names of the CustomResourceDefinitions.
pub(crate) fn definitions() -> impl Iterator<Item = String> {
    APIS.iter().flat_map(|api| api.kinds.map(|kind| format!("{}.{}", plural(kind), api.group)))
}

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    // Kubewarden's default is to audit.
    let is_audited =
        |policy: &&InstalledPolicy<'a>| policy.spec("backgroundAudit").and_then(Value::as_bool).unwrap_or(true);
    for policy in installation.policies.iter().filter(is_audited) {
        let title = policy.title();
        let served = |api: &&ReportApi| api.kinds.iter().all(|kind| installation.defines(api.group, kind));
        let served: Vec<&str> = APIS.iter().filter(served).map(|api| api.name).collect();
        if served.is_empty() && !installation.is_live {
            results.not_examined(&title, "no definition of a kind of reports is among the files");
            continue;
        }
        let (message, fix) = match *served {
            [] => (
                "no kind of reports is served",
                "install the definitions of OpenReports: `installOpenReportsCRDs: true` in the values of Kubewarden's chart",
            ),
            ["policyreport"] => (
                "OpenReports, which Kubewarden's audit scanner writes by default, are not served",
                "set `installOpenReportsCRDs: true` in the values of Kubewarden's chart, or `auditScanner.reportCRDsKind: policyreport`",
            ),
            _ => {
                results.judge(&title, Vec::new(), || format!("the kinds of reports are served: {}", served.join(", ")));
                continue;
            }
        };
        let message = format!(" has `backgroundAudit`, but {message}");
        let finding =
            policy.warning("spec.backgroundAudit", message, "the audit scanner cannot store what it finds", fix);
        results.judge(&title, vec![finding], String::new);
    }
}
