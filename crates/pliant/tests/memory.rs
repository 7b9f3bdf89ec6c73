//! Thousands of clones of one body fit into memory. One test alone in its process, so that the
//! memory of the process is its own.

use std::sync::Arc;

use pliant::deform::Modes;
use pliant::glam::{DAffine3, DVec3};
use pliant::volume::Overlap as _;
use pliant::{Body, Collide as _, Isometry, intersections};
use pliant_scenes::{curtain, icosphere};

const CLONES: usize = 10_000;

/// MiB of resident memory, or `None` where the system does not tell.
fn resident() -> Option<f64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096.0 / f64::from(1 << 20))
}

/// Makes many of something and fails as soon as they take more than so many MiB.
fn many<T>(what: &str, limit: f64, mut make: impl FnMut(usize) -> T) -> Vec<T> {
    let before = resident();
    let mut made = Vec::with_capacity(CLONES);
    for number in 0..CLONES {
        made.push(make(number));
        if number % 100 == 99
            && let (Some(before), Some(now)) = (before, resident())
        {
            let grown = now - before;
            assert!(grown < limit, "{what}: {} take {grown:.0} MiB", number + 1);
        }
    }
    if let (Some(before), Some(now)) = (before, resident()) {
        println!("{what}: {CLONES} take {:.1} MiB", now - before);
    }
    made
}

#[test]
fn clones_take_no_memory_until_a_query_goes_below_their_roots() {
    if resident().is_none() {
        eprintln!("skipped: /proc/self/statm does not tell the memory here");
        return;
    }
    let scene = curtain(1).unwrap();
    assert_eq!(scene.mesh.triangles().len(), 48_080);
    let modes = Arc::new(Modes::from_fields(scene.mesh.positions().len(), &scene.modes).unwrap());
    let place = |number: usize| DVec3::new((number % 100) as f64, 0.0, (number / 100) as f64) * 4.0;

    // Reduced: each in a state and a place of its own; a broad phase asks for the roots.
    let original = Body::reduced(scene.mesh.clone(), modes).unwrap();
    let state = |number: usize| &scene.coordinates[number % scene.coordinates.len()][..];
    let reduced = many("reduced bodies", 100.0, |number| {
        let mut body = original.clone();
        body.set_state(state(number), DAffine3::from_translation(place(number))).unwrap();
        let around = body.bound(0);
        assert!(around.contains_point(body.position(0).unwrap()), "body {number}");
        assert_eq!(around, body.bound(0));
        body
    });
    assert!(!reduced[0].bound(0).overlaps(&reduced[1].bound(0)));

    // A query answers for a clone what it answers for a body of its own.
    let ball = Body::rigid(icosphere(3).unwrap()).unwrap();
    let mut ball = ball;
    let number = CLONES / 2;
    let vertex = reduced[number].position(2000).unwrap();
    ball.set_isometry(Isometry::from_translation(vertex).unwrap());
    let mut own = original;
    own.set_state(state(number), DAffine3::from_translation(place(number))).unwrap();
    let found = intersections(&reduced[number], &ball);
    assert!(!found.pairs.is_empty());
    assert_eq!(found, intersections(&own, &ball));
    drop(reduced);

    // Rigid: mesh, tree and boxes at rest are shared.
    let rigid = Body::rigid(scene.mesh.clone()).unwrap();
    many("rigid bodies", 20.0, |number| {
        let mut body = rigid.clone();
        body.set_isometry(Isometry::from_translation(place(number)).unwrap());
        assert!(body.bound(0).contains_point(body.position(7).unwrap()));
        body
    });

    // Free: what is at rest shares positions and boxes; what moves takes its own.
    let free = Body::free(scene.mesh.clone()).unwrap();
    let mut bodies = many("free bodies at rest", 20.0, |_| free.clone());
    let moved: Vec<DVec3> = scene.mesh.positions().iter().map(|&p| p + DVec3::X * 9.0).collect();
    bodies[1].set_positions(&moved).unwrap();
    assert_eq!(bodies[1].position(5), Some(moved[5]));
    assert_eq!(bodies[2].position(5), Some(scene.mesh.positions()[5]));
    assert_eq!(bodies[0].bound(0), free.bound(0));
    assert!(!bodies[1].bound(0).overlaps(&free.bound(0)));
}
