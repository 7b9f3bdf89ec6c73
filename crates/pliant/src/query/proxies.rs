//! Contact between the spheres of a level, without triangles (James & Pai 2004, section 3.4).

use glam::DVec3;

use super::Work;
use crate::body::Collide;
use crate::tree::Tree;
use crate::volume::Sphere;

/// Relative enlargement of coarser spheres in the descent: their middles and those of the
/// proxies were rounded to `f32`, by less than 2^-23 of their coordinates each.
const SLACK: f64 = 1.0 / (1 << 20) as f64;

/// Two proxies that overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProxyContact {
    /// The proxies: a node of the first body, a node of the second.
    pub nodes: [u32; 2],
    /// The middle of the overlap, on the line between the two middles.
    pub point: DVec3,
    /// From the first middle to the second, of length one; the x axis if they coincide.
    pub normal: DVec3,
    /// How far the two overlap along the normal; infinite for proxies without bounds.
    pub depth: f64,
}

/// All pairs of proxies that overlap.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProxyContacts {
    /// Ascending by their nodes.
    pub contacts: Vec<ProxyContact>,
    /// What the query did.
    pub work: Work,
}

/// The overlapping proxies of two bodies: spheres that stand for the surface, without
/// reaching a triangle or a vertex.
///
/// The proxies of a body are the nodes of a level, and the leaves above it. The cost is bounded
/// by the level, not by the mesh. At a level below all leaves the contacts are the pairs of
/// leaves whose spheres overlap.
///
/// Guarantee: the same contacts as [`brute_force::proxy_contacts`](super::brute_force::proxy_contacts),
/// provided that coarser spheres contain the proxies below them. They do for
/// [`Body::with_proxies`](crate::Body::with_proxies) at its level, the last one asked for, and for
/// [`SphereForm::Layered`](crate::bound::SphereForm::Layered) at all levels.
///
/// ```
/// use std::sync::Arc;
/// use pliant::bound::{SphereCenter, SphereForm};
/// use pliant::query::proxy_contacts;
/// use pliant::tree::BuildSettings;
/// use pliant::{Body, Mesh, deform::Modes, glam::DVec3};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let settings = BuildSettings::default();
/// let floor = Body::rigid_spheres(mesh.clone(), SphereForm::Layered, &settings)?;
/// let modes = Arc::new(Modes::from_fields(3, &[vec![DVec3::Z; 3]])?);
/// let sheet = Body::reduced_spheres(mesh, modes, SphereCenter::Mean, &settings)?;
/// let mut sheet = sheet.with_proxies(4);
/// sheet.set_coordinates(&[1.0])?;
/// let found = proxy_contacts(&floor, 4, &sheet, 4);
/// assert_eq!(found.contacts[0].nodes, [0, 0]);
/// assert!((found.contacts[0].normal - DVec3::Z).length() < 1e-6);
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn proxy_contacts<A, B>(a: &A, level_a: u32, b: &B, level_b: u32) -> ProxyContacts
where
    A: Collide<Volume = Sphere>,
    B: Collide<Volume = Sphere>,
{
    let mut found = ProxyContacts::default();
    let mut stack = vec![[(0, 0); 2]];
    while let Some([(node_a, depth_a), (node_b, depth_b)]) = stack.pop() {
        found.work.bounds += 2;
        found.work.overlap_tests += 1;
        let (sphere_a, sphere_b) = (a.bound(node_a), b.bound(node_b));
        let ends_a = is_proxy(a.tree(), node_a, depth_a, level_a);
        let ends_b = is_proxy(b.tree(), node_b, depth_b, level_b);
        if ends_a && ends_b {
            found.contacts.extend(contact([node_a, node_b], &sphere_a, &sphere_b));
            continue;
        }
        if !may_hold_contact(&sphere_a, &sphere_b) {
            continue;
        }
        // The larger of those that go on.
        if !ends_a && (ends_b || sphere_a.radius >= sphere_b.radius) {
            let children = a.tree().node(node_a).range();
            stack.extend(children.map(|child| [(child, depth_a + 1), (node_b, depth_b)]));
        } else {
            let children = b.tree().node(node_b).range();
            stack.extend(children.map(|child| [(node_a, depth_a), (child, depth_b + 1)]));
        }
    }
    found.contacts.sort_unstable_by_key(|contact| contact.nodes);
    found
}

/// Whether a descent ends at a node.
pub(super) fn is_proxy(tree: &Tree, node: u32, depth: u32, level: u32) -> bool {
    depth >= level || tree.node(node).is_leaf()
}

/// The contact of two proxies, if they overlap. Computed in `f64`, in which sums and differences
/// of `f32` are exact or nearly so: that decides what a contact is, here and in brute force.
pub(super) fn contact(nodes: [u32; 2], a: &Sphere, b: &Sphere) -> Option<ProxyContact> {
    let (from, to) = (a.center.as_dvec3(), b.center.as_dvec3());
    let apart = from.distance(to);
    let depth = f64::from(a.radius) + f64::from(b.radius) - apart;
    if depth.is_nan() || depth < 0.0 {
        return None;
    }
    let normal = if apart > 0.0 { (to - from) / apart } else { DVec3::X };
    let point = if depth.is_finite() {
        from + normal * (f64::from(a.radius) - 0.5 * depth)
    } else {
        0.5 * from + 0.5 * to
    };
    Some(ProxyContact { nodes, point, normal, depth })
}

/// Whether proxies inside two spheres may be in contact; in doubt yes.
fn may_hold_contact(a: &Sphere, b: &Sphere) -> bool {
    let (from, to) = (a.center.as_dvec3(), b.center.as_dvec3());
    let reach = f64::from(a.radius) + f64::from(b.radius);
    let largest = from.abs().max(to.abs()).max_element();
    let slack = SLACK * (largest + reach) + f64::from(f32::MIN_POSITIVE);
    from.distance(to) <= reach + slack
}
