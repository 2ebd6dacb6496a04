//! One review through several modules in turn.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;
use testkit::cluster::{ApiServer, ResourceHost};
use testkit::module::{Exchange, Module};

/// The index of the policy among the candidates: after the modules that are always measured with it.
pub(crate) const POLICY: usize = 2;

/// A module that is measured.
pub(crate) struct Candidate {
    pub(crate) name: String,
    pub(crate) module: Module,
    counting: Module,
}

/// The cost of a review for one module; no number if the module fails.
pub(crate) struct Cost {
    /// Microseconds, the median: a fresh instance, the call, its response.
    pub(crate) call: f64,
    /// The same including the host's work for every request: Kubewarden's host parses the review, writes the payload,
    /// parses the response, and computes the patch of a mutated object.
    pub(crate) as_host: f64,
    /// From the start of the instance to the response.
    pub(crate) instructions: f64,
    /// How many memory pages the call touches for the first time, the median: each is a page fault of this process.
    pub(crate) faults: f64,
    pub(crate) gets: usize,
    pub(crate) log_lines: usize,
}

impl Candidate {
    pub(crate) fn read(name: &str, path: &Path) -> Result<Candidate> {
        let module = Module::read(path)?;
        Ok(Candidate { name: name.to_owned(), counting: module.counting()?, module })
    }

    /// Milliseconds to compile the module, the median.
    pub(crate) fn compile(&self) -> Result<f64> {
        let one = || -> Result<f64> {
            let start = Instant::now();
            Module::new(self.module.bytes.clone())?;
            Ok(start.elapsed().as_secs_f64() * 1e3)
        };
        Ok(median((0..5).map(|_| one()).collect::<Result<_>>()?))
    }

    /// Microseconds to start an instance and call `protocol_version`, the median: the cost of an instance itself.
    pub(crate) fn start(&self, rounds: usize) -> Result<f64> {
        let nothing: Arc<dyn ResourceHost> = Arc::new(ApiServer::default());
        let one = || -> Result<f64> {
            let start = Instant::now();
            self.module.call("protocol_version", b"", &nothing)?;
            Ok(micros(start.elapsed()))
        };
        Ok(median((0..rounds).map(|_| one()).collect::<Result<_>>()?))
    }
}

/// A module that cannot answer a review.
const FAILED: Cost =
    Cost { call: f64::NAN, as_host: f64::NAN, instructions: f64::NAN, faults: f64::NAN, gets: 0, log_lines: 0 };

/// The cost of a review for each module. The policy and the modules before it must answer; another policy may fail if
/// the review is not relevant to it.
pub(crate) fn measure(
    candidates: &[Candidate],
    payload: &str,
    cluster: &ApiServer,
    rounds: usize,
) -> Result<Vec<Cost>> {
    let cluster: Arc<dyn ResourceHost> = Arc::new(cluster.clone());
    let mut costs = Vec::new();
    // The host's answers for each module; `None` if the module fails.
    let mut hosts: Vec<Option<Arc<dyn ResourceHost>>> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let call = match candidate.counting.call("validate", payload.as_bytes(), &cluster) {
            Err(_) if index > POLICY => {
                hosts.push(None);
                costs.push(FAILED);
                continue;
            }
            call => call?,
        };
        let (gets, log_lines) = (call.gets.len(), call.log.len());
        hosts.push(Some(Arc::new(Canned(call.gets))));
        costs.push(Cost { instructions: call.instructions as f64, gets, log_lines, ..FAILED });
    }
    let mut times = vec![(Vec::new(), Vec::new()); candidates.len()];
    for _ in 0..rounds {
        for ((candidate, host), (call, as_host)) in candidates.iter().zip(&hosts).zip(&mut times) {
            if let Some(host) = host {
                let (alone, besides) = timed(&candidate.module, payload, host)?;
                call.push(alone);
                as_host.push(alone + besides);
            }
        }
    }
    for (((candidate, host), cost), (call, as_host)) in candidates.iter().zip(&hosts).zip(&mut costs).zip(times) {
        let Some(host) = host else { continue };
        let faults = || -> Result<f64> {
            let before = page_faults()?;
            candidate.module.call("validate", payload.as_bytes(), host)?;
            Ok((page_faults()? - before) as f64)
        };
        cost.faults = median((0..rounds.min(21)).map(|_| faults()).collect::<Result<_>>()?);
        (cost.call, cost.as_host) = (median(call), median(as_host));
    }
    Ok(costs)
}

/// Page faults of this process so far that needed no disk; 0 if the system does not report them.
fn page_faults() -> Result<u64> {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else { return Ok(0) };
    // The name of the program is in brackets, and may have spaces.
    let fields = stat.rsplit_once(") ").context("no name in /proc/self/stat")?.1;
    Ok(fields.split(' ').nth(7).context("no page faults in /proc/self/stat")?.parse()?)
}

/// Microseconds of a call, and of the host's further work.
fn timed(module: &Module, payload: &str, host: &Arc<dyn ResourceHost>) -> Result<(f64, f64)> {
    let start = Instant::now();
    let review: Value = serde_json::from_str(payload)?;
    let payload = review.to_string();
    let before = start.elapsed();
    let start = Instant::now();
    let response = module.call("validate", payload.as_bytes(), host)?.response;
    let call = start.elapsed();
    let start = Instant::now();
    let response: Value = serde_json::from_slice(&response)?;
    if let Some((object, mutated)) = review.pointer("/request/object").zip(response.get("mutated_object")) {
        serde_json::to_vec(&json_patch::diff(object, mutated))?;
    }
    Ok((micros(call), micros(before + start.elapsed())))
}

/// A host that answers at once what the cluster would answer: the cluster's own time is not measured.
struct Canned(Vec<Exchange>);

impl ResourceHost for Canned {
    fn get_resource(&self, payload: &[u8]) -> Result<Vec<u8>, String> {
        let answer = self.0.iter().find(|(known, _)| known == payload);
        answer.map_or(Err("not recorded".to_owned()), |(_, answer)| answer.clone())
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The middle of some values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
