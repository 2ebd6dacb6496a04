//! What the program is linked with.

use std::error::Error;
use std::process::Command;

/// The packages of the program, those that only build it aside.
fn packages(features: &[&str]) -> Result<Vec<String>, Box<dyn Error>> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["tree", "--locked", "--offline", "--package", "propagate", "--edges", "normal", "--prefix", "none"]);
    let output = command.args(features).current_dir(env!("CARGO_MANIFEST_DIR")).output()?;
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout)?;
    Ok(text.lines().filter_map(|line| Some(line.split(' ').next()?.to_owned())).collect())
}

#[test]
fn without_the_feature_nothing_of_kube_is_linked() -> Result<(), Box<dyn Error>> {
    let of_clusters = ["http", "hyper", "k8s-openapi", "kube-client", "kube-core", "live", "ring", "rustls", "tokio"];
    let linked = |packages: &[String]| {
        of_clusters.into_iter().filter(|name| packages.iter().any(|package| package == name)).collect::<Vec<_>>()
    };
    assert_eq!(linked(&packages(&[])?), Vec::<&str>::new());
    assert_eq!(linked(&packages(&["--features", "cluster"])?), of_clusters);
    Ok(())
}
