//! The contents and names of files.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use fleet::{CROSSPLANE_GROUP, ObjectId, Source, to_json};
use serde::Deserialize;

use crate::groups::{GroupKnowledge, knowledge};
use crate::renderers::is_renderer;

/// The text of one file, or why there is none.
pub(crate) fn text(file: &Path) -> Result<String, String> {
    let bytes = match file.to_str() {
        Some("-") => STDIN.get_or_init(stdin).clone()?,
        _ => std::fs::read(file).map_err(|error| error.to_string())?,
    };
    String::from_utf8(bytes).map_err(|error| format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}

/// Standard input, which can be read once only.
static STDIN: OnceLock<Result<Vec<u8>, String>> = OnceLock::new();

fn stdin() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes).map_err(|error| error.to_string())
}

/// A hash of the bytes of a file; the same for all that cannot be read.
pub(crate) fn hash(file: &Path) -> u64 {
    hash_of(&std::fs::read(file).unwrap_or_default())
}

/// A hash of bytes.
pub(crate) fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// What a file means for what is rendered from it.
#[derive(Debug, Clone)]
pub(crate) struct Meaning {
    /// A hash: of a manifest without comments and style.
    pub(crate) hash: u64,
    /// Whether it may have objects that a plan reads.
    pub(crate) is_relevant: bool,
    /// Kind and name of its objects, with the line where the document begins.
    pub(crate) objects: Vec<(String, String, usize)>,
}

impl Meaning {
    pub(crate) fn of_file(file: &Path) -> Meaning {
        let is_manifest = file.extension().is_some_and(|it| ["yaml", "yml", "json"].iter().any(|known| it == *known));
        let is_manifest = is_manifest || fleet::is_kustomization(&name(file));
        let text = if is_manifest { text(file).ok() } else { None };
        text.map_or_else(|| Meaning::of_bytes(hash(file)), |text| Meaning::of(&text))
    }

    fn of_bytes(hash: u64) -> Meaning {
        Meaning { hash, is_relevant: true, objects: Vec::new() }
    }

    /// Of a text of YAML; of its bytes if it is none.
    pub(crate) fn of(text: &str) -> Meaning {
        let whole = Source { name: String::new(), text: text.to_owned() };
        let mut json = Vec::new();
        for document in whole.documents() {
            let part = Source { name: String::new(), text: text.get(document.clone()).unwrap_or_default().to_owned() };
            let Ok(read) = to_json(&part) else { return Meaning::of_bytes(hash_of(text.as_bytes())) };
            // Comments and markers are before the object.
            let before = part.text.lines().take_while(|line| line.is_empty() || line.starts_with(['#', '-'])).count();
            let lines = text.get(..document.start).unwrap_or_default().matches('\n').count();
            json.push((read, lines + before + 1));
        }
        let heads: Vec<_> =
            json.iter().map(|(json, line)| (serde_json::from_str::<DocumentHead>(json), json, line)).collect();
        let is_relevant = heads.iter().any(|(head, json, _)| match head {
            Ok(head) => head.is_relevant(),
            Err(_) => *json != "null",
        });
        let objects = heads.iter().filter_map(|(head, _, line)| {
            let head = head.as_ref().ok()?;
            Some((head.kind.clone(), head.metadata.name.clone()?, **line))
        });
        let objects = objects.collect();
        let all: String = json.iter().flat_map(|(json, _)| [&**json, "\n"]).collect();
        Meaning { hash: hash_of(all.as_bytes()), is_relevant, objects }
    }
}

#[derive(Deserialize)]
struct DocumentHead {
    #[serde(rename = "apiVersion")]
    api_version: String,
    kind: String,
    #[serde(default)]
    metadata: DocumentName,
}

#[derive(Deserialize, Default)]
struct DocumentName {
    name: Option<String>,
}

impl DocumentHead {
    /// Whether it may have something to do with Machines: it is of a group that may, or has values for others.
    fn is_relevant(&self) -> bool {
        let group = self.api_version.split_once('/').map_or("", |(group, _)| group);
        let id = ObjectId::new(group, &self.kind, "", "");
        let is_of_core =
            group.is_empty() && ["ConfigMap", "List", "Namespace", "Node", "Secret"].contains(&&*self.kind);
        let is_harmless = knowledge(&id, &[]) == GroupKnowledge::Harmless && group != CROSSPLANE_GROUP;
        is_of_core || !is_harmless || is_renderer(&id)
    }
}

/// A path as it is printed: with slashes, without a leading `./`.
pub(crate) fn name(file: &Path) -> String {
    let name = file.display().to_string().replace('\\', "/");
    name.strip_prefix("./").map_or(name.clone(), str::to_owned)
}
