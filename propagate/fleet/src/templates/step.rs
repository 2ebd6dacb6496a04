//! One step of function-go-templating.

mod fact;
mod source;

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::tags::{Cloud, TagRules};
use metadata_propagation::{CloudTags, Provider, Tags, cloud_of, tags_of_kind};
use serde_json::{Value, json};
use topology::{CompositionTemplate, NoOutput};

pub(super) use self::fact::StepFact;
use self::source::TemplateSource;
use super::arrival::{Arrival, ArrivalForm, TagSet, separator, take};
use super::example::{Example, ExampleOrigin};
use super::output::resources;
use crate::made::yaml;
use crate::object::group_and_version;

/// Two sets of tags with the same keys, to evaluate templates with.
pub(super) struct TagSets {
    settings: CloudTags,
    /// With keys of all profiles, for composites without a provider.
    general: [TagSet; 2],
}

/// Qualified keys of a platform and of a project.
const KEYS: [&str; 2] = ["platform/env", "acme:checkout/owner"];

/// What a step does.
#[derive(Debug, Default)]
pub(super) struct StepResult {
    /// The resources as function-patch-and-transform composes them, if they are known.
    pub(super) resources: Option<Vec<Value>>,
    /// Those with a list for tags: what happens to them is among the facts.
    pub(super) lists: Vec<usize>,
    /// Whether later reconciles compose the same.
    pub(super) is_complete: bool,
    pub(super) facts: Vec<StepFact>,
}

impl TagSets {
    /// Tags with keys as the settings spell them.
    pub(super) fn of(settings: &CloudTags) -> TagSets {
        let prefix = &*settings.prefix;
        let strict = settings.strict_profiles().flat_map(|it| KEYS.map(|key| it.spelling.of(prefix, key)));
        let keys: BTreeSet<String> = KEYS.iter().map(|key| [prefix, key].concat()).chain(strict).collect();
        TagSets { settings: settings.clone(), general: sets(&keys, "tag-value-") }
    }

    /// Tags with keys and values as the profile of a composite admits them.
    fn of_example(&self, example: &Example) -> [TagSet; 2] {
        let Some(provider) = self.provider(&example.composite) else { return self.general.clone() };
        let (rules, prefix) = (TagRules::of(&self.settings, provider), &*self.settings.prefix);
        let keys = KEYS.map(|key| rules.tag_key_below(prefix, key));
        // Upper case shows what a template changes.
        let is_admitted =
            |value: &str| KEYS.iter().zip(&keys).all(|(key, tag)| rules.refusal(key, tag, value).is_none());
        let value = if is_admitted("Tag-Value-0") { "Tag-Value-" } else { "tag-value-" };
        sets(&keys.into(), value)
    }

    fn provider<'c>(&'c self, composite: &'c Value) -> Option<&'c str> {
        let text = |name| composite.get(name).and_then(Value::as_str).unwrap_or_default();
        match &self.settings.of_group(group_and_version(text("apiVersion")).0)?.provider {
            Provider::Fixed(provider) => Some(provider),
            Provider::ByKind(providers) => providers.get(text("kind")).map(|provider| &**provider),
            Provider::Path(path) => path.steps().try_fold(composite, |here, step| here.get(step))?.as_str(),
        }
    }
}

/// A set with texts as values, and one with texts that read like numbers.
fn sets(keys: &BTreeSet<String>, text: &str) -> [TagSet; 2] {
    [text, "471100"].map(|text| (0..).zip(keys).map(|(number, key)| (key.clone(), format!("{text}{number}"))).collect())
}

/// Evaluates a step for composites of a kind.
pub(super) fn evaluate(step: &Value, kind: &str, examples: &[Example], tags: &TagSets) -> StepResult {
    evaluated(step, kind, examples, tags)
        .unwrap_or_else(|fact| StepResult { facts: vec![fact], ..StepResult::default() })
}

fn evaluated(step: &Value, kind: &str, examples: &[Example], tags: &TagSets) -> Result<StepResult, StepFact> {
    let input = step.get("input").unwrap_or(&Value::Null);
    let template = read(input)?;
    if examples.is_empty() {
        return Err(StepFact::NoComposite { kind: kind.to_owned() });
    }
    let composed = composed(&template, input, examples, tags)?;
    let with = examples.iter().map(|example| example.origin.clone()).collect();
    let mut facts = vec![StepFact::Evaluated { with, resources: composed.keys().cloned().collect() }];
    facts.extend(template.dependences().iter().cloned().map(StepFact::Depends));
    facts.extend(composed.iter().filter_map(|(name, resource)| resource.fact(name)));
    facts.extend(refused_without_tags(&template, input, examples));
    let lists = composed.values().enumerate().filter(|(_, resource)| resource.list().is_some());
    let lists = lists.map(|(index, _)| index).collect();
    let resources = composed.iter().map(|(name, resource)| resource.patched(name)).collect();
    Ok(StepResult { resources: Some(resources), lists, is_complete: template.dependences().is_empty(), facts })
}

/// What the function refuses for a composite whose labels become no tags, and not for one with tags.
fn refused_without_tags(template: &CompositionTemplate, input: &Value, examples: &[Example]) -> Option<StepFact> {
    let mut composite = examples.first()?.composite.clone();
    composite.get_mut("spec")?.as_object_mut()?.remove("cloudTags");
    match output_of(template, input, &composite) {
        Err(StepFact::Refused(refusal)) => Some(StepFact::RefusedWithoutTags(refusal)),
        _ => None,
    }
}

/// The template of an input.
fn read(input: &Value) -> Result<CompositionTemplate, StepFact> {
    let source = TemplateSource::read(input)?;
    let options: Vec<&str> = source.options.iter().map(|option| &**option).collect();
    let delims = source.delims.each_ref().map(|delim| &**delim);
    let template = CompositionTemplate::read(&source.text, delims, &options, yaml).map_err(refused)?;
    match template.dependences().iter().find(|depends| depends.is_of_tags) {
        Some(depends) => Err(StepFact::Depends(depends.clone())),
        None => Ok(template),
    }
}

/// The resources by their names. Of several composites the one counts that leaves a resource without tags.
fn composed(
    template: &CompositionTemplate,
    input: &Value,
    examples: &[Example],
    tags: &TagSets,
) -> Result<BTreeMap<String, ComposedByTemplate>, StepFact> {
    let mut composed: BTreeMap<String, ComposedByTemplate> = BTreeMap::new();
    for example in examples {
        let (Example { origin, composite }, [one, other]) = (example, tags.of_example(example));
        let of_set = |set: &TagSet| {
            let mut composite = composite.clone();
            if let Some(spec) = composite.get_mut("spec").and_then(Value::as_object_mut) {
                spec.insert("cloudTags".to_owned(), json!(set));
            }
            output_of(template, input, &composite).map_err(|fact| match (fact, template.reads_of_others()) {
                (StepFact::Refused(refusal), reads)
                    if reads.is_some() || matches!(origin, ExampleOrigin::Schema(_)) =>
                {
                    let (with, reads) = (origin.clone(), reads.map(str::to_owned));
                    StepFact::MaybeRefused { with, reads, refusal }
                }
                (fact, _) => fact,
            })
        };
        let [first, second] = [of_set(&one)?, of_set(&other)?];
        for (name, mut base) in first {
            let arrivals = take([&one, &other], &mut base, second.get(&name).unwrap_or(&Value::Null));
            let known = composed.get(&name);
            if known.is_none_or(|known| !known.arrivals.is_empty() && arrivals.is_empty()) {
                composed.insert(name, ComposedByTemplate { base, arrivals, tags: one.clone() });
            }
        }
    }
    Ok(composed)
}

/// The resources that a template composes at the first reconcile of a composite.
fn output_of(
    template: &CompositionTemplate,
    input: &Value,
    composite: &Value,
) -> Result<BTreeMap<String, Value>, StepFact> {
    let request = json!({
        "meta": {"tag": "first"}, "input": input, "observed": {"composite": {"resource": composite}}, "desired": {},
        "context": {},
    });
    let output = template.render(&request).map_err(refused)?;
    resources(&output, composite).map_err(|refusal| StepFact::Refused(refusal.to_string()))
}

fn refused(reason: NoOutput) -> StepFact {
    match reason {
        NoOutput::Error(error) => StepFact::Refused(error),
        other => StepFact::NoOutput(other),
    }
}

/// A resource, and where its tags are.
struct ComposedByTemplate {
    /// Without these tags.
    base: Value,
    arrivals: Vec<Arrival>,
    /// The tags of the composite.
    tags: TagSet,
}

impl ComposedByTemplate {
    /// What the checks of patches do not find.
    fn fact(&self, name: &str) -> Option<StepFact> {
        let text = |field| self.base.get(field).and_then(Value::as_str).unwrap_or_default();
        let unquoted = self.arrivals.iter().find(|arrival| arrival.form == ArrivalForm::Unquoted);
        if let Some(Arrival { path, .. }) = unquoted {
            return Some(StepFact::Unquoted { resource: name.to_owned(), path: path.clone() });
        }
        let path = self.list()?;
        let (resource, kind) = (name.to_owned(), text("kind").to_owned());
        let arrival = self.arrivals.iter().find(|arrival| arrival.path == path);
        if let Some(separator) = arrival.and_then(|_| self.refused_separator(path)) {
            return Some(StepFact::Separator { resource, path: path.to_owned(), separator });
        }
        let is_managed_otherwise = self.base.pointer("/spec/managementPolicies").is_some();
        let is_lost = arrival.is_none() && !is_managed_otherwise;
        is_lost.then(|| StepFact::ListWithoutTags { resource, kind, path: path.to_owned() })
    }

    /// The list for its tags, if its kind has one.
    fn list(&self) -> Option<&'static str> {
        let text = |field| self.base.get(field).and_then(Value::as_str).unwrap_or_default();
        match tags_of_kind(group_and_version(text("apiVersion")).0, text("kind"))?.tags {
            Tags::List(path, _) => Some(path),
            Tags::Map(_) | Tags::Nowhere => None,
        }
    }

    /// What is between keys and values in the strings of a list, if the cloud does not accept it.
    fn refused_separator(&self, path: &str) -> Option<String> {
        let text = |field| self.base.get(field).and_then(Value::as_str).unwrap_or_default();
        let cloud = cloud_of(group_and_version(text("apiVersion")).0).and_then(Cloud::of)?;
        let elements = self.base.pointer(&format!("/{}", path.replace('.', "/")))?.as_array()?;
        let (key, value) = self.tags.first_key_value()?;
        let separator = elements.iter().find_map(|element| separator(element, key, value))?;
        cloud.joined.filter(|_| !cloud.key.form.admits(separator)).map(|_| separator.to_owned())
    }

    /// The resource as function-patch-and-transform composes it.
    fn patched(&self, name: &str) -> Value {
        let is_map = |form| matches!(form, ArrivalForm::Map | ArrivalForm::Unquoted);
        let maps = self.arrivals.iter().filter(|arrival| is_map(arrival.form));
        let patch = |arrival: &Arrival| {
            json!({
                "type": "FromCompositeFieldPath", "fromFieldPath": "spec.cloudTags", "toFieldPath": arrival.path,
                "policy": {"toFieldPath": "MergeObjects"},
            })
        };
        json!({"name": name, "base": self.base, "patches": maps.map(patch).collect::<Vec<_>>()})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::value_of;

    /// What the function composes of templates, and where `propagate` cannot tell.
    const ANSWERS: &str = include_str!("../../../../testdata/crossplane/templates.txt");

    /// The answer about a template, in the form of the file.
    fn answer(template: &str, example: &Example, tags: &TagSets) -> Vec<String> {
        let mut input = match template.starts_with("source:") {
            true => value_of(template).unwrap(),
            false => json!({"source": "Inline", "inline": {"template": template}}),
        };
        input["apiVersion"] = "gotemplating.fn.crossplane.io/v1beta1".into();
        input["kind"] = "GoTemplate".into();
        let composed = read(&input).and_then(|template| match template.dependences().first() {
            Some(depends) => Err(StepFact::Depends(depends.clone())),
            None => composed(&template, &input, std::slice::from_ref(example), tags),
        });
        match composed {
            Err(StepFact::Refused(_)) => vec!["refused".to_owned()],
            Err(fact) => vec![format!("cannot tell: {fact}")],
            Ok(composed) if composed.is_empty() => vec!["nothing is composed".to_owned()],
            Ok(composed) => {
                let line = |(name, resource): (&String, &ComposedByTemplate)| {
                    // The file only counts maps and lists of objects.
                    let is_counted = |form| matches!(form, ArrivalForm::Map | ArrivalForm::Objects);
                    let all = resource.arrivals.iter().filter(|arrival| is_counted(arrival.form));
                    let mut places: Vec<&str> = all.map(|arrival| &*arrival.path).collect();
                    places.sort_unstable();
                    let places = if places.is_empty() { "nowhere".to_owned() } else { places.join(", ") };
                    format!("{name} {}: {places}", resource.base["kind"].as_str().unwrap_or_default())
                };
                composed.iter().map(line).collect()
            }
        }
    }

    /// The composite of the file with both sets of tags, and the names and texts of the other sections.
    fn sections() -> (Example, TagSets, Vec<(&'static str, &'static str)>) {
        let mut sections = ANSWERS.trim_start_matches("=== ").split("\n=== ").map(|it| it.split_once('\n').unwrap());
        let mut composite = value_of(sections.next().unwrap().1).unwrap();
        let sets = composite["spec"]["cloudTags"].take();
        let general = [0, 1].map(|number| serde_json::from_value(sets[number].clone()).unwrap());
        let tags = TagSets { settings: CloudTags::default(), general };
        let origin = ExampleOrigin::Object("XMachine vm-1".to_owned());
        (Example { origin, composite }, tags, sections.collect())
    }

    #[test]
    fn a_template_that_is_cut_anywhere_is_answered() {
        let (example, tags, sections) = sections();
        for (_, text) in sections {
            for end in (0..text.len()).step_by(11).filter(|end| text.is_char_boundary(*end)) {
                let input = json!({"source": "Inline", "inline": {"template": text[..end]}});
                let result = evaluate(&json!({"input": input}), "XMachine", std::slice::from_ref(&example), &tags);
                assert_ne!(result.facts, [], "{text}");
            }
        }
    }

    #[test]
    fn tags_arrive_where_the_function_puts_them() {
        let (example, tags, sections) = sections();
        let mut wrong = Vec::new();
        let mut count = 0;
        for (name, text) in sections {
            let (answers, template): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("=> "));
            let of_line = |line: &&str| line.trim_start_matches("=> ").to_owned();
            let expected: Vec<String> = match answers.iter().find(|line| line.starts_with("=> cannot tell: ")) {
                Some(line) => vec![of_line(line)],
                None if answers[0].starts_with("=> refused: ") => vec!["refused".to_owned()],
                None => answers.iter().map(of_line).collect(),
            };
            let found = answer(&format!("{}\n", template.join("\n")), &example, &tags);
            if found != expected {
                wrong.push(format!("{name}\n    expected {expected:?}\n       found {found:?}"));
            }
            count += 1;
        }
        assert_eq!((wrong.join("\n"), count), (String::new(), 188));
    }
}
