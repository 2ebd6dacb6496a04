//! What `propagate plan` says of cloud tags: an edit of some files, and everything that is printed. `BLESS=1` writes it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what tests are made of may fail like a test"
)]

#[expect(dead_code, reason = "nothing is typed in an archive here")]
mod archive;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use archive::Archive;

/// One case of a file.
///
/// Its first line is the name. Then follow `base:` with the files that are there before, of `base.txtar` or of
/// `examples/blueprints`; `settings:`, of `base.txtar`; and `flags:`. An edit has lines with `<` that are replaced by those with
/// `>`; with `s<` and `s>` in the settings. Without lines to replace, others are added at the end. What is printed follows
/// after `---`.
#[derive(Default)]
struct PlanCase {
    head: Vec<String>,
    base: Vec<String>,
    settings: String,
    flags: Vec<String>,
    edits: Vec<Edit>,
    expected: String,
}

#[derive(Default)]
struct Edit {
    is_of_settings: bool,
    from: Vec<String>,
    to: Vec<String>,
}

#[test]
fn edits_are_answered_as_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plan-tags");
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plan-tags");
    fs::create_dir_all(&scratch).unwrap();
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "txt"));
    files.sort();
    let base = Archive::read(&folder.join("base.txtar"));
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files {
        let mut blessed = String::new();
        for text in fs::read_to_string(&file).unwrap().split("=== ").skip(1) {
            let case = PlanCase::read(text);
            let found = case.answer(&base, &scratch);
            if found != case.expected {
                wrong.push(format!("{}\n{}---\n{found}", case.head.join("\n"), case.expected));
            }
            blessed += &format!("=== {}\n---\n{found}\n", case.head.join("\n"));
            count += 1;
        }
        if env::var_os("BLESS").is_some() {
            fs::write(&file, format!("{}\n", blessed.trim_end())).unwrap();
        }
    }
    assert!(env::var_os("BLESS").is_some() || wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 40, "{count}");
}

impl PlanCase {
    fn read(text: &str) -> PlanCase {
        let (head, expected) = text.split_once("\n---\n").unwrap_or((text, ""));
        let mut case = PlanCase { head: head.trim_end().lines().map(str::to_owned).collect(), ..PlanCase::default() };
        case.expected = format!("{}\n", expected.trim_end());
        for line in case.head.iter().skip(1) {
            let words = |rest: &str| rest.split_whitespace().map(str::to_owned).collect();
            if let Some(rest) = line.strip_prefix("base: ") {
                case.base = words(rest);
            } else if let Some(rest) = line.strip_prefix("settings: ") {
                case.settings = rest.to_owned();
            } else if let Some(rest) = line.strip_prefix("flags: ") {
                case.flags = words(rest);
            } else {
                let (is_of_settings, rest) = line.strip_prefix('s').map_or((false, &**line), |rest| (true, rest));
                let is_from = rest.starts_with('<');
                let begins = |edit: &Edit| edit.is_of_settings != is_of_settings || is_from && !edit.to.is_empty();
                if case.edits.last().is_none_or(begins) {
                    case.edits.push(Edit { is_of_settings, ..Edit::default() });
                }
                let edit = case.edits.last_mut().unwrap();
                let lines = if is_from { &mut edit.from } else { &mut edit.to };
                let content = rest.get(1..).unwrap();
                lines.push(content.strip_prefix(' ').unwrap_or(content).to_owned());
            }
        }
        case
    }

    /// The exit code, and what is printed.
    fn answer(&self, base: &Archive, scratch: &Path) -> String {
        let blueprints = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/blueprints");
        let text = |name: &String| {
            let file = format!("{name}.yaml");
            let found = base.files.iter().find(|(path, _)| *path == file);
            let read = || fs::read_to_string(blueprints.join(&file)).unwrap_or_else(|error| panic!("{name}: {error}"));
            found.map_or_else(read, |(_, text)| text.clone())
        };
        let before = self.base.iter().map(text).collect::<Vec<_>>().join("---\n");
        let settings = text(&self.settings);
        let texts = [
            ("old.yaml", before.clone()),
            ("new.yaml", self.edited(before, false)),
            ("old-settings.yaml", settings.clone()),
            ("settings.yaml", self.edited(settings, true)),
        ];
        texts.iter().for_each(|(name, text)| fs::write(scratch.join(name), text).unwrap());
        let mut plan = Command::new(env!("CARGO_BIN_EXE_propagate"));
        plan.args([
            "plan",
            "old.yaml",
            "new.yaml",
            "--settings",
            "settings.yaml",
            "--old-settings",
            "old-settings.yaml",
        ]);
        let output = plan.args(&self.flags).current_dir(scratch).env("NO_COLOR", "1").output().unwrap();
        let [out, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let lines = format!("? {}\n{errors}{out}", output.status.code().unwrap());
        // An empty line would be the end of a case.
        format!("{}\n", lines.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n"))
    }

    fn edited(&self, text: String, is_of_settings: bool) -> String {
        self.edits.iter().filter(|edit| edit.is_of_settings == is_of_settings).fold(
            text,
            |text, Edit { from, to, .. }| {
                let [from, to] = [from, to].map(|lines| lines.join("\n"));
                if from.is_empty() {
                    return format!("{text}---\n{to}\n");
                }
                assert!(text.contains(&from), "{}: {from}", self.head[0]);
                text.replace(&from, &to)
            },
        )
    }
}
