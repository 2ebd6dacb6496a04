//! Why the objects of a topology cannot be computed.

use std::fmt;

use crate::sentences;

/// Why the objects of a topology cannot be computed: Cluster API refuses it too, or it is not known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// Cluster API's webhook or reconciler returns an error, and nothing is written.
    Refused(TopologyRefusal),
    /// Only the management cluster knows.
    Unknown(Gap),
}

sentences! {
    /// What Cluster API refuses.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum TopologyRefusal {
        /// The Cluster sets a variable that the class does not define.
        UndefinedVariable(name: String) "the class does not define variable `{name}`";
        /// The Cluster does not set a variable that the class requires.
        RequiredVariable(name: String) "variable `{name}` must be set";
        /// A value does not fit the schema of its variable; the reason has the path in the value.
        InvalidVariable { name: String, reason: String } "the value of variable `{name}` does not fit its schema: {reason}";
        /// The Cluster sets a variable twice in one list.
        SetTwice(name: String) "variable `{name}` is set twice";
        /// The class defines a variable with a name or a schema that is not allowed; the reason has the path in the schema.
        Definition { name: String, reason: String } "the class's definition of variable `{name}` is not valid: {reason}";
        /// A selector of a patch is on for something that it does not match.
        Selector { patch: String } "a selector of patch `{patch}` matches nothing";
        /// A patch reads a variable that has no value, such as `network.cidr`.
        NoValue { patch: String, variable: String } "patch `{patch}` reads variable `{variable}`, which has no value";
        /// A template of a patch cannot be parsed or evaluated.
        Template { patch: String, error: String } "a template of patch `{patch}` fails: {error}";
        /// The output of a template is not YAML.
        Output { patch: String, output: String } "a template of patch `{patch}` prints what is not YAML: {output:?}";
        /// A JSON patch does not apply.
        Patch { patch: String, path: String, reason: String } "patch `{patch}` cannot patch `{path}`: {reason}";
        /// The API server or a webhook refuses an object that is made from a template.
        Object { kind: String, path: String, reason: String } "`{path}` of {kind}: {reason}";
        /// An entry of the topology names a class of workers that the ClusterClass does not have.
        NoWorkerClass(name: String) "the ClusterClass has no worker class `{name}`";
        /// More than one reason.
        Several(all: Vec<TopologyRefusal>) "{}" with all.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    }
}

impl TopologyRefusal {
    /// That a field of an object of a kind is refused.
    ///
    /// ```
    /// let refusal = topology::TopologyRefusal::object("Cluster", "spec", "it is empty");
    /// assert_eq!(refusal.to_string(), "`spec` of Cluster: it is empty");
    /// ```
    pub fn object(kind: &str, path: impl Into<String>, reason: impl Into<String>) -> TopologyRefusal {
        TopologyRefusal::Object { kind: kind.to_owned(), path: path.into(), reason: reason.into() }
    }

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

sentences! {
    /// What is not known.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum Gap {
        NoClass "the ClusterClass is not among the objects";
        /// An object is defined twice and differently.
        DefinedTwice(name: String) "{name} is defined twice";
        RefusedBefore(refusal: Box<TopologyRefusal>) "before the change, Cluster API refuses it: {refusal}";
        /// A value is filled in before the Cluster is applied.
        Placeholder(written: String) "it depends on a value that is not in the files: `{written}`";
        /// A template of the class.
        NoTemplate(name: String) "{name} is not among the objects";
        /// The same.
        TemplateVersion(name: String) "{name} is in another version than the class refers to";
        /// A template of a patch calls it.
        Function(name: String) "function `{name}` is not evaluated";
        ExternalPatch(name: String) "an extension computes patch `{name}`";
        /// A field of a release whose types are not known here.
        Newer(field: String) "{field} is of Cluster API v1.15, which is not evaluated yet";
        /// A template of a patch takes too many steps or prints too much.
        TooLong(patch: String) "a template of patch `{patch}` is too large";
        /// `at` is where the rule is in the schema of the variable.
        Rule { variable: String, at: String }
            "Cluster API may refuse the value of variable `{variable}`: rule `{at}` of its schema is not evaluated";
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Refused(refusal) => write!(f, "Cluster API refuses it: {refusal}"),
            Obstacle::Unknown(gap) => gap.fmt(f),
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
