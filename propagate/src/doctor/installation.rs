//! What is installed: the objects that are checked, and those that could not be read.

use std::collections::BTreeSet;

use fleet::{CROSSPLANE_GROUP, FleetObject, plural};

use super::item::Item;
use super::policy::{self, InstalledPolicy};
use crate::input::Input;

/// The group of definitions of kinds.
const DEFINITIONS: &str = "apiextensions.k8s.io";

/// Objects of an installation, and the policies among them.
pub(crate) struct Installation<'a> {
    items: &'a [Item<'a>],
    pub(crate) policies: Vec<InstalledPolicy<'a>>,
    /// The resources that cannot be read, in kubectl's notation.
    pub(crate) unreadable: BTreeSet<String>,
    /// Whether everything that is installed is known, and not only what is in files.
    pub(crate) is_live: bool,
}

impl<'a> Installation<'a> {
    pub(crate) fn of(items: &'a [Item<'a>], input: &Input) -> Installation<'a> {
        let is_live = input.asked.is_some();
        let names = input.unreadable.iter().filter(|_| is_live).flat_map(|(names, _)| names.split(", "));
        let unreadable = names.map(|name| name.split('/').next().unwrap_or_default().to_owned()).collect();
        Installation { items, policies: policy::policies(items), unreadable, is_live }
    }

    /// All objects.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &'a FleetObject> + use<'a> {
        self.items.iter().map(|item| item.object)
    }

    /// The objects of a kind.
    pub(crate) fn of_kind(&self, group: &str, kind: &str) -> impl Iterator<Item = &'a Item<'a>> {
        self.items.iter().filter(move |item| item.object.id.group == group && item.object.id.kind == kind)
    }

    /// The versions in which a kind is served, none if it is not installed; `None` if no definition of Cluster API's
    /// kinds is known.
    pub(crate) fn served(&self, group: &str, kind: &str) -> Option<Vec<String>> {
        let mut definitions = self.of_kind(DEFINITIONS, "CustomResourceDefinition");
        let is_readable = !self.unreadable.contains("customresourcedefinitions.apiextensions.k8s.io");
        let is_known = definitions.any(|item| item.text("/spec/group").ends_with("cluster.x-k8s.io"));
        if !(is_known || self.is_live && is_readable) {
            return None;
        }
        let served = self.definition(group, kind).into_iter().flat_map(Item::served);
        Some(served.filter_map(|version| Some(version.get("name")?.as_str()?.to_owned())).collect())
    }

    /// Whether a definition of a kind has a version that is served.
    pub(crate) fn defines(&self, group: &str, kind: &str) -> bool {
        self.definition(group, kind).is_some_and(|item| item.served().next().is_some())
    }

    /// Whether definitions are known: of a cluster, or some in files.
    pub(crate) fn knows_definitions(&self) -> bool {
        self.is_live || self.definitions().next().is_some()
    }

    /// Whether a definition has a resource, as its own or as that of a claim.
    pub(crate) fn defines_resource(&self, group: &str, resource: &str) -> bool {
        let names = ["/spec/names/plural", "/spec/claimNames/plural"];
        let is_meant = |item: &Item<'_>| names.iter().any(|path| item.text(path) == resource);
        self.definitions().any(|item| item.text("/spec/group") == group && is_meant(item))
    }

    fn definitions(&self) -> impl Iterator<Item = &'a Item<'a>> {
        let composites = self.of_kind(CROSSPLANE_GROUP, "CompositeResourceDefinition");
        self.of_kind(DEFINITIONS, "CustomResourceDefinition").chain(composites)
    }

    /// The resource of a kind.
    pub(crate) fn resource(&self, group: &str, kind: &str) -> String {
        let definition = self.definition(group, kind);
        definition.map_or_else(|| plural(kind), |item| item.text("/spec/names/plural").to_owned())
    }

    /// The definition of a kind.
    fn definition(&self, group: &str, kind: &str) -> Option<&'a Item<'a>> {
        let is_meant = |item: &&Item<'_>| item.text("/spec/group") == group && item.text("/spec/names/kind") == kind;
        self.of_kind(DEFINITIONS, "CustomResourceDefinition").find(is_meant)
    }
}
