//! The steps of docs/pipelines.md, as a pipeline runs them: in a repository with a change, where `curl` and `gh` write down what they
//! are asked.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what tests are made of may fail like a test")]

mod kustomize;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde::Deserialize;
use serde::de::IgnoredAny;

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

<details><summary>Labels, annotations and cloud tags</summary>

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

#[derive(Deserialize)]
struct Workflow {
    jobs: Jobs,
}

#[derive(Deserialize)]
struct Jobs {
    labels: Job,
}

#[derive(Deserialize)]
struct Job {
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    run: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Gitlab {
    labels: Script,
}

#[derive(Deserialize)]
struct Script {
    variables: BTreeMap<String, IgnoredAny>,
    before_script: Vec<String>,
    script: Vec<String>,
}

#[derive(Deserialize)]
struct Hooks {
    repos: [Repository; 1],
}

#[derive(Deserialize)]
struct Repository {
    hooks: [Hook; 1],
}

#[derive(Deserialize)]
struct Hook {
    entry: String,
    files: String,
}

#[test]
fn the_workflow_for_github_comments_the_plan_and_uploads_the_findings() {
    let workflow: Workflow = block("workflow");
    let runner = Runner::new("github");
    let mut codes = Vec::new();
    for step in workflow.jobs.labels.steps {
        let Some(run) = step.run else { continue };
        let mut variables = step.env;
        variables.insert("BASE".into(), runner.base.clone());
        variables.insert("NUMBER".into(), "17".into());
        codes.push(runner.run(&run, &variables.into_iter().collect::<Vec<_>>()));
    }
    // The Machines, which lack the new value, are not in the repository.
    assert_eq!(codes, [0, 0, 0], "{}", runner.said());
    assert_eq!(
        runner.asked(),
        format!("{DOWNLOAD}gh pr comment 17 --edit-last --create-if-none --body-file plan.md\n")
    );
    assert_eq!(runner.read("plan.md"), PLAN);
    assert!(runner.read("propagate.sarif").contains("\"results\": []"), "{}", runner.read("propagate.sarif"));
}

#[test]
fn the_job_for_gitlab_comments_the_plan_and_reports_tests() {
    let gitlab: Gitlab = block("gitlab");
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
    assert!(["RELEASES", "VERSION"].iter().all(|name| gitlab.labels.variables.contains_key(*name)));
    let script = [gitlab.labels.before_script, gitlab.labels.script].concat().join("\n");
    assert_eq!(runner.run(&script, &variables), 0, "{}", runner.said());
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
    let workflow: Workflow = block("workflow");
    let mut codes = Vec::new();
    for step in workflow.jobs.labels.steps {
        let Some(run) = step.run else { continue };
        let run = run.replace(" clusters ", " clusters --kustomize ");
        let mut variables = step.env;
        variables.insert("BASE".into(), runner.base.clone());
        variables.insert("NUMBER".into(), "17".into());
        codes.push(runner.run(&run, &variables.into_iter().collect::<Vec<_>>()));
    }
    // One environment cannot be rendered: the others are commented.
    assert_eq!(codes, [0, 2, 2], "{}", runner.said());
    let comment = "gh pr comment 17 --edit-last --create-if-none --body-file plan.md\n";
    assert_eq!(runner.asked(), format!("{DOWNLOAD}{comment}"));
    let expected = "\
**propagate plan**: 3 roots: replaces 3 Machines, deletes 0; not everything was compared

#### `clusters/prod`: replaces 3 Machines, deletes 0

| object | effect | path |
|---|---|---|
| `Cluster fleet/web` | rollout | `spec.topology.version`: replaces 3 Machines |

#### `clusters/stage`

Not compared:

- cannot tell: cannot read `clusters/stage`: kustomize build: Error: accumulating resources in clusters/stage: no such resource
";
    assert_eq!(runner.read("plan.md"), expected);
}

#[test]
fn the_hook_for_pre_commit_checks_all_manifests() {
    let hooks: Hooks = block("pre-commit");
    let [Repository { hooks: [hook] }] = hooks.repos;
    assert_eq!(hook.files, r"^clusters/.*\.(ya?ml|json)$");
    let runner = Runner::new("pre-commit");
    runner.run("mkdir -p ~/.local/bin && cp \"$PROPAGATE\" ~/.local/bin/propagate", &[]);
    assert_eq!(runner.run(&hook.entry, &[]), 0, "{}", runner.said());
    let cluster = runner.read("clusters/prod.yaml");
    fs::write(runner.folder.join("clusters/prod.yaml"), cluster.replace("classRef: { name: standard }", "classRef: x"))
        .unwrap();
    assert_eq!(runner.run(&hook.entry, &[]), 1, "{}", runner.said());
}

/// The block of the page that its fence says to be this.
fn block<T: for<'de> Deserialize<'de>>(kind: &str) -> T {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pipelines.md")).unwrap();
    let (_, rest) = page.split_once(&format!("```yaml {kind}\n")).unwrap();
    serde_saphyr::from_str(rest.split_once("```").unwrap().0).unwrap()
}

/// A machine on which steps run: a repository with a change, a home, and programs that stand for others.
struct Runner {
    folder: PathBuf,
    home: PathBuf,
    base: String,
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
        for (program, script) in
            [("gh", ""), ("curl", "case \"$*\" in *.tar.gz) cat \"$HOME/archive.tar.gz\" ;; esac\n")]
        {
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
            git init --quiet --initial-branch main\n\
            git config user.name a && git config user.email a@example.com && git add . && git commit --quiet --message base\n\
            git rev-parse HEAD >~/base\n\
            {change} && git commit --quiet --all --message change\n"
        );
        assert_eq!(runner.run(&archive, &[]), 0, "{}", runner.said());
        runner.base = fs::read_to_string(runner.home.join("base")).unwrap().trim().to_owned();
        runner
    }

    /// The exit code of a script, run as a step of GitHub is.
    fn run(&self, script: &str, variables: &[(String, String)]) -> i32 {
        let path = format!("{0}/stubs:{0}/.local/bin:{1}", self.home.display(), env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        command.args(["-e", "-c", script]).current_dir(&self.folder).env("HOME", &self.home).env("PATH", path);
        command.env("PROPAGATE", env!("CARGO_BIN_EXE_propagate")).env("GITHUB_PATH", self.home.join("path"));
        command.envs(variables.iter().cloned()).env_remove("PROPAGATE_SETTINGS");
        let output = command.output().unwrap();
        fs::write(self.home.join("said"), [output.stdout, output.stderr].concat()).unwrap();
        output.status.code().unwrap()
    }

    /// What the last script printed.
    fn said(&self) -> String {
        fs::read_to_string(self.home.join("said")).unwrap()
    }

    /// What `gh` and `curl` were asked.
    fn asked(&self) -> String {
        fs::read_to_string(self.home.join("asked")).unwrap()
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap()
    }
}
