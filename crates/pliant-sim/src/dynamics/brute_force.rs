//! Contacts by testing every proxy with every other: what the search must find.

use super::carried::between;
use super::obstacle::PlacedObstacle;
use super::obstacle_search::meet_solid;
use super::snapshot::{Contact, Snapshot};
use super::surface_search::{NearSurface, meet_surface};

/// All contacts in the order of `all_contacts`.
pub(super) fn every_contact(snapshot: &Snapshot) -> Vec<Contact> {
    let bodies = snapshot.poses.len() as u32;
    let proxies = |body: u32| {
        let nodes = &snapshot.model(body).proxies.nodes;
        (0..).zip(nodes).filter(|(_, node)| node.is_proxy())
    };
    let moved: Vec<Vec<_>> = (0..bodies)
        .map(|body| proxies(body).map(|(node, _)| (node, snapshot.moved(body, node))).collect())
        .collect();
    let mut found = Vec::new();
    for a in 0..bodies {
        for b in (a + 1..bodies).filter(|&b| snapshot.may_touch(a, b)) {
            let margin = snapshot.margin(a, b);
            let carried = between(snapshot.carried, [0, a, b]);
            for (node_a, first) in &moved[a as usize] {
                for (node_b, second) in &moved[b as usize] {
                    let nodes = [*node_a, *node_b];
                    found.extend(snapshot.meet([a, b], nodes, [first, second], margin, carried));
                }
            }
        }
    }
    for body in 0..bodies {
        for (number, obstacle) in (0..).zip(snapshot.obstacles) {
            let carried = between(snapshot.carried, [1, body, number]);
            for (node, _) in &moved[body as usize] {
                found.extend(match obstacle {
                    PlacedObstacle::Surface { now, .. } => {
                        let near = NearSurface::by_brute_force(snapshot, body, *node, now);
                        meet_surface(snapshot, [body, number], &near, carried)
                    }
                    _ => meet_solid(snapshot, [body, *node, number], carried),
                });
            }
        }
    }
    found
}
