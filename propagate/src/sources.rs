//! The flags that select the objects.

use std::path::{Path, PathBuf};

use clap::Args;

/// The files that are read in directories.
const ENDINGS: &[&str] = &["yaml", "yml", "json"];

/// Files that manifests are rendered from with another program: they are not read, and a plan names those that change.
const TEMPLATES: &[&str] = &[
    "cue",
    "dhall",
    "erb",
    "gotmpl",
    "hbs",
    "j2",
    "jinja",
    "jinja2",
    "jsonnet",
    "k",
    "libsonnet",
    "mustache",
    "pkl",
    "star",
    "template",
    "tmpl",
    "tpl",
];

/// Where objects come from, and by which settings they are judged.
#[derive(Debug, Clone, Args)]
pub(crate) struct InputSources {
    /// Files, folders, or `-` for standard input: YAML, JSON, and lists as `kubectl get` prints them [default: the current
    /// folder].
    ///
    /// In folders .yaml, .yml and .json files are read; .gitignore, .ignore and .propagateignore are obeyed.
    #[arg(long, short, value_name = "PATH")]
    pub(crate) filename: Vec<PathBuf>,
    /// The namespace of objects that do not set one [default: default].
    #[arg(long, short, value_name = "NAME", env = "PROPAGATE_NAMESPACE")]
    pub(crate) namespace: Option<String>,
    /// Render folders that have a kustomization with `kustomize` or `kubectl`, and read the output. A folder that another
    /// kustomization includes is not rendered on its own.
    #[arg(long)]
    pub(crate) kustomize: bool,
    #[command(flatten)]
    pub(crate) options: KustomizeOptions,
    /// The policy's settings, or a manifest of the policy that has them [default: the defaults].
    #[arg(long, short, value_name = "FILE", env = "PROPAGATE_SETTINGS")]
    pub(crate) settings: Option<PathBuf>,
}

/// Options that Kustomize gets.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct KustomizeOptions {
    /// Which files Kustomize may load: LoadRestrictionsRootOnly or LoadRestrictionsNone [default: that of Flux, none, where an
    /// object of Flux is found, and Kustomize's].
    #[arg(long, value_name = "NAME", requires = "kustomize")]
    load_restrictor: Option<String>,
    /// Let Kustomize render Helm charts.
    #[arg(long, requires = "kustomize")]
    enable_helm: bool,
    /// The program with which Kustomize renders Helm charts.
    #[arg(long, value_name = "PROGRAM", requires = "kustomize")]
    helm_command: Option<String>,
    /// Let Kustomize run plugins.
    #[arg(long, requires = "kustomize")]
    enable_alpha_plugins: bool,
    /// Let Kustomize run plugins that are programs.
    #[arg(long, requires = "kustomize")]
    enable_exec: bool,
}

impl KustomizeOptions {
    /// As Kustomize gets them, in a repository that Flux applies or in another one.
    pub(crate) fn arguments(&self, is_of_flux: bool) -> Vec<String> {
        let mut arguments = Vec::new();
        let of_flux = is_of_flux.then_some("LoadRestrictionsNone");
        if let Some(name) = self.load_restrictor.as_deref().or(of_flux) {
            arguments.extend(["--load-restrictor".to_owned(), name.to_owned()]);
        }
        if let Some(program) = &self.helm_command {
            arguments.extend(["--helm-command".to_owned(), program.clone()]);
        }
        let flags = [
            (self.enable_helm, "--enable-helm"),
            (self.enable_alpha_plugins, "--enable-alpha-plugins"),
            (self.enable_exec, "--enable-exec"),
        ];
        arguments.extend(flags.into_iter().filter(|(is_on, _)| *is_on).map(|(_, flag)| flag.to_owned()));
        arguments
    }
}

impl InputSources {
    /// The paths of a call: those after `-f`, and those without a flag.
    pub(crate) fn paths(&self, alone: &[PathBuf]) -> Vec<PathBuf> {
        let paths = self.named(alone);
        if paths.is_empty() { vec![".".into()] } else { paths }
    }

    /// The paths that a call names, if any.
    pub(crate) fn named(&self, alone: &[PathBuf]) -> Vec<PathBuf> {
        self.filename.iter().chain(alone).cloned().collect()
    }

    /// A label or annotation and the named paths, if neither has a flag: a word that exists on the disk and looks like
    /// a path is one.
    pub(crate) fn key_and_paths(&self, key: Option<&String>, alone: &[PathBuf]) -> (Option<String>, Vec<PathBuf>) {
        let is_path = |key: &&String| {
            let looks_like_one = key.starts_with(['.', '/']) || key.ends_with('/') || is_read(Path::new(key));
            *key == "-" || looks_like_one && Path::new(key).exists()
        };
        match key.filter(is_path) {
            Some(path) => (None, self.named(&[&[path.into()], alone].concat())),
            None => (key.cloned(), self.named(alone)),
        }
    }

    /// The namespace of objects without one.
    pub(crate) fn namespace(&self) -> &str {
        self.namespace.as_deref().filter(|name| !name.is_empty()).unwrap_or(fleet::DEFAULT_NAMESPACE)
    }
}

/// Whether manifests are rendered from a file of this name with another program: by its ending, or because that comes after
/// the one of a manifest, as in `cluster.yaml.in`.
pub(crate) fn is_template(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    let is_of_manifest = || file.file_stem().is_some_and(|stem| is_read(Path::new(stem)));
    let is_of_ending = |ending| TEMPLATES.contains(&ending) || !COPIES.contains(&ending) && is_of_manifest();
    ending.is_some_and(is_of_ending) || decides(file).is_some()
}

/// What a file is that decides what is applied, and is not evaluated.
///
/// Sources: Flux's source-controller, docs/spec/v1/gitrepositories.md; fleet, internal/bundlereader/loaddirectory.go; Argo CD,
/// reposerver/repository/repository.go, `repoSourceFile` and `appSourceFile`.
pub(crate) fn decides(file: &Path) -> Option<&'static str> {
    match file.file_name()?.to_str()? {
        ".sourceignore" => Some("a list of files that Flux leaves out, which is not evaluated"),
        ".fleetignore" => Some("a list of files that Rancher Fleet leaves out, which is not evaluated"),
        name if name.starts_with(".argocd-source") && name.ends_with(".yaml") => {
            Some("no manifest, but parameters with which Argo CD renders manifests")
        }
        _ => None,
    }
}

/// Endings after that of a manifest with which no manifest is rendered: copies, and what is about a file.
const COPIES: &[&str] =
    &["bak", "disabled", "example", "license", "md", "orig", "rej", "sample", "sha256", "sig", "swp"];

/// Whether a file of this name is read in directories.
pub(crate) fn is_read(file: &Path) -> bool {
    file.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ENDINGS.contains(&ending))
}
