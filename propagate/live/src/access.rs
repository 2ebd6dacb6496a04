//! From a kubeconfig to a server.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::failure::{LiveFailure, chain};
use crate::proxy::is_direct;
use crate::server::{Server, cannot_connect};

/// The timeout for connections if that for requests is longer.
const CONNECT: Duration = Duration::from_secs(10);

/// How a cluster is reached.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The kubeconfig; else those of `KUBECONFIG`, else `~/.kube/config`, else the service account of the Pod.
    pub kubeconfig: Option<PathBuf>,
    /// The context; else the current one.
    pub context: Option<String>,
    /// The timeout of each request; `None` for no limit.
    pub timeout: Option<Duration>,
}

/// Whether there is a kubeconfig where kubectl searches for one.
pub fn has_kubeconfig() -> bool {
    files().iter().any(|file| file.is_file())
}

/// The kubeconfigs: those of `KUBECONFIG`, else `~/.kube/config`.
fn files() -> Vec<PathBuf> {
    let named: OsString = env::var_os("KUBECONFIG").unwrap_or_default();
    let named: Vec<PathBuf> = env::split_paths(&named).filter(|path| !path.as_os_str().is_empty()).collect();
    if named.is_empty() { env::home_dir().map(|home| home.join(".kube/config")).into_iter().collect() } else { named }
}

impl Access {
    /// The server, and the namespace of the context.
    pub(crate) async fn server(&self) -> Result<(Server, String), LiveFailure> {
        let (context, mut config) = self.config().await?;
        let url = config.cluster_url.to_string().trim_end_matches('/').to_owned();
        config.connect_timeout = Some(self.timeout.map_or(CONNECT, |timeout| timeout.min(CONNECT)));
        config.read_timeout = self.timeout;
        let namespace = config.default_namespace.clone();
        // A program that provides credentials is run here.
        let client = Client::try_from(config).map_err(|error| cannot_connect(&error, &url, context.as_deref()))?;
        Ok((Server { client, url, context, timeout: self.timeout }, namespace))
    }

    async fn config(&self) -> Result<(Option<String>, Config), LiveFailure> {
        let files = self.kubeconfig.clone().map_or_else(files, |file| vec![file]);
        let is_there = self.kubeconfig.is_some() || files.iter().any(|file| file.is_file());
        if !is_there {
            return match self.context {
                None => in_cluster(&files),
                Some(_) => Err(LiveFailure(format!("there is no kubeconfig `{}`", names(&files)))),
            };
        }
        // Like kubectl: of several files, missing ones are ignored.
        let read = files.iter().filter(|file| self.kubeconfig.is_some() || file.is_file());
        let mut whole = Kubeconfig::default();
        for file in read {
            let cannot_use =
                |error| LiveFailure(format!("cannot use the kubeconfig `{}`: {}", file.display(), chain(&error)));
            whole = Kubeconfig::read_from(file).and_then(|next| whole.merge(next)).map_err(cannot_use)?;
        }
        let known: Vec<&str> = whole.contexts.iter().map(|context| &*context.name).collect();
        let context = self.context.clone().or_else(|| whole.current_context.clone()).filter(|name| !name.is_empty());
        let Some(context) = context else {
            return Err(LiveFailure(format!(
                "the kubeconfig `{}` has no current context; its contexts: {}",
                names(&files),
                quoted(&known)
            )));
        };
        if !known.contains(&&*context) {
            return Err(LiveFailure(format!(
                "the kubeconfig `{}` has no context `{context}`; its contexts: {}",
                names(&files),
                quoted(&known)
            )));
        }
        let has_own_proxy = has_proxy(&whole, &context);
        let options = KubeConfigOptions { context: Some(context.clone()), ..KubeConfigOptions::default() };
        let mut config = Config::from_custom_kubeconfig(whole, &options).await.map_err(|error| {
            LiveFailure(format!(
                "cannot use the context `{context}` of the kubeconfig `{}`: {}",
                names(&files),
                chain(&error)
            ))
        })?;
        let no_proxy = env::var("NO_PROXY").or_else(|_| env::var("no_proxy")).unwrap_or_default();
        if !has_own_proxy && config.cluster_url.host().is_some_and(|host| is_direct(host, &no_proxy)) {
            config.proxy_url = None;
        }
        Ok((Some(context), config))
    }
}

/// Whether the cluster of a context sets a proxy, which takes precedence over the environment.
fn has_proxy(kubeconfig: &Kubeconfig, context: &str) -> bool {
    let context = kubeconfig.contexts.iter().find(|known| known.name == context);
    let cluster = context.and_then(|context| context.context.as_ref()).map(|context| &*context.cluster);
    let cluster = kubeconfig.clusters.iter().find(|known| Some(&*known.name) == cluster);
    let proxy = cluster.and_then(|cluster| cluster.cluster.as_ref()).and_then(|cluster| cluster.proxy_url.as_deref());
    proxy.is_some_and(|proxy| !proxy.is_empty())
}

/// The API server of the Pod that this program runs in, with its service account.
fn in_cluster(files: &[PathBuf]) -> Result<(Option<String>, Config), LiveFailure> {
    if env::var_os("KUBERNETES_SERVICE_HOST").is_none() {
        return Err(LiveFailure(format!(
            "there is no kubeconfig `{}` and this is not a Pod; set `--kubeconfig`, or pass files",
            names(files)
        )));
    }
    let mut config = Config::incluster()
        .map_err(|error| LiveFailure(format!("cannot use the service account of this Pod: {}", chain(&error))))?;
    config.proxy_url = None;
    Ok((None, config))
}

fn names(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file: &PathBuf| Path::display(file).to_string()).collect();
    names.join("`, `")
}

fn quoted(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}
