//! An object as a client describes it.

use pliant::glam::DVec3;

use super::fields::{Fields, Writer};
use super::{MAX_CORNERS, MAX_JOINTS, MAX_MODES, Wrong};

/// An object as a client describes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShapeData {
    /// How it will move.
    pub deforming: Deforming,
    /// Its vertices at rest.
    pub positions: Vec<DVec3>,
    /// What they are corners of.
    pub primitives: Primitives,
    /// None, or one per vertex: the normals that a smooth surface feels by.
    pub normals: Vec<DVec3>,
    /// None, or one per vertex.
    pub texture_coordinates: Vec<[f32; 2]>,
}

/// How an object moves.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Deforming {
    /// As a whole.
    #[default]
    Rigid,
    /// Vertex by vertex.
    Free,
    /// Along modes: fields of displacements of all vertices.
    Modes(Vec<Vec<DVec3>>),
    /// With joints.
    Skin {
        /// How many joints there are.
        joints: u32,
        /// Which joints move which vertices, in ascending order of vertices.
        influences: Vec<SkinInfluence>,
    },
}

/// How much a joint moves a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkinInfluence {
    /// The vertex.
    pub vertex: u32,
    /// The joint.
    pub joint: u32,
    /// Those of a vertex sum to 1.
    pub weight: f64,
}

/// What vertices are corners of.
#[derive(Debug, Clone, PartialEq)]
pub enum Primitives {
    /// Points.
    Points(Vec<u32>),
    /// Segments.
    Segments(Vec<[u32; 2]>),
    /// Polygons: flat and convex.
    Polygons(Vec<Vec<u32>>),
}

impl Default for Primitives {
    fn default() -> Self {
        Self::Polygons(Vec::new())
    }
}

impl ShapeData {
    /// Reads a shape.
    pub(super) fn read(f: &mut Fields) -> Result<Self, Wrong> {
        let deforming = f.u8("deformation")?;
        let primitives = f.u8("primitives")?;
        let positions = f.list("positions", 24, |f| f.vector("positions"))?;
        let primitives = match primitives {
            0 => Primitives::Points(f.list("points", 4, |f| f.u32("points"))?),
            1 => {
                let segment = |f: &mut Fields| Ok([f.u32("segments")?, f.u32("segments")?]);
                Primitives::Segments(f.list("segments", 8, segment)?)
            }
            2 => Primitives::Polygons(f.list("polygons", 13, polygon)?),
            _ => return Err(f.wrong("primitives", "are not 0, 1 or 2")),
        };
        let normals = f.list("normals", 24, |f| f.vector("normals"))?;
        let pair =
            |f: &mut Fields| Ok([f.f32("texture coordinates")?, f.f32("texture coordinates")?]);
        let texture_coordinates = f.list("texture coordinates", 8, pair)?;
        let vertices = positions.len();
        for (field, count) in
            [("normals", normals.len()), ("texture coordinates", texture_coordinates.len())]
        {
            if count != 0 && count != vertices {
                return Err(f.wrong(field, "are neither none nor one per vertex"));
            }
        }
        let deforming = match deforming {
            0 => Deforming::Rigid,
            1 => Deforming::Free,
            2 => {
                let modes = usize::from(f.u16("modes")?);
                if modes > MAX_MODES {
                    return Err(f.wrong("modes", "are too many"));
                }
                let mut all = Vec::with_capacity(modes);
                for _ in 0..modes {
                    let field = f.list("modes", 24, |f| f.vector("modes"))?;
                    if field.len() != vertices {
                        return Err(f.wrong("modes", "are not of one displacement per vertex"));
                    }
                    all.push(field);
                }
                Deforming::Modes(all)
            }
            3 => {
                let joints = f.u32("joints")?;
                if joints as usize > MAX_JOINTS {
                    return Err(f.wrong("joints", "are too many"));
                }
                let influence = |f: &mut Fields| {
                    let (vertex, joint) = (f.u32("influences")?, f.u32("influences")?);
                    Ok(SkinInfluence { vertex, joint, weight: f.f64("influences")? })
                };
                let influences = f.list("influences", 16, influence)?;
                Deforming::Skin { joints, influences }
            }
            _ => return Err(f.wrong("deformation", "is not 0, 1, 2 or 3")),
        };
        Ok(Self { deforming, positions, primitives, normals, texture_coordinates })
    }

    /// Writes a self.
    pub(super) fn write(&self, w: &mut Writer) {
        let deforming = match self.deforming {
            Deforming::Rigid => 0,
            Deforming::Free => 1,
            Deforming::Modes(_) => 2,
            Deforming::Skin { .. } => 3,
        };
        let primitives = match self.primitives {
            Primitives::Points(_) => 0,
            Primitives::Segments(_) => 1,
            Primitives::Polygons(_) => 2,
        };
        w.u8(deforming).u8(primitives);
        w.list(&self.positions, |w, position| {
            w.vector(*position);
        });
        match &self.primitives {
            Primitives::Points(points) => w.list(points, |w, point| {
                w.u32(*point);
            }),
            Primitives::Segments(segments) => w.list(segments, |w, [from, to]| {
                w.u32(*from).u32(*to);
            }),
            Primitives::Polygons(polygons) => w.list(polygons, |w, corners| {
                w.u8(corners.len().min(255) as u8);
                corners.iter().take(255).for_each(|&corner| {
                    w.u32(corner);
                });
            }),
        };
        w.list(&self.normals, |w, normal| {
            w.vector(*normal);
        });
        w.list(&self.texture_coordinates, |w, [u, v]| {
            w.f32(*u).f32(*v);
        });
        match &self.deforming {
            Deforming::Rigid | Deforming::Free => {}
            Deforming::Modes(modes) => {
                w.u16(modes.len().min(usize::from(u16::MAX)) as u16);
                for field in modes {
                    w.list(field, |w, displacement| {
                        w.vector(*displacement);
                    });
                }
            }
            Deforming::Skin { joints, influences } => {
                w.u32(*joints).list(influences, |w, SkinInfluence { vertex, joint, weight }| {
                    w.u32(*vertex).u32(*joint).f64(*weight);
                });
            }
        }
    }
}

fn polygon(f: &mut Fields) -> Result<Vec<u32>, Wrong> {
    let corners = usize::from(f.u8("polygons")?);
    if !(3..=MAX_CORNERS).contains(&corners) {
        return Err(f.wrong("polygons", "have fewer than 3 or more than 64 corners"));
    }
    (0..corners).map(|_| f.u32("polygons")).collect()
}
