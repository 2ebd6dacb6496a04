//! A program that replaces Kustomize.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The resources one after the other, and the lines `# s/…/…/` of the kustomization as its patches. One
/// with a line `# fails` does not build.
const KUSTOMIZE: &str = r#"#!/bin/sh
build() {
  grep -q '^# fails' "$1/kustomization.yaml" && { printf '# Warning: patches are deprecated.\nError: accumulating resources in %s:\n  no such resource\n' "$1" >&2; exit 1; }
  [ "$(ls "$1" | grep -c '^kustomization\.ya\?ml$')" -lt 2 ] || { printf 'Error: Found multiple kustomization files under: %s\n' "$1" >&2; exit 1; }
  out=$(sed -n 's/^ *- //p' "$1/kustomization.yaml" | while read -r path; do
    case $path in *.yaml) ;; *) build "$1/$path" || exit 1; continue;; esac
    grep -q '^- op:' "$1/$path" || { echo ---; cat "$1/$path"; }
  done) || exit 1
  printf '%s\n' "$out" | sed "$(sed -n 's/^# s/s/p' "$1/kustomization.yaml")"
}
for folder; do :; done
build "$folder"
"#;

/// Writes the program to a folder.
pub(crate) fn install(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let program = folder.join("kustomize");
    fs::write(&program, KUSTOMIZE).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
}
