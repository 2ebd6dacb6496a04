//! The settings as they are written on the page.

use fleet::{Source, ValueText};
use metadata_propagation::{Settings, SettingsError};
use serde_json::Value as Json;

use crate::marks::{LineStarts, Mark, Weight};

/// Settings, and messages about them.
pub(crate) struct ReadSettings {
    /// `None` if they are invalid.
    pub(crate) settings: Option<Settings>,
    pub(crate) marks: Vec<Mark>,
}

/// Reads settings in YAML or JSON; each problem is a mark at its position.
pub(crate) fn read(source: &Source) -> ReadSettings {
    let lines = LineStarts::of(source);
    let mark = |severity, message: String, span: std::ops::Range<usize>| Mark {
        text: source.name.clone(),
        place: lines.place(source, span),
        severity,
        message,
    };
    let value = match ValueText::read(source) {
        Ok(value) => value,
        Err(none) => {
            let marks = vec![mark(Weight::Error, none.message, none.at..none.at)];
            return ReadSettings { settings: None, marks };
        }
    };
    let mut marks: Vec<Mark> =
        value.twice().iter().map(|(message, at)| mark(Weight::Warning, message.clone(), *at..*at)).collect();
    let manifest = of_policy(value.json());
    let (json, above) = manifest.as_ref().map_or((value.json(), ""), |settings| (settings, "spec.settings."));
    let settings = Settings::validate(json).and_then(|()| Settings::from_json(json));
    let settings = match settings {
        Ok(settings) => Some(settings),
        Err(SettingsError { problems }) => {
            marks.extend(problems.iter().map(|problem| {
                mark(Weight::Error, problem.to_string(), value.locate(&[above, &problem.path].concat()))
            }));
            None
        }
    };
    ReadSettings { settings, marks }
}

/// The settings in a manifest of the policy.
fn of_policy(json: &str) -> Option<String> {
    let manifest: Json = serde_json::from_str(json).ok()?;
    manifest.get("kind")?.as_str().filter(|kind| kind.ends_with("AdmissionPolicy"))?;
    Some(manifest.pointer("/spec/settings").unwrap_or(&Json::Null).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(text: &str) -> Vec<(String, String)> {
        let source = Source { name: "settings".to_owned(), text: text.to_owned() };
        let marks = serde_json::to_value(read(&source).marks).unwrap();
        let text = |mark: &serde_json::Value| {
            let at = |name: &str| usize::try_from(mark[name].as_u64().unwrap()).unwrap();
            source.text[at("from")..at("to")].to_owned()
        };
        marks
            .as_array()
            .unwrap()
            .iter()
            .map(|mark| (text(mark), mark["message"].as_str().unwrap().to_owned()))
            .collect()
    }

    #[test]
    fn each_problem_is_marked_at_its_place() {
        let pair = |at: &str, message: &str| (at.to_owned(), message.to_owned());
        assert_eq!(
            marks("mode: mutat\nclusterApi:\n  controllers: [a, 7]\n  node:\n    labels: []\n"),
            [
                pair("7", "clusterApi.controllers[1]: expected a string, found a number"),
                pair(
                    "labels",
                    "clusterApi.node.labels: unknown field, expected `additionalLabels` or `additionalAnnotations`"
                ),
                pair("mutat", "mode: unknown value `mutat`, expected `mutate` or `verify`"),
            ]
        );
    }

    #[test]
    fn a_manifest_of_the_policy_has_its_settings() {
        assert_eq!(
            marks("kind: ClusterAdmissionPolicy\nspec:\n  settings: { mode: mutat }\n"),
            [("mutat".to_owned(), "mode: unknown value `mutat`, expected `mutate` or `verify`".to_owned())]
        );
        assert_eq!(marks("kind: AdmissionPolicy\nspec: {}\n"), []);
    }

    #[test]
    fn no_text_is_the_defaults() {
        assert_eq!(marks("# nothing\n"), []);
    }
}
