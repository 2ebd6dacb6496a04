//! A small API server: discovery, lists with pages, and single objects, over plain HTTP.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{env, fs, thread};

use fleet::{Fleet, Source, plural};
use serde_json::{Value, json};

/// What a server does with some requests instead of answering them.
pub(crate) enum Does {
    /// A status, and a message of the server's own.
    Fails(u16, &'static str),
    /// Other words than an API server's.
    Says(&'static str),
    /// Nothing at all.
    Hangs,
    /// As usual, after a while.
    Waits(Duration),
}

type Rule = Box<dyn Fn(&str) -> Option<Does> + Send + Sync>;

/// A server with objects, which remembers what it was asked.
pub(crate) struct Api {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    folder: PathBuf,
}

struct Stored {
    /// By group and version: the kinds in them.
    served: BTreeMap<(String, String), BTreeSet<String>>,
    /// Path of the list in its namespace, and the object.
    objects: Vec<(String, Value)>,
    page: usize,
    rule: Rule,
}

/// Kinds without a namespace.
const CLUSTER_SCOPED: &[&str] = &[
    "ClusterAdmissionPolicy",
    "ClusterRole",
    "ClusterRoleBinding",
    "CompositeResourceDefinition",
    "Composition",
    "CustomResourceDefinition",
    "Node",
    "PolicyServer",
    "XDisk",
];

impl Api {
    /// Serves the objects of YAML documents, `page` of them at a time. `rule` says of which paths it does something else.
    pub(crate) fn start(
        name: &str,
        yaml: &str,
        page: usize,
        rule: impl Fn(&str) -> Option<Does> + Send + Sync + 'static,
    ) -> Api {
        let fleet = Fleet::read(vec![Source { name: String::new(), text: yaml.to_owned() }]);
        let mut served: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        served.entry((String::new(), "v1".to_owned())).or_default();
        let mut objects = Vec::new();
        for object in fleet.objects() {
            let (group, version, kind) = (&object.id.group, &object.version, &object.id.kind);
            served.entry((group.clone(), version.clone())).or_default().insert(kind.clone());
            let root = root(group, version);
            let namespace = match &*object.id.namespace {
                "" => String::new(),
                namespace => format!("/namespaces/{namespace}"),
            };
            let json = serde_json::from_str(&object.json).unwrap();
            objects.push((format!("{root}{namespace}/{}", plural(kind)), json));
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::default();
        let stored = Arc::new(Stored { served, objects, page, rule: Box::new(rule) });
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live").join(name);
        fs::create_dir_all(&folder).unwrap();
        let api = Api { address, asked: Arc::clone(&asked), folder };
        fs::write(api.kubeconfig(), kubeconfig(&format!("http://{address}"), "{ token: secret }")).unwrap();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stored, asked) = (Arc::clone(&stored), Arc::clone(&asked));
                thread::spawn(move || stored.serve(stream.unwrap(), &asked));
            }
        });
        api
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder.join("config")
    }

    /// The requests, in the order of their text: several are under way at a time.
    pub(crate) fn asked(&self) -> Vec<String> {
        let mut asked = self.asked.lock().unwrap().clone();
        asked.sort();
        asked
    }

    /// The program with this server as its cluster; a proxy that is set is not for this machine.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = propagate(&self.kubeconfig(), arguments);
        command.current_dir(&self.folder);
        command
    }

    /// Exit code, standard output and standard error, with the address of the server left out.
    pub(crate) fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        self.shown(self.command(arguments).output().unwrap())
    }

    pub(crate) fn shown(&self, output: Output) -> (Option<i32>, String, String) {
        let text = |bytes| String::from_utf8(bytes).unwrap().replace(&format!("http://{}", self.address), "SERVER");
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

/// The program with a kubeconfig.
pub(crate) fn propagate(kubeconfig: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_propagate"));
    command.args(arguments).env("KUBECONFIG", kubeconfig).env("HTTPS_PROXY", "http://127.0.0.1:9");
    for variable in ["PROPAGATE_NAMESPACE", "KUBERNETES_SERVICE_HOST", "NO_PROXY"] {
        command.env_remove(variable);
    }
    command
}

/// A kubeconfig with the contexts `prod` and `other`; the first has the namespace `fleet`.
pub(crate) fn kubeconfig(server: &str, user: &str) -> String {
    format!(
        "apiVersion: v1
kind: Config
current-context: prod
clusters: [{{ name: c, cluster: {{ server: '{server}' }} }}]
users: [{{ name: u, user: {user} }}]
contexts:
- {{ name: prod, context: {{ cluster: c, user: u, namespace: fleet }} }}
- {{ name: other, context: {{ cluster: c, user: u }} }}
"
    )
}

impl Stored {
    fn serve(&self, stream: TcpStream, asked: &Mutex<Vec<String>>) {
        let mut lines = BufReader::new(&stream).lines();
        let request = lines.next().unwrap().unwrap();
        for line in lines.by_ref() {
            if line.unwrap().is_empty() {
                break;
            }
        }
        let (method, rest) = request.split_once(' ').unwrap();
        let path = rest.split_once(' ').unwrap().0;
        asked.lock().unwrap().push(format!("{method} {path}"));
        let (status, body) = match (self.rule)(path) {
            Some(Does::Fails(code, message)) => {
                let status = json!({ "kind": "Status", "status": "Failure", "code": code, "message": message });
                (code, status.to_string())
            }
            Some(Does::Says(text)) => (200, text.to_owned()),
            Some(Does::Hangs) => {
                thread::sleep(Duration::from_secs(60));
                return;
            }
            Some(Does::Waits(time)) => {
                thread::sleep(time);
                self.answer(path)
            }
            None => self.answer(path),
        };
        let length = body.len();
        // The program may have gone away.
        let _ = write!(
            &stream,
            "HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
    }

    fn answer(&self, path: &str) -> (u16, String) {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let found = match path {
            "/apis" => Some(self.groups()),
            path => self.resources(path).or_else(|| self.object(path)).or_else(|| self.list(path, query)),
        };
        match found {
            Some(value) => (200, value.to_string()),
            None => (404, json!({ "kind": "Status", "status": "Failure", "code": 404 }).to_string()),
        }
    }

    fn groups(&self) -> Value {
        let groups: BTreeSet<&String> =
            self.served.keys().map(|(group, _)| group).filter(|group| !group.is_empty()).collect();
        let groups = groups.into_iter().map(|group| {
            let versions = self.served.keys().filter(|(of, _)| of == group);
            let versions: Vec<Value> = versions.map(|(_, version)| json!({ "version": version })).collect();
            json!({ "name": group, "versions": versions, "preferredVersion": versions.last() })
        });
        json!({ "kind": "APIGroupList", "groups": groups.collect::<Vec<_>>() })
    }

    fn resources(&self, path: &str) -> Option<Value> {
        let (_, kinds) = self.served.iter().find(|((group, version), _)| root(group, version) == path)?;
        let resource = |kind: &String| {
            let is_namespaced = !CLUSTER_SCOPED.contains(&&**kind);
            let status = json!({ "name": format!("{}/status", plural(kind)), "kind": kind, "namespaced": is_namespaced, "verbs": ["get"] });
            [
                json!({ "name": plural(kind), "kind": kind, "namespaced": is_namespaced, "verbs": ["get", "list"] }),
                status,
            ]
        };
        Some(json!({ "kind": "APIResourceList", "resources": kinds.iter().flat_map(resource).collect::<Vec<_>>() }))
    }

    fn object(&self, path: &str) -> Option<Value> {
        let is_meant = |(list, object): &&(String, Value)| {
            path == format!("{list}/{}", object["metadata"]["name"].as_str().unwrap())
        };
        self.objects.iter().find(is_meant).map(|(_, object)| object.clone())
    }

    fn list(&self, path: &str, query: &str) -> Option<Value> {
        let (root, resource) = path.rsplit_once('/')?;
        let is_in = |list: &str| {
            list == path
                || list
                    .strip_prefix(root)
                    .is_some_and(|rest| rest.starts_with("/namespaces/") && rest.ends_with(&format!("/{resource}")))
        };
        let objects: Vec<&Value> =
            self.objects.iter().filter(|(list, _)| is_in(list)).map(|(_, object)| object).collect();
        let parameter = |name: &str| query.split('&').find_map(|parameter| parameter.strip_prefix(&format!("{name}=")));
        let from: usize = parameter("continue").map_or(0, |token| token.strip_prefix("at-").unwrap().parse().unwrap());
        let most = parameter("limit").map_or(usize::MAX, |limit| self.page.min(limit.parse().unwrap()));
        let items: Vec<&Value> = objects.iter().skip(from).take(most).copied().collect();
        let end = from + items.len();
        let next = if end < objects.len() { format!("at-{end}") } else { String::new() };
        Some(json!({ "metadata": { "continue": next }, "items": items }))
    }
}

fn root(group: &str, version: &str) -> String {
    if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") }
}
