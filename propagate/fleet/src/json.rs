//! A tree as JSON text.

use crate::problem::messages;
use crate::scalar::Scalar;
use crate::tree::{Id, NodeContent, Tree, TreeFault, Twice};

/// The maximum nesting of a document: readers of the JSON have such a limit too.
const DEEPEST: usize = 100;

/// How many bytes of JSON a document may become beyond a multiple of its length: aliases multiply.
const ALLOWANCE: usize = 2 << 20;

/// A document as JSON.
#[derive(Default)]
pub(crate) struct DocumentJson {
    pub(crate) text: String,
    /// Duplicate keys.
    pub(crate) twice: Vec<Twice>,
}

/// The JSON of a node of a tree that was read from a number of bytes.
///
/// # Errors
/// When JSON has no such value, or the document is too deep or too large.
pub(crate) fn json(tree: &Tree<'_>, root: Id, length: usize) -> Result<DocumentJson, TreeFault> {
    let most = length.saturating_mul(5).saturating_add(ALLOWANCE);
    let mut writer = DocumentWriter { tree, out: Vec::with_capacity(length), most, work: most, twice: Vec::new() };
    writer.value(root, 0)?;
    let DocumentWriter { out, mut twice, .. } = writer;
    twice.sort_by_key(|twice| twice.at);
    twice.dedup_by_key(|twice| twice.at);
    let text = String::from_utf8(out).map_err(|error| TreeFault { message: error.to_string(), at: 0 })?;
    Ok(DocumentJson { text, twice })
}

struct DocumentWriter<'w> {
    tree: &'w Tree<'w>,
    out: Vec<u8>,
    most: usize,
    work: usize,
    twice: Vec<Twice>,
}

impl DocumentWriter<'_> {
    fn value(&mut self, id: Id, depth: usize) -> Result<(), TreeFault> {
        let at = self.tree.written(id).map_or(0, |node| node.span.start);
        let fault = |message: String| Err(TreeFault { message, at });
        if depth > DEEPEST {
            return fault(messages::too_deep(DEEPEST));
        }
        if self.out.len() > self.most {
            return fault(messages::too_large());
        }
        match self.tree.node(id).map(|node| &node.kind) {
            Some(NodeContent::Scalar(Scalar::Text(text))) => self.string(text),
            Some(NodeContent::Scalar(Scalar::Number(number))) => self.out.extend(number.as_bytes()),
            Some(NodeContent::Scalar(Scalar::Bool(true))) => self.out.extend(b"true"),
            Some(NodeContent::Scalar(Scalar::Bool(false))) => self.out.extend(b"false"),
            Some(NodeContent::Scalar(Scalar::NotFinite)) => return fault(messages::NOT_FINITE.to_owned()),
            Some(NodeContent::List(elements)) => {
                self.out.push(b'[');
                for (index, element) in elements.iter().enumerate() {
                    self.comma(index);
                    self.value(*element, depth + 1)?;
                }
                self.out.push(b']');
            }
            Some(NodeContent::Map(_)) => {
                self.out.push(b'{');
                let fields = self.tree.fields(id, &mut self.twice, &mut self.work)?;
                for (index, field) in fields.iter().enumerate() {
                    self.comma(index);
                    self.string(&field.name);
                    self.out.push(b':');
                    self.value(field.value, depth + 1)?;
                }
                self.out.push(b'}');
            }
            Some(NodeContent::Scalar(Scalar::Null) | NodeContent::Alias(_)) | None => self.out.extend(b"null"),
        }
        Ok(())
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push(b',');
        }
    }

    fn string(&mut self, text: &str) {
        let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
        if text.bytes().all(is_plain) {
            self.out.push(b'"');
            self.out.extend(text.as_bytes());
            self.out.push(b'"');
        } else {
            self.out.extend(serde_json::to_string(text).unwrap_or_default().as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, TreeFault> {
        let tree = Tree::read(text).unwrap();
        json(&tree, tree.root().unwrap(), text.len()).map(|json| json.text)
    }

    #[test]
    fn every_kind_of_value_is_json() {
        for (yaml, expected) in [
            (
                "a: 1\nb: [x, 'y', \"z\\n\"]\nc:\n- ~\n- {d: on}\n",
                r#"{"a":1,"b":["x","y","z\n"],"c":[null,{"d":true}]}"#,
            ),
            ("1: a\ntrue: b\n'q\"': c\n", r#"{"1":"a","true":"b","q\"":"c"}"#),
            ("a: |\n  x\n  y\nb: >-\n  x\n  y\n", r#"{"a":"x\ny\n","b":"x y"}"#),
            ("a: !!str 1\nb: !!int \"2\"\nc: ! 3\nd: !own 4\n", r#"{"a":"1","b":2,"c":"3","d":"4"}"#),
        ] {
            assert_eq!(read(yaml).as_deref(), Ok(expected), "{yaml}");
        }
    }

    #[test]
    fn aliases_and_merges_are_resolved() {
        for (yaml, expected) in [
            ("a: &x {b: 1}\nc: *x\nd: [*x]\n", r#"{"a":{"b":1},"c":{"b":1},"d":[{"b":1}]}"#),
            ("x: &x {b: 1, c: 2}\no:\n  <<: *x\n  c: 3\n", r#"{"x":{"b":1,"c":2},"o":{"c":3,"b":1}}"#),
            (
                "x: &x {b: 1}\nz: &z {b: 2, d: 4}\no:\n  <<: [*x, *z]\n",
                r#"{"x":{"b":1},"z":{"b":2,"d":4},"o":{"b":1,"d":4}}"#,
            ),
        ] {
            assert_eq!(read(yaml).as_deref(), Ok(expected), "{yaml}");
        }
    }

    #[test]
    fn of_a_repeated_key_the_last_one_counts_and_is_reported() {
        let text = "a: 1\nb: 2\na: 3\n";
        let tree = Tree::read(text).unwrap();
        let json = json(&tree, tree.root().unwrap(), text.len()).unwrap();
        assert_eq!(json.text, r#"{"a":3,"b":2}"#);
        assert_eq!(json.twice.iter().map(|twice| (&*twice.key, twice.at)).collect::<Vec<_>>(), [("a", 10)]);
        let many: String = (0..40).map(|key| format!("k{key}: {key}\n")).collect();
        assert_eq!(read(&(many.clone() + "k3: x\n")).unwrap().matches("\"k3\"").count(), 1);
    }

    #[test]
    fn what_json_cannot_hold_is_a_fault() {
        let deep = "[".repeat(120) + &"]".repeat(120);
        let mut bomb = "a: &a [xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx]\n".to_owned();
        let mut merges = "a: &a {k: v}\n".to_owned();
        for (name, of) in ('b'..='j').zip('a'..='i') {
            bomb += &format!("{name}: &{name} [{}]\n", vec![format!("*{of}"); 10].join(","));
            merges += &format!("{name}: &{name}\n  <<: [{}]\n", vec![format!("*{of}"); 12].join(","));
        }
        for (yaml, message, at) in [
            ("a: .inf", messages::NOT_FINITE.to_owned(), 3),
            ("~: a", messages::KEY_NO_TEXT.to_owned(), 0),
            ("a: 1\n<<: b", messages::MERGE_OF_NO_MAP.to_owned(), 5),
            (&*deep, messages::too_deep(DEEPEST), 101),
        ] {
            assert_eq!(read(yaml), Err(TreeFault { message, at }), "{yaml}");
        }
        for yaml in [&bomb, &merges] {
            assert_eq!(read(yaml).unwrap_err().message, messages::too_large());
        }
    }
}
