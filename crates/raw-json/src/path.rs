//! The path of a value, and what is wrong at it.

use std::borrow::Cow;
use std::fmt;

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Field(Cow<'static, str>),
    /// An element of a list, counted from 0.
    Element(usize),
}

impl Step {
    /// The name of a field; `None` for an element of a list.
    pub fn name(&self) -> Option<&str> {
        match self {
            Step::Field(name) => Some(name),
            Step::Element(_) => None,
        }
    }
}

/// The steps that lead to a value, from the root of its object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path(Vec<Step>);

impl Path {
    /// A path through objects only.
    pub fn fields(names: &[&'static str]) -> Path {
        names.iter().copied().collect()
    }

    pub fn field(mut self, name: impl Into<Cow<'static, str>>) -> Path {
        self.push(Step::Field(name.into()));
        self
    }

    /// The path with one more element of a list.
    pub fn element(mut self, index: usize) -> Path {
        self.push(Step::Element(index));
        self
    }

    pub fn push(&mut self, step: Step) {
        self.0.push(step);
    }

    pub fn steps(&self) -> &[Step] {
        &self.0
    }
}

impl FromIterator<&'static str> for Path {
    fn from_iter<I: IntoIterator<Item = &'static str>>(names: I) -> Path {
        Path(names.into_iter().map(|name| Step::Field(Cow::Borrowed(name))).collect())
    }
}

/// As it is printed: `spec.topology.workers.machineDeployments[0].metadata`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if index == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Element(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A JSON value of the wrong type for its place: where, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Dotted path from the object's root, such as `spec.template.metadata.labels`.
    pub path: String,
    /// What is wrong, as the end of a sentence that begins with the path.
    pub problem: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.path, self.problem)
    }
}

impl std::error::Error for Malformed {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_printed_as_a_reader_writes_it() {
        let path = Path::fields(&["spec", "workers"]).field("machineDeployments").element(3).field("metadata");
        assert_eq!(path.to_string(), "spec.workers.machineDeployments[3].metadata");
        assert_eq!(Path::default().element(0).field("a").to_string(), "[0].a");
        assert_eq!(Path::default().to_string(), "");
    }
}
