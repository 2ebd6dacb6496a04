//! Claims, and the composites that Crossplane makes of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Hierarchy;
use crate::member::Member;
use crate::object::{FleetObject, ObjectId, Origin};
use crate::relations::text;
use crate::templates::TemplateEvaluation;

impl Hierarchy {
    /// Puts composites below the claims among these objects; one that is not in the files is predicted.
    pub(super) fn add_composites(&mut self, level: &[usize], templates: &TemplateEvaluation<'_>) {
        let made: Vec<(usize, FleetObject)> = level
            .iter()
            .filter_map(|number| Some((*number, templates.composite_of_claim(&as_object(self.member(*number)?))?)))
            .collect();
        if made.is_empty() {
            return;
        }
        let bound = self.bound();
        for (number, composite) in made {
            let claim = self.member(number).map(|member| (composite.id.kind.clone(), member.id.clone()));
            match claim.and_then(|claim| bound.get(&claim)) {
                Some(composite) => self.relate(*composite, Some(number)),
                None => self.add_predicted(number, vec![composite]),
            }
        }
    }

    /// The composites that name their claim, by their kind and the claim.
    fn bound(&self) -> BTreeMap<(String, ObjectId), usize> {
        let members =
            self.members().iter().enumerate().filter(|(_, member)| member.written.text().contains("claimRef"));
        let of_claim = members.filter_map(|(number, member)| {
            let claim = member.written.pointer("/spec/claimRef")?;
            let claim =
                ObjectId::new(&member.id.group, text(claim, "kind"), text(claim, "namespace"), text(claim, "name"));
            Some(((member.id.kind.clone(), claim), number))
        });
        of_claim.collect()
    }
}

impl Member {
    /// Whether it is a composite that Crossplane would make of a claim.
    pub(crate) fn is_of_claim(&self) -> bool {
        self.origin.is_none() && self.written.pointer("/spec/claimRef").is_some()
    }
}

fn as_object(member: &Member) -> FleetObject {
    FleetObject {
        id: member.id.clone(),
        version: member.version.clone(),
        json: Arc::from(member.written.text()),
        origin: member.origin.clone().unwrap_or(Origin { source: 0, document: 0..0, item: None }),
    }
}
