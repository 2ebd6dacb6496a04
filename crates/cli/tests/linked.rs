//! What the program is linked with.

use std::process::Command;

/// The packages of the program, those that only build it aside.
fn packages(features: &[&str]) -> Vec<String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["tree", "--locked", "--offline", "--package", "propagate", "--edges", "normal", "--prefix", "none"]);
    let output = command.args(features).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| Some(line.split(' ').next()?.to_owned())).collect()
}

#[test]
fn without_the_feature_nothing_of_kube_is_linked() {
    let of_clusters = ["http", "hyper", "k8s-openapi", "kube", "kube-client", "live", "ring", "rustls", "tokio"];
    let linked = |features: &[&str]| {
        let packages = packages(features);
        of_clusters.into_iter().filter(|name| packages.iter().any(|package| package == name)).collect::<Vec<_>>()
    };
    assert_eq!(linked(&[]), Vec::<&str>::new());
    assert_eq!(linked(&["--features", "cluster"]), of_clusters);
}
