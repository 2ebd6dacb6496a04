//! Why the objects of a topology cannot be computed.

use std::fmt;

/// Why the objects of a topology cannot be computed: Cluster API refuses it too, or it is not known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// Cluster API's webhook or reconciler returns an error, and nothing is written.
    Refused(TopologyRefusal),
    /// Only the management cluster knows.
    Unknown(Gap),
}

/// What Cluster API refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopologyRefusal {
    /// The Cluster sets a variable that the class does not define.
    UndefinedVariable(String),
    /// The Cluster does not set a variable that the class requires.
    RequiredVariable(String),
    /// A value does not fit the schema of its variable.
    InvalidVariable {
        /// The variable.
        name: String,
        /// Why, with the path in the value.
        reason: String,
    },
    /// The Cluster sets a variable twice in one list.
    SetTwice(String),
    /// The class defines a variable with a name or a schema that is not allowed.
    Definition {
        /// The variable.
        name: String,
        /// Why, with the path in the schema.
        reason: String,
    },
    /// A selector of a patch is on for something that it does not match.
    Selector {
        /// The patch.
        patch: String,
    },
    /// A patch reads a variable that has no value.
    NoValue {
        /// The patch.
        patch: String,
        /// Such as `network.cidr`.
        variable: String,
    },
    /// A template of a patch cannot be parsed or evaluated.
    Template {
        /// The patch.
        patch: String,
        /// The error.
        error: String,
    },
    /// The output of a template is not YAML.
    Output {
        /// The patch.
        patch: String,
        /// The output.
        output: String,
    },
    /// A JSON patch does not apply.
    Patch {
        /// The patch.
        patch: String,
        /// The path.
        path: String,
        /// Why.
        reason: String,
    },
    /// The API server or a webhook refuses an object that is made from a template.
    Object {
        /// Its kind.
        kind: String,
        /// The path.
        path: String,
        /// Why.
        reason: String,
    },
    /// An entry of the topology names a class of workers that the ClusterClass does not have.
    NoWorkerClass(String),
    /// More than one reason.
    Several(Vec<TopologyRefusal>),
}

impl TopologyRefusal {
    /// The path of what is refused in an object of a kind: a Cluster with a topology, or a ClusterClass.
    ///
    /// ```
    /// use topology::TopologyRefusal;
    ///
    /// let refusal = TopologyRefusal::UndefinedVariable("size".to_owned());
    /// assert_eq!(refusal.path("Cluster"), "spec.topology.variables[size]");
    /// assert_eq!(TopologyRefusal::Selector { patch: "p".to_owned() }.path("ClusterClass"), "spec.patches[p]");
    /// ```
    pub fn path(&self, kind: &str) -> String {
        match (self, kind) {
            (TopologyRefusal::Object { kind: of, path, .. }, kind) if of == kind => path.clone(),
            (
                TopologyRefusal::UndefinedVariable(name)
                | TopologyRefusal::InvalidVariable { name, .. }
                | TopologyRefusal::SetTwice(name),
                "Cluster",
            ) => format!("spec.topology.variables[{name}]"),
            (TopologyRefusal::RequiredVariable(_), "Cluster") => "spec.topology.variables".to_owned(),
            (TopologyRefusal::Definition { name, .. }, "ClusterClass") => format!("spec.variables[{name}]"),
            (
                TopologyRefusal::Selector { patch }
                | TopologyRefusal::Template { patch, .. }
                | TopologyRefusal::Patch { patch, .. },
                "ClusterClass",
            ) => format!("spec.patches[{patch}]"),
            (TopologyRefusal::Several(all), kind) if let Some(first) = all.first() => first.path(kind),
            (_, "Cluster") => "spec.topology".to_owned(),
            _ => "spec".to_owned(),
        }
    }
}

/// What is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gap {
    /// The ClusterClass is not among the objects.
    NoClass,
    /// An object is defined twice and differently.
    DefinedTwice(String),
    /// Before the change, Cluster API refuses the Cluster or the class.
    RefusedBefore(Box<TopologyRefusal>),
    /// A value is filled in before the Cluster is applied.
    Placeholder(String),
    /// A template of the class is not among the objects.
    NoTemplate(String),
    /// A template is in another version than the class refers to.
    TemplateVersion(String),
    /// A template of a patch calls a function that is not evaluated here.
    Function(String),
    /// An extension computes the patch.
    ExternalPatch(String),
    /// A field of a release whose types are not known here.
    Newer(String),
    /// A template of a patch takes too many steps or prints too much.
    TooLong(String),
    /// A rule in the schema of a variable is not evaluated, and may refuse the value.
    Rule {
        /// The variable.
        variable: String,
        /// Where in its schema.
        at: String,
    },
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Refused(refusal) => write!(f, "Cluster API refuses it: {refusal}"),
            Obstacle::Unknown(gap) => gap.fmt(f),
        }
    }
}

impl fmt::Display for TopologyRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TopologyRefusal::UndefinedVariable(name) => write!(f, "the class does not define variable `{name}`"),
            TopologyRefusal::RequiredVariable(name) => write!(f, "variable `{name}` must be set"),
            TopologyRefusal::InvalidVariable { name, reason } => {
                write!(f, "the value of variable `{name}` does not fit its schema: {reason}")
            }
            TopologyRefusal::SetTwice(name) => write!(f, "variable `{name}` is set twice"),
            TopologyRefusal::Definition { name, reason } => {
                write!(f, "the class's definition of variable `{name}` is not valid: {reason}")
            }
            TopologyRefusal::Selector { patch } => write!(f, "a selector of patch `{patch}` matches nothing"),
            TopologyRefusal::NoValue { patch, variable } => {
                write!(f, "patch `{patch}` reads variable `{variable}`, which has no value")
            }
            TopologyRefusal::Template { patch, error } => write!(f, "a template of patch `{patch}` fails: {error}"),
            TopologyRefusal::Output { patch, output } => {
                write!(f, "a template of patch `{patch}` prints what is not YAML: {output:?}")
            }
            TopologyRefusal::Patch { patch, path, reason } => {
                write!(f, "patch `{patch}` cannot patch `{path}`: {reason}")
            }
            TopologyRefusal::Object { kind, path, reason } => write!(f, "`{path}` of {kind}: {reason}"),
            TopologyRefusal::NoWorkerClass(name) => write!(f, "the ClusterClass has no worker class `{name}`"),
            TopologyRefusal::Several(all) => {
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                f.write_str(&all.join("; "))
            }
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::NoClass => f.write_str("the ClusterClass is not among the objects"),
            Gap::DefinedTwice(name) => write!(f, "{name} is defined twice"),
            Gap::RefusedBefore(refusal) => write!(f, "before the change, Cluster API refuses it: {refusal}"),
            Gap::Placeholder(written) => write!(f, "it depends on a value that is not in the files: `{written}`"),
            Gap::NoTemplate(name) => write!(f, "{name} is not among the objects"),
            Gap::TemplateVersion(name) => write!(f, "{name} is in another version than the class refers to"),
            Gap::Function(name) => write!(f, "function `{name}` is not evaluated"),
            Gap::ExternalPatch(name) => write!(f, "an extension computes patch `{name}`"),
            Gap::Newer(field) => write!(f, "{field} is of Cluster API v1.15, which is not evaluated yet"),
            Gap::TooLong(patch) => write!(f, "a template of patch `{patch}` is too large"),
            Gap::Rule { variable, at } => {
                write!(
                    f,
                    "Cluster API may refuse the value of variable `{variable}`: rule `{at}` of its schema is not evaluated"
                )
            }
        }
    }
}

impl From<TopologyRefusal> for Obstacle {
    fn from(refusal: TopologyRefusal) -> Obstacle {
        Obstacle::Refused(refusal)
    }
}

impl From<Gap> for Obstacle {
    fn from(gap: Gap) -> Obstacle {
        Obstacle::Unknown(gap)
    }
}
