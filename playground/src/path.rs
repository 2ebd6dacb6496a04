//! The propagation path of a label or annotation: the objects from the root down, and how the key relates to each.

use std::collections::BTreeMap;

use fleet::{Fleet, Graph, Hierarchy, Member, Placement, State};
use serde::Serialize;
use serde_json::Value;

use crate::marks::{Mark, TextPlaces, TextRange, Weight};
use crate::question::PathQuestion;
use crate::settings;

/// The answer.
#[derive(Debug, Default, Serialize)]
pub(crate) struct PathAnswer {
    marks: Vec<Mark>,
    /// The keys of labels and annotations, the most frequent first.
    keys: Vec<String>,
    /// The indexes of the objects without an owner.
    roots: Vec<usize>,
    objects: Vec<PathObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<PathPicture>,
}

/// The same as a diagram.
#[derive(Debug, Serialize)]
struct PathPicture {
    /// Absent if the diagram has too many boxes.
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
    /// The diagram in words.
    description: String,
}

/// The largest number of boxes in a readable diagram.
const BOXES: usize = 300;

/// One object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PathObject {
    title: String,
    kind: String,
    children: Vec<usize>,
    /// Where it is in the manifests; absent if it does not exist yet but would be created.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<TextRange>,
    placements: Vec<LocatedPlacement>,
    /// Why propagation to it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
}

/// The key in one map of an object.
#[derive(Debug, Serialize)]
struct LocatedPlacement {
    #[serde(flatten)]
    placement: Placement,
    /// The line of the entry, if it is in the manifests.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<TextRange>,
}

/// Follows a key through the objects.
pub(crate) fn path(question: PathQuestion) -> PathAnswer {
    let read = settings::read(&question.settings.source());
    let fleet = Fleet::read(vec![question.manifests.into()]);
    let mut places = TextPlaces::new(&fleet);
    let mut marks = places.problems();
    marks.extend(read.marks);
    let Some(settings) = read.settings else { return PathAnswer { marks, ..PathAnswer::default() } };
    let hierarchy = Hierarchy::of(&fleet, &settings);
    let roots: Vec<usize> = hierarchy.roots().collect();
    let mut placements: BTreeMap<usize, Vec<Placement>> = BTreeMap::new();
    for root in &roots {
        placements.extend(
            hierarchy.propagation_path(*root, &question.key).into_iter().map(|step| (step.member, step.placements)),
        );
    }
    let name = fleet.sources().first().map_or("", |source| &source.name);
    let mut objects = Vec::new();
    for (number, member) in hierarchy.members().iter().enumerate() {
        let placements = placements.remove(&number).unwrap_or_default();
        let placements =
            placements.into_iter().map(|placement| located(placement, member, &question.key, &mut places)).collect();
        let unknown = member.unknown.as_ref().map(|unknown| unknown.to_string());
        let place = member.origin.as_ref().map(|origin| places.of(origin, "", &[]));
        let children = member.children.clone();
        objects.push(PathObject {
            title: member.id.to_string(),
            kind: member.id.kind.clone(),
            children,
            place,
            placements,
            unknown,
        });
    }
    for PathObject { placements, .. } in &objects {
        marks.extend(placements.iter().filter_map(|located| underlined(located, name)));
    }
    let picture =
        picture(&Graph::of(&hierarchy, Some(&question.key).filter(|key| !key.is_empty()).map(String::as_str), None));
    PathAnswer { marks, keys: keys(&hierarchy), roots, objects, picture }
}

fn picture(graph: &Graph) -> Option<PathPicture> {
    let svg = (graph.len() <= BOXES).then(|| graph.svg());
    (!graph.is_empty()).then(|| PathPicture { svg, description: graph.description().to_owned() })
}

fn located(placement: Placement, member: &Member, key: &str, places: &mut TextPlaces<'_>) -> LocatedPlacement {
    let is_written = matches!(placement.state, State::Set | State::Present | State::Missing | State::Differs(_));
    let origin = member.origin.as_ref().filter(|_| is_written);
    let place = origin.map(|origin| places.of(origin, &placement.at, &[key.to_owned()]));
    LocatedPlacement { placement, place }
}

/// The message at the position of an entry.
fn underlined(LocatedPlacement { placement, place }: &LocatedPlacement, text: &str) -> Option<Mark> {
    let value = placement.value.as_deref().unwrap_or_default();
    let (severity, message) = match &placement.state {
        State::Set => (Weight::Info, placement.why.clone().unwrap_or_else(|| "set here".to_owned())),
        State::Differs(found) => (Weight::Warning, format!("the rules require `{value}`, found `{found}`")),
        _ => return None,
    };
    Some(Mark { text: text.to_owned(), place: (*place)?, severity, message })
}

fn keys(hierarchy: &Hierarchy) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for member in hierarchy.members() {
        written(&member.written, &mut counts);
        for entry in &member.carried {
            *counts.entry(entry.key.clone()).or_default() += 1;
        }
        if let Some(tags) = &member.report.cloud_tags {
            let skipped = tags.skipped.iter().map(|label| &label.qualified_key);
            for key in skipped.chain(tags.not_propagating.keys()) {
                *counts.entry(key.clone()).or_default() += 1;
            }
        }
    }
    let mut keys: Vec<(usize, String)> = counts.into_iter().map(|(key, count)| (count, key)).collect();
    keys.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    keys.into_iter().map(|(_, key)| key).take(200).collect()
}

/// Counts the keys of all labels and annotations in a value.
fn written(value: &Value, counts: &mut BTreeMap<String, usize>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Object(metadata) if name == "metadata" => {
                        let maps =
                            ["labels", "annotations"].into_iter().filter_map(|map| metadata.get(map)?.as_object());
                        for key in maps.flat_map(serde_json::Map::keys) {
                            *counts.entry(key.clone()).or_default() += 1;
                        }
                    }
                    _ => written(value, counts),
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| written(element, counts)),
        _ => {}
    }
}
