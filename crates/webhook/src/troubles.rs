//! Temporary faults of the host, as `conformance/cluster` requests them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;

/// The body of `PUT /troubles`. A fault that is absent ends.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub(crate) struct Ordered {
    /// The additional delay of the API server for each read.
    read_delay_milliseconds: u64,
    /// How long the host is down, from now on; 0 restores it. It restarts with an empty cache.
    down_milliseconds: Option<u64>,
}

/// The current faults.
#[derive(Debug, Default)]
pub(crate) struct HostTroubles {
    now: Mutex<Now>,
}

#[derive(Debug, Default)]
struct Now {
    read_delay: Duration,
    /// Until when the host is, or was last, down.
    down_until: Option<Instant>,
}

impl HostTroubles {
    pub(crate) fn begin(&self, ordered: &Ordered) {
        let mut now = self.now();
        now.read_delay = Duration::from_millis(ordered.read_delay_milliseconds);
        if let Some(down) = ordered.down_milliseconds {
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
        let (troubles, before) = (HostTroubles::default(), Instant::now());
        assert_eq!((troubles.is_down(), troubles.restarted_since(before)), (false, false));
        troubles.begin(&Ordered { down_milliseconds: Some(20), ..Ordered::default() });
        assert_eq!((troubles.is_down(), troubles.restarted_since(before)), (true, true));
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!((troubles.is_down(), troubles.restarted_since(before)), (false, true));
        troubles.begin(&Ordered { down_milliseconds: Some(60_000), ..Ordered::default() });
        troubles.begin(&Ordered { down_milliseconds: Some(0), ..Ordered::default() });
        assert!(!troubles.is_down());
    }

    #[test]
    fn what_is_not_ordered_again_is_over() {
        let troubles = HostTroubles::default();
        troubles.begin(&Ordered { read_delay_milliseconds: 7, ..Ordered::default() });
        assert_eq!(troubles.read_delay(), Duration::from_millis(7));
        troubles.begin(&Ordered::default());
        assert_eq!(troubles.read_delay(), Duration::ZERO);
    }
}
