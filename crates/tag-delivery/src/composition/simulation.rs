//! The resources of one composite after all steps: for callers that say more of them than whether they get its tags.

use super::halt::Halt;
use super::pipeline::Pipeline;
use crate::exemption::states_reason;
use crate::fault::TagFault;
use crate::json::{Json, Malformed};
use kubernetes::EXEMPT;
use tag_rules::CloudTags;

pub use super::field_path::{FieldPathStep, parse as steps_of};
pub use super::limits::is_as_limited;
pub use super::other_cloud::{MapOfTags, refusal_of_tag, refused_character};
pub use super::policies::Policies;
pub use super::resource::ComposedResource;
pub use super::resource_kind::ResourceKind;
pub use super::types::{is_within, judge_values, steps_in};
pub use super::value::{NoPathValue, OtherFields, ScalarType, SimulatedObject, SimulatedValue};
pub use crate::faults::{FaultSeverity, Faults};
pub use crate::kind_limits::{KindLimit, Limit, RefusedKeys};

/// What a Composition composes for one composite.
pub struct Simulation<'a> {
    /// The resources, in the order of their first appearance; none if the Composition fails.
    pub resources: Vec<ComposedResource<'a>>,
    /// Steps whose resources, or what they do to tags, are not known: the path of each, and why.
    pub unknown: Vec<(String, TagFault)>,
    /// Why nothing is composed, and the path.
    pub failure: Option<(String, TagFault)>,
    /// The environment after all steps.
    pub environment: SimulatedValue<'a>,
}

impl<'a> Simulation<'a> {
    /// Evaluates the steps of a Composition, given as its `spec`, for a composite and its environment.
    ///
    /// # Errors
    /// When it does not have the structure that Crossplane defines, or its patches expand to more than the limit.
    pub fn of(spec: Json<'a>, sources: [SimulatedValue<'a>; 2], settings: &CloudTags) -> Result<Self, Malformed> {
        let mut faults = Faults::default();
        match Pipeline::play(spec, sources, &[], settings, &mut faults) {
            Ok(Pipeline { resources, environment, .. }) => {
                Ok(Simulation { resources, unknown: faults.unknown(), failure: None, environment })
            }
            Err(Halt::Malformed(malformed)) => Err(malformed),
            Err(Halt::Fails(at, fault)) => {
                let failure = Some((at.path().to_string(), fault));
                let environment = SimulatedValue::Unknown;
                Ok(Simulation { resources: Vec::new(), unknown: Vec::new(), failure, environment })
            }
        }
    }
}

impl ComposedResource<'_> {
    /// Whether the annotation for exemptions is in its base, with a reason.
    pub fn is_exempt(&self) -> bool {
        self.base.string(&["metadata", "annotations", EXEMPT]).ok().flatten().is_some_and(states_reason)
    }
}
