//! Patch sets: patches that several resources share by name.

use std::collections::BTreeMap;

use super::apply::{Expansion, PATCH};
use super::halt::Halt;
use crate::fault::TagFault;
use crate::json::Json;

/// The patch sets of one template.
pub(super) struct PatchSets<'a> {
    /// Of several with one name, the last counts.
    by_name: BTreeMap<&'a str, Vec<Json<'a>>>,
}

impl<'a> PatchSets<'a> {
    /// Reads `patchSets`.
    ///
    /// # Errors
    /// When they do not have the structure that Crossplane defines, or the function fails because of them.
    pub(super) fn read(template: Json<'a>) -> Result<Self, Halt<'a>> {
        let mut by_name = BTreeMap::new();
        for set in template.get("patchSets")?.elements()? {
            let patches: Vec<Json<'a>> = set.get("patches")?.elements()?.collect();
            for patch in &patches {
                if is_patch_set(*patch)? {
                    return Err(Halt::Fails(*patch, TagFault::PatchSetInPatchSet));
                }
            }
            by_name.insert(set.string(&["name"])?.unwrap_or_default(), patches);
        }
        Ok(PatchSets { by_name })
    }

    /// The patches of a resource, with patch sets replaced by their patches.
    ///
    /// # Errors
    /// Like [`PatchSets::read`], and when patch sets expand to more than the limit.
    pub(super) fn resolve(&self, resource: Json<'a>, expansion: &mut Expansion) -> Result<Vec<Json<'a>>, Halt<'a>> {
        let mut patches = Vec::new();
        let mut last = None;
        for patch in resource.get("patches")?.elements()? {
            if !is_patch_set(patch)? {
                patches.push(patch);
                last = None;
                continue;
            }
            let name = patch.string(&["patchSetName"])?;
            let name =
                name.ok_or_else(|| Halt::Fails(patch, TagFault::MissingInputField { field: "patchSetName".into() }))?;
            let absent = || Halt::Fails(patch, TagFault::NoPatchSet { name: name.into() });
            let set = self.by_name.get(name).ok_or_else(absent)?;
            // The same patches immediately again write the same values.
            if last.replace(name) != Some(name) {
                expansion.charge(set.iter().map(|patch| patch.text().len() + PATCH).sum(), patch)?;
                patches.extend_from_slice(set);
            }
        }
        Ok(patches)
    }
}

fn is_patch_set<'a>(patch: Json<'a>) -> Result<bool, Halt<'a>> {
    Ok(patch.string(&["type"])? == Some("PatchSet"))
}
