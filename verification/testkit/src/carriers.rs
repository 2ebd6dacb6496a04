//! The table of carriers, generated from a provider's CustomResourceDefinitions: which field of which kind holds tags.
//!
//! A schema does not state the purpose of a field. [`PROVIDERS`] lists it by provider, with the evidence that a schema
//! does contain: upjet-based providers report the effective tags, not only the requested ones, in `status.atProvider`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::Value;

use self::CrdTagShape::{Map, Objects, Strings};

/// How the tags of one provider's kinds are found.
pub struct ProviderRule {
    /// The name of the table, below `crates/tag-delivery/carriers`.
    pub file: &'static str,
    /// The end of its API groups.
    pub group: &'static str,
    /// Fields below `spec.forProvider`; the first field that a kind declares holds its tags.
    fields: &'static [TagField],
    /// Kinds without a tag field, no matter how their fields are named.
    without: &'static [&'static str],
    /// Kinds that are omitted from the table, because it is unknown whether their field holds tags.
    unknown: &'static [&'static str],
}

/// A field that holds tags.
struct TagField {
    shape: CrdTagShape,
    /// Below `spec.forProvider`; list indexes are omitted.
    path: &'static str,
    /// The field below `status.atProvider` that must exist too.
    evidence: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CrdTagShape {
    Map,
    /// A list of objects.
    Objects,
    /// A list of strings.
    Strings,
}

/// As `build.rs` of the tables reads it.
impl fmt::Display for CrdTagShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Map => "map",
            Objects => "objects",
            Strings => "strings",
        })
    }
}

const fn field(shape: CrdTagShape, path: &'static str) -> TagField {
    TagField { shape, path, evidence: None }
}

const fn proven(path: &'static str, evidence: &'static str) -> TagField {
    TagField { shape: Map, path, evidence: Some(evidence) }
}

/// The supported providers.
pub const PROVIDERS: &[ProviderRule] = &[
    ProviderRule {
        file: "aws",
        group: "aws.upbound.io",
        // Without the evidence, `tags` of an Inspector ResourceGroup would count: they select instances.
        fields: &[proven("tags", "tagsAll"), field(Objects, "tag")],
        // A GroupTag is one tag of an AutoscalingGroup. The others have tags in no release yet: `NEWER_FIELDS`.
        without: &["autoscaling/GroupTag", "cloudfront/Function", "ec2/VPCIpamPoolCidrAllocation"],
        unknown: &[],
    },
    ProviderRule {
        file: "azure",
        group: "azure.upbound.io",
        // A list named `tags` holds API Management's own tags.
        fields: &[field(Map, "tags")],
        without: &[],
        unknown: &[],
    },
    ProviderRule {
        file: "gcp",
        group: "gcp.upbound.io",
        // `labels` without the evidence are group types or notification channel settings. `tags` are firewall
        // targets, or Resource Manager tags, which must already exist.
        fields: &[
            proven("labels", "effectiveLabels"),
            proven("resourceLabels", "effectiveLabels"),
            proven("metadata.labels", "metadata.effectiveLabels"),
            field(Map, "userLabels"),
            field(Map, "settings.userLabels"),
            field(Map, "nodeConfig.resourceLabels"),
        ],
        without: &[],
        unknown: &[],
    },
    ProviderRule {
        file: "openstack",
        group: "openstack.crossplane.io",
        // `labels` are options of Magnum.
        fields: &[field(Map, "metadata"), field(Strings, "tags")],
        // Nova's scheduler reads the metadata of an aggregate.
        without: &["compute/AggregateV2"],
        // Metadata of an object in a container is served with it.
        unknown: &["objectstorage/ObjectV1"],
    },
    ProviderRule {
        file: "hcloud",
        group: "hcloud.crossplane.io",
        fields: &[field(Map, "labels")],
        without: &[],
        unknown: &[],
    },
    ProviderRule {
        file: "hetzner",
        group: "hetzner.crossplane.io",
        fields: &[field(Map, "labels")],
        without: &[],
        unknown: &[],
    },
    ProviderRule {
        file: "digitalocean",
        group: "digitalocean.crossplane.io",
        fields: &[field(Strings, "tags")],
        without: &[],
        unknown: &[],
    },
    ProviderRule {
        file: "oci",
        group: "oci.upbound.io",
        fields: &[field(Map, "freeformTags")],
        without: &[],
        unknown: &[],
    },
    ProviderRule {
        file: "alibabacloud",
        group: "alibabacloud.crossplane.io",
        fields: &[field(Map, "tags")],
        without: &[],
        unknown: &[],
    },
];

/// Suffixes of field names that resemble tags.
const TAG_LIKE: [&str; 3] = ["tags", "labels", "metadata"];
/// In references that upjet generates: label selectors for Kubernetes objects.
const SELECTS: &str = "matchLabels";

/// The fields of a CustomResourceDefinition that are read.
#[derive(Deserialize)]
struct ProviderCrd {
    kind: String,
    spec: DefinitionSpec,
}

#[derive(Deserialize)]
struct DefinitionSpec {
    group: String,
    names: CrdNames,
    versions: Vec<CrdVersion>,
}

#[derive(Deserialize)]
struct CrdNames {
    kind: String,
}

#[derive(Deserialize)]
struct CrdVersion {
    served: bool,
    schema: Option<VersionSchema>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VersionSchema {
    #[serde(rename = "openAPIV3Schema")]
    open_api_v3_schema: CrdSchema,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct CrdSchema {
    r#type: String,
    properties: BTreeMap<String, CrdSchema>,
    items: Option<Box<CrdSchema>>,
    additional_properties: Option<Value>,
}

impl CrdSchema {
    /// The schema at a path. List indexes are omitted from paths.
    fn at(&self, path: &str) -> Option<&CrdSchema> {
        path.split('.').try_fold(self, |here, name| here.element().properties.get(name))
    }

    fn element(&self) -> &CrdSchema {
        self.items.as_deref().unwrap_or(self)
    }

    fn shape(&self) -> Option<CrdTagShape> {
        let values = self.additional_properties.as_ref();
        match &*self.r#type {
            "array" if self.element().r#type == "string" => Some(Strings),
            "array" => Some(Objects),
            "object" => values?.get("type").is_some_and(|of| of == "string").then_some(Map),
            _ => None,
        }
    }

    /// The string maps below this schema whose names resemble tags.
    fn tag_like(&self, path: &str, found: &mut BTreeSet<String>) {
        for (name, schema) in &self.element().properties {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let lower = name.to_lowercase();
            if name != SELECTS && TAG_LIKE.iter().any(|end| lower.ends_with(end)) && schema.shape() == Some(Map) {
                found.insert(path.clone());
            }
            schema.tag_like(&path, found);
        }
    }
}

/// The tag fields of one kind.
#[derive(Default, PartialEq)]
struct CarrierKind {
    tags: Option<(CrdTagShape, &'static str)>,
    /// Other string maps whose names resemble tags.
    others: BTreeSet<String>,
}

impl CarrierKind {
    /// Merges another definition of the kind: of another version, or of the namespaced group.
    fn add(&mut self, other: CarrierKind) {
        self.tags = self.tags.or(other.tags);
        self.others.extend(other.others);
    }
}

/// The table of the provider whose definitions are in a folder, as the text of its file, and the provider.
pub fn table(folder: &Path, release: &str) -> anyhow::Result<(&'static ProviderRule, String)> {
    let mut kinds: BTreeMap<(String, String), CarrierKind> = BTreeMap::new();
    let mut of: Option<&'static ProviderRule> = None;
    for file in files(folder)? {
        let text = fs::read_to_string(&file)?;
        let read = serde_saphyr::from_multiple::<ProviderCrd>(&text);
        let definitions = read.with_context(|| format!("{}: no CustomResourceDefinition", file.display()))?;
        for definition in definitions.into_iter().filter(|read| read.kind == "CustomResourceDefinition") {
            let (provider, service) = provider(&definition.spec.group).with_context(|| {
                format!("{}: group `{}` is of no known provider", file.display(), definition.spec.group)
            })?;
            ensure!(of.is_none_or(|of| of.group == provider.group), "{}: several providers", folder.display());
            of = Some(provider);
            if let Some(kind) = kind(provider, &service, &definition) {
                kinds.entry((service, definition.spec.names.kind)).or_default().add(kind);
            }
        }
    }
    let provider = of.with_context(|| format!("{}: no CustomResourceDefinitions", folder.display()))?;
    Ok((provider, text(provider, release, &kinds)?))
}

fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml" || extension == "yml"));
    files.sort();
    Ok(files)
}

/// The provider of a group, and the group's first part; `aws.m.upbound.io` is `aws.upbound.io`.
fn provider(group: &str) -> Option<(&'static ProviderRule, String)> {
    let group = group.replacen(".m.", ".", 1);
    PROVIDERS.iter().find_map(|provider| {
        let service = group.strip_suffix(provider.group)?;
        let service = service.strip_suffix('.').or(service.is_empty().then_some(""))?;
        Some((provider, service.to_owned()))
    })
}

/// The kind of a definition; `None` if it is not a managed resource, or is listed as unknown.
fn kind(provider: &ProviderRule, service: &str, definition: &ProviderCrd) -> Option<CarrierKind> {
    let name = format!("{service}/{}", definition.spec.names.kind);
    if provider.unknown.contains(&&*name) {
        return None;
    }
    let schemas = definition.spec.versions.iter().filter(|version| version.served).filter_map(|version| {
        let root = &version.schema.as_ref()?.open_api_v3_schema;
        Some((root.at("spec.forProvider")?, root.at("status.atProvider")))
    });
    let mut known: Option<CarrierKind> = None;
    for (asked, observed) in schemas {
        let is_proven = |field: &&TagField| {
            let is_declared = asked.at(field.path).and_then(CrdSchema::shape) == Some(field.shape);
            let proof = |evidence| observed.and_then(|observed| observed.at(evidence)).is_some();
            is_declared && field.evidence.is_none_or(proof)
        };
        let field = provider.fields.iter().find(is_proven).filter(|_| !provider.without.contains(&&*name));
        let mut others = BTreeSet::new();
        asked.tag_like("", &mut others);
        if let Some(field) = field {
            others.remove(field.path);
        }
        let tags = field.map(|field| (field.shape, field.path));
        known.get_or_insert_default().add(CarrierKind { tags, others });
    }
    known
}

/// The file: one kind per line, so that diffs between releases are readable.
fn text(
    provider: &ProviderRule,
    release: &str,
    kinds: &BTreeMap<(String, String), CarrierKind>,
) -> anyhow::Result<String> {
    let mut text =
        "# Made by `make carriers` of the release's CustomResourceDefinitions: not edited by hand.\n".to_owned();
    writeln!(text, "group {}\nrelease {release}", provider.group)?;
    for ((service, name), kind) in kinds {
        match kind.tags {
            Some((shape, path)) => writeln!(text, "{service}/{name} {shape} {path}")?,
            None => writeln!(text, "{service}/{name} none")?,
        }
        kind.others.iter().try_for_each(|path| writeln!(text, "{service}/{name} other {path}"))?;
    }
    Ok(text)
}
