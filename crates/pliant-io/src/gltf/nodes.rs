//! Nodes and scenes: the hierarchy, local transforms, and which nodes are shown.

use std::collections::HashSet;

use pliant::glam::{DAffine3, DMat3, DVec3, DVec4};

use super::Source;
use super::json::{Document, NodeJson};
use super::limits::{LAST_ROW_SLACK, ROTATION_LENGTH_SLACK, SHEAR_WARNING};
use crate::Result;
use crate::scene::{Node, NodeTransform, Warning, parents_first, topmost};

/// All nodes of a file, checked.
pub(super) struct Hierarchy {
    pub(super) nodes: Vec<Node>,
    /// For each node, its root.
    root: Vec<usize>,
    /// For each node, its index in a depth-first order, and the index after its last descendant.
    span: Vec<(usize, usize)>,
}

impl Hierarchy {
    /// Reads and checks every node.
    pub(super) fn read(
        document: &Document,
        source: Source<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self> {
        let mut nodes = Vec::with_capacity(document.nodes.len());
        for (index, json) in document.nodes.iter().enumerate() {
            let element = format!("node {index}");
            let transform = transform(json, &element, source, warnings)?;
            if json.mesh.is_none() && json.skin.is_some() {
                return Err(source.malformed(element, "it has a skin but no mesh"));
            }
            if json.mesh.is_none() && json.weights.is_some() {
                return Err(source.malformed(element, "it has morph weights but no mesh"));
            }
            nodes.push(Node { name: json.name.clone(), parent: None, transform });
        }
        for (index, json) in document.nodes.iter().enumerate() {
            let element = format!("node {index}");
            for child in json.children.iter().map(|child| child.index()) {
                source.find(&document.nodes, child, &element, "child node")?;
                if let Some(other) = nodes[child].parent.replace(index) {
                    let reason = format!("its child {child} is also a child of node {other}");
                    return Err(source.malformed(element, reason));
                }
            }
        }
        let order =
            parents_first(&nodes).map_err(|error| source.malformed(error.element, error.reason))?;
        Ok(Self { root: topmost(&nodes, &order), span: spans(&nodes, &order), nodes })
    }

    /// The root of a node.
    pub(super) fn root_of(&self, node: usize) -> usize {
        self.root[node]
    }

    /// Whether `below` is `above` or one of its descendants.
    pub(super) fn is_below(&self, below: usize, above: usize) -> bool {
        let (start, end) = self.span[above];
        (start..end).contains(&self.span[below].0)
    }

    /// For each node, whether the file shows it: whether it is in the default scene, or in scene 0
    /// if there is no default; always if there are no scenes.
    pub(super) fn shown(&self, document: &Document, source: Source<'_>) -> Result<Vec<bool>> {
        for (index, scene) in document.scenes.iter().enumerate() {
            let element = format!("scene {index}");
            let mut listed = HashSet::new();
            for node in scene.nodes.iter().map(|node| node.index()) {
                let found = source.find(&self.nodes, node, &element, "node")?;
                if found.parent.is_some() {
                    return Err(source.malformed(element, format!("node {node} is not a root")));
                }
                if !listed.insert(node) {
                    return Err(source.malformed(element, format!("node {node} is listed twice")));
                }
            }
        }
        let chosen = match document.scene {
            Some(index) => Some(source.find(&document.scenes, index.index(), "scene", "scene")?),
            None => document.scenes.first(),
        };
        let Some(scene) = chosen else { return Ok(vec![true; self.nodes.len()]) };
        let mut is_root_shown = vec![false; self.nodes.len()];
        for node in scene.nodes.iter() {
            is_root_shown[node.index()] = true;
        }
        Ok(self.root.iter().map(|&root| is_root_shown[root]).collect())
    }
}

/// Indices in a depth-first order: a subtree is one interval.
fn spans(nodes: &[Node], order: &[usize]) -> Vec<(usize, usize)> {
    let mut size = vec![1; nodes.len()];
    for &index in order.iter().rev() {
        if let Some(parent) = nodes[index].parent {
            size[parent] += size[index];
        }
    }
    let mut span = vec![(0, 0); nodes.len()];
    // The index of the next child of each node; the last entry is for roots.
    let mut next: Vec<usize> = vec![0; nodes.len() + 1];
    for &index in order {
        let above = nodes[index].parent.unwrap_or(nodes.len());
        let start = next[above];
        next[above] += size[index];
        next[index] = start + 1;
        span[index] = (start, start + size[index]);
    }
    span
}

fn transform(
    json: &NodeJson,
    element: &str,
    source: Source<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<NodeTransform> {
    let fail = |reason: &str| Err(source.malformed(element, reason));
    let has_trs = json.translation.is_some() || json.rotation.is_some() || json.scale.is_some();
    if let Some(columns) = &json.matrix {
        if has_trs {
            return fail("it has both a matrix and a translation, rotation or scale");
        }
        let matrix = match affine(columns) {
            Ok(matrix) => matrix,
            Err(reason) => return fail(&reason),
        };
        let determinant = matrix.matrix3.determinant();
        if determinant == 0.0 || !determinant.is_finite() {
            return fail(&format!("the determinant of its matrix is {determinant}"));
        }
        if shears(&matrix.matrix3) {
            let reason = "its matrix shears, which the format forbids; used as it is";
            warnings.push(Warning::new(element, reason));
        }
        return Ok(NodeTransform::Matrix(matrix));
    }
    let rotation = json.rotation.map_or(DVec4::W, DVec4::from_array);
    if !is_unit(rotation) {
        return fail(&format!("its rotation has length {} instead of 1", rotation.length()));
    }
    Ok(NodeTransform::Trs {
        translation: json.translation.map_or(DVec3::ZERO, DVec3::from_array),
        rotation,
        scale: json.scale.map_or(DVec3::ONE, DVec3::from_array),
    })
}

/// Whether a rotation has unit length, up to the rounding that occurs in files.
pub(super) fn is_unit(rotation: DVec4) -> bool {
    (rotation.length() - 1.0).abs() <= ROTATION_LENGTH_SLACK
}

/// The affine map of a matrix in columns.
///
/// # Errors
/// The reason, if its last row is not 0 0 0 1.
pub(super) fn affine(columns: &[f64]) -> std::result::Result<DAffine3, String> {
    let &[a, b, c, p, d, e, f, q, g, h, i, r, x, y, z, s] = columns else {
        return Err(format!("a matrix has {} numbers instead of 16", columns.len()));
    };
    let last_row = [p, q, r, s - 1.0];
    if !last_row.iter().all(|number| number.abs() <= LAST_ROW_SLACK) {
        return Err(format!("the last row of its matrix is {p} {q} {r} {s}, not 0 0 0 1"));
    }
    Ok(DAffine3::from_cols_array(&[a, b, c, d, e, f, g, h, i, x, y, z]))
}

fn shears(matrix: &DMat3) -> bool {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(DVec3::normalize_or_zero);
    [x.dot(y), y.dot(z), z.dot(x)].iter().any(|cosine| cosine.abs() > SHEAR_WARNING)
}
