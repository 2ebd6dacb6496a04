//! What the patches of a ClusterClass can change in the metadata of its control plane.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::catalog::Version;
use crate::json::{Json, Malformed};
use kubernetes::{MapKind, Parent, Stop};

/// The metadata that a template sets in objects created from it, by its path in that template.
const TEMPLATE_METADATA: [&str; 3] = ["spec", "template", "metadata"];

/// The entries at the top level of a control plane that a patch of its class may set, change or drop. Forced labels
/// stay.
///
/// Nothing else that the rules set can be patched: labels and annotations of `spec.machineTemplate` and the in-place
/// fields are restored after patching, and of a MachineDeployment or MachinePool only bootstrap and infrastructure are
/// patched.
///
/// Source: core/reconcilers/topology/cluster/patches, `updateDesiredState` in engine.go (`PreserveFields`) and
/// `patchObject` in patch.go.
#[derive(Debug, Default)]
pub(crate) struct ClassPatches<'e> {
    labels: BTreeSet<Reach<'e>>,
    annotations: BTreeSet<Reach<'e>>,
}

/// Which entries of a map a patch may change.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach<'e> {
    Map,
    Key(Cow<'e, str>),
}

impl<'e> ClassPatches<'e> {
    /// The patches of a class, in a version of Cluster API.
    ///
    /// Source: `patchObject`: up to v1.13 it copies `spec.template.spec` of the patched template, since v1.14 also labels
    /// and annotations of `spec.template.metadata`.
    pub(super) fn of(class: &Parent<'e>, version: Version) -> Result<Self, Stop> {
        if !version.at_least(Version::PATCHED_METADATA) {
            return Ok(ClassPatches::default());
        }
        // What an inline template of v1.15 sets, and which patches select it, is not known (kubernetes-sigs/cluster-api#14092).
        if class.spec(&["controlPlane", "template"])?.present().is_some() {
            let [labels, annotations] = [(); 2].map(|()| BTreeSet::from([Reach::Map]));
            return Ok(ClassPatches { labels, annotations });
        }
        let template = control_plane_template(class)?;
        let patches = class.object.spec.get("patches").and_then(|patches| ClassPatches::read(patches, template));
        Ok(class.readable(patches)?)
    }

    /// Whether a patch may have decided on an entry of the control plane's top level.
    pub(super) fn may_decide(&self, map: MapKind, key: &str) -> bool {
        let reached = map.of(&self.labels, &self.annotations);
        reached.contains(&Reach::Map) || reached.contains(&Reach::Key(Cow::Borrowed(key)))
    }

    /// The class does not show what an external patch does, and whether an inline one is enabled.
    fn read(patches: Json<'e>, template: Json<'e>) -> Result<Self, Malformed> {
        let mut reached = MapKind::BOTH.map(|map| (map, BTreeSet::new()));
        for patch in patches.elements()? {
            if patch.get("external")?.present().is_some() {
                reached.iter_mut().for_each(|(_, reached)| reached.extend([Reach::Map]));
            }
            for definition in patch.get("definitions")?.elements()? {
                if !selects(definition.get("selector")?, template)? {
                    continue;
                }
                for json_patch in definition.get("jsonPatches")?.elements()? {
                    let path = json_patch.string(&["path"])?.unwrap_or_default();
                    reached.iter_mut().for_each(|(map, reached)| reached.extend(reach(path, *map)));
                }
            }
        }
        let [(_, labels), (_, annotations)] = reached;
        Ok(ClassPatches { labels, annotations })
    }
}

pub(super) fn control_plane_template<'e>(class: &Parent<'e>) -> Result<Json<'e>, Stop> {
    let field = if class.object.version == "v1beta1" { "ref" } else { "templateRef" };
    Ok(class.spec(&["controlPlane", field])?)
}

/// Whether a selector matches the control plane's template. With `controlPlane` it may also match the template of its
/// machines, which is of another kind.
///
/// Source: `matchesSelector` in inline/json_patch_generator.go.
fn selects(selector: Json<'_>, template: Json<'_>) -> Result<bool, Malformed> {
    let is_of_template = |field| Ok(selector.string(&[field])? == template.string(&[field])?);
    Ok(selector.at(&["matchResources", "controlPlane"])?.is_true()
        && is_of_template("apiVersion")?
        && is_of_template("kind")?)
}

/// The part of a map in the template's metadata that a JSON pointer (RFC 6901) points to.
fn reach<'e>(path: &'e str, map: MapKind) -> Option<Reach<'e>> {
    let mut tokens = path.split('/').skip(1);
    for step in TEMPLATE_METADATA.into_iter().chain([map.field()]) {
        match tokens.next() {
            // An object that contains the map may be replaced together with it.
            None => return Some(Reach::Map),
            Some(token) if token == step => {}
            Some(_) => return None,
        }
    }
    Some(tokens.next().map_or(Reach::Map, |key| Reach::Key(unescaped(key))))
}

fn unescaped(token: &str) -> Cow<'_, str> {
    if token.contains('~') { Cow::Owned(token.replace("~1", "/").replace("~0", "~")) } else { Cow::Borrowed(token) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    #[test]
    fn a_path_reaches_what_it_names_and_what_is_in_it() {
        let label = |key: &'static str| (Some(Reach::Key(key.into())), None);
        for (path, reached) in [
            ("", (Some(Reach::Map), Some(Reach::Map))),
            ("/spec", (Some(Reach::Map), Some(Reach::Map))),
            ("/spec/template", (Some(Reach::Map), Some(Reach::Map))),
            ("/spec/template/metadata", (Some(Reach::Map), Some(Reach::Map))),
            ("/spec/template/metadata/labels", (Some(Reach::Map), None)),
            ("/spec/template/metadata/annotations", (None, Some(Reach::Map))),
            ("/spec/template/metadata/labels/team", label("team")),
            ("/spec/template/metadata/labels/example.com~1team~0", label("example.com/team~")),
            ("/spec/template/metadata/labels/~01", label("~1")),
            ("/spec/template/metadata/name", (None, None)),
            ("/spec/template/metadata2/labels", (None, None)),
            ("/spec/template/spec", (None, None)),
            ("/spec/template/spec/machineTemplate/metadata/labels/team", (None, None)),
            ("/metadata/labels/team", (None, None)),
        ] {
            assert_eq!((reach(path, MapKind::Labels), reach(path, MapKind::Annotations)), reached, "{path}");
        }
    }

    #[test]
    fn a_selector_means_the_template_by_version_kind_and_place() {
        let template = Document::new(r#"{"apiVersion":"g/v1","kind":"CpTemplate","name":"cp"}"#);
        for (selector, is_meant) in [
            (r#"{"apiVersion":"g/v1","kind":"CpTemplate","matchResources":{"controlPlane":true}}"#, true),
            (r#"{"apiVersion":"g/v2","kind":"CpTemplate","matchResources":{"controlPlane":true}}"#, false),
            (r#"{"apiVersion":"g/v1","kind":"MachineTemplate","matchResources":{"controlPlane":true}}"#, false),
            (r#"{"apiVersion":"g/v1","kind":"CpTemplate","matchResources":{"controlPlane":false}}"#, false),
            (r#"{"apiVersion":"g/v1","kind":"CpTemplate","matchResources":{"infrastructureCluster":true}}"#, false),
        ] {
            assert_eq!(selects(Document::new(selector).root(), template.root()).unwrap(), is_meant, "{selector}");
        }
    }
}
