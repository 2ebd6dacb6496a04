//! The build without the feature `cluster`.
#![cfg(not(feature = "cluster"))]

use std::process::Command;

#[test]
fn flags_of_a_cluster_say_how_to_build() {
    let message = "error: this build reads only files; for a live cluster build it with `cargo install --path propagate --features cluster`, \
        or use a release\n";
    for arguments in [
        &["check", "--live"][..],
        &["explain", "Cluster", "--context", "prod"],
        &["plan", "new.yaml", "--live"],
        &["doctor", "--all-namespaces"],
        &["backfill", "--kubeconfig", "file"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_propagate")).args(arguments).output().unwrap();
        let (code, stderr) = (output.status.code(), String::from_utf8(output.stderr).unwrap());
        assert_eq!((code, &*stderr), (Some(2), message), "{arguments:?}");
    }
}
