//! Defects that the policy or its surroundings once had, reintroduced one at a time.

/// A defect. Defects are not in the engine but in the simulated environment around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Defect {
    /// The user who edited a value owns it, also after the policy restored it.
    ForgottenOwners,
    /// `propagate backfill` applies what is missing, and keeps it.
    OwningBackfill,
    /// The policy does not recognize the topology controller's dry runs.
    AnsweredDryRuns,
    /// A read past the host's cache is answered from it.
    CachedWrites,
}

impl Defect {
    /// All.
    pub const ALL: [Defect; 4] =
        [Defect::ForgottenOwners, Defect::OwningBackfill, Defect::AnsweredDryRuns, Defect::CachedWrites];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Defect::ForgottenOwners => "forgotten-owners",
            Defect::OwningBackfill => "owning-backfill",
            Defect::AnsweredDryRuns => "answered-dry-runs",
            Defect::CachedWrites => "cached-writes",
        }
    }

    /// A description of the defect.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Defect::ForgottenOwners => "the user who edits a value owns it, also after the policy restored it",
            Defect::OwningBackfill => "`propagate backfill` applies what is missing as an owner that never lets go",
            Defect::AnsweredDryRuns => "the policy completes the dry runs by which the topology controller compares",
            Defect::CachedWrites => "a read past the host's cache is answered from the cache",
        }
    }

    /// Whether it is visible only if Cluster API's controllers are not listed in `clusterApi.controllers`.
    #[must_use]
    pub fn needs_unlisted_controllers(self) -> bool {
        self == Defect::AnsweredDryRuns
    }
}
