//! Requests to one server: `GET`, each with a timeout, and the handling of errors.

use std::time::{Duration, Instant};

use http::Request;
use kube::Client;
use kube::client::AuthError;
use serde::de::DeserializeOwned;

use crate::failure::{LiveFailure, causes, chain};

/// One API server, as one context reaches it.
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) url: String,
    /// `None` for the service account of a Pod.
    pub(crate) context: Option<String>,
    pub(crate) timeout: Option<Duration>,
}

/// Why a request has no answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RequestFailure {
    /// There is no such path, or no such object.
    NotFound,
    /// The continue token of a list has expired.
    Expired,
    /// The user may not read it: a sentence.
    Forbidden(String),
    /// The server fails to answer this request: a sentence.
    Refused(String),
    /// Other requests would fail, too.
    Fatal(LiveFailure),
}

impl Server {
    /// The answer to `GET` on a path.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, RequestFailure> {
        let text = self.text(path).await?;
        serde_json::from_str(&text).map_err(|error| {
            RequestFailure::Refused(format!("unexpected response of {} to `{path}`: {error}", self.name()))
        })
    }

    async fn text(&self, path: &str) -> Result<String, RequestFailure> {
        let request = Request::get(path)
            .header(http::header::ACCEPT, "application/json")
            .body(Vec::new())
            .map_err(|error| RequestFailure::Refused(format!("cannot request `{path}`: {error}")))?;
        let begin = Instant::now();
        let answer = self.client.request_text(request);
        let answer = match self.timeout {
            None => answer.await,
            Some(timeout) => match tokio::time::timeout(timeout, answer).await {
                Ok(answer) => answer,
                Err(_) => return Err(RequestFailure::Fatal(self.too_slow(timeout))),
            },
        };
        match answer {
            // Connections have their own timeout.
            Err(error) if is_timeout(&error) => Err(RequestFailure::Fatal(self.too_slow(begin.elapsed()))),
            answer => answer.map_err(|error| self.failure(path, &error)),
        }
    }

    fn too_slow(&self, after: Duration) -> LiveFailure {
        LiveFailure(format!(
            "{} did not answer within {:.0} s; `--request-timeout` sets the limit",
            self.name(),
            after.as_secs_f64()
        ))
    }

    fn failure(&self, path: &str, error: &kube::Error) -> RequestFailure {
        let kube::Error::Api(status) = error else {
            return RequestFailure::Fatal(cannot_connect(error, &self.url, self.context.as_deref()));
        };
        match status.code {
            401 => RequestFailure::Fatal(LiveFailure(format!(
                "{} does not accept the credentials (401): they are expired or wrong; log in again",
                self.name()
            ))),
            403 => RequestFailure::Forbidden(format!("{} denied the request (403): {}", self.name(), status.message)),
            404 => RequestFailure::NotFound,
            410 => RequestFailure::Expired,
            code => {
                let message = if status.message.is_empty() { path } else { &*status.message };
                RequestFailure::Refused(format!("{} returned an error ({code}): {}", self.name(), one_line(message)))
            }
        }
    }

    /// The server with its context.
    pub(crate) fn name(&self) -> String {
        name(&self.url, self.context.as_deref())
    }
}

fn name(url: &str, context: Option<&str>) -> String {
    match context {
        Some(context) => format!("`{url}` (context `{context}`)"),
        None => format!("`{url}` (service account of this Pod)"),
    }
}

/// The maximum length of a server's own message that is repeated, in characters.
const LONGEST_MESSAGE: usize = 300;

/// The beginning of a text, in one line: a proxy may answer with a whole page.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Why a server cannot be reached: the credentials, or the connection.
pub(crate) fn cannot_connect(error: &kube::Error, url: &str, context: Option<&str>) -> LiveFailure {
    let name = name(url, context);
    let auth = causes(error).find_map(|cause| cause.downcast_ref::<AuthError>());
    LiveFailure(match (auth, error) {
        (Some(auth), _) => format!("cannot get credentials for {name}: {}", one_line(&chain(auth))),
        (None, kube::Error::Service(cause)) => format!("cannot reach {name}: {}", one_line(&chain(&**cause))),
        (None, _) => format!("cannot reach {name}: {}", one_line(&chain(error))),
    })
}

/// Whether an error of the client is a timeout.
fn is_timeout(error: &kube::Error) -> bool {
    causes(error).any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::TimedOut)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_a_proxy_is_cut() {
        assert_eq!(one_line("<html>\n  <h1>no</h1>\n"), "<html> <h1>no</h1>");
        assert_eq!(one_line(&"ü".repeat(400)), format!("{}…", "ü".repeat(300)));
    }
}
