//! Patch sets: patches that several resources share by name.

use std::collections::BTreeMap;

use crate::json::Malformed;
use crate::json::document::Json;
use crate::report::messages::tag_delivery as messages;

/// How much may come of patch sets, in bytes of text and as [`PATCH`] counts it: sets of a few kilobytes, on thousands of
/// resources. Crossplane has no such limit; resources times patches would otherwise be the square of what was sent.
const MOST_EXPANDED: usize = 16 << 20;
/// What it takes to look at a patch, however short, in the bytes of [`MOST_EXPANDED`].
const PATCH: usize = 100;

/// The patch sets of one template.
pub(super) struct PatchSets<'a> {
    /// The last of several of one name counts.
    by_name: BTreeMap<&'a str, PatchSet<'a>>,
    /// How many resources were resolved.
    resources: usize,
}

struct PatchSet<'a> {
    patches: Vec<Json<'a>>,
    /// The number of the last resource that took it, from 1; 0 for none.
    taken_by: usize,
}

impl<'a> PatchSets<'a> {
    /// Reads `patchSets`.
    ///
    /// # Errors
    /// When they have another shape than Crossplane gives them.
    pub(super) fn read(template: Json<'a>) -> Result<Self, Malformed> {
        let mut by_name = BTreeMap::new();
        for set in template.get("patchSets")?.elements()? {
            let name = set.string(&["name"])?.unwrap_or_default();
            by_name.insert(name, PatchSet { patches: set.get("patches")?.elements()?.collect(), taken_by: 0 });
        }
        Ok(PatchSets { by_name, resources: 0 })
    }

    /// The patches of a resource with those of the sets that it names in their place, and the patches that name a set
    /// which is not there. `expanded` is how much came of patch sets so far.
    ///
    /// # Errors
    /// When a patch has another shape than Crossplane gives it, or more comes of patch sets than [`MOST_EXPANDED`].
    pub(super) fn resolve(&mut self, resource: Json<'a>, expanded: &mut usize) -> Result<Resolved<'a>, Malformed> {
        self.resources += 1;
        let mut resolved = Resolved::default();
        for patch in resource.get("patches")?.elements()? {
            if patch.string(&["type"])? != Some("PatchSet") {
                resolved.patches.push(patch);
                continue;
            }
            let name = patch.string(&["patchSetName"])?.unwrap_or_default();
            let Some(set) = self.by_name.get_mut(&name) else {
                resolved.missing.push((patch, name));
                continue;
            };
            // The same patches once more write what they wrote.
            if std::mem::replace(&mut set.taken_by, self.resources) == self.resources {
                continue;
            }
            *expanded += set.patches.iter().map(|patch| patch.text().len() + PATCH).sum::<usize>();
            if *expanded > MOST_EXPANDED {
                return Err(patch.malformed(messages::too_many_patches(MOST_EXPANDED >> 20)));
            }
            resolved.patches.extend_from_slice(&set.patches);
        }
        Ok(resolved)
    }
}

/// The patches of one resource.
#[derive(Default)]
pub(super) struct Resolved<'a> {
    pub(super) patches: Vec<Json<'a>>,
    /// Patches that name a set which is not there, and the name.
    pub(super) missing: Vec<(Json<'a>, &'a str)>,
}
