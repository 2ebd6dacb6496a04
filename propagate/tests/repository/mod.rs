//! A repository before and after a change, `testdata/repositories/NAME.txtar`: what is typed there and what is printed, then the
//! files, each after a line `-- before/PATH --` or `-- after/PATH --`. `after` has only the files that differ; an empty one is
//! deleted. `-- PATH -> TARGET --` is a symbolic link.

use std::fs;
use std::path::{Path, PathBuf};

/// The archive of a repository.
pub(crate) struct Repository {
    /// What is typed, and what is printed.
    pub(crate) session: String,
    /// Path and content; of a link only the path.
    pub(crate) files: Vec<(String, String)>,
}

/// The folder of the archives.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/repositories")
}

impl Repository {
    pub(crate) fn read(archive: &Path) -> Self {
        let (mut session, mut files) = (String::new(), Vec::<(String, String)>::new());
        for line in fs::read_to_string(archive).unwrap().lines() {
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

    /// Writes the files of one side over what is in the folder.
    pub(crate) fn write(&self, side: &str, folder: &Path) {
        for (path, content) in &self.files {
            let Some(path) = path.strip_prefix(side).and_then(|path| path.strip_prefix('/')) else { continue };
            let (path, link) = path.split_once(" -> ").map_or((path, None), |(path, link)| (path, Some(link)));
            let target = folder.join(path);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            if let Some(link) = link {
                let _ = fs::remove_file(&target);
                std::os::unix::fs::symlink(link, target).unwrap();
            } else if content.is_empty() {
                fs::remove_file(target).unwrap();
            } else {
                fs::write(target, content).unwrap();
            }
        }
    }

    /// The archive with another session.
    pub(crate) fn with_session(&self, session: &str) -> String {
        let files = self.files.iter().map(|(path, content)| format!("-- {path} --\n{content}"));
        [session.to_owned()].into_iter().chain(files).collect()
    }
}
