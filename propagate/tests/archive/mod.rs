//! A test in one file, `NAME.txtar`: what is typed and what is printed, then the files that are read, each after a line `-- PATH --`.
//! `-- PATH -> TARGET --` is a symbolic link.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Archive {
    /// What is typed, and what is printed.
    pub(crate) session: String,
    /// Path and content; of a link only the path.
    pub(crate) files: Vec<(String, String)>,
}

impl Archive {
    pub(crate) fn read(file: &Path) -> Self {
        Self::parse(&fs::read_to_string(file).unwrap())
    }

    pub(crate) fn parse(text: &str) -> Self {
        let (mut session, mut files) = (String::new(), Vec::<(String, String)>::new());
        for line in text.lines() {
            if let Some(path) = line.strip_prefix("-- ").and_then(|line| line.strip_suffix(" --")) {
                files.push((path.to_owned(), String::new()));
            } else {
                let content = files.last_mut().map_or(&mut session, |(_, content)| content);
                *content += line;
                content.push('\n');
            }
        }
        Self { session, files }
    }

    /// Writes the files whose paths begin with `side` over what is in a folder. One without content deletes the file that is there.
    pub(crate) fn write(&self, side: &str, folder: &Path) {
        for (path, content) in &self.files {
            let Some(path) = path.strip_prefix(side) else { continue };
            let (path, link) = path.split_once(" -> ").map_or((path, None), |(path, link)| (path, Some(link)));
            let target = folder.join(path);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            if let Some(link) = link {
                let _ = fs::remove_file(&target);
                #[cfg(unix)]
                std::os::unix::fs::symlink(link, target).unwrap();
            } else if content.is_empty() && target.exists() {
                fs::remove_file(target).unwrap();
            } else {
                fs::write(target, content).unwrap();
            }
        }
    }

    /// Writes the files of an archive of `tests/cmd` into a folder of their own.
    pub(crate) fn unpack(session: &str, name: &str) -> PathBuf {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd").join(session).with_extension("txtar");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        Self::read(&file).write("", &folder);
        folder
    }

    /// The archive with another session.
    pub(crate) fn with_session(&self, session: &str) -> String {
        let files = self.files.iter().map(|(path, content)| format!("-- {path} --\n{content}"));
        [session.to_owned()].into_iter().chain(files).collect()
    }
}
