//! Vertices and triangles that come and go while a kinetic tree runs (Zachmann and Weller 2006,
//! section 1).
//!
//! What stays in the mesh keeps its winners, its certificates and its events. Only the sides of leaves that
//! lose or gain triangles are decided again, and those above them while winners change; in the BoxTree, the
//! nearest slots of these leaves.

use std::sync::Arc;

use glam::DVec3;

use super::{KineticAabb, KineticBox};
use crate::bound::flight::FlightBounds;
use crate::deform::{Course, Deformation as _, Flight};
use crate::tree::{EditedTree, MAX_DEPTH, NO_NODE, edit, level_of_nodes};
use crate::volume::Aabb;
use crate::{Body, Collide as _, Error, Mesh, Result};

/// Triangles and vertices that come, and triangles that go.
///
/// Vertices keep their numbers; one that no triangle uses any more bounds nothing. Triangles that stay keep their
/// order, new ones come after them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeshEdit {
    /// The triangles that go, in any order.
    pub removed: Vec<u32>,
    /// The vertices that come, after all others: where each is at rest, and its course from the current time on.
    pub vertices: Vec<(DVec3, Course)>,
    /// The triangles that come, over vertices old and new.
    pub triangles: Vec<[u32; 3]>,
}

impl Body<Flight, KineticAabb> {
    /// Changes the mesh at the current time. On an error nothing changes.
    ///
    /// A triangle that comes gets a leaf beside the one that it enlarges least. The tree is built anew where it would
    /// become deeper than [`MAX_DEPTH`].
    ///
    /// ```
    /// use pliant::bound::{KineticAabb, MeshEdit};
    /// use pliant::{Body, Mesh, deform::{Course, Flight, Keyframes}, glam::DVec3};
    /// let square = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
    /// let raised = square.iter().map(|p| p + DVec3::Z).collect();
    /// let mesh = Mesh::new(square.clone(), vec![[0, 1, 2], [1, 3, 2]])?;
    /// let flight = Flight::keyframed(Keyframes::new(vec![0.0, 1.0], vec![square, raised])?);
    /// let mut body = Body::<_, KineticAabb>::flying(mesh, flight, &Default::default())?;
    /// body.advance(0.5)?;
    /// // The first triangle is divided at its middle, which falls while all else rises.
    /// let middle = DVec3::new(0.25, 0.25, 0.0);
    /// body.edit(&MeshEdit {
    ///     removed: vec![0],
    ///     vertices: vec![(middle, Course::linear(0.0, middle + DVec3::Z, -DVec3::Z))],
    ///     triangles: vec![[0, 1, 4], [1, 2, 4], [2, 0, 4]],
    /// })?;
    /// body.advance(1.0)?;
    /// assert_eq!(body.mesh().triangles().len(), 4);
    /// assert_eq!(body.position(4), Some(middle));
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotRemovable`], [`Error::InvalidPlan`], and those of [`Mesh::new`], among them
    /// [`Error::EmptyMesh`] if no triangle is left.
    pub fn edit(&mut self, change: &MeshEdit) -> Result<()> {
        edit_body(self, change, KineticAabb::edited)
    }
}

impl Body<Flight, KineticBox> {
    /// As for a [`KineticAabb`]. Triangles that come have boxes of six sides.
    ///
    /// # Errors
    /// Those of the same function there.
    pub fn edit(&mut self, change: &MeshEdit) -> Result<()> {
        edit_body(self, change, KineticBox::edited)
    }
}

/// Changes mesh, tree and flight of a body; `carry` makes the bounds of the edited tree from those before.
fn edit_body<B: FlightBounds>(
    body: &mut Body<Flight, B>,
    change: &MeshEdit,
    carry: impl FnOnce(&B, &EditedTree, &Arc<Mesh>, &Flight) -> B,
) -> Result<()> {
    let renumbered = renumbered(body.mesh.triangles().len(), &change.removed)?;
    let kept = body.mesh.triangles().iter().zip(&renumbered);
    let kept = kept.filter(|&(_, &number)| number != NO_NODE).map(|(corners, _)| *corners);
    let triangles: Vec<[u32; 3]> = kept.chain(change.triangles.iter().copied()).collect();
    let rest = body.mesh.positions().iter().copied();
    let positions = rest.chain(change.vertices.iter().map(|&(rest, _)| rest)).collect();
    let mesh = Mesh::new(positions, triangles)?;
    let mut flight = body.deformation.clone();
    let courses: Vec<Course> = change.vertices.iter().map(|&(_, course)| course).collect();
    flight.add_vertices(&courses)?;

    let first = (mesh.triangles().len() - change.triangles.len()) as u32;
    let inserted: Vec<(u32, u32)> = (first..)
        .zip(&change.triangles)
        .map(|(number, corners)| {
            let corners = corners.map(|vertex| flight.position(&mesh, vertex));
            (least_enlarged_leaf(body, &Aabb::around(corners)), number)
        })
        .collect();
    let edited = edit(&body.tree, &renumbered, &inserted).ok_or(Error::EmptyMesh)?;
    if level_of_nodes(&edited.tree).iter().any(|&level| level > MAX_DEPTH) {
        *body = Body::flying(mesh, flight, &Default::default())?;
        return Ok(());
    }
    let mesh = Arc::new(mesh);
    body.bounds = carry(&body.bounds, &edited, &mesh, &flight);
    body.tree = Arc::new(edited.tree);
    body.mesh = mesh;
    body.deformation = flight;
    Ok(())
}

/// The leaf that is reached through the children whose boxes grow least in surface around another box.
fn least_enlarged_leaf<B: FlightBounds>(body: &Body<Flight, B>, added: &Aabb) -> u32 {
    let growth = |node: u32| {
        let own = body.bound(node);
        own.merge(added).half_area() - own.half_area()
    };
    let mut number = 0;
    while !body.tree.node(number).is_leaf() {
        let children = body.tree.node(number).range();
        let all = children.clone().map(|child| (growth(child), child));
        // A growth is NaN where boxes are unbounded: any child will do.
        let least = all.reduce(|best, next| if next.0 < best.0 { next } else { best });
        let Some((_, child)) = least else { break };
        number = child;
    }
    number
}

/// The new numbers of all triangles; [`NO_NODE`] for those that are removed.
fn renumbered(count: usize, removed: &[u32]) -> Result<Vec<u32>> {
    let mut numbers = vec![0; count];
    for &triangle in removed {
        let refused = |reason| Error::NotRemovable { triangle: triangle as usize, reason };
        let number = numbers.get_mut(triangle as usize);
        match number.ok_or_else(|| refused("there is no such triangle"))? {
            &mut NO_NODE => return Err(refused("it is named twice")),
            number => *number = NO_NODE,
        }
    }
    let stay = numbers.iter_mut().filter(|number| **number != NO_NODE);
    stay.zip(0..).for_each(|(number, place)| *number = place);
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deform::{Keyframes, Plan};
    use crate::query::{brute_force, intersections};
    use crate::test_meshes::bumpy_sheet;
    use crate::tree::{BuildSettings, validate};
    use proptest::prelude::*;

    /// Bounds that can be decided from scratch, and edited.
    trait Kinetic: FlightBounds + Clone {
        fn decide_anew(&mut self, flight: &Flight);
        fn change(body: &mut Body<Flight, Self>, change: &MeshEdit) -> Result<()>;
        fn decided(&self) -> u64;
    }

    macro_rules! kinetic {
        ($($kind:ty),*) => { $(
            impl Kinetic for $kind {
                fn decide_anew(&mut self, flight: &Flight) {
                    self.restart_by_slots(flight);
                }

                fn change(body: &mut Body<Flight, Self>, change: &MeshEdit) -> Result<()> {
                    body.edit(change)
                }

                fn decided(&self) -> u64 {
                    self.count().replanned
                }
            }
        )* };
    }
    kinetic!(KineticAabb, KineticBox);

    fn flying<B: FlightBounds>(settings: &BuildSettings) -> Body<Flight, B> {
        let frames = [0.0, 0.9, 2.1].map(|phase| bumpy_sheet(6, phase).positions().to_vec());
        let keyframes = Keyframes::new(vec![0.0, 1.0, 2.0], frames.to_vec()).unwrap();
        let flight = Flight::keyframed(keyframes);
        Body::flying(bumpy_sheet(6, 0.0), flight, settings).unwrap()
    }

    /// Every box contains the vertices below it, every side is as far out as one decided from scratch, up to the
    /// allowance, and contacts are those of brute force.
    fn check<B: Kinetic>(body: &Body<Flight, B>) {
        validate(&body.tree).unwrap();
        let mut anew = body.clone();
        anew.bounds.decide_anew(&anew.deformation);
        for (number, &node) in (0u32..).zip(&body.tree.nodes) {
            let (bound, expected) = (body.bound(number), anew.bound(number));
            for &triangle in body.tree.leaf_primitives(node) {
                for corner in body.triangle(triangle) {
                    assert!(bound.contains_point(corner), "node {number}");
                }
            }
            for child in if node.is_leaf() { 0..0 } else { node.range() } {
                assert!(grown(&bound).contains(&body.bound(child)), "node {number}");
            }
            assert!(grown(&bound).contains(&expected) && grown(&expected).contains(&bound));
        }
        let floor = Body::free(bumpy_sheet(5, 1.1)).unwrap();
        let expected = brute_force::intersections(body, &floor).pairs;
        assert_eq!(intersections(body, &floor).pairs, expected);
    }

    fn grown(bound: &Aabb) -> Aabb {
        Aabb { min: bound.min - 1e-6, max: bound.max + 1e-6 }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Triangles go, and are divided, at random times; events go on in between.
        #[test]
        fn the_tree_runs_on(
            steps in proptest::collection::vec(
                (0.0..0.35_f64, proptest::collection::vec(0_usize..1000, 0..6), 0_usize..1000), 1..9,
            ),
            wide in any::<bool>(),
        ) {
            let settings = if wide { BuildSettings::WIDE } else { BuildSettings::default() };
            run_on(flying::<KineticAabb>(&settings), &steps);
            run_on(flying::<KineticBox>(&BuildSettings::default()), &steps);
        }
    }

    /// At each step time passes, triangles go, and one is divided.
    fn run_on<B: Kinetic>(mut body: Body<Flight, B>, steps: &[(f64, Vec<usize>, usize)]) {
        for (pause, goes, divided) in steps {
            body.advance(body.time() + pause).unwrap();
            check(&body);
            let count = body.mesh().triangles().len();
            let divided = divided % count;
            let mut removed: Vec<u32> = goes.iter().map(|at| (at % count) as u32).collect();
            removed.push(divided as u32);
            removed.sort_unstable();
            removed.dedup();
            let [a, b, c] = body.mesh().triangles()[divided];
            let rest = [a, b, c].map(|v| body.mesh().positions()[v as usize]);
            let now = [a, b, c].map(|v| body.position(v).unwrap());
            let middle = |of: [DVec3; 3]| (of[0] + of[1] + of[2]) / 3.0;
            let new = body.mesh().positions().len() as u32;
            let course = Course::linear(body.time(), middle(now), DVec3::new(0.3, -0.2, 0.5));
            let change = MeshEdit {
                removed,
                vertices: vec![(middle(rest), course)],
                triangles: vec![[a, b, new], [b, c, new], [c, a, new]],
            };
            B::change(&mut body, &change).unwrap();
            check(&body);
        }
        body.advance(2.5).unwrap();
        check(&body);
    }

    /// An edit decides few sides: those of the leaf, and of the nodes above it.
    #[test]
    fn few_sides_are_decided_again() {
        few_sides(flying::<KineticAabb>(&BuildSettings::default()));
        few_sides(flying::<KineticBox>(&BuildSettings::default()));
    }

    fn few_sides<B: Kinetic>(mut body: Body<Flight, B>) {
        body.advance(0.4).unwrap();
        let before = body.bounds().decided();
        let change = MeshEdit { removed: vec![17], ..MeshEdit::default() };
        B::change(&mut body, &change).unwrap();
        let decided = body.bounds().decided() - before;
        assert!((6..=60).contains(&decided), "{decided} of {}", 6 * body.tree().nodes.len());
        assert_eq!(body.mesh().triangles().len(), bumpy_sheet(6, 0.0).triangles().len() - 1);
        check(&body);
    }

    #[test]
    fn refused_edits_change_nothing() {
        let mut body = flying::<KineticAabb>(&BuildSettings::default());
        let count = body.mesh().triangles().len() as u32;
        let far = Course::linear(0.0, DVec3::splat(1e200), DVec3::ZERO);
        let only = |removed: Vec<u32>| MeshEdit { removed, ..MeshEdit::default() };
        for (change, expected) in [
            (only(vec![count]), format!("triangle {count} cannot be removed: there is no such triangle")),
            (only(vec![3, 3]), "triangle 3 cannot be removed: it is named twice".into()),
            (only((0..count).collect()), "the mesh has no triangles".into()),
            (
                MeshEdit { vertices: vec![(DVec3::ZERO, far)], ..MeshEdit::default() },
                "the plan of vertex 49 cannot be used: the course is not finite or leads past 1e150".into(),
            ),
        ] {
            assert_eq!(body.edit(&change).unwrap_err().to_string(), expected);
            assert_eq!(body.mesh().triangles().len(), count as usize);
            check(&body);
        }
        let still = Course::linear(0.0, DVec3::ZERO, DVec3::ZERO);
        let change = MeshEdit { vertices: vec![(DVec3::ZERO, still)], ..MeshEdit::default() };
        body.edit(&change).unwrap();
        assert!(body.set_plans(&[(49, Plan::Keyframes)]).is_err(), "no keyframe knows it");
    }

    /// A thousand triangles beside one leaf do not make a tree that is too deep.
    #[test]
    fn many_edits_at_one_place_stay_shallow() {
        let mut body = flying::<KineticAabb>(&BuildSettings::default());
        for round in 0..200 {
            let [a, b, c] = body.mesh().triangles()[0];
            let triangles = vec![[a, b, c]; 1 + round % 4];
            body.edit(&MeshEdit { triangles, ..MeshEdit::default() }).unwrap();
            let deepest = level_of_nodes(body.tree()).into_iter().max().unwrap();
            assert!(deepest <= MAX_DEPTH, "{deepest}");
        }
        check(&body);
    }
}
