//! Bounds of a skin from its joints alone.

use std::ops::Range;
use std::sync::Arc;

use glam::{DAffine3, DVec3};

use super::Bounds;
use super::patches::Patches;
use super::skinned_links::stray;
use super::skinned_parts::Parts;
use super::skinned_place::{Place, place};
use super::skinned_pose::Pose;
use super::skinned_volume::SkinVolume;
use super::skinned_whole::stray as center_stray;
use crate::deform::{Binding, Blending, Deformation, Skin};
use crate::memo::Memo;
use crate::tree::{BuildSettings, Tree, build_over_mesh, primitive_runs};
use crate::volume::{Aabb, Sphere};
use crate::{Body, Mesh, Result};

/// Volumes of a skin's nodes, each from the joints that move its vertices, when it is asked for.
///
/// What does not change with the pose is shared between clones. A volume that was asked for is
/// remembered until the pose changes.
#[derive(Debug, Clone)]
pub struct Skinned<V> {
    fixed: Arc<Fixed>,
    pose: Pose,
    known: Memo,
    /// Of joint sets, how much they mind where they turn about.
    minds: Memo,
    kind: std::marker::PhantomData<V>,
}

/// What does not change with the pose.
#[derive(Debug)]
struct Fixed {
    mesh: Arc<Mesh>,
    tree: Arc<Tree>,
    parts: Parts,
    patches: Patches,
    /// The run of the tree's primitives below each node.
    runs: Vec<Range<u32>>,
    /// The largest coordinate at rest.
    reach: f64,
    /// The largest displacement of each morph target along an axis.
    targets: Vec<f64>,
}

/// A node that as a whole is no larger than this many times its ball at rest is not looked at set by
/// set. Parts of blended rotations cost more: they are looked at later.
fn enough(blending: Blending) -> f32 {
    if blending == Blending::Linear { 1.1 } else { 1.2 }
}

#[expect(private_bounds, reason = "the two kinds of volume are those of this crate")]
impl<V: SkinVolume> Skinned<V> {
    fn new(mesh: &Arc<Mesh>, tree: &Arc<Tree>, skin: &Skin) -> Self {
        let binding = skin.binding();
        let parts = Parts::new(
            tree,
            mesh,
            binding,
            skin.blending(),
            V::fit,
            V::WITH_SLOPES,
            V::EXACT_TRIANGLES,
        );
        let patches = Patches::new(tree, mesh);
        let largest = |most: f64, v: DVec3| most.max(v.abs().max_element());
        let reach = mesh.positions().iter().copied().fold(0.0, largest);
        let mut targets = vec![0.0; binding.targets()];
        if let Some(modes) = &binding.morph {
            for vertex in 0..modes.vertices() {
                for (most, mode) in targets.iter_mut().zip(modes.of(vertex)) {
                    *most = largest(*most, mode.as_dvec3());
                }
            }
        }
        let (mesh, tree) = (mesh.clone(), tree.clone());
        let known = Memo::new(tree.nodes.len());
        let asks_centers = V::WITH_SLOPES && skin.blending() == Blending::Spherical;
        let fixed =
            Fixed { runs: primitive_runs(&tree), mesh, tree, parts, patches, reach, targets };
        let mut made = Self {
            fixed: Arc::new(fixed),
            pose: Pose::default(),
            known,
            minds: Memo::new(if asks_centers { binding.joint_sets() } else { 0 }),
            kind: std::marker::PhantomData,
        };
        made.take(skin);
        made
    }

    /// Takes the pose of the skin.
    fn take(&mut self, skin: &Skin) {
        self.pose.take(skin, self.fixed.reach, &self.fixed.targets, V::ASKS_NORMS);
        self.known.forget();
        self.minds.forget();
    }

    /// How many nodes were refitted for the current pose so far: a look at how little a
    /// query needs.
    #[must_use]
    pub fn refitted(&self) -> usize {
        self.known.known()
    }

    /// The volume of a node, computed anew. Apart from the look-up, which is the usual case.
    #[inline(never)]
    fn compute(&self, skin: &Skin, node: u32) -> V {
        let parts = &self.fixed.parts;
        // Nothing is known then, and vertices may be no numbers, which leave no box around others.
        if !self.pose.bounded {
            return V::ALL;
        }
        let position = |vertex| skin.position(&self.fixed.mesh, vertex);
        if let Some(fitted) = V::of_patch(&self.fixed.patches, node, position, &self.known) {
            return fitted;
        }
        let own = parts.of(node);
        if own.is_empty() {
            return self.around_below(skin, node);
        }
        let placed =
            |part| place::<V>(skin, &self.pose, part, parts.shares(part), parts.morphs(part));
        let links = parts.links(node);
        if !links.is_empty() {
            let Some(stray) = stray(skin.blending(), &self.pose, links) else {
                return self.around_below(skin, node);
            };
            let half = |place: Place| Place { half: place.half + stray, ..place };
            return V::around_places(own.iter().map(|part| half(placed(part))));
        }
        match own {
            [only] => V::around_place(&placed(only)),
            [of_sets @ .., whole] if whole.whole => {
                let place = placed(whole);
                let off = center_stray(
                    skin,
                    &self.pose,
                    whole.set,
                    parts.other_centers(node),
                    &self.minds,
                );
                let place = Place { half: place.half + off, ..place };
                let around = V::around_place(&place);
                if place.half.x <= enough(skin.blending()) * whole.rest.radius {
                    return around;
                }
                V::around_places(of_sets.iter().map(placed)).in_both(&around)
            }
            _ => V::around_places(own.iter().map(placed)),
        }
    }

    /// The volume of a node around its triangles as they are now, or around its children.
    ///
    /// Of few triangles all corners are looked at, also those of inner nodes: the corners are
    /// remembered, and the volumes of nodes that nobody asks for are not needed.
    fn around_below(&self, skin: &Skin, node: u32) -> V {
        let Fixed { mesh, tree, runs, .. } = &*self.fixed;
        let Range { start, end } = runs[node as usize];
        if tree.node(node).is_leaf() || (end - start) as usize <= V::EXACT_TRIANGLES {
            let triangles = tree.primitives[start as usize..end as usize].iter();
            let corners = triangles.flat_map(|&triangle| mesh.triangles()[triangle as usize]);
            return V::around(corners.map(|vertex| skin.position(mesh, vertex)));
        }
        let children = tree.node(node).range().map(|child| self.bound(skin, child));
        children.reduce(|all, child| all.with(&child)).unwrap_or(V::ALL)
    }
}

impl<V: SkinVolume> Bounds<Skin> for Skinned<V> {
    type Volume = V;

    #[inline]
    fn bound(&self, skin: &Skin, node: u32) -> V {
        self.known.get_or(node as usize, || self.compute(skin, node))
    }
}

/// A body that joints move, bounded by boxes: what [`Body::skinned`] makes.
pub type SkinnedBody = Body<Skin, Skinned<Aabb>>;

impl SkinnedBody {
    /// A skinned body at rest, bounded by boxes.
    ///
    /// ```
    /// use pliant::deform::{Binding, Blending, Influence, SkinWeights};
    /// use pliant::{Body, Mesh, glam::{DAffine3, DVec3}, volume::Ray};
    ///
    /// // A triangle whose last corner follows a second joint.
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let mut weights = SkinWeights::default();
    /// for joint in [0, 0, 1] {
    ///     weights.push(&[Influence { joint, weight: 1.0 }]);
    /// }
    /// let mut body = Body::skinned(mesh, Binding::new(weights, 2)?, Blending::Linear)?;
    ///
    /// let lifted = DAffine3::from_translation(DVec3::Z);
    /// body.set_pose(&[DAffine3::IDENTITY, lifted], &[])?; // touches no vertex
    /// let ray = Ray::new(DVec3::new(0.25, 0.5, 9.0), -DVec3::Z)?;
    /// let (triangle, hit) = pliant::ray_cast(&body, &ray).hit.expect("a hit");
    /// assert_eq!((triangle, hit.t), (0, 8.5));
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::CountMismatch`](crate::Error::CountMismatch) if the binding is of another
    /// number of vertices.
    pub fn skinned(mesh: Mesh, binding: Binding, blending: Blending) -> Result<Self> {
        Self::skinned_with(mesh, binding, blending, &BuildSettings::default())
    }

    /// As [`Body::skinned`], with a tree of the caller's choice.
    ///
    /// # Errors
    /// Those of [`Body::skinned`], and [`Error::InvalidSetting`](crate::Error::InvalidSetting).
    pub fn skinned_with(
        mesh: Mesh,
        binding: Binding,
        blending: Blending,
        settings: &BuildSettings,
    ) -> Result<Self> {
        Self::bind(mesh, binding, blending, settings)
    }
}

impl Body<Skin, Skinned<Sphere>> {
    /// A skinned body at rest, bounded by spheres as in the paper of Kavan & Žára.
    ///
    /// # Errors
    /// Those of [`Body::skinned_with`].
    pub fn skinned_spheres(
        mesh: Mesh,
        binding: Binding,
        blending: Blending,
        settings: &BuildSettings,
    ) -> Result<Self> {
        Self::bind(mesh, binding, blending, settings)
    }
}

#[expect(private_bounds, reason = "the two kinds of volume are those of this crate")]
impl<V: SkinVolume> Body<Skin, Skinned<V>> {
    fn bind(
        mesh: Mesh,
        binding: Binding,
        blending: Blending,
        settings: &BuildSettings,
    ) -> Result<Self> {
        let tree = Arc::new(build_over_mesh(&mesh, settings)?);
        let deformation = Skin::new(binding, blending, &mesh)?;
        let mesh = Arc::new(mesh);
        let bounds = Skinned::new(&mesh, &tree, &deformation);
        Ok(Self { mesh, tree, deformation, bounds, prepared: None })
    }

    /// Takes a pose: the joints, each from the mesh at rest to the world, and the weights of the
    /// morph targets. Costs nothing a vertex and nothing a node. On an error nothing has changed.
    ///
    /// # Errors
    /// [`Error::CountMismatch`](crate::Error::CountMismatch);
    /// [`Error::InvalidJoint`](crate::Error::InvalidJoint) for a joint that is not finite or, unless
    /// blending is linear, not rigid;
    /// [`Error::NonFiniteMorphWeight`](crate::Error::NonFiniteMorphWeight).
    pub fn set_pose(&mut self, joints: &[DAffine3], morph_weights: &[f64]) -> Result<()> {
        self.deformation.set_pose(joints, morph_weights)?;
        self.bounds.take(&self.deformation);
        Ok(())
    }

    /// Where all vertices are in the current pose, computed anew: for those who want to draw
    /// them or hand them on. No query needs it.
    pub fn positions(&self) -> impl Iterator<Item = DVec3> {
        let vertices = 0..self.mesh.positions().len();
        vertices.map(|vertex| self.deformation.compute(&self.mesh, vertex))
    }
}
