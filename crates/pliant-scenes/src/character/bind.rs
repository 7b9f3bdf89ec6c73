//! Smooth skinning weights.

use super::Influence;
use crate::implicit::{Part, Surface, nearest_part};

/// The largest number of influences per vertex.
const MOST: usize = 4;
/// Smaller weights are dropped.
const LEAST: f64 = 0.01;

/// Returns the start of each vertex's influences, and the influences of all vertices.
///
/// A vertex first belongs to the joint of its nearest part. Then weights diffuse over the surface
/// from vertex to vertex, `rounds` times. In this way they cannot spread from one limb to another,
/// unlike weights by distance in space.
pub(crate) fn weights(
    surface: &Surface,
    parts: &[Part],
    joints: usize,
    rounds: usize,
) -> (Vec<u32>, Vec<Influence>) {
    let vertices = surface.positions.len();
    let mut neighbors = vec![Vec::new(); vertices];
    for &[a, b, c] in &surface.triangles {
        // On a closed surface every edge occurs once in each direction.
        for [from, to] in [[a, b], [b, c], [c, a]] {
            neighbors[from as usize].push(to);
        }
    }
    let mut weights = vec![0.0; vertices * joints];
    for (vertex, &position) in surface.positions.iter().enumerate() {
        weights[vertex * joints + parts[nearest_part(parts, position)].joint] = 1.0;
    }
    for _ in 0..rounds {
        let mut spread = weights.iter().map(|weight| weight / 2.0).collect::<Vec<f64>>();
        for (vertex, around) in neighbors.iter().enumerate() {
            let share = 0.5 / around.len() as f64;
            for &neighbor in around {
                for joint in 0..joints {
                    spread[vertex * joints + joint] +=
                        share * weights[neighbor as usize * joints + joint];
                }
            }
        }
        weights = spread;
    }

    let mut starts = vec![0];
    let mut influences = Vec::new();
    for of_vertex in weights.chunks(joints) {
        let mut strongest: Vec<(usize, f64)> =
            of_vertex.iter().copied().enumerate().filter(|(_, weight)| *weight >= LEAST).collect();
        strongest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        strongest.truncate(MOST);
        let sum: f64 = strongest.iter().map(|(_, weight)| weight).sum();
        let share = |&(joint, weight): &(usize, f64)| Influence {
            joint: joint as u32,
            weight: weight / sum,
        };
        influences.extend(strongest.iter().map(share));
        starts.push(influences.len() as u32);
    }
    (starts, influences)
}
