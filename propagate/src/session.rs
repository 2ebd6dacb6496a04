//! `propagate session`: a request and the cluster's answers, for `kwctl run`.

use std::path::Path;

use fleet::{Exchange, admission_request, session};
use metadata_propagation::{Operation, Review};
use serde_json::{Value, json};

use crate::args::SessionArgs;
use crate::names::{self, is_meant};
use crate::{Exit, Failure, input, output, settings};

pub(crate) fn run(args: &SessionArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let input = input::read(&args.sources.paths(&args.paths), &args.sources);
    if input::warn(&input) {
        return Ok(Exit::Unreadable);
    }
    let fleet = &input.fleet;
    let namespace = args.sources.namespace.as_deref();
    let mut meant = fleet.objects().filter(|object| is_meant(&object.id, &args.object, namespace));
    let object = match (meant.next(), meant.next()) {
        (Some(object), None) => object,
        (None, _) => {
            output::print(names::nothing(&args.object, fleet.objects().map(|object| &object.id)).as_bytes())?;
            return Ok(Exit::Nothing);
        }
        (Some(first), Some(second)) => {
            return Err(Failure(format!(
                "`{}` matches {} and {}: write KIND/NAMESPACE/NAME",
                args.object, first.id, second.id
            )));
        }
    };
    let old = args.old.as_ref().map(|path| input::read(std::slice::from_ref(path), &args.sources));
    let stored = old.as_ref().and_then(|old| old.fleet.find(&object.id)).map(|stored| &*stored.json);
    let operation = if stored.is_some() { Operation::Update } else { Operation::Create };
    let review = Review { operation, old_object: stored, username: (&*args.user).into(), ..object.review() };
    let request = admission_request(&review, stored, &args.user);
    let exchanges: Vec<Value> = session(&review, &settings, fleet).iter().map(entry).collect::<Result<_, Failure>>()?;
    let file = |name: &str| args.directory.join(name);
    let (request_file, session_file) = (file("request.json"), file("session.yml"));
    write(&request_file, &format!("{request:#}\n"))?;
    write(&session_file, &yaml(&exchanges)?)?;
    let mut command = "kwctl run annotated-policy.wasm --allow-context-aware \\\n".to_owned();
    if let Some(path) = &args.sources.settings {
        let settings_file = file("settings.json");
        write(&settings_file, &format!("{:#}\n", settings::json(path)?))?;
        command += &format!("  --settings-path {} \\\n", settings_file.display());
    }
    command += &format!("  --request-path {} \\\n", request_file.display());
    command += &format!("  --replay-host-capabilities-interactions {}\n", session_file.display());
    output::print(command.as_bytes())
}

/// One entry of a session: the request is a YAML document in a string, tagged with its variant.
fn entry(exchange: &Exchange) -> Result<Value, Failure> {
    let request = format!("!KubernetesGetResource\n{}", yaml(&exchange.request)?);
    let response = match &exchange.response {
        Ok(object) => json!({ "type": "Success", "payload": object }),
        Err(text) => json!({ "type": "Error", "message": text }),
    };
    Ok(json!({ "type": "Exchange", "request": request, "response": response }))
}

fn yaml(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_saphyr::to_string(value).map_err(|error| Failure(error.to_string()))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|error| Failure(format!("cannot write `{}`: {error}", file.display())))
}
