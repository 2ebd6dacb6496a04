//! Time of an entry of reviews that grow.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use testkit::cluster::ResourceHost;
use testkit::markdown::table;
use testkit::module::Module;
use testkit::shapes::{Shape, shapes};

use crate::measure::median;

/// Entries of the reviews.
const ENTRIES: [usize; 3] = [100, 1000, 10_000];

/// Microseconds for each entry, for each number of entries, and for as many as 1.5 MB hold.
pub(crate) fn per_entry(policy: &Module) -> Result<String> {
    let mut header: Vec<String> = vec!["microseconds for each".to_owned()];
    header.extend(ENTRIES.iter().map(ToString::to_string));
    header.push("1.5 MB hold".to_owned());
    header.push("time".to_owned());
    let row = |shape: &Shape| -> Result<Vec<String>> {
        let mut row = vec![shape.name.clone()];
        for entries in ENTRIES {
            row.push(format!("{:.2}", millis(policy, shape, entries)? * 1e3 / entries as f64));
        }
        let most = shape.most()?;
        row.push(most.to_string());
        row.push(format!("{:.0} ms", millis(policy, shape, most)?));
        Ok(row)
    };
    let rows = shapes()?.iter().map(row).collect::<Result<Vec<_>>>()?;
    Ok(["### Time of an entry".to_owned(), table(&header, &rows)].join("\n\n"))
}

/// Milliseconds of a call, the median of three.
fn millis(policy: &Module, shape: &Shape, entries: usize) -> Result<f64> {
    let review = shape.review(entries)?;
    let cluster: Arc<dyn ResourceHost> = Arc::new(review.cluster);
    let one = || -> Result<f64> {
        let start = Instant::now();
        policy.call("validate", review.payload.as_bytes(), &cluster)?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    };
    Ok(median((0..3).map(|_| one()).collect::<Result<_>>()?))
}
