//! The ClusterRole that deploy/ has is the one of the table. `BLESS=1` writes it.

use std::path::Path;
use std::{env, fs};

#[test]
fn the_cluster_role_grants_what_is_asked_for() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/propagate-rbac.yaml");
    if env::var_os("BLESS").is_some() {
        fs::write(&file, live::cluster_role()).unwrap();
    }
    assert_eq!(fs::read_to_string(file).unwrap(), live::cluster_role());
}
