//! Which pairs of bodies count.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use super::BodyId;

/// What a body belongs to and what it meets, one bit per group.
///
/// Two bodies count together if each belongs to a group that the other meets. By default a body
/// belongs to all groups and meets all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Groups {
    /// The groups that the body belongs to.
    pub member: u32,
    /// The groups that it meets.
    pub meets: u32,
}

impl Groups {
    /// Member of all groups, meets all.
    pub const ALL: Self = Self { member: u32::MAX, meets: u32::MAX };

    /// Whether two bodies with these groups count together.
    #[must_use]
    #[inline]
    pub fn count_with(self, other: Self) -> bool {
        self.member & other.meets != 0 && other.member & self.meets != 0
    }
}

impl Default for Groups {
    fn default() -> Self {
        Self::ALL
    }
}

/// Pairs of bodies that do not count, each with the smaller id first.
#[derive(Debug, Clone, Default)]
pub(super) struct IgnoredPairs(HashSet<[BodyId; 2]>);

impl IgnoredPairs {
    /// Whether that changed anything.
    pub(super) fn set(&mut self, pair: [BodyId; 2], ignored: bool) -> bool {
        let pair = in_order(pair);
        if ignored { self.0.insert(pair) } else { self.0.remove(&pair) }
    }

    #[inline]
    pub(super) fn contains(&self, pair: [BodyId; 2]) -> bool {
        !self.0.is_empty() && self.0.contains(&in_order(pair))
    }

    /// Forgets all pairs of a body that was removed.
    pub(super) fn forget(&mut self, id: BodyId) {
        self.0.retain(|pair| !pair.contains(&id));
    }
}

/// A rule of the caller's about pairs of bodies.
#[derive(Clone)]
pub(super) struct PairRule(Arc<dyn Fn(BodyId, BodyId) -> bool + Send + Sync>);

impl PairRule {
    pub(super) fn new(counts: impl Fn(BodyId, BodyId) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(counts))
    }

    /// Whether a pair counts. The rule sees the smaller id first.
    pub(super) fn counts(&self, pair: [BodyId; 2]) -> bool {
        let [a, b] = in_order(pair);
        (self.0)(a, b)
    }
}

impl fmt::Debug for PairRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PairRule")
    }
}

fn in_order([a, b]: [BodyId; 2]) -> [BodyId; 2] {
    [a.min(b), a.max(b)]
}
