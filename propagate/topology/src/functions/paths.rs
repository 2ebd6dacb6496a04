//! Paths of files, and URLs as far as all their characters are plain.
//!
//! Source: Go's packages `path` and `net/url`. On the systems that run Cluster API, paths of files are the same.

use gotmpl::{Result, Value};

use super::{SprigFunction, at, failed, string, text, unknown};
use crate::go;

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("base", |args| Ok(string(base(&text(at(args, 0)))))),
    ("osBase", |args| Ok(string(base(&text(at(args, 0)))))),
    ("dir", |args| Ok(string(directory(&text(at(args, 0)))))),
    ("osDir", |args| Ok(string(directory(&text(at(args, 0)))))),
    ("clean", |args| Ok(string(clean(&text(at(args, 0)))))),
    ("osClean", |args| Ok(string(clean(&text(at(args, 0)))))),
    ("ext", |args| Ok(string(extension(&text(at(args, 0)))))),
    ("osExt", |args| Ok(string(extension(&text(at(args, 0)))))),
    ("isAbs", |args| Ok(Value::Bool(text(at(args, 0)).starts_with('/')))),
    ("osIsAbs", |args| Ok(Value::Bool(text(at(args, 0)).starts_with('/')))),
    ("urlParse", url_parse),
    ("urlJoin", url_join),
];

fn base(path: &str) -> String {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    match last {
        "" if path.is_empty() => ".".to_owned(),
        "" => "/".to_owned(),
        last => last.to_owned(),
    }
}

fn directory(path: &str) -> String {
    clean(path.rsplit_once('/').map_or("", |(before, _)| if before.is_empty() { "/" } else { before }))
}

fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rfind('.').and_then(|dot| name.get(dot..)).unwrap_or_default()
}

/// The shortest path of the same file.
fn clean(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => _ = steps.pop(),
            ".." if is_absolute => {}
            step => steps.push(step),
        }
    }
    let joined = steps.join("/");
    match (is_absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

const FIELDS: [&str; 8] = ["fragment", "host", "hostname", "opaque", "path", "query", "scheme", "userinfo"];

/// Whether Go neither escapes nor refuses any of the characters.
fn is_plain(text: &str, more: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._~".contains(letter) || more.contains(letter))
}

fn url_parse(args: &[Value]) -> Result<Value> {
    let all = text(at(args, 0));
    if !is_plain(&all, "/?#:@&=+,;$") {
        return unknown("urlParse");
    }
    let (before, fragment) = all.split_once('#').unwrap_or((&all, ""));
    let (before, query) = before.split_once('?').unwrap_or((before, ""));
    let (scheme, rest) = match before.split_once(':') {
        None => ("", before),
        Some((scheme, rest)) if is_scheme(scheme) => (scheme, rest),
        Some(_) => return unknown("urlParse"),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        // What has a scheme and no slash is opaque.
        None if scheme.is_empty() || rest.starts_with('/') => ("", rest),
        None => return unknown("urlParse"),
    };
    let (userinfo, host) = authority.split_once('@').unwrap_or(("", authority));
    let (hostname, port) = host.split_once(':').unwrap_or((host, ""));
    if !is_plain(userinfo, ":") || !is_plain(hostname, "") || !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return unknown("urlParse");
    }
    let values = [fragment, host, hostname, "", path, query, &scheme.to_lowercase(), userinfo];
    Ok(go::map(FIELDS.into_iter().zip(values).map(|(name, value)| (name.into(), string(value)))))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
}

fn url_join(args: &[Value]) -> Result<Value> {
    let Value::Map(fields) = at(args, 0) else { return failed("invalid value; expected map[string]interface {}") };
    let mut values = Vec::new();
    for name in FIELDS {
        match fields.get(name) {
            None => values.push(String::new()),
            Some(Value::String(text)) => values.push(text.to_string()),
            Some(_) if name == "hostname" => values.push(String::new()),
            Some(_) => return failed(format!("unable to parse {name} key, must be of type string")),
        }
    }
    let [fragment, host, _, opaque, path, query, scheme, userinfo] = &*values else { return unknown("urlJoin") };
    let is_known = opaque.is_empty()
        && is_plain(host, ":")
        && is_plain(path, "/")
        && (path.is_empty() || path.starts_with('/') && !path.starts_with("//"))
        && is_plain(userinfo, ":")
        && (scheme.is_empty() || is_scheme(scheme))
        && (is_plain(query, "/?:@&=+,;$") && is_plain(fragment, "/?:@&=+,;$"));
    if !is_known {
        return unknown("urlJoin");
    }
    let with = |before: &str, text: &str, after: &str| {
        if text.is_empty() { String::new() } else { format!("{before}{text}{after}") }
    };
    let has_authority = !scheme.is_empty() || !host.is_empty() || !userinfo.is_empty();
    // A path alone has no slashes before it.
    let slashes = if has_authority && !(host.is_empty() && path.is_empty() && userinfo.is_empty()) { "//" } else { "" };
    Ok(string(
        [
            with("", scheme, ":"),
            slashes.to_owned(),
            with("", userinfo, "@"),
            host.clone(),
            path.clone(),
            with("?", query, ""),
            with("#", fragment, ""),
        ]
        .concat(),
    ))
}
