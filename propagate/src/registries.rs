//! LabelRegistry objects that the settings name and the files do not have.

use fleet::Fleet;
use metadata_propagation::{RegistryReference, Settings};

use crate::doctor::did_you_mean;

/// A sentence for each one, if the files have other LabelRegistry objects; without any, they are elsewhere.
pub(crate) fn missing(fleet: &Fleet, settings: &Settings) -> Vec<String> {
    let of_kind = |id: &&fleet::ObjectId| id.group == "labels.plexsphere.com" && id.kind == "LabelRegistry";
    let known: Vec<&str> = fleet.objects().map(|object| &object.id).filter(of_kind).map(|id| &*id.name).collect();
    let names = named(settings).into_iter().filter(|name| !known.is_empty() && !known.contains(&&**name));
    let sentence = |name: String| {
        let guess = did_you_mean(&name, known.iter().copied());
        format!("LabelRegistry `{name}` is not in these files{guess}")
    };
    names.map(sentence).collect()
}

/// The names of the LabelRegistry objects in the settings.
pub(crate) fn named(settings: &Settings) -> Vec<String> {
    match &settings.cloud_tags.registry {
        None | Some(RegistryReference::ByScope(_)) => Vec::new(),
        Some(RegistryReference::Name(name)) => vec![name.to_string()],
        Some(RegistryReference::Names(names)) => names.iter().map(|name| name.to_string()).collect(),
    }
}
