//! Where a value stands.

/// One step into an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A field of an object, made where it is absent.
    Field(&'static str),
    /// An element of a list, which must be there.
    Element(usize),
}

/// Steps through objects only.
pub(crate) fn steps(path: &[&'static str]) -> Vec<Step> {
    path.iter().map(|name| Step::Field(name)).collect()
}

/// The path as a reader writes it: `spec.topology.workers.machineDeployments[0].metadata`.
pub(crate) fn printed(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => text.extend([".", name]),
            Step::Element(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}
