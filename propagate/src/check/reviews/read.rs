//! Recorded requests, from the text of a file.

use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use metadata_propagation::Review;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::audit::{self, Event};
use crate::file;

/// One request, and its position.
pub(super) struct Recorded<'t> {
    pub(super) file: &'t str,
    /// The number of the review or event in the file, from 1.
    pub(super) number: usize,
    pub(super) request: RecordedRequest<'t>,
}

/// A request as it was recorded.
pub(super) enum RecordedRequest<'t> {
    Review(Box<Review<'t>>),
    Event(Box<Event<'t>>),
}

/// The text of a file, unpacked if it is packed with gzip.
pub(super) fn text(file: &Path) -> Result<String, String> {
    if file.extension().is_none_or(|ending| ending != "gz") {
        return file::text(file);
    }
    let packed = std::fs::File::open(file).map_err(|error| error.to_string())?;
    let mut text = String::new();
    MultiGzDecoder::new(packed).read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

/// The requests of AdmissionReviews and of an audit log: one after the other, or in a list. Of an audit log, the writes
/// that succeeded.
///
/// # Errors
/// When the text is not JSON, or one of them has no request or one without the structure of an AdmissionRequest.
pub(super) fn recorded<'t>(file: &'t str, text: &'t str) -> Result<Vec<Recorded<'t>>, String> {
    let mut values: Vec<&'t RawValue> = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<&'t RawValue>() {
        add(value.map_err(|error| error.to_string())?, &mut values)?;
    }
    let mut all = Vec::new();
    for (index, value) in values.into_iter().enumerate() {
        let number = index + 1;
        let request = request(value).map_err(|error| format!("review {number}: {error}"))?;
        let is_write = !matches!(&request, RecordedRequest::Event(event) if !event.is_write());
        all.extend(is_write.then_some(Recorded { file, number, request }));
    }
    Ok(all)
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RecordedHead<'t> {
    api_version: String,
    kind: String,
    #[serde(borrow)]
    items: Vec<&'t RawValue>,
}

impl RecordedHead<'_> {
    fn is_event(&self, kind: &str) -> bool {
        self.api_version.starts_with(audit::GROUP) && self.kind == kind
    }
}

/// Adds a value, or those of a list.
fn add<'t>(value: &'t RawValue, values: &mut Vec<&'t RawValue>) -> Result<(), String> {
    if value.get().starts_with('[') {
        values.extend(serde_json::from_str::<Vec<&'t RawValue>>(value.get()).map_err(|error| error.to_string())?);
        return Ok(());
    }
    match serde_json::from_str::<RecordedHead<'t>>(value.get()) {
        Ok(head) if head.is_event("EventList") => values.extend(head.items),
        _ => values.push(value),
    }
    Ok(())
}

fn request(value: &RawValue) -> Result<RecordedRequest<'_>, String> {
    #[derive(Deserialize)]
    struct RecordedReview<'a> {
        #[serde(borrow)]
        request: &'a RawValue,
    }
    if serde_json::from_str::<RecordedHead<'_>>(value.get()).is_ok_and(|head| head.is_event("Event")) {
        return serde_json::from_str(value.get())
            .map(|event| RecordedRequest::Event(Box::new(event)))
            .map_err(|it| it.to_string());
    }
    let review: RecordedReview<'_> = serde_json::from_str(value.get()).map_err(|error| error.to_string())?;
    let review = Review::from_json(review.request.get()).map_err(|malformed| malformed.to_string())?;
    Ok(RecordedRequest::Review(Box::new(review)))
}
