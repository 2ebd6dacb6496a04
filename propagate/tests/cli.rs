//! Golden sessions: what is typed, what is printed, and how it ends. `TRYCMD=overwrite` rewrites what is printed.
#![expect(clippy::unwrap_used, reason = "what tests are made of may fail like a test")]

mod archive;
mod deployed;

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use archive::Archive;
use deployed::with_version;

/// The sessions of `tests/cmd`, each in a folder of its own in `target/tmp/cmd`, with its files.
#[test]
fn sessions_print_what_is_written_down() {
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cmd");
    let _ = fs::remove_dir_all(&scratch);
    fs::create_dir_all(&scratch).unwrap();
    let cases = trycmd::TestCases::new();
    cases.env("KUBECONFIG", "none");
    let mut typed = Vec::new();
    for file in fs::read_dir(sessions).unwrap().map(|entry| entry.unwrap().path()) {
        // Standard input is only in TOML, with a folder of files beside it.
        if file.is_dir() {
            continue;
        }
        if file.extension().is_some_and(|it| it == "toml") {
            cases.case(file);
            continue;
        }
        assert!(file.extension().is_some_and(|it| it == "txtar"), "{}: a session is NAME.txtar", file.display());
        let archive = Archive::read(&file);
        let session = scratch.join(file.file_name().unwrap()).with_extension("trycmd");
        archive.write("", &session.with_extension("in"));
        fs::write(&session, &archive.session).unwrap();
        cases.case(&session);
        typed.push((file, archive, session));
    }
    cases.run();
    for (file, archive, session) in typed {
        let printed = fs::read_to_string(session).unwrap();
        if printed != archive.session {
            fs::write(file, archive.with_session(&printed)).unwrap();
        }
    }
}

/// The blocks of these pages are typed at the root of the repository, or in the folder of an archive, which has the files that
/// verification/scripts/dist.sh copies; here in a folder with the examples.
#[test]
fn the_pages_show_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    let ten_minutes = folder.join("first-ten-minutes.in");
    fs::create_dir_all(&ten_minutes).unwrap();
    for name in ["fleet.yaml", "shop.yaml", "edited-shop.yaml"] {
        fs::copy(root.join("examples").join(name), ten_minutes.join(name)).unwrap();
    }

    let quick_start = folder.join("replace.in");
    fs::create_dir_all(&quick_start).unwrap();
    let class = fs::read_to_string(root.join("examples/quick-start/class.yaml")).unwrap();
    let default =
        "name: etcdImageTag\n      required: true\n      schema: { openAPIV3Schema: { type: string, default: \"";
    for (name, from, to) in [
        ("class", "", ""),
        ("images", "preLoadImages, value: []", "preLoadImages, value: [kindest/etcd]"),
        ("wrong", "preLoadImages, value: []", "preLoadImages, value: kindest/etcd"),
        ("etcd", "value: 3.6.0", "value: 3.6.1"),
        ("default", default, &format!("{default}3.6.1")),
    ] {
        assert!(class.contains(from), "{name}");
        let edited = if from.is_empty() { class.clone() } else { class.replace(from, to) };
        fs::write(quick_start.join(format!("{name}.yaml")), edited).unwrap();
    }

    let managers = fs::read_to_string(root.join("propagate/tests/doctor/managers.yaml")).unwrap();
    let managers = with_version(&managers).replace("namespace: capi-system", "namespace: cluster-api");
    let pages = ["cli-check.md", "cli-plan.md", "cli-policy.md", "cli-repair.md", "first-ten-minutes.md", "replace.md"];
    for page in pages.iter().filter_map(|page| page.strip_prefix("cli-")?.strip_suffix(".md")) {
        let repository = folder.join(format!("cli-{page}.in"));
        for of in ["examples", "examples/cases", "deploy"] {
            fs::create_dir_all(repository.join(of)).unwrap();
            for entry in fs::read_dir(root.join(of)).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    fs::copy(&path, repository.join(of).join(path.file_name().unwrap())).unwrap();
                }
            }
        }
        fs::write(repository.join("managers.yaml"), &managers).unwrap();
    }

    let cases = trycmd::TestCases::new();
    cases.env("KUBECONFIG", "none");
    for page in pages {
        fs::copy(root.join("docs").join(page), folder.join(page)).unwrap();
        cases.case(folder.join(page));
    }
    cases.run();
    if env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        for page in pages {
            fs::copy(folder.join(page), root.join("docs").join(page)).unwrap();
        }
    }
}

/// propagate/README.md shows what `propagate` prints about examples/shop.yaml, between `<!-- propagate: ARGUMENTS -->` and
/// `<!-- propagate: end -->`: Markdown as a quotation, text as a block.
#[test]
fn the_readme_shows_what_is_printed() {
    const BEGIN: &str = "<!-- propagate: ";
    const END: &str = "<!-- propagate: end -->";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");

    let readme = fs::read_to_string(root.join("propagate/README.md")).unwrap();
    let (mut expected, mut rest, mut shown) = (String::new(), &*readme, 0);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (arguments, after) = after.split_once(" -->\n").unwrap();
        let (_, after) = after.split_once(END).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_propagate"));
        command
            .current_dir(&root)
            .args(arguments.split(' '))
            .env("KUBECONFIG", "none")
            .env_remove("PROPAGATE_SETTINGS");
        let output = command.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments}");
        let printed = String::from_utf8(output.stdout).unwrap();
        let printed = if arguments.ends_with("markdown") {
            printed.trim_end().lines().map(|line| format!("> {line}").trim_end().to_owned() + "\n").collect()
        } else {
            format!("```text\n$ propagate {arguments}\n{}\n```\n", printed.trim_end())
        };
        expected += &format!("{before}{BEGIN}{arguments} -->\n\n{printed}\n{END}");
        (rest, shown) = (after, shown + 1);
    }
    expected += rest;
    assert_eq!(shown, 3);
    if env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        fs::write(root.join("propagate/README.md"), &expected).unwrap();
    } else {
        assert_eq!(readme, expected);
    }
}

/// What the examples and the manifests of the pages show can be applied.
#[test]
fn no_example_is_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manifests");
    fs::create_dir_all(&folder).unwrap();
    let mut files = Vec::new();
    for of in ["examples", "examples/quick-start", "examples/blueprints", "deploy"] {
        let entries = fs::read_dir(root.join(of)).unwrap().map(|entry| entry.unwrap().path());
        files.extend(entries.filter(|path| path.is_dir() || path.extension().is_some_and(|it| it == "yaml")));
    }
    files.retain(|path| path.is_file() || path.parent().is_some_and(|above| above.ends_with("blueprints")));
    for page in fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()) {
        let is_page = page.extension().is_some_and(|it| it == "md");
        let text = if is_page { fs::read_to_string(&page).unwrap() } else { String::new() };
        for (number, block) in text.split("```yaml manifest\n").skip(1).enumerate() {
            let name = format!("{}-{number}.yaml", page.file_stem().unwrap().to_string_lossy());
            fs::write(folder.join(&name), block.split("```").next().unwrap()).unwrap();
            files.push(folder.join(name));
        }
    }
    assert!(files.len() > 15, "{files:?}");
    for file in files {
        let mut command = Command::new(env!("CARGO_BIN_EXE_propagate"));
        command.env("KUBECONFIG", "none").env_remove("PROPAGATE_SETTINGS").args(["check", "--output", "github"]);
        let printed = String::from_utf8(command.arg(&file).output().unwrap().stdout).unwrap();
        let refused: Vec<&str> = printed.lines().filter(|line| line.contains("title=refused")).collect();
        assert_eq!(refused, Vec::<&str>::new(), "{}", file.display());
    }
}

/// What kwctl takes. `TRYCMD=overwrite` rewrites the expected files.
#[test]
fn a_session_is_a_request_and_the_answers_to_its_lookups() {
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/session");
    let folder = Archive::unpack("session", "session");
    let mut command = Command::new(env!("CARGO_BIN_EXE_propagate"));
    command.current_dir(&folder).args(["session", "MachineSet/c1-md0-x7k2p", "-f", "fleet.yaml", "--directory", "."]);
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr)), (Some(0), "".into()));
    for name in ["request.json", "session.yml"] {
        let (written, expected) = (fs::read_to_string(folder.join(name)).unwrap(), expected.join(name));
        if env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
            fs::write(&expected, &written).unwrap();
        }
        assert_eq!(written, fs::read_to_string(expected).unwrap(), "{name}");
    }
}

/// The exit code of the program in a folder, and what it prints.
fn propagate(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_propagate"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn files_are_written_in_place_and_named() {
    let folder = Archive::unpack("apply", "apply");
    let run = |arguments: &[&str]| propagate(&folder, arguments);
    assert_eq!(run(&["apply", "--in-place", "machines.yaml"]), (Some(0), "machines.yaml\n".to_owned()));
    let clean = "3 of 3 objects checked: nothing found\n".to_owned();
    assert_eq!(run(&["check", "machines.yaml"]), (Some(0), clean));
    assert_eq!(run(&["apply", "--in-place", "machines.yaml", "clean.yaml"]), (Some(0), String::new()));
}

#[test]
fn answers_are_written_into_cases_and_named() {
    let folder = Archive::unpack("test", "cases").join("cases");
    let run = |arguments: &[&str]| propagate(&folder, arguments);
    let before = fs::read_to_string(folder.join("new.yaml")).unwrap();
    assert_eq!(run(&["test", "--write"]), (Some(0), "differs.yaml\nnew.yaml\n".to_owned()));
    assert_eq!(run(&["test"]), (Some(0), "4 cases: 4 passed\n".to_owned()));
    assert_eq!(run(&["test", "--write"]), (Some(0), String::new()));
    let expect = "expect:\n  accepted: true\n  inert: no-owner\n  patch: []\n";
    assert_eq!(fs::read_to_string(folder.join("new.yaml")).unwrap(), before + expect);
    fs::write(folder.join("json.json"), r#"{"review": {"operation": "CREATE", "username": "a", "object": {}}}"#)
        .unwrap();
    let refused = "error: json.json: cannot write `expect`: it must be the last key of a case in YAML's block style\n";
    assert_eq!(run(&["test", "--write"]), (Some(2), refused.to_owned()));
}

/// `propagate check | head` ends without a word.
#[test]
fn a_pipe_that_nobody_reads_on_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_propagate"))
        .args(["settings", "--schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr)), (Some(0), "".into()));
}

#[test]
fn a_kustomization_needs_a_program_on_the_path() {
    let folder = Archive::unpack("kinds", "kustomization");
    let mut command = Command::new(env!("CARGO_BIN_EXE_propagate"));
    command.current_dir(&folder).env("PATH", &folder).args([
        "check",
        "--kustomize",
        "overlays/prod",
        "--output",
        "json",
    ]);
    let output = command.output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let missing = "cannot read `overlays/prod`: `--kustomize` needs `kustomize` or `kubectl` on the PATH";
    assert!(output.status.code() == Some(2) && printed.contains(missing), "{printed}");
}

#[test]
fn a_plan_as_json_is_what_its_schema_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let schema = fs::read_to_string(root.join("../docs/plan.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    for (archive, arguments) in [
        ("plan", ["old", "new"]),
        ("plan", ["before.yaml", "after.yaml"]),
        ("plan", ["templates-before.yaml", "templates-after.yaml"]),
        ("plan", ["stored.yaml", "stored-deleted.yaml"]),
        ("plan", ["stored.yaml", "stored-later.yaml"]),
        ("plan", ["upgrade-before.yaml", "upgrade-without-machine.yaml"]),
        ("topology", ["before.yaml", "variable.yaml"]),
        ("beside", ["rule.yaml", "rule-new.yaml"]),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_propagate"));
        command.current_dir(Archive::unpack(archive, archive)).args(["plan", "--output", "json"]);
        let output = command.args(arguments).output().unwrap();
        let plan = serde_json::from_slice(&output.stdout).unwrap();
        let errors: Vec<String> = schema.iter_errors(&plan).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{arguments:?}");
    }
}
