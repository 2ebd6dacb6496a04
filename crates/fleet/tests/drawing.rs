//! Pictures say what `World` says, whatever objects are called.

use anyhow::{Result, ensure};
use fleet::{Fleet, Graph, Source, World};
use metadata_propagation::Settings;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

fn world(text: String) -> World {
    let fleet = Fleet::read(vec![Source { name: "a.yaml".to_owned(), text }]);
    World::of(&fleet, &Settings::default())
}

fn example() -> Result<World> {
    Ok(world(std::fs::read_to_string(testkit::root().join("examples/fleet.yaml"))?))
}

/// An element with its attributes and its text.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
}

impl Element {
    fn attribute(&self, name: &str) -> &str {
        self.attributes.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    fn number(&self, name: &str) -> usize {
        self.attribute(name).parse().unwrap_or_default()
    }
}

/// All elements of a document that is well-formed.
fn elements(text: &str) -> Result<Vec<Element>> {
    let read = |start: &BytesStart<'_>| -> Result<Element> {
        let name = String::from_utf8(start.name().as_ref().to_vec())?;
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute?;
            let value = String::from_utf8(attribute.value.to_vec())?;
            attributes.push((String::from_utf8(attribute.key.as_ref().to_vec())?, unescape(&value)?.into_owned()));
        }
        Ok(Element { name, attributes, text: String::new() })
    };
    let (mut elements, mut open) = (Vec::new(), Vec::new());
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event()? {
            Event::Start(start) => {
                open.push(elements.len());
                elements.push(read(&start)?);
            }
            Event::Empty(start) => elements.push(read(&start)?),
            Event::End(_) => {
                open.pop();
            }
            Event::Text(text) => {
                if let Some(element) = open.last().and_then(|open| elements.get_mut(*open)) {
                    element.text += std::str::from_utf8(&text)?;
                }
            }
            Event::GeneralRef(name) => {
                if let Some(element) = open.last().and_then(|open| elements.get_mut(*open)) {
                    element.text += &unescape(&format!("&{};", std::str::from_utf8(&name)?))?;
                }
            }
            Event::Eof => break,
            other => anyhow::bail!("{other:?}"),
        }
    }
    ensure!(open.is_empty());
    Ok(elements)
}

fn texts(svg: &str) -> Result<Vec<String>> {
    Ok(elements(svg)?.into_iter().filter(|element| element.name == "text").map(|element| element.text).collect())
}

const HOSTILE: &str = r#"apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: "a\"]; <b> & [c]", namespace: fleet, labels: {team: "</text>\u0007&amp; `#quot;` %%{x}%% \\l"}}
---
apiVersion: v1
kind: Node
metadata: {name: other}
"#;

#[test]
fn names_and_values_are_text_in_every_format() -> Result<()> {
    let graph = Graph::of(&world(HOSTILE.to_owned()), Some("team"));
    let expected = [
        "The way of team",
        "Cluster",
        "fleet/a\"]; <b> & [c]",
        "metadata.labels: </text>\u{fffd}&amp; `#quot;`",
        "%%{x}%% \\l (set here)",
    ];
    assert_eq!(texts(&graph.svg())?, expected);
    let mermaid = "flowchart LR
  accTitle: The way of team
  accDescr: team comes to 0 of 1 object.
  n0[\"Cluster<br/>fleet/a#34;#93;#59; #60;b#62; #38; #91;c#93;<br/>metadata.labels#58; \
                   #60;/text#62;#65533;#38;amp#59; #96;#35;quot#59;#96; #37;#37;#123;x#125;#37;#37;<br/>#92;l (set here)\"]
  classDef foretold stroke-dasharray: 4 3
";
    assert_eq!(graph.mermaid(), mermaid);
    let dot = r#"digraph propagation {
  graph [rankdir=LR, labelloc=t, label="The way of team"];
  node [shape=box, fontname="monospace"];
  n0 [label="Cluster\lfleet/a\"]; <b> &amp; [c]\lmetadata.labels: </text>�&amp;amp; `#quot;` %%{x}%%\l\\l (set here)\l"];
}
"#;
    assert_eq!(graph.dot(), dot);
    Ok(())
}

#[test]
fn an_svg_has_a_title_and_a_description_and_points_nowhere() -> Result<()> {
    let svg = Graph::of(&example()?, Some("team")).svg();
    let elements = elements(&svg)?;
    let root = &elements[0];
    assert_eq!((root.attribute("role"), root.name.as_str()), ("img", "svg"));
    let named: Vec<&str> = root.attribute("aria-labelledby").split(' ').collect();
    let told: Vec<&str> = elements
        .iter()
        .filter(|element| named.contains(&element.attribute("id")))
        .map(|element| element.text.as_str())
        .collect();
    let expected = [
        "The way of team",
        "team comes to 7 of 11 objects. What comes is missing, or has another value, at 7 of them. Node c1-cp-0: not propagated: the key meets no criterion for Nodes. Node worker-1: \
         not propagated: the key meets no criterion for Nodes.",
    ];
    assert_eq!(told, expected);
    let reference = ["href", "url(", "@import", "<script", "<image", "<use"].iter().find(|word| svg.contains(**word));
    assert_eq!((reference, svg.matches("http").count()), (None, 1), "the one address is the namespace");
    Ok(())
}

/// Boxes lie within the picture, and none on another.
#[test]
fn boxes_do_not_overlap() -> Result<()> {
    let example = example()?;
    for key in [None, Some("team"), Some("runbook"), Some("node.cluster.x-k8s.io/pool")] {
        let elements = elements(&Graph::of(&example, key).svg())?;
        let (width, height) = (elements[0].number("width"), elements[0].number("height"));
        let boxes: Vec<[usize; 4]> = elements
            .iter()
            .filter(|element| element.attribute("class").starts_with("box"))
            .map(|element| {
                let [x, y, wide, high] = ["x", "y", "width", "height"].map(|name| element.number(name));
                [x, y, x + wide, y + high]
            })
            .collect();
        assert!(boxes.len() > 5);
        for (index, a) in boxes.iter().enumerate() {
            assert!(a[2] < width && a[3] < height, "{key:?} {a:?}");
            for b in &boxes[..index] {
                let is_apart = a[2] < b[0] || b[2] < a[0] || a[3] < b[1] || b[3] < a[1];
                assert!(is_apart, "{key:?} {a:?} {b:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_value_is_shortened_and_broken_into_lines() -> Result<()> {
    let text = format!(
        "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {{name: c1, annotations: {{note: {}}}}}\n",
        "長".repeat(70)
    );
    let svg = Graph::of(&world(text), Some("note")).svg();
    let expected = [
        "The way of note".to_owned(),
        "Cluster".to_owned(),
        "default/c1".to_owned(),
        "metadata.annotations:".to_owned(),
        "長".repeat(20),
        "長".repeat(20),
        format!("{}…", "長".repeat(19)),
        "(set here)".to_owned(),
    ];
    assert_eq!(texts(&svg)?, expected);
    Ok(())
}

#[test]
fn a_key_that_is_nowhere_makes_no_picture() -> Result<()> {
    assert!(Graph::of(&example()?, Some("nowhere")).is_empty());
    assert!(Graph::of(&world(String::new()), None).is_empty());
    Ok(())
}
