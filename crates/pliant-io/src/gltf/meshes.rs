//! Meshes: their primitives in file order, joined into one mesh.

use std::sync::Arc;

use pliant::Mesh;
use pliant::glam::DVec3;

use super::accessor::Reader;
use super::json::MeshJson;
use super::primitive::{Primitive, Roles, Scope, Skipped};
use crate::scene::{MaterialRun, MorphTargets, SkinWeights, Warning, extend_runs};
use crate::{Error, Result};

/// A mesh and the data that nodes need with it.
pub(super) struct MeshData {
    /// The mesh; `None` if it has no triangles.
    pub(super) mesh: Option<Arc<Mesh>>,
    /// The materials of its triangles; empty if it has none.
    pub(super) materials: Arc<[MaterialRun]>,
    /// The number of morph targets.
    pub(super) targets: usize,
    /// Their displacements.
    pub(super) morph: Option<Arc<MorphTargets>>,
    /// Their default weights.
    pub(super) weights: Vec<f64>,
    /// Joints and weights of the vertices.
    pub(super) skin: Option<Arc<SkinWeights>>,
    /// Whether all primitives have joints.
    pub(super) has_joints: bool,
    /// The largest joint number used.
    pub(super) max_joint: Option<u32>,
    /// Warnings for the user if the mesh is used.
    pub(super) warnings: Vec<Warning>,
}

/// Reads every mesh, used or not.
pub(super) fn read(reader: &Reader<'_>) -> Result<Vec<MeshData>> {
    let mut roles = Roles::stated(reader);
    let meshes = reader.document.meshes.iter().enumerate();
    meshes.map(|(index, json)| mesh(reader, &mut roles, json, index)).collect()
}

fn mesh(reader: &Reader<'_>, roles: &mut Roles, json: &MeshJson, index: usize) -> Result<MeshData> {
    let element = format!("mesh {index}");
    let targets = json.primitives.first().map_or(0, |first| first.targets.len());
    let mut joined = Joined::new(targets);
    for (number, primitive) in json.primitives.iter().enumerate() {
        let element = format!("{element} primitive {number}");
        if primitive.targets.len() != targets {
            let count = primitive.targets.len();
            let reason = format!("it has {count} morph targets, but primitive 0 has {targets}");
            return Err(reader.source.malformed(element, reason));
        }
        let scope = Scope { reader, roles, element: element.clone(), json: primitive };
        let material = primitive.material.and_then(|it| reader.document.materials.get(it.index()));
        joined.add(reader, scope.read()?, material, &element)?;
    }
    let weights = match &json.weights {
        None => vec![0.0; targets],
        Some(weights) if weights.len() == targets => weights.to_vec(),
        Some(weights) => {
            let count = weights.len();
            let reason = format!("it has {count} weights, but {targets} morph targets");
            return Err(reader.source.malformed(element, reason));
        }
    };
    joined.finish(reader, &element, weights)
}

/// The primitives that have been joined so far.
struct Joined {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    materials: Vec<MaterialRun>,
    deltas: Vec<Vec<DVec3>>,
    skin: SkinWeights,
    all_have_joints: bool,
    max_joint: Option<u32>,
    mended: usize,
    merged: usize,
    warnings: Vec<Warning>,
}

impl Joined {
    fn new(targets: usize) -> Self {
        Self {
            positions: Vec::new(),
            triangles: Vec::new(),
            materials: Vec::new(),
            deltas: vec![Vec::new(); targets],
            skin: SkinWeights { starts: vec![0], influences: Vec::new() },
            all_have_joints: true,
            max_joint: None,
            mended: 0,
            merged: 0,
            warnings: Vec::new(),
        }
    }

    fn add(
        &mut self,
        reader: &Reader<'_>,
        primitive: Primitive,
        material: Option<&Arc<str>>,
        element: &str,
    ) -> Result<()> {
        let named = primitive.influences.as_ref().and_then(|influences| influences.max_joint);
        self.max_joint = self.max_joint.max(named);
        self.all_have_joints &= primitive.influences.is_some();
        let triangles = match primitive.triangles {
            Ok(triangles) => triangles,
            Err(skipped) => {
                let reason = match skipped {
                    Skipped::PointsOrLines => "it consists of points or lines; skipped",
                    Skipped::NoPositions => "it has no positions; skipped",
                    Skipped::NoData => "its data is not in the file; skipped",
                };
                self.warnings.push(Warning::new(element, reason));
                return Ok(());
            }
        };
        if primitive.left_over > 0 {
            let reason =
                format!("{} corners do not form a whole triangle; ignored", primitive.left_over);
            self.warnings.push(Warning::new(element, reason));
        }
        let vertices = primitive.positions.len();
        let base = u32::try_from(self.positions.len())
            .map_err(|_| reader.source.malformed(element, "its mesh has too many vertices"))?;
        self.triangles.extend(triangles.iter().map(|corners| corners.map(|corner| base + corner)));
        if !triangles.is_empty() {
            extend_runs(&mut self.materials, self.triangles.len(), material);
        }
        self.positions.extend(primitive.positions);
        for (joined, deltas) in self.deltas.iter_mut().zip(primitive.deltas) {
            match deltas {
                Some(deltas) => joined.extend(deltas),
                None => {
                    reader.spend(vertices as u64 * 3, element)?;
                    joined.resize(joined.len() + vertices, DVec3::ZERO);
                }
            }
        }
        if let Some(influences) = primitive.influences {
            let mut end = self.skin.influences.len() as u32;
            for count in influences.counts {
                end += count;
                self.skin.starts.push(end);
            }
            self.skin.influences.extend(influences.list);
            self.mended += influences.mended;
            self.merged += influences.merged;
        }
        Ok(())
    }

    fn finish(mut self, reader: &Reader<'_>, element: &str, weights: Vec<f64>) -> Result<MeshData> {
        if self.mended > 0 {
            let reason =
                format!("the weights of {} vertices did not sum to 1; normalised", self.mended);
            self.warnings.push(Warning::new(element, reason));
        }
        if self.merged > 0 {
            let reason =
                format!("{} vertices list a joint twice; its weights are added", self.merged);
            self.warnings.push(Warning::new(element, reason));
        }
        let mesh = if self.triangles.is_empty() {
            self.warnings.push(Warning::new(element, "it has no triangles and gives no object"));
            None
        } else {
            let mesh = Mesh::new(self.positions, self.triangles).map_err(|source| {
                Error::Geometry { file: reader.source.file.into(), element: element.into(), source }
            })?;
            Some(Arc::new(mesh))
        };
        let targets = weights.len();
        let morph = (targets > 0).then(|| Arc::new(MorphTargets { deltas: self.deltas }));
        let skin = self.all_have_joints.then(|| Arc::new(self.skin));
        if self.materials.iter().all(|run| run.name.is_none()) {
            self.materials.clear();
        }
        Ok(MeshData {
            mesh,
            materials: self.materials.into(),
            targets,
            morph,
            weights,
            skin,
            has_joints: self.all_have_joints,
            max_joint: self.max_joint,
            warnings: self.warnings,
        })
    }
}
