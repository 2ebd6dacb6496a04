//! Temporary faults of the host, as `verification/conformance/cluster` requests them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;

/// The body of `PUT /faults`. A fault that is absent ends.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub(crate) struct FaultRequest {
    /// The additional delay of the API server for each read.
    read_delay_milliseconds: u64,
    /// How long the host is down, from now on; 0 restores it. It restarts with an empty cache.
    down_milliseconds: Option<u64>,
}

/// The current faults.
#[derive(Debug, Default)]
pub(crate) struct HostFaults {
    now: Mutex<Now>,
}

#[derive(Debug, Default)]
struct Now {
    read_delay: Duration,
    /// Until when the host is, or was last, down.
    down_until: Option<Instant>,
}

impl HostFaults {
    pub(crate) fn begin(&self, requested: &FaultRequest) {
        let mut now = self.now();
        now.read_delay = Duration::from_millis(requested.read_delay_milliseconds);
        if let Some(down) = requested.down_milliseconds {
            now.down_until = Some(Instant::now() + Duration::from_millis(down));
        }
    }

    pub(crate) fn read_delay(&self) -> Duration {
        self.now().read_delay
    }

    pub(crate) fn is_down(&self) -> bool {
        self.restarted_since(Instant::now())
    }

    /// Whether the host was down after a moment: reads cached before then are lost.
    pub(crate) fn restarted_since(&self, moment: Instant) -> bool {
        self.now().down_until.is_some_and(|until| moment < until)
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_forgets_what_was_read_before_it_and_ends() {
        let (faults, before) = (HostFaults::default(), Instant::now());
        assert_eq!((faults.is_down(), faults.restarted_since(before)), (false, false));
        faults.begin(&FaultRequest { down_milliseconds: Some(20), ..FaultRequest::default() });
        assert_eq!((faults.is_down(), faults.restarted_since(before)), (true, true));
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!((faults.is_down(), faults.restarted_since(before)), (false, true));
        faults.begin(&FaultRequest { down_milliseconds: Some(60_000), ..FaultRequest::default() });
        faults.begin(&FaultRequest { down_milliseconds: Some(0), ..FaultRequest::default() });
        assert!(!faults.is_down());
    }

    #[test]
    fn a_fault_that_is_not_requested_again_ends() {
        let faults = HostFaults::default();
        faults.begin(&FaultRequest { read_delay_milliseconds: 7, ..FaultRequest::default() });
        assert_eq!(faults.read_delay(), Duration::from_millis(7));
        faults.begin(&FaultRequest::default());
        assert_eq!(faults.read_delay(), Duration::ZERO);
    }
}
