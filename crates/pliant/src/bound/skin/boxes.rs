//! Bounds of a skin from its joints alone.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use glam::{DAffine3, DVec3};

use super::Bounds;
use super::patches::Patches;
use super::skinned_all::AllAtOnce;
use super::skinned_blended::{blend, carry, carry_upright};
use super::skinned_links::{Skew, stray, stray_of_set};
use super::skinned_parts::{Known, Part, Parts};
use super::skinned_place::{Place, place};
use super::skinned_pose::{Extent, Pose};
use super::skinned_sight::{RayCount, RaySight};
use super::skinned_volume::SkinVolume;
use super::skinned_whole::{Minds, OtherCenter, stray as center_stray};
use crate::deform::{Binding, Blending, Deformation, Skin};
use crate::limits::{MAX_SET_JOINTS, MAX_SPHERICAL_SET_JOINTS};
use crate::memo::Memo;
use crate::tree::{BuildSettings, Tree, build_over_mesh, primitive_runs};
use crate::volume::{Aabb, Ray, Sphere};
use crate::{Body, Mesh, Result};

const _: () = assert!(MAX_SET_JOINTS <= MAX_SPHERICAL_SET_JOINTS);

/// Volumes of a skin's nodes, each from the joints that move its vertices, when it is asked for.
///
/// What does not change with the pose is shared between clones. A volume that was asked for is
/// remembered until the pose changes.
#[derive(Debug, Clone)]
pub struct Skinned<V> {
    fixed: Arc<Fixed>,
    /// The joints as they were given.
    pose: Pose,
    /// The joints that are blended where blending is not linear, when the first is asked for: the
    /// topmost nodes do without.
    rigid: OnceLock<Pose>,
    known: Memo,
    all: AllAtOnce,
    /// Of joint sets, how much they mind where they turn about.
    minds: Minds,
    /// How many rays asked in the current pose.
    rays: RayCount,
    kind: std::marker::PhantomData<V>,
}

/// What does not change with the pose.
#[derive(Debug)]
pub(super) struct Fixed {
    mesh: Arc<Mesh>,
    tree: Arc<Tree>,
    pub(super) parts: Parts,
    pub(super) patches: Patches,
    /// The run of the tree's primitives below each node.
    runs: Vec<Range<u32>>,
    pub(super) extent: Extent,
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
        let patches = Patches::below_roots(tree, mesh);
        let parts = Parts::new(
            tree,
            mesh,
            binding,
            skin.blending(),
            V::fit,
            V::WITH_SLOPES,
            |node, triangles| V::is_exact(&patches, node, triangles),
        );
        let extent = Extent::new(mesh, binding);
        let (mesh, tree) = (mesh.clone(), tree.clone());
        let known = Memo::new(tree.nodes.len());
        let asks_centers = V::WITH_SLOPES && skin.blending() == Blending::Spherical;
        let sets = if asks_centers { binding.joint_sets() } else { 0 };
        let minds = Minds::new(sets, parts.center_pairs());
        let fixed = Fixed { runs: primitive_runs(&tree), mesh, tree, parts, patches, extent };
        let mut made = Self {
            fixed: Arc::new(fixed),
            pose: Pose::default(),
            rigid: OnceLock::new(),
            known,
            all: AllAtOnce::default(),
            minds,
            rays: RayCount::default(),
            kind: std::marker::PhantomData,
        };
        let _ = made.take(skin);
        made
    }

    /// Takes the pose of the skin, and says whether all of it should be moved at once.
    fn take(&mut self, skin: &Skin) -> bool {
        let all_at_once = self.all.pays(&self.fixed.patches, &self.known);
        self.pose.take(skin, &self.fixed.extent, V::ASKS_NORMS);
        self.fixed.parts.joint_pairs().measure(&self.pose.joints, &mut self.pose.turns);
        self.rigid.take();
        self.known.forget();
        self.minds.forget();
        self.rays.restart();
        all_at_once && self.pose.bounded && V::from_box(Aabb::EMPTY).is_some()
    }

    /// How many nodes were refitted for the current pose so far: a look at how little a
    /// query needs.
    #[must_use]
    pub fn refitted(&self) -> usize {
        if self.all.boxes().is_empty() { self.known.known() } else { self.fixed.tree.nodes.len() }
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
            self.all.note_fit();
            return fitted;
        }
        if skin.blending() == Blending::Linear
            && let Some(volume) = parts.around_linear(&self.pose, parts.linear_of(node))
        {
            return volume;
        }
        let known = parts.of(node);
        let volume = match skin.blending() {
            Blending::Linear => None,
            _ if known.parts.is_empty() => self.around_joints(skin, &known),
            // Two calls, so that each has only what its blending needs.
            Blending::Spherical => self.around_bends(skin, Blending::Spherical, &known),
            Blending::DualQuaternion => self.around_bends(skin, Blending::DualQuaternion, &known),
        };
        if let Some(volume) = volume {
            return volume;
        }
        let own = known.parts;
        let linear = skin.blending() == Blending::Linear;
        if own.is_empty() {
            return self.around_below(skin, node);
        }
        let pose = match linear {
            true => &self.pose,
            false => self.rigid.get_or_init(|| Pose::rigid(skin, &self.fixed.extent)),
        };
        if !pose.bounded {
            return V::ALL;
        }
        // A loop for each blending: one for all of them would hardly fit the processor's registers.
        let around = Around { parts, skin, pose, others: known.centers, minds: &self.minds };
        match skin.blending() {
            Blending::Linear => around.all(Blending::Linear, own),
            Blending::Spherical => around.all(Blending::Spherical, own),
            Blending::DualQuaternion => around.all(Blending::DualQuaternion, own),
        }
    }

    /// Around what each joint carries, for the other blendings.
    fn around_joints(&self, skin: &Skin, known: &Known<'_>) -> Option<V> {
        if known.uprights.is_empty() {
            return None;
        }
        let stray = stray(skin, &self.pose, known.links)?;
        let carry = carry_upright::<V>(&self.pose);
        Some(V::around_places(known.uprights.iter().map(|own| carry(own, stray))))
    }

    /// Around what joints carry, alone or together, for the other blendings; `None` where they are
    /// turned too far.
    #[inline(always)]
    fn around_bends(&self, skin: &Skin, blending: Blending, known: &Known<'_>) -> Option<V> {
        let Known { carried, blended, bends, .. } = *known;
        if carried.is_empty() && blended.is_empty() {
            return None;
        }
        let (pose, ties) = (&self.pose, self.fixed.parts.ties());
        // Each has two joints at least.
        let mut strays = [0.0; MAX_SPHERICAL_SET_JOINTS / 2];
        let skew = Skew::new(pose, skin.exact_skew());
        for (stray, bend) in strays.iter_mut().zip(bends) {
            *stray = stray_of_set(blending, pose, skew, bend, ties)?;
        }
        let (carry, blend) = (carry::<V>(pose), blend::<V>(pose, self.fixed.parts.pulls()));
        let carried = carried.iter().map(|own| carry(own, skew.of_images).place::<V>());
        let blended = blended.iter().zip(&strays);
        let blended = blended.map(|(own, stray)| blend(own, *stray).place::<V>());
        Some(V::around_places(carried.chain(blended)))
    }

    /// The volume of a node around its triangles as they are now, or around its children.
    ///
    /// Of few triangles all corners are looked at, also those of inner nodes: the corners are
    /// remembered, and the volumes of nodes that nobody asks for are not needed.
    fn around_below(&self, skin: &Skin, node: u32) -> V {
        let Fixed { mesh, tree, runs, .. } = &*self.fixed;
        let Range { start, end } = runs[node as usize];
        if tree.node(node).is_leaf()
            || V::is_exact(&self.fixed.patches, node, (end - start) as usize)
        {
            let triangles = tree.primitives[start as usize..end as usize].iter();
            let corners = triangles.flat_map(|&triangle| mesh.triangles()[triangle as usize]);
            return V::around(corners.map(|vertex| skin.position(mesh, vertex)));
        }
        let children = tree.node(node).range().map(|child| self.bound(skin, child));
        children.reduce(|all, child| all.with(&child)).unwrap_or(V::ALL)
    }
}

/// What a volume around parts is made of.
struct Around<'a> {
    parts: &'a Parts,
    skin: &'a Skin,
    pose: &'a Pose,
    /// The other rotation centres of the node as a whole.
    others: &'a [OtherCenter],
    minds: &'a Minds,
}

impl Around<'_> {
    /// Around all parts of a node.
    #[inline(always)]
    fn all<V: SkinVolume>(&self, blending: Blending, own: &[Part]) -> V {
        let Self { parts, skin, pose, others, minds } = *self;
        let placed = |part: &Part| {
            place::<V>(blending, skin, pose, part, parts.shares(part), parts.morphs(part))
        };
        match own {
            [only] => V::around_place(&placed(only)),
            [of_sets @ .., whole] if whole.whole => {
                let place = placed(whole);
                let off = center_stray(skin, pose, whole.set, others, minds);
                let place = Place { half: place.half + off, ..place };
                let around = V::around_place(&place);
                if place.half.x <= enough(blending) * whole.rest.radius {
                    return around;
                }
                V::around_places(of_sets.iter().map(placed)).in_both(&around)
            }
            _ => V::around_places(own.iter().map(placed)),
        }
    }
}

impl<V: SkinVolume> Bounds<Skin> for Skinned<V> {
    type Volume = V;

    #[inline]
    fn bound(&self, skin: &Skin, node: u32) -> V {
        let fitted = self.all.boxes().get(node as usize).and_then(|fitted| V::from_box(*fitted));
        V::from_words(match fitted {
            Some(fitted) => fitted.to_words(),
            None => self.known.words_or(node as usize, || self.compute(skin, node).to_words()),
        })
    }

    fn sight<'a>(&'a self, mesh: &'a Mesh, skin: &'a Skin, ray: &Ray) -> Option<RaySight<'a>> {
        let boxes = V::from_box(Aabb::EMPTY).is_some();
        let early = self.rays.is_early();
        if !(boxes && early && self.pose.bounded && self.all.boxes().is_empty()) {
            return None;
        }
        Some(RaySight::new(&self.fixed, &self.pose, mesh, skin, ray))
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
    /// That is, unless queries looked at a quarter of a large body in the last pose: deep in contact
    /// all vertices are moved and all boxes refitted here, which is cheaper than to ask for
    /// most of them one after the other. Now and then a pose goes without, to see whether that
    /// still holds. No answer depends on it; work counts do, as those of a clone, which starts anew.
    ///
    /// # Errors
    /// [`Error::CountMismatch`](crate::Error::CountMismatch);
    /// [`Error::InvalidJoint`](crate::Error::InvalidJoint) for a joint that is not finite or, unless
    /// blending is linear, not rigid;
    /// [`Error::NonFiniteMorphWeight`](crate::Error::NonFiniteMorphWeight).
    pub fn set_pose(&mut self, joints: &[DAffine3], morph_weights: &[f64]) -> Result<()> {
        self.deformation.set_pose(joints, morph_weights)?;
        if self.bounds.take(&self.deformation) {
            self.deformation.move_all(&self.mesh);
            self.bounds.all.refit(&self.tree, &self.mesh, self.deformation.moved());
        }
        Ok(())
    }

    /// Where all vertices are in the current pose, computed anew: for those who want to draw
    /// them or hand them on. No query needs it.
    pub fn positions(&self) -> impl Iterator<Item = DVec3> {
        let vertices = 0..self.mesh.positions().len();
        vertices.map(|vertex| self.deformation.compute(&self.mesh, vertex))
    }
}
