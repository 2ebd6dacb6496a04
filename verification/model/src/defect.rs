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
    /// The policy does not see that an object is being deleted.
    UnseenDeletion,
    /// The policy does not see that the owner of an object is being deleted.
    UnseenOwnerDeletion,
    /// The policy does not read which field manager writes.
    UnreadManager,
}

impl Defect {
    /// All.
    pub const ALL: [Defect; 7] = [
        Defect::ForgottenOwners,
        Defect::OwningBackfill,
        Defect::AnsweredDryRuns,
        Defect::CachedWrites,
        Defect::UnseenDeletion,
        Defect::UnseenOwnerDeletion,
        Defect::UnreadManager,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Defect::ForgottenOwners => "forgotten-owners",
            Defect::OwningBackfill => "owning-backfill",
            Defect::AnsweredDryRuns => "answered-dry-runs",
            Defect::CachedWrites => "cached-writes",
            Defect::UnseenDeletion => "unseen-deletion",
            Defect::UnseenOwnerDeletion => "unseen-owner-deletion",
            Defect::UnreadManager => "unread-manager",
        }
    }

    /// A description of the defect.
    pub fn sentence(self) -> &'static str {
        match self {
            Defect::ForgottenOwners => "the user who edits a value owns it, also after the policy restored it",
            Defect::OwningBackfill => "`propagate backfill` applies what is missing as an owner that never lets go",
            Defect::AnsweredDryRuns => "the policy completes the dry runs by which the topology controller compares",
            Defect::CachedWrites => "a read past the host's cache is answered from the cache",
            Defect::UnseenDeletion => "the policy acts on an object that has a deletion timestamp",
            Defect::UnseenOwnerDeletion => "the policy acts on an object whose owner has a deletion timestamp",
            Defect::UnreadManager => {
                "a manager that removes its own value by Update owns it again after it is restored"
            }
        }
    }

    /// Whether it is visible only if Cluster API's controllers are not listed in `clusterApi.controllers`.
    pub fn needs_unlisted_controllers(self) -> bool {
        self == Defect::AnsweredDryRuns
    }
}
