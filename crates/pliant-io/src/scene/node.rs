//! Nodes: names, parents and local transforms.

use pliant::glam::{DAffine3, DQuat, DVec3, DVec4};

use super::SceneError;

/// A frame of reference that hangs from another one, or from the world.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its name in the file.
    pub name: Option<String>,
    /// The node that it hangs from; none for a root.
    pub parent: Option<usize>,
    /// Its frame in its parent's.
    pub transform: NodeTransform,
}

/// A node's frame in its parent's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NodeTransform {
    /// A scale, then a rotation, then a translation; each can be animated.
    Trs {
        /// The translation.
        translation: DVec3,
        /// The rotation as x, y, z, w; any length but 0, used as if it were 1.
        rotation: DVec4,
        /// The scale; may be negative or 0.
        scale: DVec3,
    },
    /// A matrix; cannot be animated.
    Matrix(DAffine3),
}

impl NodeTransform {
    /// The frame that changes nothing.
    pub const IDENTITY: Self =
        Self::Trs { translation: DVec3::ZERO, rotation: DVec4::W, scale: DVec3::ONE };

    /// As one affine map; `None` if the rotation has no direction.
    #[must_use]
    pub fn affine(&self) -> Option<DAffine3> {
        match *self {
            Self::Matrix(matrix) => Some(matrix),
            Self::Trs { translation, rotation, scale } => {
                let rotation = DQuat::from_vec4(rotation.try_normalize()?);
                Some(DAffine3::from_scale_rotation_translation(scale, rotation, translation))
            }
        }
    }

    /// Whether every number is finite and the rotation has a direction.
    pub(crate) fn is_usable(&self) -> bool {
        let finite = match self {
            Self::Matrix(matrix) => matrix.is_finite(),
            Self::Trs { translation, rotation, scale } => {
                translation.is_finite() && rotation.is_finite() && scale.is_finite()
            }
        };
        finite && self.affine().is_some()
    }
}

/// All nodes, parents before children.
///
/// # Errors
/// A parent that does not exist, or a loop.
pub(crate) fn parents_first(nodes: &[Node]) -> Result<Vec<usize>, SceneError> {
    // Children as linked lists in two arrays: no allocation a node.
    let mut first_child = vec![None; nodes.len()];
    let mut next_sibling = vec![None; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate().rev() {
        match node.parent {
            None => {}
            Some(parent) if parent < nodes.len() => {
                next_sibling[index] = first_child[parent];
                first_child[parent] = Some(index);
            }
            Some(parent) => {
                let reason = format!("its parent {parent} does not exist");
                return Err(SceneError::new(format!("node {index}"), reason));
            }
        }
    }
    order.extend((0..nodes.len()).filter(|&index| nodes[index].parent.is_none()));
    let mut done = 0;
    while let Some(&parent) = order.get(done) {
        let mut child = first_child[parent];
        while let Some(index) = child {
            order.push(index);
            child = next_sibling[index];
        }
        done += 1;
    }
    if order.len() < nodes.len() {
        return Err(SceneError::new(
            format!("node {}", node_in_a_loop(nodes, &order)),
            "is its own ancestor: the nodes form a loop",
        ));
    }
    Ok(order)
}

/// For each node the topmost node above it; `order` has parents first.
pub(crate) fn topmost(nodes: &[Node], order: &[usize]) -> Vec<usize> {
    let mut top: Vec<usize> = (0..nodes.len()).collect();
    for &index in order {
        if let Some(parent) = nodes[index].parent {
            top[index] = top[parent];
        }
    }
    top
}

/// A node that is its own ancestor, given all that are reached from a root.
fn node_in_a_loop(nodes: &[Node], reached: &[usize]) -> usize {
    let mut is_reached = vec![false; nodes.len()];
    for &index in reached {
        is_reached[index] = true;
    }
    let mut index = is_reached.iter().position(|&reached| !reached).unwrap_or_default();
    // A node that no root reaches hangs below a loop: that many steps up end inside it.
    for _ in 0..nodes.len() {
        index = nodes[index].parent.unwrap_or(index);
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child_of(parent: Option<usize>) -> Node {
        Node { name: None, parent, transform: NodeTransform::IDENTITY }
    }

    #[test]
    fn parents_come_first() {
        let nodes = [Some(2), Some(0), None, Some(1), None].map(child_of);
        let order = parents_first(&nodes).unwrap();
        let place = |node| order.iter().position(|&index| index == node).unwrap();
        assert_eq!(order.len(), 5);
        for (index, node) in nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                assert!(place(parent) < place(index));
            }
        }
    }

    #[test]
    fn loops_and_missing_parents_are_named() {
        let in_loop = [None, Some(3), Some(1), Some(2), Some(3)].map(child_of);
        let error = parents_first(&in_loop).unwrap_err();
        assert!(["node 1", "node 2", "node 3"].contains(&error.element.as_str()), "{error}");
        let itself = parents_first(&[child_of(Some(0))]).unwrap_err();
        assert_eq!(itself.element, "node 0");
        let missing = parents_first(&[child_of(Some(7))]).unwrap_err();
        assert_eq!(missing.to_string(), "node 0: its parent 7 does not exist");
    }

    #[test]
    fn a_rotation_of_any_length_but_zero_turns() {
        let turn = |w| NodeTransform::Trs {
            translation: DVec3::ZERO,
            rotation: DVec4::new(0.0, 0.0, w, w),
            scale: DVec3::new(-2.0, 1.0, 1.0),
        };
        let point = turn(3.0).affine().unwrap().transform_point3(DVec3::X);
        assert!((point - DVec3::new(0.0, -2.0, 0.0)).length() < 1e-15, "{point}");
        assert_eq!(turn(0.0).affine(), None);
        assert!(!turn(0.0).is_usable() && !turn(f64::NAN).is_usable());
    }
}
