//! The labels of a composite, together with those of its Namespace and of its tenant.

use std::collections::{BTreeMap, BTreeSet};

use super::labels::Assigned;
use super::owner::Belonging;
use crate::LABEL_MASKS;
use crate::json::Json;
use kubernetes::{Lookups, Object, ObjectName, ObjectQuery, Parent, Stop};
use tag_rules::{CloudTags, Definition, LabelSource, OwnerLabel, SEEDED, TenantName};

/// What other objects than the composite say about it.
#[derive(Default)]
pub(super) struct LabelSources<'e> {
    /// The labels of the Namespace and of the tenant that become tags, and the title of each object.
    others: BTreeMap<LabelSource, (String, Assigned)>,
    pub(super) belonging: Belonging<'e>,
}

/// The labels that count, and the objects that they are from if it is not the composite.
#[derive(Default)]
pub(super) struct Merged {
    pub(super) assigned: Assigned,
    pub(super) sources: BTreeMap<String, String>,
}

impl<'e> LabelSources<'e> {
    /// Reads the Namespace and the tenant of an object, as far as the settings need them.
    ///
    /// # Errors
    /// When one of them cannot be read, does not exist, or has assignments that cannot be used.
    pub(super) fn read(
        object: &Object<'e>,
        namespace: &'e str,
        settings: &'e CloudTags,
        lookups: &Lookups<'e>,
    ) -> Result<Self, Stop> {
        let sources = &settings.sources;
        let tenant = sources.tenant.as_ref().filter(|_| sources.has(LabelSource::Tenant));
        let owners = [settings.belongs_to.domain.as_ref(), settings.belongs_to.project.as_ref()];
        let mut read = LabelSources::default();
        let parent = if settings.reads_namespaces() && !namespace.is_empty() {
            let object = ObjectName { kind: "Namespace", namespace: "", name: namespace };
            Some(found(&ObjectQuery { group: "", version: None, object, uid: "", masks: LABEL_MASKS }, lookups)?)
        } else {
            None
        };
        let of_namespace = |label: &str| parent.as_ref().and_then(|parent| parent.object.labels.get(label));
        let owner = |owner: Option<&'e OwnerLabel>| {
            owner.map(|owner| match owner {
                OwnerLabel::Label(label) => object.labels.get(label),
                OwnerLabel::NamespaceLabel(label) => of_namespace(label),
            })
        };
        let [domain, project] = owners.map(|label| owner(label).map(Option::unwrap_or_default));
        read.belonging = Belonging { domain, project };
        if let Some(tenant) = tenant {
            let name = match &tenant.name {
                TenantName::NamespaceLabel(label) => of_namespace(label),
                own => name_of_tenant(object, own),
            };
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                let (kind, group) = tenant.kind.split_once('.').unwrap_or((&tenant.kind, ""));
                let namespace = if tenant.namespaced == Some(true) { namespace } else { "" };
                let object = ObjectName { kind, namespace, name };
                let version = Some(&*tenant.version);
                let tenant = found(&ObjectQuery { group, version, object, uid: "", masks: LABEL_MASKS }, lookups)?;
                read.add(LabelSource::Tenant, &tenant)?;
            }
        }
        if let Some(parent) = parent.filter(|_| sources.has(LabelSource::Namespace)) {
            read.add(LabelSource::Namespace, &parent)?;
        }
        Ok(read)
    }

    fn add(&mut self, source: LabelSource, parent: &Parent<'_>) -> Result<(), Stop> {
        let title = parent.name.to_string();
        let unusable = |malformed| Stop::unusable_assignments(title.clone(), malformed);
        let assigned = Assigned::read(&parent.object).map_err(unusable)?;
        self.others.insert(source, (title, assigned));
        Ok(())
    }

    /// The keys of the labels of other objects that may become tags.
    pub(super) fn keys(&self) -> BTreeSet<&str> {
        let keys = self.others.values().flat_map(|(_, assigned)| assigned.keys());
        keys.filter(|key| !SEEDED.contains(key)).collect()
    }

    /// The labels that count: of each key, those of the object that its definition names, or of the first one in the
    /// settings. The seeded labels say what the composite itself is.
    pub(super) fn merge(
        &self,
        own: Assigned,
        settings: &CloudTags,
        definitions: &BTreeMap<String, Definition>,
    ) -> Merged {
        let is_restricted = || definitions.values().any(|definition| definition.from.is_some());
        if self.others.is_empty() && settings.sources.has(LabelSource::Composite) && !is_restricted() {
            return Merged { assigned: own, sources: BTreeMap::new() };
        }
        let mut merged = Merged::default();
        let keys: BTreeSet<&str> = self.keys().into_iter().chain(own.keys()).collect();
        for key in keys {
            let from = definitions.get(key).and_then(|definition| definition.from);
            let listed = settings.sources.precedence.iter().filter(|source| from.is_none_or(|from| from == **source));
            let of = |source: &LabelSource| match source {
                LabelSource::Composite => Some((None, &own)),
                _ if SEEDED.contains(&key) => None,
                other => self.others.get(other).map(|(title, assigned)| (Some(title), assigned)),
            };
            let Some((title, assigned)) = listed.filter_map(of).find(|(_, assigned)| assigned.contains(key)) else {
                if SEEDED.contains(&key) {
                    merged.assigned.take(key, &own);
                } else {
                    merged.assigned.of_another_source.insert(key.to_owned());
                }
                continue;
            };
            merged.assigned.take(key, assigned);
            if let Some(title) = title {
                merged.sources.insert(key.to_owned(), title.clone());
            }
        }
        merged
    }
}

/// The names of the tenant, the domain and the project that an object states itself, as far as the settings read them.
pub(super) fn names_of_owners<'e>(object: &Object<'e>, settings: &CloudTags) -> [Option<&'e str>; 3] {
    let sources = &settings.sources;
    let tenant = sources.tenant.as_ref().filter(|_| sources.has(LabelSource::Tenant));
    let named = tenant.and_then(|tenant| name_of_tenant(object, &tenant.name));
    let owner = |owner: &Option<OwnerLabel>| match owner {
        Some(OwnerLabel::Label(label)) if settings.registry.is_some() => {
            object.labels.get(label).filter(|name| !name.is_empty())
        }
        _ => None,
    };
    [named, owner(&settings.belongs_to.domain), owner(&settings.belongs_to.project)]
}

/// The name of the tenant that an object states itself.
fn name_of_tenant<'e>(object: &Object<'e>, name: &TenantName) -> Option<&'e str> {
    let named = match name {
        TenantName::Label(label) => object.labels.get(label),
        TenantName::NamespaceLabel(_) => None,
        TenantName::Path(path) => {
            path.steps().try_fold(object.root, |here, step| here.get(step)).ok().and_then(Json::as_str)
        }
    };
    named.filter(|name| !name.is_empty())
}

/// An object that is read for its labels.
///
/// # Errors
/// When it cannot be read, or does not exist.
fn found<'e>(query: &ObjectQuery<'e>, lookups: &Lookups<'e>) -> Result<Parent<'e>, Stop> {
    lookups.parent(query).map_err(|failure| Stop::from(failure).of_source())
}
