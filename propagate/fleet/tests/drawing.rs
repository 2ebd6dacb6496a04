//! Pictures say what `Hierarchy` says, whatever objects are called.

use anyhow::{Result, ensure};
use fleet::{Fleet, Graph, Hierarchy, Source};
use metadata_propagation::Settings;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

fn hierarchy(text: String) -> Hierarchy {
    let fleet = Fleet::read(vec![Source { name: "a.yaml".to_owned(), text }]);
    Hierarchy::of(&fleet, &Settings::default())
}

fn example() -> Result<Hierarchy> {
    Ok(hierarchy(std::fs::read_to_string(testkit::root().join("examples/fleet.yaml"))?))
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
        let name = start.name().as_ref().to_owned();
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute?;
            let value = attribute.value.into_owned();
            attributes.push((attribute.key.as_ref().to_owned(), unescape(&value)?.into_owned()));
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
                    element.text += &text;
                }
            }
            Event::GeneralRef(name) => {
                if let Some(element) = open.last().and_then(|open| elements.get_mut(*open)) {
                    element.text += &unescape(&format!("&{};", &*name))?;
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
    let graph = Graph::of(&hierarchy(HOSTILE.to_owned()), Some("team"), None);
    let expected = [
        "Propagation path of team",
        "Cluster",
        "fleet/a\"]; <b> & [c]",
        "metadata.labels: </text>\u{fffd}&amp; `#quot;`",
        "%%{x}%% \\l (set here)",
        // The legend.
        "Cluster",
    ];
    assert_eq!(texts(&graph.svg())?, expected);
    let mermaid = "flowchart LR
  accTitle: Propagation path of team
  accDescr: team propagates to 0 of 1 object.
  n0[\"Cluster<br/>fleet/a#34;#93;#59; #60;b#62; #38; #91;c#93;<br/>metadata.labels#58; \
                   #60;/text#62;#65533;#38;amp#59; #96;#35;quot#59;#96; #37;#37;#123;x#125;#37;#37;<br/>#92;l (set here)\"]
";
    assert_eq!(graph.mermaid(), mermaid);
    let dot = r#"digraph propagation {
  graph [rankdir=LR, labelloc=t, label="Propagation path of team"];
  node [shape=box, fontname="monospace"];
  n0 [label="Cluster\lfleet/a\"]; <b> &amp; [c]\lmetadata.labels: </text>�&amp;amp; `#quot;` %%{x}%%\l\\l (set here)\l"];
}
"#;
    assert_eq!(graph.dot(), dot);
    Ok(())
}

#[test]
fn an_svg_has_a_title_and_a_description_and_points_nowhere() -> Result<()> {
    let svg = Graph::of(&example()?, Some("team"), None).svg();
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
        "Propagation path of team",
        "team propagates to 7 of 11 objects. 7 of them lack a propagated entry or have a different value. Node c1-cp-0: not propagated: the key meets none of the criteria for syncing to Nodes. Node worker-1: \
         not propagated: the key meets none of the criteria for syncing to Nodes.",
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
        let elements = elements(&Graph::of(&example, key, None).svg())?;
        let (width, height) = (elements[0].number("width"), elements[0].number("height"));
        let boxes: Vec<[usize; 4]> = elements
            .iter()
            .filter(|element| element.attribute("class").starts_with("box") && element.number("width") > 60)
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
    let svg = Graph::of(&hierarchy(text), Some("note"), None).svg();
    let expected = [
        "Propagation path of note".to_owned(),
        "Cluster".to_owned(),
        "default/c1".to_owned(),
        "metadata.annotations:".to_owned(),
        "長".repeat(20),
        "長".repeat(20),
        format!("{}…", "長".repeat(19)),
        "(set here)".to_owned(),
        "Cluster".to_owned(),
    ];
    assert_eq!(texts(&svg)?, expected);
    Ok(())
}

/// The words of the legend, below all objects.
fn legend(svg: &str) -> Result<Vec<String>> {
    let elements = elements(svg)?;
    let is_box = |element: &&Element| element.attribute("class").starts_with("box") && element.number("width") > 60;
    let bottom = elements.iter().filter(is_box).map(|element| element.number("y") + element.number("height")).max();
    let below = elements.iter().filter(|element| element.name == "text" && Some(element.number("y")) > bottom);
    Ok(below.map(|element| element.text.clone()).collect())
}

#[test]
fn the_legend_has_what_the_picture_has_and_nothing_else() -> Result<()> {
    let fleet = legend(&Graph::of(&example()?, Some("team"), None).svg())?;
    let expected = [
        "propagates",
        "propagates, but is missing or different",
        "does not propagate",
        "predicted: created by controllers",
        "end of a path",
        "class or template",
        "Cluster",
        "control plane",
        "set of Machines",
        "Machine",
        "infrastructure or bootstrap configuration",
        "Node",
    ];
    assert_eq!(fleet, expected);
    let one = "apiVersion: v1\nkind: Node\nmetadata: {name: a-node-with-a-name, labels: {team: red}}\n";
    let one = legend(&Graph::of(&hierarchy(one.to_owned()), Some("team"), None).svg())?;
    assert_eq!(one, ["end of a path", "Node"]);
    Ok(())
}

#[test]
fn a_line_to_what_is_missing_is_no_arrow() -> Result<()> {
    let mermaid = Graph::of(&example()?, Some("team"), None).mermaid();
    let missing = mermaid.lines().filter(|line| line.contains("(missing)") && line.contains('['));
    let nodes: Vec<&str> = missing.filter_map(|line| line.trim_start().split('[').next()).collect();
    let lines: Vec<&str> =
        nodes.iter().filter_map(|node| mermaid.lines().find(|line| line.ends_with(&format!(" {node}")))).collect();
    let expected = ["  n1 -.-o n2", "  n2 -.-o n3", "  n1 -.-o n5", "  n5 -.-o n6", "  n6 -.-o n7", "  n6 -.-o n9"];
    assert_eq!(lines, expected);
    Ok(())
}

#[test]
fn many_equal_siblings_are_one_box_and_what_differs_is_another() -> Result<()> {
    let machines = (0..200).map(|number| {
        let team = if number < 7 { "" } else { "team: red" };
        format!(
            "---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: Machine\nmetadata: {{name: m-{number}, namespace: a, \
             labels: {{{team}}}, ownerReferences: [{{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: ms, \
             uid: u, controller: true}}]}}\nspec: {{clusterName: c}}\n"
        )
    });
    let set = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineSet\nmetadata: {name: ms, namespace: a, uid: u}\n\
               spec: {clusterName: c, template: {metadata: {labels: {team: red}}}}\n";
    let svg = Graph::of(&hierarchy(set.to_owned() + &machines.collect::<String>()), Some("team"), None).svg();
    let heads: Vec<String> = texts(&svg)?.into_iter().filter(|text| text.contains("similar Machines")).collect();
    assert_eq!(heads, ["7 similar Machines", "193 similar Machines"]);
    Ok(())
}

#[test]
fn only_the_chosen_objects_are_drawn_with_what_is_above_and_below() -> Result<()> {
    let hierarchy = example()?;
    let members = hierarchy.members().iter().enumerate();
    let chosen: Vec<usize> =
        members.filter(|(_, member)| member.id.kind == "MachineSet").map(|(number, _)| number).collect();
    let svg = Graph::of(&hierarchy, Some("team"), Some(&chosen)).svg();
    let elements = elements(&svg)?;
    let kinds: Vec<&str> = elements
        .iter()
        .filter(|element| element.attribute("class") == "kind")
        .map(|element| element.text.as_str())
        .collect();
    let expected = [
        "ClusterClass",
        "Cluster",
        "MachineDeployment",
        "MachineSet",
        "KubeadmConfig",
        "DevMachine",
        "Machine",
        "Node",
    ];
    assert_eq!(kinds, expected);
    assert!(svg.contains("MachineSet fleet/c1-md0-x7k2p. Propagation path of team"));
    Ok(())
}

#[test]
fn a_key_that_is_nowhere_makes_no_picture() -> Result<()> {
    assert!(Graph::of(&example()?, Some("nowhere"), None).is_empty());
    assert!(Graph::of(&hierarchy(String::new()), None, None).is_empty());
    Ok(())
}
