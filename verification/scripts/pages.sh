#!/usr/bin/env bash
# Makes the site of the documentation in target/pages. Needs mkdocs. `verification/scripts/pages.sh sources` only writes its pages, in
# target/pages-source: those of the repository, with the tables that are too long for it.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ "${1:-}" = sources ] || command -v mkdocs >/dev/null || { echo "mkdocs is not on the PATH: pipx install mkdocs" >&2; exit 1; }
rm -rf target/pages-source target/pages
mkdir -p target/pages-source/docs
cp ./*.md target/pages-source
cp docs/* target/pages-source/docs
cargo run --locked --quiet --package tasks --no-default-features --bin generate -- pages target/pages-source/docs
SITE_PAGES=$PWD/target/pages-source cargo test --locked --quiet --package documents --test generated -- messages::
[ "${1:-}" != sources ] || exit 0
mkdocs build --quiet --config-file verification/scripts/pages/mkdocs.yml
echo "target/pages: $(find target/pages -name index.html | wc -l) pages"
