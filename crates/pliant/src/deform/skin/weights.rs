//! Which joints move which vertices.

use crate::limits::WEIGHT_SUM_SLACK;
use crate::{Error, Result};

/// The weight of one joint in a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    /// The joint's number.
    pub joint: u32,
    /// Its weight: 0 or more.
    pub weight: f64,
}

/// Which joints move each vertex, and how much. A vertex may have any number of influences.
///
/// The weights of a vertex sum to 1 up to the rounding of `f64`. This is plain data;
/// [`Binding::new`](super::Binding::new) checks it.
///
/// ```
/// use pliant::deform::{Influence, SkinWeights};
/// let mut weights = SkinWeights::default();
/// weights.push(&[Influence { joint: 0, weight: 0.25 }, Influence { joint: 3, weight: 0.75 }]);
/// weights.push(&[Influence { joint: 3, weight: 1.0 }]);
/// assert_eq!((weights.vertices(), weights.of(1)[0].joint), (2, 3));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SkinWeights {
    /// The start of each vertex's influences, and the end of the last: vertices + 1 numbers.
    pub starts: Vec<u32>,
    /// The influences of all vertices.
    pub influences: Vec<Influence>,
}

impl Default for SkinWeights {
    /// No vertex yet.
    fn default() -> Self {
        Self { starts: vec![0], influences: Vec::new() }
    }
}

impl SkinWeights {
    /// The influences of one vertex; empty if there is no such vertex.
    #[must_use]
    #[inline]
    pub fn of(&self, vertex: usize) -> &[Influence] {
        match self.starts.get(vertex..vertex.saturating_add(2)) {
            Some(&[start, end]) => {
                self.influences.get(start as usize..end as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Adds the next vertex.
    pub fn push(&mut self, influences: &[Influence]) {
        self.influences.extend_from_slice(influences);
        // Counts beyond 32 bits are refused later, by the check of this vertex.
        self.starts.push(u32::try_from(self.influences.len()).unwrap_or(u32::MAX));
    }

    /// Refuses weights that are not convex combinations of joints `0 .. joints`.
    pub(super) fn check(&self, joints: usize) -> Result<()> {
        let refuse = |vertex, reason| Err(Error::InvalidInfluences { vertex, reason });
        if self.starts.first() != Some(&0) {
            return refuse(0, "its influences do not start at 0");
        }
        for (vertex, ends) in self.starts.windows(2).enumerate() {
            if ends[0] > ends[1] || ends[1] as usize > self.influences.len() {
                return refuse(vertex, "its influences are not a part of the list");
            }
            let own = self.of(vertex);
            if own.iter().any(|influence| influence.joint as usize >= joints) {
                return refuse(vertex, "it names a joint that does not exist");
            }
            // The comparison also refuses NaN.
            if !own.iter().all(|influence| influence.weight >= 0.0) {
                return refuse(vertex, "a weight is negative or not a number");
            }
            let sum: f64 = own.iter().map(|influence| influence.weight).sum();
            if (sum - 1.0).abs() > WEIGHT_SUM_SLACK {
                return refuse(vertex, "its weights do not sum to 1");
            }
        }
        if self.starts.last().map(|&end| end as usize) != Some(self.influences.len()) {
            return refuse(self.vertices(), "influences are left over after the last vertex");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(of: &[&[(u32, f64)]]) -> SkinWeights {
        let mut weights = SkinWeights::default();
        for own in of {
            let own: Vec<_> =
                own.iter().map(|&(joint, weight)| Influence { joint, weight }).collect();
            weights.push(&own);
        }
        weights
    }

    #[test]
    fn bad_weights_are_refused_by_vertex() {
        let vertex = |weights: &SkinWeights| match weights.check(2) {
            Ok(()) => None,
            Err(Error::InvalidInfluences { vertex, .. }) => Some(vertex),
            Err(error) => panic!("{error}"),
        };
        let fine: &[(u32, f64)] = &[(0, 0.5), (1, 0.5)];
        assert_eq!(vertex(&weights(&[fine, &[(1, 1.0), (0, 0.0)]])), None);
        let bad: [&[(u32, f64)]; 7] = [
            &[],
            &[(0, 0.5)],
            &[(0, 0.6), (1, 0.6)],
            &[(2, 1.0)],
            &[(0, -0.5), (1, 1.5)],
            &[(0, f64::NAN), (1, 1.0)],
            &[(0, f64::INFINITY)],
        ];
        for bad in bad {
            assert_eq!(vertex(&weights(&[fine, bad])), Some(1), "{bad:?}");
        }
        let mut torn = weights(&[fine, fine]);
        torn.starts[1] = 9;
        assert_eq!(vertex(&torn), Some(0));
        torn.starts = vec![0, 2];
        assert_eq!(vertex(&torn), Some(1));
        torn.starts = vec![];
        assert_eq!(vertex(&torn), Some(0));
    }
}
