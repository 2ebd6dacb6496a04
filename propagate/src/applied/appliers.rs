//! Objects of Flux and Argo CD that say which folders of a repository are applied.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, FleetObject, ObjectId, Source};
use serde_json::{Value, json};

use super::ignored::IgnoredFields;
use super::paths::is_path;

/// An object that applies folders.
#[derive(Debug, Clone)]
pub(crate) struct Applier {
    pub(crate) id: ObjectId,
    /// The file that it is in.
    file: String,
    /// Whether another one has the same name: clusters in one repository often have appliers of one name.
    is_one_of_several: bool,
    /// What it does with objects that are no longer in its folders.
    pub(crate) pruning: Pruning,
    /// The same when the applier itself is deleted.
    pub(crate) pruning_with_it: Pruning,
    pub(crate) is_suspended: bool,
    /// Whether it deletes everything when nothing is left to apply.
    pub(crate) allows_empty: bool,
    /// Whether Flux deletes what it cannot change, and creates it anew.
    pub(crate) forces: bool,
    /// Whether Argo CD replaces objects instead of applying them.
    pub(crate) replaces: bool,
    /// Where it takes the folders from.
    source: Vec<String>,
    /// For an ApplicationSet: when one of its Applications goes.
    set: Option<Generated>,
    /// The fields that it leaves as they are in the cluster.
    pub(crate) ignores: Vec<IgnoredFields>,
    /// The field with which it changes what it applies.
    pub(crate) patches: Option<&'static str>,
    /// The folders, as they are written, with `*` for what a template fills in.
    pub(crate) paths: Vec<String>,
    reach: Reach,
}

/// The Applications of an ApplicationSet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Generated {
    /// Whether they are never deleted.
    are_kept: bool,
    /// What they are generated from, if that is not whether a folder is there.
    from: Option<Value>,
    /// Whether they are generated from files in the folders.
    is_of_files: bool,
}

/// What becomes of what an applier applied from a folder in which it finds nothing any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FolderGone {
    /// It is no longer applied.
    Unapplied,
    /// Its Application is deleted.
    WithApplication,
    /// Its Application still applies it.
    Stays,
    /// It stays: what is to be applied cannot be read.
    Fails,
}

/// What happens to objects that are no longer applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pruning {
    Kept,
    /// Somebody starts each sync, with pruning or without.
    IfSynced,
    Deleted,
}

/// What of a folder without a kustomization is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The files in it.
    Folder,
    /// The files in it and below it.
    All,
    /// Those, but kustomizations below it as such.
    Kustomizations,
}

const FLUX: &str = "kustomize.toolkit.fluxcd.io";
const FLUX_OPERATOR: &str = "fluxcd.controlplane.io";
const ARGO: &str = "argoproj.io";

impl Applier {
    /// The appliers in texts.
    pub(crate) fn of(sources: Vec<Source>) -> Vec<Applier> {
        let has_any = |source: &Source| [FLUX, FLUX_OPERATOR, ARGO].iter().any(|group| source.text.contains(group));
        let fleet = Fleet::read(sources.into_iter().filter(has_any).collect());
        let others = fleet.doubles().map(|(_, later)| later);
        let mut found: Vec<Applier> =
            fleet.objects().chain(others).filter_map(|it| Applier::read(it, &fleet)).collect();
        let mut named: BTreeMap<ObjectId, usize> = BTreeMap::new();
        found.iter().for_each(|applier| *named.entry(applier.id.clone()).or_default() += 1);
        found.iter_mut().for_each(|applier| applier.is_one_of_several = named.get(&applier.id) > Some(&1));
        found
    }

    fn read(object: &FleetObject, fleet: &Fleet) -> Option<Applier> {
        let file = &fleet.sources().get(object.origin.source)?.name;
        let json = object.value();
        let spec = json.get("spec")?;
        match (&*object.id.group, &*object.id.kind) {
            (FLUX, "Kustomization") => Some(Applier::of_flux(&object.id, file, spec)),
            // It makes a Kustomization with these values (docs/api/v1/fluxinstance.md of Flux Operator).
            (FLUX_OPERATOR, "FluxInstance") => {
                let path = text(spec, "/sync/path")?;
                Some(Applier::of_flux(
                    &object.id,
                    file,
                    &json!({ "path": path, "prune": true, "sourceRef": { "name": "flux-system" } }),
                ))
            }
            (ARGO, "Application") => Some(Applier::of_argo(&object.id, file, &json, spec, &Value::Null)),
            (ARGO, "ApplicationSet") => {
                let template = spec.get("template")?;
                let applier = Applier::of_argo(&object.id, file, template, template.get("spec")?, spec);
                let is_preserved = is(spec.pointer("/syncPolicy/preserveResourcesOnDeletion"));
                let has_finalizers = is_set(template.pointer("/metadata/finalizers"));
                // Finalizers of the template count, whatever else is written.
                let pruning_with_it = match has_finalizers {
                    true => applier.pruning_with_it,
                    false if is_preserved => Pruning::Kept,
                    false => Pruning::Deleted,
                };
                Some(Applier { pruning_with_it, set: Some(Generated::of(spec)), ..applier })
            }
            _ => None,
        }
    }

    /// Sources: `finalize` and `prune` in internal/controller/kustomization_controller.go of Flux's kustomize-controller,
    /// `spec.deletionPolicy` in its docs/spec/v1/kustomizations.md.
    fn of_flux(id: &ObjectId, file: &str, spec: &Value) -> Applier {
        let is_suspended = is(spec.get("suspend"));
        let prunes = is(spec.get("prune"));
        let path = text(spec, "/path").unwrap_or("./").to_owned();
        // The top folder of another repository looks like the one of this.
        let is_top = path.trim_matches(['.', '/']).is_empty();
        let is_own = spec.pointer("/sourceRef/name").and_then(Value::as_str) == Some("flux-system");
        let deletes = match text(spec, "/deletionPolicy") {
            Some("Delete" | "WaitForTermination") => true,
            Some("Orphan") => false,
            _ => prunes,
        };
        let pruning = |deletes: bool| if deletes && !is_suspended { Pruning::Deleted } else { Pruning::Kept };
        Applier {
            id: id.clone(),
            file: file.to_owned(),
            is_one_of_several: false,
            pruning: pruning(prunes),
            pruning_with_it: pruning(deletes),
            is_suspended,
            allows_empty: true,
            forces: is(spec.get("force")),
            replaces: false,
            source: spec.get("sourceRef").map(Value::to_string).into_iter().collect(),
            set: None,
            ignores: list(spec, "/ignore").map(IgnoredFields::of_flux).collect(),
            patches: FLUX_PATCHES.iter().copied().find(|field| is_set(spec.get(field))),
            paths: if is_own || !is_top { vec![path] } else { Vec::new() },
            reach: Reach::Kustomizations,
        }
    }

    /// Sources: docs/user-guide/auto_sync.md, app_deletion.md and directory.md of Argo CD, and
    /// docs/operator-manual/applicationset of its generators.
    fn of_argo(id: &ObjectId, file: &str, application: &Value, spec: &Value, set: &Value) -> Applier {
        let several = spec.get("sources").and_then(Value::as_array).into_iter().flatten();
        let sources: Vec<&Value> = spec.get("source").into_iter().chain(several).collect();
        let mut paths = BTreeSet::new();
        for path in sources.iter().filter_map(|source| text(source, "/path")) {
            match filled_in(path) {
                pattern if pattern.trim_matches(['*', '/', '.']).is_empty() && path.contains("{{") => {
                    generated(set.get("generators").unwrap_or(&Value::Null), &mut paths);
                }
                pattern => {
                    paths.insert(pattern);
                }
            }
        }
        let automated =
            spec.pointer("/syncPolicy/automated").filter(|it| it.get("enabled") != Some(&Value::Bool(false)));
        let pruning = match automated {
            Some(automated) if is(automated.get("prune")) => Pruning::Deleted,
            Some(_) => Pruning::Kept,
            None => Pruning::IfSynced,
        };
        let is_suspended = text(application, SKIP_RECONCILE) == Some("true");
        let pruning = if is_suspended { Pruning::Kept } else { pruning };
        let finalizers = application.pointer("/metadata/finalizers").and_then(Value::as_array).into_iter().flatten();
        let mut finalizers = finalizers.filter_map(Value::as_str);
        let is_cascading = finalizers.any(|finalizer| finalizer.split('/').next() == Some(FINALIZER));
        let has_option =
            |option: &str| list(spec, "/syncPolicy/syncOptions").any(|known| known.as_str() == Some(option));
        let is_respected = has_option("RespectIgnoreDifferences=true");
        let is_recursive = sources.iter().any(|source| is(source.pointer("/directory/recurse")));
        Applier {
            id: id.clone(),
            file: file.to_owned(),
            is_one_of_several: false,
            pruning,
            pruning_with_it: if is_cascading { Pruning::Deleted } else { Pruning::Kept },
            is_suspended,
            allows_empty: automated.is_some_and(|automated| is(automated.get("allowEmpty"))),
            forces: false,
            replaces: has_option("Replace=true"),
            source: sources.iter().filter_map(|source| text(source, "/repoURL")).map(str::to_owned).collect(),
            set: None,
            ignores: list(spec, "/ignoreDifferences").filter(|_| is_respected).map(IgnoredFields::of_argo).collect(),
            patches: ARGO_PATCHES.iter().copied().find(|field| {
                sources.iter().any(|source| is_set(source.get("kustomize").and_then(|kustomize| kustomize.get(field))))
            }),
            paths: paths.into_iter().collect(),
            reach: if is_recursive { Reach::All } else { Reach::Folder },
        }
    }

    /// Whether it is the same one before and after a change. Of several with one name, the file or the folders tell.
    pub(crate) fn is_same(&self, other: &Applier) -> bool {
        let is_only = !self.is_one_of_several && !other.is_one_of_several;
        self.id == other.id && (is_only || self.file == other.file || self.paths == other.paths)
    }

    /// The file that it is in.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    pub(super) fn is_in_file_of(&self, other: &Applier) -> bool {
        self.file == other.file
    }

    /// Its name, with its file if others have the same name.
    pub(crate) fn title(&self) -> String {
        if self.is_one_of_several { format!("{} of {}", self.id, self.file) } else { self.id.to_string() }
    }

    /// Whether it applies a file or a kustomization below a folder without a kustomization that it names.
    pub(super) fn reaches(&self, folder: &str, name: &str) -> bool {
        let parent = name.rsplit_once('/').map_or("", |(parent, _)| parent);
        self.reach != Reach::Folder || parent == folder
    }

    pub(crate) fn is_of_flux(&self) -> bool {
        self.reach == Reach::Kustomizations
    }

    /// What happens to objects that this applier no longer applies; `now` is the same applier after the change.
    pub(crate) fn pruning_after(&self, now: Option<&Applier>) -> Pruning {
        now.map_or(self.pruning_with_it, |now| now.pruning)
    }

    /// Whether it is an ApplicationSet.
    pub(crate) fn is_set(&self) -> bool {
        self.set.is_some()
    }

    /// The folder that it names now instead of one that it named before.
    pub(crate) fn instead_of(&self, before: &Applier, folder: &str) -> String {
        let other = self.paths.first().filter(|_| self.paths != before.paths && self.set.is_none());
        other.map_or(folder, |path| path.trim_start_matches("./").trim_end_matches('/')).to_owned()
    }

    /// What becomes of what this applier applied from a folder, if it finds nothing there after the change. `is_there` is
    /// whether the folder still exists, `is_known` whether it finds something elsewhere in the files.
    ///
    /// Sources: `reconcile` in internal/controller/kustomization_controller.go of Flux's kustomize-controller, which stops at a
    /// missing path; `Path` in util/app/path/path.go of Argo CD; "Managed Applications modification Policies" and "Preserve
    /// changes" in docs/operator-manual/applicationset/Controlling-Resource-Modification.md.
    pub(crate) fn folder_gone(&self, before: &Applier, folder: &str, is_there: bool, is_known: bool) -> FolderGone {
        let is_shared = |path: &String| before.paths.contains(path) && is_path(folder, path);
        let is_named = self.paths == before.paths || self.paths.iter().any(is_shared);
        match (&self.set, &before.set) {
            (Some(set), _) if is_there && is_named && !set.is_of_files => FolderGone::Unapplied,
            (Some(set), _) if set.are_kept && is_there => FolderGone::Stays,
            (Some(set), _) if set.are_kept => FolderGone::Fails,
            (Some(set), Some(former)) if set.from.is_some() && set.from == former.from => FolderGone::Fails,
            (Some(_), _) => FolderGone::WithApplication,
            _ if self.source != before.source => FolderGone::Unapplied,
            _ if if is_named { is_there } else { is_known } => FolderGone::Unapplied,
            _ => FolderGone::Fails,
        }
    }
}

impl Generated {
    fn of(spec: &Value) -> Generated {
        let generators = spec.get("generators").cloned().unwrap_or_default();
        let written = generators.to_string();
        let has = |field: &str| written.contains(&format!("\"{field}\":["));
        let policy = text(spec, "/syncPolicy/applicationsSync");
        Generated {
            are_kept: matches!(policy, Some("create-only" | "create-update")),
            is_of_files: has("files"),
            from: Some(generators).filter(|_| !has("files") && !has("directories")),
        }
    }
}

/// Fields of a Flux Kustomization that change what it applies, besides names and images (docs/spec/v1/kustomizations.md of
/// kustomize-controller).
const FLUX_PATCHES: [&str; 4] = ["patches", "components", "patchesStrategicMerge", "patchesJson6902"];

/// Those in `kustomize` of a source of an Application (docs/user-guide/kustomize.md of Argo CD).
const ARGO_PATCHES: [&str; 3] = ["patches", "components", "replicas"];

/// The annotation with which nothing is applied (docs/user-guide/skip_reconcile.md of Argo CD).
const SKIP_RECONCILE: &str = "/metadata/annotations/argocd.argoproj.io~1skip-reconcile";

/// The finalizer of an Application with which its objects are deleted.
const FINALIZER: &str = "resources-finalizer.argocd.argoproj.io";

fn text<'v>(object: &'v Value, pointer: &str) -> Option<&'v str> {
    object.pointer(pointer).and_then(Value::as_str)
}

fn list<'v>(object: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    object.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn is_set(list: Option<&Value>) -> bool {
    list.and_then(Value::as_array).is_some_and(|items| !items.is_empty())
}

fn is(value: Option<&Value>) -> bool {
    value == Some(&Value::Bool(true))
}

/// A path with `*` for each expression of a template.
fn filled_in(path: &str) -> String {
    let mut parts = path.split("{{");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |found, part| found + "*" + part.split_once("}}").map_or("", |(_, rest)| rest))
}

/// The folders that generators of an ApplicationSet find, at any depth, without those that they exclude.
fn generated(generators: &Value, found: &mut BTreeSet<String>) {
    match generators {
        Value::Array(items) => items.iter().for_each(|item| generated(item, found)),
        Value::Object(fields) => {
            for (field, value) in fields {
                match (&**field, value.as_array()) {
                    ("directories", Some(folders)) => {
                        let included = folders.iter().filter(|folder| !is(folder.get("exclude")));
                        found.extend(included.filter_map(|folder| text(folder, "/path")).map(str::to_owned));
                    }
                    ("files", Some(files)) => {
                        let folders = files.iter().filter_map(|file| text(file, "/path")?.rsplit_once('/'));
                        found.extend(folders.map(|(folder, _)| folder.to_owned()));
                    }
                    _ => generated(value, found),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_applier_keeps_or_deletes_what_it_no_longer_applies() {
        use Pruning::{Deleted, IfSynced, Kept};
        let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: ";
        let argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: ";
        for (text, expected) in [
            (format!("{flux}{{path: ./a, prune: true}}"), (Deleted, Deleted)),
            (format!("{flux}{{path: ./a, prune: true, suspend: true}}"), (Kept, Kept)),
            (format!("{flux}{{path: ./a, prune: true, deletionPolicy: Orphan}}"), (Deleted, Kept)),
            (format!("{flux}{{path: ./a, prune: false}}"), (Kept, Kept)),
            (format!("{argo}{{source: {{path: a}}, syncPolicy: {{automated: {{prune: true}}}}}}"), (Deleted, Kept)),
            (format!("{argo}{{source: {{path: a}}, syncPolicy: {{automated: {{}}}}}}"), (Kept, Kept)),
            (format!("{argo}{{source: {{path: a}}}}"), (IfSynced, Kept)),
        ] {
            let found = Applier::of(vec![Source { name: String::new(), text: text.clone() }]);
            let found: Vec<_> = found.iter().map(|it| (it.pruning, it.pruning_with_it)).collect();
            assert_eq!(found, [expected], "{text}");
        }
    }

    #[test]
    fn generators_of_a_set_name_folders() {
        let text = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec:\n  generators: \
            [{matrix: {generators: [{git: {directories: [{path: 'clusters/*'}, {path: clusters/x, exclude: true}]}}]}}]\n  \
            template: {spec: {sources: [{path: '{{.path.path}}'}, {path: 'apps/{{name}}/prod'}]}}\n";
        let found = Applier::of(vec![Source { name: String::new(), text: text.to_owned() }]);
        assert_eq!(found.first().map(|it| it.paths.clone()).unwrap_or_default(), ["apps/*/prod", "clusters/*"]);
    }
}
