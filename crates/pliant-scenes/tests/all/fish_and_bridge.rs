//! The fish and the bridge.

use crate::support::hash;
use pliant::{Body, Error};
use pliant_scenes::{BRIDGE_FRAMES, FISH_FRAMES, FISH_MODES, Topology, bridge, fish};

#[test]
fn the_fish_is_closed_and_of_its_size() {
    let fish = fish().unwrap();
    let topology = Topology::of(&fish.mesh);
    assert!(topology.is_closed(), "{topology:?}");
    assert_eq!((topology.components, topology.euler_characteristic()), (1, 2));
    assert_eq!((topology.vertices, topology.triangles), (12_390, 24_776));
    assert_eq!((fish.modes.len(), fish.coordinates.len()), (FISH_MODES, FISH_FRAMES));
    assert!(fish.modes.iter().all(|field| field.len() == 12_390));

    let body = Body::rigid(fish.mesh.clone()).unwrap();
    assert_eq!(pliant::self_intersections(&body).pairs.len(), 0);
    let again = pliant_scenes::fish().unwrap();
    assert_eq!(hash(fish.mesh.positions()), hash(again.mesh.positions()));
    assert_eq!(hash(&fish.positions(17).unwrap()), hash(&again.positions(17).unwrap()));
}

#[test]
fn the_fish_swims_with_its_tail() {
    let fish = fish().unwrap();
    let rest = fish.mesh.positions();
    let mut reach = [0.0f64; 2];
    for frame in 0..FISH_FRAMES {
        for (now, rest) in fish.positions(frame).unwrap().iter().zip(rest) {
            assert!(now.is_finite());
            let slot = usize::from(rest.z < -0.3);
            if rest.z > 0.0 || slot == 1 {
                reach[slot] = reach[slot].max(now.distance(*rest));
            }
        }
    }
    assert!(reach[1] > 0.08 && reach[0] < 0.06, "front and tail: {reach:?}");
    assert!(matches!(fish.positions(FISH_FRAMES), Err(Error::InvalidSetting { .. })));
}

#[test]
fn the_bridge_has_the_papers_size_exactly() {
    let bridge = bridge().unwrap();
    let topology = Topology::of(&bridge.mesh);
    assert!(topology.is_closed());
    assert_eq!((topology.vertices, topology.triangles), (135_304, 240_316));
    assert_eq!(topology.components, 7573);
    let again = pliant_scenes::bridge().unwrap();
    assert_eq!(hash(bridge.mesh.positions()), hash(again.mesh.positions()));

    // Every part faces outward. Parts are consecutive in vertices and triangles.
    let positions = bridge.mesh.positions();
    let mut volumes = Vec::new();
    let mut newest = 0;
    for triangle in bridge.mesh.triangles() {
        if volumes.is_empty() || triangle.iter().all(|&vertex| vertex > newest) {
            volumes.push((0.0, positions[triangle[0] as usize]));
        }
        newest = triangle.iter().copied().fold(newest, u32::max);
        let (volume, origin) = volumes.last_mut().unwrap();
        let [a, b, c] = triangle.map(|vertex| positions[vertex as usize] - *origin);
        *volume += a.cross(b).dot(c) / 6.0;
    }
    assert_eq!(volumes.len(), 7573);
    assert!(volumes.iter().all(|(volume, _)| *volume > 0.0));
}

#[test]
fn the_bridge_sways_between_towers_that_stand_still() {
    let bridge = bridge().unwrap();
    let rest = bridge.mesh.positions();
    let mut most = 0.0f64;
    for frame in (0..BRIDGE_FRAMES).step_by(5) {
        for (now, rest) in bridge.positions(frame).unwrap().iter().zip(rest) {
            let way = now.distance(*rest);
            assert!(way.is_finite());
            most = most.max(way);
            if (rest.x.abs() - 80.0).abs() < 0.6 || rest.x.abs() > 119.9 {
                assert!(way < 0.15, "{rest} moves by {way}");
            }
        }
    }
    assert!((1.0..4.0).contains(&most), "{most}");
    assert!(matches!(bridge.positions(BRIDGE_FRAMES), Err(Error::InvalidSetting { .. })));
}
