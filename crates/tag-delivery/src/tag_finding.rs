//! What is wrong with a definition or a Composition, and what it is about.

use std::fmt;

use serde::Serialize;

use crate::fault::TagFault;
use kubernetes::{Datum, Mentioned, Sentence, names};

/// A fault, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagFinding {
    /// What it is about.
    pub subject: TagSubject,
    /// Whether a resource is created all the same; true for everything else.
    pub is_created: bool,
    /// What happens to cloud tags, if it is about a resource of a Composition.
    pub verdict: Option<TagDelivery>,
    /// What is wrong.
    pub fault: TagFault,
}

/// What a fault is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TagSubject {
    /// The whole object: of a Composition, all resources.
    #[default]
    Whole,
    /// A version of a definition.
    Version(Mentioned),
    /// A resource of a Composition; those of Crossplane 1 need no name.
    Resource(Mentioned),
}

impl TagFinding {
    /// The declaration of the field for tags that a version of a definition gets.
    pub fn declared(version: Mentioned) -> TagFinding {
        let subject = TagSubject::Version(version);
        TagFinding { subject, is_created: true, verdict: None, fault: TagFault::Declared }
    }

    /// The name of the resource that it is about.
    pub fn resource(&self) -> Option<&str> {
        match &self.subject {
            TagSubject::Resource(name) => Some(&name.0),
            TagSubject::Whole | TagSubject::Version(_) => None,
        }
    }
}

impl Sentence for TagFinding {
    fn reason(&self) -> &'static str {
        self.fault.reason()
    }

    fn verdict(&self) -> Option<&'static str> {
        self.verdict.map(TagDelivery::as_str)
    }

    fn data(&self) -> Vec<&dyn Datum> {
        let subject = match &self.subject {
            TagSubject::Version(name) | TagSubject::Resource(name) if !name.0.is_empty() => Some(name as &dyn Datum),
            _ => None,
        };
        subject.into_iter().chain(self.fault.data()).collect()
    }

    fn data_mut(&mut self) -> Vec<&mut dyn Datum> {
        let subject = match &mut self.subject {
            TagSubject::Version(name) | TagSubject::Resource(name) => Some(name as &mut dyn Datum),
            TagSubject::Whole => None,
        };
        subject.into_iter().chain(self.fault.data_mut()).collect()
    }

    fn write_sentence(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.subject, self.is_created) {
            (TagSubject::Whole, true) => Ok(()),
            // A function fails: then Crossplane composes nothing at all.
            (TagSubject::Whole, false) => f.write_str("no resource is composed: "),
            (TagSubject::Version(name), _) => write!(f, "version `{name}`: "),
            (TagSubject::Resource(name), true) if name.0.is_empty() => f.write_str("resource without a name: "),
            (TagSubject::Resource(name), false) if name.0.is_empty() => f.write_str("a resource is not created: "),
            (TagSubject::Resource(name), true) => write!(f, "resource `{name}`: "),
            (TagSubject::Resource(name), false) => write!(f, "resource `{name}` is not created: "),
        }?;
        self.fault.write_sentence(f)
    }
}

impl fmt::Display for TagFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_sentence(f)
    }
}

names! {
    /// What happens to cloud tags on the way to one resource, by Crossplane's rules. There is no finding if they are kept.
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    TagDelivery {
        /// The resource is created without them, or others are lost because of them.
        Lost = "lost";
        /// The resource, or all of them, is never created, and the composite does not become Synced.
        Fails = "fails";
        /// It depends on something that is not evaluated.
        CannotTell = "cannot-tell";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_named_where_it_has_a_name() {
        for (name, is_created, expected) in [
            ("vm", true, "resource `vm`: a patch set names another patch set"),
            ("vm", false, "resource `vm` is not created: a patch set names another patch set"),
            ("", true, "resource without a name: a patch set names another patch set"),
            ("", false, "a resource is not created: a patch set names another patch set"),
        ] {
            let subject = TagSubject::Resource(name.into());
            let finding = TagFinding { subject, is_created, fault: TagFault::PatchSetInPatchSet, verdict: None };
            assert_eq!(finding.to_string(), expected);
        }
    }
}
