//! A plate flies through a curtain of paper between two frames: no frame shows a contact, and a sweep
//! says which features touch and when.

use pliant::glam::DVec3;
use pliant::query::{Adjacency, Features, Step};
use pliant::{Body, Mesh};

fn main() -> pliant::Result<()> {
    let corner = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let square = |size: f64, z: f64| {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| corner(x * size, y * size, z))
            .to_vec()
    };
    let triangles = vec![[0, 1, 2], [0, 2, 3]];
    let paper = Body::free(Mesh::new(square(2.0, 0.0), triangles.clone())?)?;
    let mut before = Body::free(Mesh::new(square(0.5, 3.0), triangles)?)?;
    let mut after = before.clone();
    after.set_positions(&square(0.5, -1.0))?;

    // Neither frame shows it.
    assert!(pliant::intersects(&before, &paper).pair.is_none());
    assert!(pliant::intersects(&after, &paper).pair.is_none());

    let swept = pliant::sweep(&Step::new(&before, &after)?, &Step::still(&paper));
    let first = swept.first().expect("it passes through");
    println!("{} features touch, first at {} of the step", swept.contacts.len(), first.lo);
    assert_eq!((first.lo, first.hi), (0.75, 0.75));
    for impact in &swept.contacts {
        match impact.features {
            Features::VertexFace { vertex, face } => {
                println!("vertex {vertex} of the plate, face {face} of the paper");
            }
            Features::FaceVertex { face, vertex } => {
                println!("face {face} of the plate, vertex {vertex} of the paper");
            }
            Features::EdgeEdge { first, second } => {
                println!("edge {first:?} of the plate, edge {second:?} of the paper");
            }
        }
    }

    // The next step begins where this one ended.
    std::mem::swap(&mut before, &mut after);
    after.set_positions(&square(0.5, -2.0))?;
    let next = Step::new(&before, &after)?;
    assert!(pliant::sweep(&next, &Step::still(&paper)).is_empty());
    assert!(pliant::self_sweep(&next, Adjacency::ByPlace).is_empty());
    Ok(())
}
