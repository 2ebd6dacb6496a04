//! Where something is in an object. A path is parsed once, and text only for readers.

use std::fmt;

use self::ObjectStep::{Entry, Field};

/// The path of a field, or of an element of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectPath {
    /// From the object itself on.
    pub steps: Vec<ObjectStep>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectStep {
    /// A field, or the number of an element.
    Field(String),
    /// The element of a list with this name, class or number, or a key.
    Entry(String),
}

impl ObjectPath {
    /// Reads a path.
    ///
    /// ```
    /// use topology::{ObjectPath, ObjectStep};
    ///
    /// let path = ObjectPath::parse("spec.topology.workers.machineDeployments[md.0].replicas");
    /// assert_eq!(path.steps.get(4), Some(&ObjectStep::Entry("md.0".to_owned())));
    /// assert_eq!(path.field(), Some("replicas"));
    /// assert_eq!(path.to_string(), "spec.topology.workers.machineDeployments[md.0].replicas");
    /// ```
    #[must_use]
    pub fn parse(written: &str) -> ObjectPath {
        let mut steps = Vec::new();
        let mut rest = written;
        while !rest.is_empty() {
            let left = if let Some(inside) = rest.strip_prefix('[') {
                let (entry, left) = inside.split_once(']').unwrap_or((inside, ""));
                steps.push(Entry(entry.to_owned()));
                left
            } else {
                let (field, left) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
                steps.push(Field(field.to_owned()));
                left
            };
            rest = left.strip_prefix('.').unwrap_or(left);
        }
        ObjectPath { steps }
    }

    /// The field that it leads to; `None` for a whole element or the whole object.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self.steps.last()? {
            Field(field) => Some(field),
            Entry(_) => None,
        }
    }

    /// The fields that it leads through, without the elements of lists.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Field(field) => Some(&**field),
            Entry(_) => None,
        })
    }

    /// Whether it is in an element of a list, or one.
    #[must_use]
    pub fn is_in_entry(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Entry(_)))
    }

    /// Whether it is another path or below it.
    #[must_use]
    pub fn is_within(&self, other: &ObjectPath) -> bool {
        self.steps.starts_with(&other.steps)
    }

    /// The path of another field of the same object.
    #[must_use]
    pub fn beside(&self, field: &str) -> ObjectPath {
        let above = self.steps.split_last().map_or(&[][..], |(_, above)| above);
        ObjectPath { steps: above.iter().cloned().chain([Field(field.to_owned())]).collect() }
    }
}

impl From<String> for ObjectPath {
    fn from(written: String) -> ObjectPath {
        ObjectPath::parse(&written)
    }
}

impl From<&str> for ObjectPath {
    fn from(written: &str) -> ObjectPath {
        ObjectPath::parse(written)
    }
}

impl fmt::Display for ObjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.steps.iter().enumerate() {
            match step {
                Field(field) if number == 0 => f.write_str(field)?,
                Field(field) => write!(f, ".{field}")?,
                Entry(entry) => write!(f, "[{entry}]")?,
            }
        }
        Ok(())
    }
}

/// A path while a value is visited: nothing is copied until something is found there.
#[derive(Debug, Clone, Copy)]
pub enum VisitedPath<'a> {
    /// The fields that lead to the value.
    Value(&'a [&'a str]),
    /// A field of the object at another path.
    Field(&'a VisitedPath<'a>, &'a str),
    /// An element of the list at another path.
    Entry(&'a VisitedPath<'a>, &'a str),
}

impl VisitedPath<'_> {
    /// The field that it leads to.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            VisitedPath::Value(fields) => fields.last().copied(),
            VisitedPath::Field(_, field) => Some(field),
            VisitedPath::Entry(..) => None,
        }
    }

    /// The path to keep.
    #[must_use]
    pub fn path(self) -> ObjectPath {
        let (above, step) = match self {
            VisitedPath::Value(fields) => {
                return ObjectPath { steps: fields.iter().map(|field| Field((*field).to_owned())).collect() };
            }
            VisitedPath::Field(above, field) => (above, Field(field.to_owned())),
            VisitedPath::Entry(above, entry) => (above, Entry(entry.to_owned())),
        };
        let mut path = above.path();
        path.steps.push(step);
        path
    }
}
