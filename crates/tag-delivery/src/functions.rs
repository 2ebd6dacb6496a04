//! What Crossplane's composition functions do to the resources of a Composition, with respect to cloud tags.

/// One function.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// The suffix of its name: packages put the owner's name before it.
    pub name: &'static str,
    /// The API group of its input; empty if it takes none, or several.
    pub input: &'static str,
    /// What it does.
    pub effect: FunctionEffect,
    /// Where this was read.
    pub source: &'static str,
}

/// What a function does to resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionEffect {
    /// Composes resources from bases and patches, which are evaluated.
    Patches,
    /// Writes tags of resources that were composed before, by the input of function-tag-manager.
    TagManager,
    /// Composes no cloud resource, and does not change what a provider reads in the resources that it keeps.
    ResourcesUnchanged,
    /// Composes resources with a program, which is not evaluated.
    Programs,
}

use FunctionEffect::{Patches, Programs, ResourcesUnchanged, TagManager};

const fn row(name: &'static str, input: &'static str, effect: FunctionEffect, source: &'static str) -> Function {
    Function { name, input, effect, source }
}

/// All known functions. The effect of others is unknown.
#[rustfmt::skip]
pub const FUNCTIONS: &[Function] = &[
    row("function-patch-and-transform", "pt.fn.crossplane.io", Patches, "crossplane-contrib/function-patch-and-transform, fn.go"),
    row("function-tag-manager", "tag-manager.fn.crossplane.io", TagManager, "crossplane-contrib/function-tag-manager, fn.go"),
    // Marks resources as ready.
    row("function-auto-ready", "", ResourcesUnchanged, "crossplane/function-auto-ready, fn.go"),
    // Holds resources back until others are ready.
    row("function-sequencer", "sequencer.fn.crossplane.io", ResourcesUnchanged, "crossplane-contrib/function-sequencer, input/v1beta1"),
    // Write the composite's status, or the input of later functions.
    row("function-status-transformer", "function-status-transformer.fn.crossplane.io", ResourcesUnchanged, "crossplane-contrib/function-status-transformer, input/v1beta1"),
    row("function-environment-configs", "environmentconfigs.fn.crossplane.io", ResourcesUnchanged, "crossplane-contrib/function-environment-configs, fn.go"),
    row("function-extra-resources", "extra-resources.fn.crossplane.io", ResourcesUnchanged, "crossplane-contrib/function-extra-resources, fn.go"),
    // Removes whole resources and does not change the others.
    row("function-cel-filter", "cel.fn.crossplane.io", ResourcesUnchanged, "crossplane-contrib/function-cel-filter, fn.go"),
    // Adds Usages, which have no tags.
    row("function-deletion-protection", "protection.fn.crossplane.io", ResourcesUnchanged, "crossplane-contrib/function-deletion-protection, fn.go"),
    row("function-kcl", "krm.kcl.dev", Programs, "crossplane-contrib/function-kcl, README.md"),
    row("function-go-templating", "gotemplating.fn.crossplane.io", Programs, "crossplane-contrib/function-go-templating, fn.go"),
    row("function-python", "", Programs, "crossplane-contrib/function-python, README.md"),
    row("function-pythonic", "", Programs, "crossplane-contrib/function-pythonic, README.md"),
    row("function-cue", "", Programs, "crossplane-contrib/function-cue, README.md"),
];

impl Function {
    /// Whether a name is that of the function, with or without its owner's.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        name.ends_with(self.name)
    }

    /// The function of a step: by its name, which says what runs, else by the group of its input. A package can have
    /// any name, and functions decode an input whatever its group is; published Compositions have wrong ones.
    pub fn of(name: &str, input: &str) -> Option<&'static Function> {
        let by_name = FUNCTIONS.iter().find(|function| function.is_named(name));
        by_name.or_else(|| FUNCTIONS.iter().find(|function| !input.is_empty() && function.input == input))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_function_is_known_by_the_end_of_its_name_or_by_its_input() {
        let effect = |name, input| Function::of(name, input).map(|function| function.effect);
        assert_eq!(effect("patches", "pt.fn.crossplane.io"), Some(Patches));
        assert_eq!(effect("crossplane-contrib-function-sequencer", ""), Some(ResourcesUnchanged));
        assert_eq!(effect("function-cel-filter", "pt.fn.crossplane.io"), Some(ResourcesUnchanged));
        assert_eq!(effect("function-auto-ready-too", ""), None);
        assert_eq!(effect("", ""), None);
    }

    #[test]
    fn names_and_inputs_are_unique() {
        let names: BTreeSet<_> = FUNCTIONS.iter().map(|function| function.name).collect();
        assert_eq!(names.len(), FUNCTIONS.len());
        let inputs: Vec<_> =
            FUNCTIONS.iter().map(|function| function.input).filter(|input| !input.is_empty()).collect();
        assert_eq!(inputs.iter().collect::<BTreeSet<_>>().len(), inputs.len());
    }
}
