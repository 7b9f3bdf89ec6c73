//! Measures of how uniform and how connected a necklace is.

use super::Necklace;
use crate::contact::balls_touch;
use crate::numeric::length;

/// The quantities that the complexity bounds of necklace queries depend on (Guibas et al. 2002,
/// section 2.1). They affect the speed and not the answers.
#[derive(Debug, Clone, PartialEq)]
pub struct NecklaceHealth {
    /// The smallest radius.
    pub smallest_radius: f64,
    /// The largest radius.
    pub largest_radius: f64,
    /// The shortest distance of two linked centres; infinite without links.
    pub shortest_link: f64,
    /// The longest distance of two linked centres; zero without links.
    pub longest_link: f64,
    /// Links whose beads have no point in common, decided exactly.
    pub broken_links: Vec<[u32; 2]>,
}

impl NecklaceHealth {
    /// The largest radius over the smallest: 1 for equal beads.
    #[must_use]
    pub fn radius_ratio(&self) -> f64 {
        self.largest_radius / self.smallest_radius
    }

    /// Whether all linked beads have a point in common.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.broken_links.is_empty()
    }
}

impl Necklace {
    /// Measures how uniform and how connected the beads are now, in one pass over all beads.
    #[must_use]
    pub fn health(&self) -> NecklaceHealth {
        let beads = self.beads();
        let mut health = NecklaceHealth {
            smallest_radius: f64::INFINITY,
            largest_radius: 0.0,
            shortest_link: f64::INFINITY,
            longest_link: 0.0,
            broken_links: Vec::new(),
        };
        for bead in beads {
            health.smallest_radius = health.smallest_radius.min(bead.radius);
            health.largest_radius = health.largest_radius.max(bead.radius);
        }
        for [first, second] in self.links() {
            let (a, b) = (&beads[first as usize], &beads[second as usize]);
            let length = length(a.center - b.center);
            health.shortest_link = health.shortest_link.min(length);
            health.longest_link = health.longest_link.max(length);
            if !balls_touch(a, b) {
                health.broken_links.push([first, second]);
            }
        }
        health
    }
}

#[cfg(test)]
mod tests {
    use crate::shape::{Chain, Necklace};
    use crate::volume::Ball;
    use glam::DVec3;

    #[test]
    fn a_gap_and_a_large_bead_are_reported() {
        let at = |x: f64, r: f64| Ball::new(DVec3::X * x, r);
        let beads = vec![at(0.0, 1.0), at(2.0, 1.0), at(4.5, 1.0), at(7.5, 2.0)];
        let chain = Chain { beads: 4, closed: false };
        let health = Necklace::new(beads, &[chain]).unwrap().health();
        assert_eq!(health.broken_links, [[1, 2]]);
        assert_eq!((health.radius_ratio(), health.is_connected()), (2.0, false));
        assert_eq!((health.shortest_link, health.longest_link), (2.0, 3.0));
    }
}
