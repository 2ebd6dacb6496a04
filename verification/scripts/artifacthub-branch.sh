#!/usr/bin/env bash
# Puts this version's entry for Artifact Hub on the branch `artifacthub`, which holds nothing else. The commit is made by
# GitHub's interface, which signs it. Needs gh, with GH_TOKEN and GITHUB_REPOSITORY.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(sed -nE 's/^version: "?([^"]*)"?$/\1/p' artifacthub-pkg.yml)
api="repos/$GITHUB_REPOSITORY/git"

# docs/usage.md has absolute links: the page is on another site.
tree=$(jq --null-input \
    --rawfile entry artifacthub-pkg.yml --rawfile repository artifacthub-repo.yml --rawfile readme docs/usage.md \
    '{tree: [
        {path: "artifacthub-pkg.yml", content: $entry},
        {path: "artifacthub-repo.yml", content: $repository},
        {path: "README.md", content: $readme}
    ] | map(. + {mode: "100644", type: "blob"})}' | gh api "$api/trees" --input - --jq .sha)
parent=$(gh api "$api/matching-refs/heads/artifacthub" --jq '.[] | select(.ref == "refs/heads/artifacthub") | .object.sha')
commit=$(jq --null-input --arg tree "$tree" --arg parent "$parent" --arg message "Version $version" \
    '{$tree, $message, parents: ($parent | if . == "" then [] else [.] end)}' | gh api "$api/commits" --input - --jq .sha)
if [ -n "$parent" ]; then
    gh api --method PATCH "$api/refs/heads/artifacthub" --field sha="$commit" --silent
else
    gh api "$api/refs" --field ref=refs/heads/artifacthub --field sha="$commit" --silent
fi
echo "artifacthub: $commit, version $version"
