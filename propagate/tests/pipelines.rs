//! The steps of docs/pipelines.md, as a pipeline runs them: in a repository with a change, where `curl` and `gh` write down what they
//! are asked.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what tests are made of may fail like a test")]

mod kustomize;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

const ARCHIVE: &str = "propagate-v0.1.0-x86_64-unknown-linux-musl";
const DOWNLOAD: &str = "curl --fail --silent --show-error --location \
    https://github.com/plexsphere/metadata-propagation-policy/releases/download/v0.1.0/\
    propagate-v0.1.0-x86_64-unknown-linux-musl.tar.gz\n";

/// What both pipelines comment.
const PLAN: &str = "\
**propagate plan**: replaces 0 Machines, deletes 0, relabels 5 objects

| object | effect | path |
|---|---|---|
| `ClusterClass default/standard` | in place | `spec.workers.machineDeployments[worker].metadata.labels` |

<details><summary>Labels and annotations</summary>

```diff
  ClusterClass default/standard
! spec.workers.machineDeployments[worker].metadata.labels team=payments (was platform)
  MachineDeployment default/prod-md0-* (predicted)
! metadata.labels team=payments (was platform)
! spec.template.metadata.labels team=payments (was platform)
  MachineSet default/prod-md0-* (predicted)
! metadata.labels team=payments (was platform)
! spec.template.metadata.labels team=payments (was platform)
  Machine default/prod-md0-* (predicted)
! metadata.labels team=payments (was platform)
```

</details>
";

const CLASS: &str = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: ClusterClass\nmetadata: { name: standard }\n\
    spec: { workers: { machineDeployments: [{ class: worker, metadata: { labels: { team: platform } } }] } }\n";

const CLUSTER: &str = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: { name: prod }\n\
    spec:\n  topology:\n    classRef: { name: standard }\n    version: v1.34.2\n    \
    workers: { machineDeployments: [{ name: md0, class: worker, replicas: 3 }] }\n";

#[test]
fn the_workflow_for_github_comments_the_plan_and_uploads_the_findings() {
    let runner = Runner::new("github");
    // The Machines, which lack the new value, are not in the repository.
    assert_eq!(runner.workflow(&[], |run| run.to_owned()), [0, 0, 0, 0], "{}", runner.printed());
    let comment = "gh pr comment 17 --edit-last --create-if-none --body-file plan.md\n";
    assert_eq!(runner.asked(), format!("{}{comment}", downloads("v0.1.0")));
    assert_eq!(runner.read("plan.md"), PLAN);
    assert_eq!(fs::read_to_string(runner.home.join("summary")).unwrap(), PLAN);
    assert!(runner.read("propagate.sarif").contains("\"results\": []"), "{}", runner.read("propagate.sarif"));
}

#[test]
fn the_action_runs_no_archive_that_is_not_the_releases() {
    let runner = Runner::new("changed-archive");
    fs::write(runner.home.join("checksums.txt"), format!("{}  {ARCHIVE}.tar.gz\n", "0".repeat(64))).unwrap();
    assert_eq!(runner.action("v0.1.0", &[]), [1]);
    fs::write(runner.home.join("checksums.txt"), "").unwrap();
    assert_eq!(runner.action("v0.1.0", &[]), [2]);
    assert!(runner.printed().contains("does not list"), "{}", runner.printed());
}

#[test]
fn the_action_needs_a_release_and_two_revisions() {
    let runner = Runner::new("inputs");
    assert_eq!(runner.action("main", &[]), [2]);
    assert!(runner.printed().contains("`main` is no release"), "{}", runner.printed());
    assert_eq!(runner.action("main", &[("version", "v0.1.0")]), [0, 0], "{}", runner.printed());
    // A colleague's commit on the branch that the change is for.
    let colleague = "git checkout --quiet -B other origin/main && git rm --quiet -r clusters && git commit --quiet --message colleague \
        && git update-ref refs/remotes/origin/main HEAD && git checkout --quiet main";
    assert_eq!(runner.run(colleague, &[]), 0, "{}", runner.printed());
    assert_eq!(runner.action("v0.1.0", &[]), [0, 0], "{}", runner.printed());
    assert_eq!(runner.read("propagate-plan.md"), PLAN);
    assert_eq!(runner.action("v0.1.0", &[("paths", "clusters/class.yaml\nclusters/prod.yaml\n")]), [0, 0]);
    assert_eq!(runner.read("propagate-plan.md"), PLAN);
    assert_eq!(runner.action("v0.1.0", &[("base", "origin/gone")]), [0, 2]);
    assert!(runner.printed().contains("fetch-depth: 0"), "{}", runner.printed());
    assert_eq!(
        runner.action("v0.1.0", &[("fail-on", "cannot-tell"), ("comment-file", "other.md")]),
        [0, 0],
        "{}",
        runner.printed()
    );
    assert_eq!(runner.read("other.md"), PLAN);
}

#[test]
fn the_job_for_gitlab_comments_the_plan_and_reports_tests() {
    let job = block("gitlab")["labels"].take();
    let runner = Runner::new("gitlab");
    let variables = [
        ("CI_API_V4_URL", "https://gitlab.example/api/v4"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", &runner.base),
        ("CI_MERGE_REQUEST_IID", "17"),
        ("CI_PROJECT_ID", "4711"),
        ("PROPAGATE_TOKEN", "secret"),
        ("RELEASES", "https://github.com/plexsphere/metadata-propagation-policy/releases/download"),
        ("VERSION", "v0.1.0"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert!(["RELEASES", "VERSION"].iter().all(|name| job["variables"][name].is_string()), "{job}");
    let script = [texts(&job["before_script"]), texts(&job["script"])].concat().join("\n");
    assert_eq!(runner.run(&script, &variables), 0, "{}", runner.printed());
    let note = "curl --fail --silent --show-error --header PRIVATE-TOKEN: secret --data-urlencode body@plan.md \
        https://gitlab.example/api/v4/projects/4711/merge_requests/17/notes\n";
    assert_eq!(runner.asked(), format!("{DOWNLOAD}{note}"));
    assert_eq!(runner.read("plan.md"), PLAN);
    assert!(runner.read("propagate.xml").contains("failures=\"0\""), "{}", runner.read("propagate.xml"));
}

/// What the page says about overlays: both steps render.
#[test]
fn the_workflow_answers_for_each_environment() {
    let class = CLASS.replace("{ name: standard }", "{ name: standard, namespace: fleet }");
    let cluster = CLUSTER.replace("{ name: prod }", "{ name: web, namespace: fleet }");
    let overlay = "resources:\n  - ../../base\n# s/version: .*/version: v1.34.2/\n";
    let files = [
        ("base/class.yaml", &*class),
        ("base/cluster.yaml", &*cluster),
        ("base/kustomization.yaml", "resources:\n  - class.yaml\n  - cluster.yaml\n"),
        ("clusters/dev/kustomization.yaml", overlay),
        ("clusters/prod/kustomization.yaml", overlay),
        ("clusters/stage/kustomization.yaml", overlay),
    ];
    let change = "sed -i s/v1.34.2/v1.35.0/ clusters/prod/kustomization.yaml && echo '# fails' >>clusters/stage/kustomization.yaml";
    let runner = Runner::with("environments", &files, change);
    kustomize::install(&runner.home.join("stubs"));
    let with_kustomize = |run: &str| run.replace(" clusters ", " clusters --kustomize ");
    // One environment cannot be rendered: the others are commented.
    assert_eq!(runner.workflow(&[("arguments", "--kustomize")], with_kustomize), [0, 2, 0, 2], "{}", runner.printed());
    let expected = "\
**propagate plan**: 2 roots and other files: replaces 3 Machines, deletes 0; not everything was compared

#### `clusters/prod`: replaces 3 Machines, deletes 0

| object | effect | path |
|---|---|---|
| `Cluster fleet/web` | rollout | `spec.topology.version`: replaces 3 Machines |

#### `other files`

Not compared:

- cannot tell: cannot read `HEAD:clusters/stage`: kustomize build: Error: accumulating resources in HEAD:clusters/stage: no such resource

entry points: clusters/dev, clusters/prod, clusters/stage (included by no other kustomization)
";
    assert_eq!(runner.read("plan.md"), expected);
}

#[test]
fn the_hook_for_pre_commit_checks_all_manifests() {
    let used = block("pre-commit")["repos"][0]["hooks"][0].take();
    let hook = yaml(&fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap())[0].take();
    assert_eq!((&used["id"], &used["files"]), (&hook["id"], &"^clusters/".into()));
    assert_eq!(hook["pass_filenames"], false);
    let command = format!("{} {}", hook["entry"].as_str().unwrap(), texts(&used["args"]).join(" "));
    let runner = Runner::new("pre-commit");
    runner.run("mkdir -p ~/.local/bin && cp \"$PROPAGATE\" ~/.local/bin/propagate", &[]);
    assert_eq!(runner.run(&command, &[]), 0, "{}", runner.printed());
    let cluster = runner.read("clusters/prod.yaml");
    fs::write(runner.folder.join("clusters/prod.yaml"), cluster.replace("classRef: { name: standard }", "classRef: x"))
        .unwrap();
    assert_eq!(runner.run(&command, &[]), 1, "{}", runner.printed());
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What the action downloads for a release.
fn downloads(version: &str) -> String {
    let releases = "https://github.com/plexsphere/metadata-propagation-policy/releases/download";
    [&*format!("{ARCHIVE}.tar.gz"), "checksums.txt"]
        .map(|file| {
            format!("curl --fail --silent --show-error --location --output {file} {releases}/{version}/{file}\n")
        })
        .concat()
        + &format!(
            "gh attestation verify {ARCHIVE}.tar.gz --repo plexsphere/metadata-propagation-policy --signer-workflow \
            plexsphere/metadata-propagation-policy/.github/workflows/release.yml\n"
        )
}

/// The block of the page that its fence says to be this.
fn block(kind: &str) -> Value {
    let page = fs::read_to_string(root().join("docs/pipelines.md")).unwrap();
    let (_, rest) = page.split_once(&format!("```yaml {kind}\n")).unwrap();
    yaml(rest.split_once("```").unwrap().0)
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

/// The texts of a list.
fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// The entries of a map whose values are texts.
fn entries(map: &Value) -> impl Iterator<Item = (&str, &str)> {
    map.as_object().into_iter().flatten().filter_map(|(name, value)| Some((&**name, value.as_str()?)))
}

/// A machine on which steps run: a repository with a change, a home, and programs that stand for others.
struct Runner {
    folder: PathBuf,
    home: PathBuf,
    base: String,
}

/// Removes the home, which has two copies of the program and two archives of it.
impl Drop for Runner {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.home);
    }
}

impl Runner {
    fn new(name: &str) -> Runner {
        let files = [("clusters/class.yaml", CLASS), ("clusters/prod.yaml", CLUSTER)];
        Runner::with(name, &files, "sed -i s/platform/payments/ clusters/class.yaml")
    }

    /// A repository with these files, and a command that changes them.
    fn with(name: &str, files: &[(&str, &str)], change: &str) -> Runner {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pipelines").join(name);
        let _ = fs::remove_dir_all(&home);
        let folder = home.join("repository");
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(home.join("stubs")).unwrap();
        for (program, script) in [("gh", ""), ("curl", CURL)] {
            let path = home.join("stubs").join(program);
            fs::write(&path, format!("#!/bin/sh\necho \"{program} $*\" >>\"$HOME/asked\"\n{script}")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut runner = Runner { folder, home, base: String::new() };
        for (file, text) in files {
            let path = runner.folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let archive = format!(
            "mkdir ~/{ARCHIVE} && cp \"$PROPAGATE\" ~/{ARCHIVE}/propagate && tar -czf ~/archive.tar.gz -C ~ {ARCHIVE}\n\
            echo \"$(sha256sum < ~/archive.tar.gz | cut -d' ' -f1)  {ARCHIVE}.tar.gz\" >~/checksums.txt\n\
            git init --quiet --initial-branch main\n\
            git config user.name a && git config user.email a@example.com && git add . && git commit --quiet --message base\n\
            git rev-parse HEAD >~/base\n\
            git update-ref refs/remotes/origin/main HEAD\n\
            {change} && git commit --quiet --all --message change\n"
        );
        assert_eq!(runner.run(&archive, &[]), 0, "{}", runner.printed());
        runner.base = fs::read_to_string(runner.home.join("base")).unwrap().trim().to_owned();
        runner
    }

    /// The exit code of a script, run as a step of GitHub is.
    fn run(&self, script: &str, variables: &[(String, String)]) -> i32 {
        let added = fs::read_to_string(self.home.join("path")).unwrap_or_default().replace('\n', ":");
        let path = format!("{0}/stubs:{0}/.local/bin:{added}{1}", self.home.display(), env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        command.args(["-e", "-c", script]).current_dir(&self.folder).env("HOME", &self.home).env("PATH", path);
        command.env("PROPAGATE", env!("CARGO_BIN_EXE_propagate")).env("GITHUB_PATH", self.home.join("path"));
        command.env("GITHUB_STEP_SUMMARY", self.home.join("summary")).env("GITHUB_BASE_REF", "main");
        command.envs(variables.iter().cloned()).env_remove("PROPAGATE_SETTINGS");
        let output = command.output().unwrap();
        fs::write(self.home.join("printed"), [output.stdout, output.stderr].concat()).unwrap();
        output.status.code().unwrap()
    }

    /// The exit codes of the workflow's steps, and of the action's in place of the step that uses it, with further inputs.
    fn workflow(&self, inputs: &[(&str, &str)], change: impl Fn(&str) -> String) -> Vec<i32> {
        let workflow = block("workflow");
        let mut codes = Vec::new();
        for step in workflow["jobs"]["labels"]["steps"].as_array().unwrap() {
            let action = "plexsphere/metadata-propagation-policy@";
            if let Some(version) = step["uses"].as_str().and_then(|uses| uses.strip_prefix(action)) {
                let with = entries(&step["with"]).chain(inputs.iter().copied());
                codes.extend(self.action(version, &with.collect::<Vec<_>>()));
            } else if let Some(run) = step["run"].as_str() {
                let variables = entries(&step["env"]).filter(|(name, _)| *name != "NUMBER").chain([("NUMBER", "17")]);
                let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
                codes.push(self.run(&change(run), &variables.collect::<Vec<_>>()));
            }
        }
        codes
    }

    /// The exit codes of the action's steps, until one fails.
    fn action(&self, used: &str, inputs: &[(&str, &str)]) -> Vec<i32> {
        let action = yaml(&fs::read_to_string(root().join("action.yml")).unwrap());
        let known = action["inputs"].as_object().unwrap();
        assert!(inputs.iter().all(|(name, _)| known.contains_key(*name)), "{inputs:?}");
        let temp = self.home.join("temp").display().to_string();
        let mut context: BTreeMap<String, String> = [
            ("github.server_url", "https://github.com"),
            ("github.action_repository", "plexsphere/metadata-propagation-policy"),
            ("github.action_ref", used),
            ("github.token", "secret"),
            ("runner.os", "Linux"),
            ("runner.arch", "X64"),
            ("runner.temp", &temp),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        for (name, input) in known {
            let given = inputs.iter().rev().find(|(given, _)| given == name);
            let default = || expanded(input["default"].as_str().unwrap(), &context);
            let value = given.map_or_else(default, |(_, value)| (*value).to_owned());
            context.insert(format!("inputs.{name}"), value);
        }
        let mut codes = Vec::new();
        for step in action["runs"]["steps"].as_array().unwrap() {
            let variables = entries(&step["env"]).map(|(name, value)| (name.to_owned(), expanded(value, &context)));
            codes.push(self.run(step["run"].as_str().unwrap(), &variables.collect::<Vec<_>>()));
            if codes.last() != Some(&0) {
                break;
            }
        }
        codes
    }

    /// What the last script printed.
    fn printed(&self) -> String {
        fs::read_to_string(self.home.join("printed")).unwrap()
    }

    /// What `gh` and `curl` were asked.
    fn asked(&self) -> String {
        fs::read_to_string(self.home.join("asked")).unwrap()
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap()
    }
}

/// `curl` writes down what it is asked, and has the files of a release.
const CURL: &str = r#"
out=/dev/stdout before=
for word; do [ "$before" != --output ] || out=$word; before=$word; done
case $before in
*.tar.gz) cat "$HOME/archive.tar.gz" >"$out" ;;
*/checksums.txt) cat "$HOME/checksums.txt" >"$out" ;;
esac
"#;

/// A value with `${{ … }}` replaced by the first name in it that has a value.
fn expanded(value: &str, context: &BTreeMap<String, String>) -> String {
    let Some((before, rest)) = value.split_once("${{") else { return value.to_owned() };
    let (expression, after) = rest.split_once("}}").unwrap();
    let mut values = expression.split("||").map(|name| &*context[name.trim()]);
    let found = values.find(|value| !value.is_empty()).unwrap_or_default();
    format!("{before}{found}{}", expanded(after, context))
}
