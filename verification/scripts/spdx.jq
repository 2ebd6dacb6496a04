# A list of components in CycloneDX as SPDX 2.3; `created` is the time of the commit.

def id: "SPDXRef-" + ("\(.name)-\(.version)" | gsub("[^A-Za-z0-9.-]"; "-"));

# A crate of a registry has a digest, one of this repository has none.
def package: {
    SPDXID: id,
    name,
    versionInfo: .version,
    downloadLocation: (if .hashes then "https://crates.io/api/v1/crates/\(.name)/\(.version)/download" else "NOASSERTION" end),
    filesAnalyzed: false,
    checksums: [.hashes[]? | {algorithm: (.alg | gsub("-"; "")), checksumValue: .content}],
    licenseConcluded: "NOASSERTION",
    licenseDeclared: ([.licenses[]? | .expression // .license.id // "NOASSERTION"] | first // "NOASSERTION"),
    copyrightText: "NOASSERTION",
    externalRefs: [select(.hashes) | {referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: .purl}]
};

.metadata.component as $root
| ([$root, .components[]] | map({key: .["bom-ref"], value: id}) | from_entries) as $ids
| {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: "\($root.name) \($root.version)",
    documentNamespace: "https://github.com/plexsphere/metadata-propagation-policy/spdx/\($root.name)-\($root.version)-\($created)",
    creationInfo: {created: $created, creators: ["Organization: plexsphere", "Tool: cargo-cyclonedx"]},
    packages: ([$root, .components[]] | map(package)),
    relationships: (
        [{spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: ($root | id)}]
        + [.dependencies[] | .ref as $from | .dependsOn[]?
            | {spdxElementId: $ids[$from], relationshipType: "DEPENDS_ON", relatedSpdxElement: $ids[.]}]
    )
}
