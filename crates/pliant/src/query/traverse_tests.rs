//! Visitors other than those of the queries: the traversal serves them unchanged.

use glam::DVec3;
use proptest::prelude::*;

use super::*;
use crate::contact::triangle_distance;
use crate::query::share::{Gather, traverse_all};
use crate::test_meshes::bumpy_sheet;
use crate::tree::{BuildSettings, build};
use crate::volume::{Aabb, Apart, Overlap, Sphere};
use crate::{Body, FreeBody, Isometry, RigidBody};

/// All pairs of triangles nearer than a distance. A held triangle prunes by a larger box.
struct Near {
    distance: f64,
    pairs: Vec<[u32; 2]>,
}

impl Near {
    fn are_near(a: &[DVec3; 3], b: &[DVec3; 3], distance: f64) -> bool {
        triangle_distance(a, b).distance_squared <= distance * distance
    }

    fn within(&self, apart_squared: f64) -> Descent {
        Descent::when(apart_squared <= self.distance * self.distance)
    }
}

impl PairVisitor<FreeBody, RigidBody> for Near {
    type Held = (u32, Aabb);

    fn meet_nodes(
        &self,
        a: &<FreeBody as BoundedTree>::Volume,
        b: &<RigidBody as BoundedTree>::Volume,
    ) -> Descent {
        self.within(a.distance_squared_to(b))
    }

    fn meet_leaves(
        &mut self,
        (a, b): (&FreeBody, &RigidBody),
        of_a: &[u32],
        of_b: &[u32],
        work: &mut Work,
    ) -> Flow {
        for (&i, &j) in of_a.iter().flat_map(|i| of_b.iter().map(move |j| (i, j))) {
            work.primitive_tests += 1;
            if Self::are_near(&a.triangle(i), &b.triangle(j), self.distance) {
                self.pairs.push([i, j]);
            }
        }
        Flow::Continue
    }

    fn hold(&self, (a, b): (&FreeBody, &RigidBody), side: Side, primitive: u32) -> (u32, Aabb) {
        let corners = match side {
            Side::First => a.triangle(primitive),
            Side::Second => b.triangle(primitive),
        };
        let beside = DVec3::splat(self.distance);
        let larger = corners.into_iter().flat_map(|corner| [corner - beside, corner + beside]);
        (primitive, Aabb::around(larger))
    }

    fn held_meets_node<V: Volume>(&self, held: &(u32, Aabb), volume: &V) -> Descent {
        Descent::when(volume.overlaps(&held.1))
    }

    fn held_meets_leaf(
        &mut self,
        trees: (&FreeBody, &RigidBody),
        held: &(u32, Aabb),
        side: Side,
        others: &[u32],
        work: &mut Work,
    ) -> Flow {
        match side {
            Side::First => self.meet_leaves(trees, &[held.0], others, work),
            Side::Second => self.meet_leaves(trees, others, &[held.0], work),
        }
    }
}

impl Gather for Near {
    fn fork(&self) -> Self {
        Self { pairs: Vec::new(), ..*self }
    }

    fn is_done(&self) -> bool {
        false
    }

    fn join(&mut self, other: Self) {
        self.pairs.extend(other.pairs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Pairs within a distance are those of a loop over all pairs, for any shape of tree.
    #[test]
    fn triangles_within_a_distance(
        distance in 0.0..0.4f64, lift in 0.0..0.6f64,
        shape_a in (2..6usize, 1..6usize), shape_b in (2..6usize, 1..6usize),
    ) {
        let settings = |(arity, leaf_size)| BuildSettings { arity, leaf_size, ..BuildSettings::default() };
        let a = Body::free_with(bumpy_sheet(9, 0.0), &settings(shape_a)).unwrap();
        let mut b = Body::rigid_with(bumpy_sheet(17, 0.2), &settings(shape_b)).unwrap();
        b.set_isometry(Isometry::from_translation(DVec3::new(0.1, 0.2, lift)).unwrap());
        let mut near = Near { distance, pairs: Vec::new() };
        let mut work = Work::default();
        traverse_all(&a, &b, vec![[0, 0]], &mut work, &mut near);
        near.pairs.sort_unstable();
        let count = |body: &Tree| body.primitives.len() as u32;
        let (count_a, count_b) = (count(Collide::tree(&a)), count(Collide::tree(&b)));
        let all = (0..count_a).flat_map(|i| (0..count_b).map(move |j| [i, j]));
        let expected: Vec<_> = all
            .filter(|&[i, j]| Near::are_near(&a.triangle(i), &b.triangle(j), distance))
            .collect();
        prop_assert_eq!(near.pairs, expected);
        prop_assert!(work.primitive_tests < u64::from(count_a * count_b));
    }
}

/// Balls in a tree: no triangles at all.
struct Balls {
    tree: Tree,
    balls: Vec<Sphere>,
    boxes: Vec<Aabb>,
}

impl Balls {
    fn new(balls: Vec<Sphere>, settings: &BuildSettings) -> Self {
        let around: Vec<Aabb> = balls.iter().map(Volume::bounding_box).collect();
        let tree = build(&around, settings).unwrap();
        let mut boxes = vec![Aabb::EMPTY; tree.nodes.len()];
        for number in (0..tree.nodes.len()).rev() {
            let node = tree.node(number as u32);
            boxes[number] = if node.is_leaf() {
                let own = tree.leaf_primitives(node).iter().map(|&ball| around[ball as usize]);
                own.fold(Aabb::EMPTY, |all, one| all.merge(&one))
            } else {
                node.range().fold(Aabb::EMPTY, |all, child| all.merge(&boxes[child as usize]))
            };
        }
        Self { tree, balls, boxes }
    }
}

impl BoundedTree for Balls {
    type Volume = Aabb;

    fn tree(&self) -> &Tree {
        &self.tree
    }

    fn bound(&self, node: u32) -> Aabb {
        self.boxes[node as usize]
    }
}

/// Overlapping balls, until so many are found.
struct Overlapping {
    most: usize,
    pairs: Vec<[u32; 2]>,
}

impl PairVisitor<Balls, Balls> for Overlapping {
    type Held = (u32, Aabb);

    fn meet_nodes(&self, a: &Aabb, b: &Aabb) -> Descent {
        Descent::when(a.overlaps(b))
    }

    fn meet_leaves(
        &mut self,
        (a, b): (&Balls, &Balls),
        of_a: &[u32],
        of_b: &[u32],
        work: &mut Work,
    ) -> Flow {
        for (&i, &j) in of_a.iter().flat_map(|i| of_b.iter().map(move |j| (i, j))) {
            work.primitive_tests += 1;
            if a.balls[i as usize].overlaps(&b.balls[j as usize]) {
                self.pairs.push([i, j]);
            }
            if self.pairs.len() == self.most {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }

    fn hold(&self, (a, b): (&Balls, &Balls), side: Side, primitive: u32) -> (u32, Aabb) {
        let balls = match side {
            Side::First => &a.balls,
            Side::Second => &b.balls,
        };
        (primitive, balls[primitive as usize].bounding_box())
    }

    fn held_meets_node<V: Volume>(&self, held: &(u32, Aabb), volume: &V) -> Descent {
        Descent::when(volume.overlaps(&held.1))
    }

    fn held_meets_leaf(
        &mut self,
        trees: (&Balls, &Balls),
        held: &(u32, Aabb),
        side: Side,
        others: &[u32],
        work: &mut Work,
    ) -> Flow {
        match side {
            Side::First => self.meet_leaves(trees, &[held.0], others, work),
            Side::Second => self.meet_leaves(trees, others, &[held.0], work),
        }
    }
}

proptest! {
    /// Primitives that are no triangles; and a visitor that stops is shown nothing more.
    #[test]
    fn balls_until_enough(
        a in prop::collection::vec((prop::array::uniform3(-1.0..1.0f64), 0.0..0.3f64), 1..60),
        b in prop::collection::vec((prop::array::uniform3(-1.0..1.0f64), 0.0..0.3f64), 1..60),
        most in prop_oneof![Just(usize::MAX), 1..20usize],
        arity in 2..6usize, leaf_size in 1..6usize, block in 1..=BLOCK,
    ) {
        let settings = BuildSettings { arity, leaf_size, ..BuildSettings::default() };
        let balls = |made: &[([f64; 3], f64)]| {
            let ball = |&(center, radius): &([f64; 3], f64)| Sphere::new(DVec3::from_array(center), radius);
            Balls::new(made.iter().map(ball).collect(), &settings)
        };
        let (a, b) = (balls(&a), balls(&b));
        let mut visitor = Overlapping { most, pairs: Vec::new() };
        let mut work = Work::default();
        let stride = Stride { steps: usize::MAX, block };
        let rest = traverse(&a, &b, vec![[0, 0]], stride, &mut work, &mut visitor);
        prop_assert!(rest.is_empty());
        visitor.pairs.sort_unstable();
        let expected: Vec<[u32; 2]> = (0..a.balls.len())
            .flat_map(|i| (0..b.balls.len()).map(move |j| [i, j]))
            .filter(|&[i, j]| a.balls[i].overlaps(&b.balls[j]))
            .map(|pair| pair.map(|ball| ball as u32))
            .collect();
        if most == usize::MAX {
            prop_assert_eq!(visitor.pairs, expected);
        } else {
            prop_assert_eq!(visitor.pairs.len(), most.min(expected.len()));
            prop_assert!(visitor.pairs.iter().all(|pair| expected.contains(pair)));
        }
    }
}
