//! How each failure of a live cluster ends.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::api::{Api, Does, kubeconfig, propagate};
use crate::fleet;

#[test]
fn what_is_forbidden_is_named_once_and_the_rest_is_answered() {
    let api = Api::start("forbidden", &fleet(), 500, |path| {
        let is_forbidden = path.contains("/nodes") || path.contains("/devmachines");
        is_forbidden.then_some(Does::Fails(403, "nodes is forbidden: User \"jane\" cannot list resource \"nodes\""))
    });
    let (code, out, err) = api.run(&["explain", "MachineSet/c1-md0-x7k2p", "team"]);
    let expected = "cannot read `devmachines.infrastructure.cluster.x-k8s.io, nodes`: `SERVER` (context `prod`) denied the request (403): \
                    nodes is forbidden: User \"jane\" cannot list resource \"nodes\"\n";
    assert_eq!((code, &*err), (Some(2), expected));
    assert!(
        out.contains(
            "MachineSet fleet/c1-md0-x7k2p\n  metadata.labels, spec.template.metadata.labels: payments (missing)"
        ),
        "{out}"
    );
}

#[test]
fn where_everything_is_forbidden_one_namespace_may_not_be() {
    let api = Api::start("namespaces", &fleet(), 500, |path| {
        (path.contains('?') && !path.contains("/namespaces/fleet/"))
            .then_some(Does::Fails(403, "not in this namespace"))
    });
    let forbidden = "error: `SERVER` (context `prod`) denied the request (403): not in this namespace";
    let (code, out, err) = api.run(&["check", "--live", "-A"]);
    assert_eq!(
        (code, &*out, &*err),
        (Some(2), "", &*format!("{forbidden}; use `--namespace` to read a single namespace\n"))
    );
    let (code, out, err) = api.run(&["check", "--live", "-n", "secret"]);
    assert_eq!((code, &*out, &*err), (Some(2), "", &*format!("{forbidden}\n")));
    let (code, out, err) = api.run(&["explain", "cluster/c1", "region"]);
    assert_eq!((code, out.lines().next()), (Some(2), Some("Cluster fleet/c1")), "{err}");
}

/// Each is an error with exit code 2, and names server and context.
#[test]
fn what_goes_wrong_is_one_sentence() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    type Rule = fn(&str) -> Option<Does>;
    let rules: [(&str, Rule, &str); 6] = [
        (
            "expired",
            |_| Some(Does::Fails(401, "Unauthorized")),
            "`SERVER` (context `prod`) does not accept the credentials (401): they are expired or wrong; log in again",
        ),
        (
            "expires-later",
            |path| path.contains("/machinesets?").then_some(Does::Fails(401, "Unauthorized")),
            "`SERVER` (context `prod`) does not accept the credentials (401): they are expired or wrong; log in again",
        ),
        (
            "hangs",
            |_| Some(Does::Hangs),
            "`SERVER` (context `prod`) did not answer within 1 s; `--request-timeout` sets the limit",
        ),
        (
            "hangs-later",
            |path| path.contains("/machines?").then_some(Does::Hangs),
            "`SERVER` (context `prod`) did not answer within 1 s; `--request-timeout` sets the limit",
        ),
        (
            "other",
            |_| Some(Does::Says("<html>hello</html>")),
            "unexpected response of `SERVER` (context `prod`) to `/apis`: expected value at line 1 column 1",
        ),
        (
            "nothing",
            |_| Some(Does::Fails(404, "not found")),
            "`SERVER` (context `prod`) is not a Kubernetes API server",
        ),
    ];
    for (name, rule, expected) in rules {
        let api = Api::start(name, &fleet(), 500, rule);
        let begin = Instant::now();
        let (code, out, err) = api.run(&["explain", "Machine/c1-cp-0", "--request-timeout", "1s"]);
        assert_eq!((code, &*out, &*err), (Some(2), "", &*format!("error: {expected}\n")), "{name}");
        assert!(begin.elapsed() < Duration::from_secs(5), "{name}: {:?}", begin.elapsed());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live");
    fs::create_dir_all(&folder).unwrap();
    let exec = "{ exec: { apiVersion: client.authentication.k8s.io/v1, command: \"false\", interactiveMode: Never } }";
    for (name, text, arguments, expected) in [
        (
            "away",
            kubeconfig(&format!("http://{unused}"), "{ token: t }"),
            &[][..],
            format!(
                "cannot reach `http://{unused}` (context `prod`): client error (Connect): tcp connect error: Connection \
                 refused (os error 111)"
            ),
        ),
        (
            "context",
            kubeconfig("http://a", "{ token: t }"),
            &["--context", "staging"],
            "the kubeconfig `CONFIG` has no context `staging`; its contexts: `prod`, `other`".to_owned(),
        ),
        (
            "current",
            kubeconfig("http://a", "{ token: t }").replace("current-context: prod\n", ""),
            &[],
            "the kubeconfig `CONFIG` has no current context; its contexts: `prod`, `other`".to_owned(),
        ),
        (
            "plugin",
            kubeconfig("http://a", exec),
            &[],
            "cannot get credentials for `http://a` (context `prod`)".to_owned(),
        ),
        (
            "broken",
            "{".to_owned(),
            &[],
            "cannot use the kubeconfig `CONFIG`: failed to parse kubeconfig YAML".to_owned(),
        ),
        (
            "missing",
            String::new(),
            &["--kubeconfig", "none"],
            "cannot use the kubeconfig `none`: failed to read kubeconfig from".to_owned(),
        ),
    ] {
        let config = folder.join(format!("{name}.config"));
        fs::write(&config, text).unwrap();
        let output = propagate(&config, &["explain", "Machine/m"]).args(arguments).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap().replace(&config.display().to_string(), "CONFIG");
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.starts_with(&format!("error: {expected}")), "{name}: {err}");
    }
}

#[test]
fn a_slow_server_is_waited_for() {
    let api = Api::start("slow", &fleet(), 500, |_| Some(Does::Waits(Duration::from_millis(300))));
    let (code, _, err) = api.run(&["explain", "Machine/c1-cp-0", "--request-timeout", "2s"]);
    assert_eq!((code, &*err), (Some(0), ""));
}

#[test]
fn a_kind_that_the_server_fails_to_list_is_named() {
    let api = Api::start("webhook", &fleet(), 500, |path| {
        path.contains("/devmachines").then_some(Does::Fails(500, "conversion webhook failed"))
    });
    let (code, _, err) = api.run(&["explain", "Machine/c1-cp-0"]);
    let expected = "cannot read `devmachines.infrastructure.cluster.x-k8s.io`: `SERVER` (context `prod`) returned an error (500): conversion \
                    webhook failed\n";
    assert_eq!((code, &*err), (Some(2), expected));
}

#[test]
fn a_server_that_is_busy_for_a_moment_is_asked_again() {
    let asked = AtomicUsize::new(0);
    let api = Api::start("busy", &fleet(), 500, move |path| {
        (path.contains("/machines?") && asked.fetch_add(1, Ordering::Relaxed) == 0).then_some(Does::Fails(429, "busy"))
    });
    let (code, _, err) = api.run(&["explain", "Machine/c1-cp-0"]);
    assert_eq!((code, &*err), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130() {
    let api = Api::start("interrupt", &fleet(), 500, |_| Some(Does::Hangs));
    let mut child = api.command(&["explain", "Machine/m"]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while api.asked().is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(api.shown(child.wait_with_output().unwrap()), (Some(130), String::new(), String::new()));
}
