//! Fuzz targets: for any input bytes, the output must satisfy the laws. The targets in `verification/fuzz/` and the test that
//! replays found inputs call these functions.

mod scenes;
mod seeds;

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};

use anyhow::{Context, Result, ensure};
use metadata_propagation::{
    Call, Cluster, Get, LookupCause, LookupError, Review, Settings, SettingsError, evaluate, evaluate_payload,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

pub use self::scenes::{SETTINGS, Scene, scenes};
pub use self::seeds::seeds;
use crate::laws::{is_answerable, stands};

/// A target: takes bytes and returns the broken law, if any.
pub type FuzzTarget = fn(&[u8]) -> Result<()>;

/// The targets by name.
pub const TARGETS: &[(&str, FuzzTarget)] = &[("review", review), ("settings", settings), ("looked_up", looked_up)];

/// The payload of a `validate` call. A field `cluster`, which the policy ignores, lists the existing objects; a
/// string in it is the lookup error for all other objects.
pub fn review(data: &[u8]) -> Result<()> {
    let outcome = evaluate_payload(data, &OfPayload::new(data));
    is_answerable(&outcome)?;
    if outcome.object.is_none() || !is_json(data) {
        return Ok(());
    }
    let call = Call::from_json(str::from_utf8(data)?)?;
    stands(&call.review, &Settings::from_json(call.settings)?, || OfPayload::new(data), &outcome)
}

/// The payload of a `validate_settings` call.
pub fn settings(data: &[u8]) -> Result<()> {
    let Ok(text) = str::from_utf8(data) else { return Ok(()) };
    if let Err(error) = Settings::validate(text) {
        return tells_where(text, &error);
    }
    let settings = Settings::from_json(text).context("settings are valid, and not to be used")?;
    let node = &settings.cluster_api.node;
    for pattern in node.additional_labels.iter().chain(&node.additional_annotations) {
        ensure!(pattern.check().is_ok(), "`{}` is valid, and does not compile", pattern.as_str());
        for key in ["", "a", "node.cluster.x-k8s.io/role", "a\nb"] {
            pattern.is_match(key);
        }
    }
    Ok(())
}

/// Every problem is reported, and, if the input is an object, with its path.
fn tells_where(text: &str, error: &SettingsError) -> Result<()> {
    ensure!(!error.problems.is_empty() && !error.to_string().is_empty(), "refused without a reason");
    let is_object = serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object());
    for problem in &error.problems {
        ensure!(!problem.problem.is_empty(), "{}: a problem without words", problem.path);
        ensure!(!problem.path.is_empty() || !is_object, "`{error}` does not say where");
    }
    Ok(())
}

/// Answers to lookups: the first byte picks one of the [`scenes`], the lines after it are what the cluster returns, in
/// order. An empty line is a kind that is not served; after the last line nothing is found.
pub fn looked_up(data: &[u8]) -> Result<()> {
    let Some((scene, answers)) = data.split_first() else { return Ok(()) };
    let scenes = scenes();
    let Some(scene) = scenes.get(usize::from(*scene) % scenes.len()) else { return Ok(()) };
    let review = Review::from_json(&scene.request)?;
    let cluster = LineCluster { lines: answers, asked: RefCell::default() };
    thread_local!(static READ: Option<Settings> = Settings::from_json(SETTINGS).ok());
    READ.with(|settings| {
        let settings = settings.as_ref().context("the settings of the scenes are none")?;
        let outcome = evaluate(&review, settings, &&cluster);
        is_answerable(&outcome)?;
        let is_of_json = answers.split(|byte| *byte == b'\n').all(|line| line.is_empty() || is_json(line));
        if is_of_json { stands(&review, settings, || &cluster, &outcome) } else { Ok(()) }
    })
}

/// Parts copied from invalid JSON are invalid too: callers of the engine validate first.
fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

fn none(cause: LookupCause) -> LookupError {
    LookupError { cause, detail: cause.to_string() }
}

/// The cluster in a payload.
struct OfPayload<'a> {
    payload: &'a [u8],
    objects: OnceCell<Vec<&'a RawValue>>,
}

impl<'a> OfPayload<'a> {
    fn new(payload: &'a [u8]) -> Self {
        OfPayload { payload, objects: OnceCell::new() }
    }

    fn objects(&self) -> &[&'a RawValue] {
        #[derive(Deserialize)]
        struct Payload<'a> {
            #[serde(borrow, default)]
            cluster: Vec<&'a RawValue>,
        }
        self.objects.get_or_init(|| {
            let payload = serde_json::from_slice::<Payload<'_>>(self.payload);
            payload.map(|payload| payload.cluster).unwrap_or_default()
        })
    }
}

impl Cluster for OfPayload<'_> {
    /// Names are ignored: any object of the kind matches.
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        #[derive(Deserialize)]
        struct Kind<'a> {
            #[serde(borrow)]
            kind: Cow<'a, str>,
        }
        let kind = |object: &RawValue| serde_json::from_str::<Kind<'_>>(object.get()).is_ok_and(|o| o.kind == get.kind);
        if let Some(object) = self.objects().iter().find(|object| kind(object)) {
            return Ok(object.get().to_owned());
        }
        let cause = self.objects().iter().find_map(|object| serde_json::from_str(object.get()).ok());
        Err(none(cause.unwrap_or(LookupCause::NotFound)))
    }
}

/// A cluster that answers each new question with the next line, and a repeated question with the same line.
struct LineCluster<'a> {
    lines: &'a [u8],
    asked: RefCell<Vec<Get>>,
}

impl Cluster for &LineCluster<'_> {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let mut asked = self.asked.borrow_mut();
        let number = asked.iter().position(|known| known == get).unwrap_or(asked.len());
        if number == asked.len() {
            asked.push(get.clone());
        }
        match self.lines.split(|byte| *byte == b'\n').nth(number) {
            None => Err(none(LookupCause::NotFound)),
            Some([]) => Err(none(LookupCause::NotServed)),
            // As the policy reads what its host returns.
            Some(line) => String::from_utf8(line.to_vec()).map_err(|_| none(LookupCause::Unreadable)),
        }
    }
}
