//! What a client says.

use pliant::glam::{DAffine3, DQuat, DVec3};

use super::fields::{Fields, Writer};
use super::shape::ShapeData;
use super::{MAX_RATE, MAX_TEXELS, MAX_TEXT, Wrong, frame};
use crate::{Material, Shading, TextureUse};

/// What a client says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Command {
    /// The first message.
    Hello {
        /// The version that the client speaks.
        version: u16,
        /// The token, if the server asks for one.
        token: String,
    },
    /// What follows is taken as a whole, ...
    Begin,
    /// ... between two steps.
    Commit,
    /// An object; one of the same number is replaced.
    Define {
        /// The client's number of it.
        id: u32,
        /// What it is.
        shape: Box<ShapeData>,
    },
    /// An object, and what hangs from it, is no more.
    Remove {
        /// The object.
        id: u32,
    },
    /// How an object feels.
    Feel {
        /// The object.
        id: u32,
        /// How it feels.
        material: Material,
    },
    /// A texture of an object that has texture coordinates.
    Texture {
        /// The object.
        id: u32,
        /// The texture.
        texture: Box<TextureData>,
    },
    /// Where an object is, and from which it hangs.
    Place {
        /// The object.
        id: u32,
        /// The object that it moves with, or [`NO_PARENT`](super::NO_PARENT).
        parent: u32,
        /// Its rotation in the frame of the parent.
        rotation: DQuat,
        /// Its place in the frame of the parent.
        translation: DVec3,
    },
    /// Moves an object.
    Translate {
        /// The object.
        id: u32,
        /// By so much, in the frame of its parent.
        by: DVec3,
    },
    /// Turns an object about its origin.
    Rotate {
        /// The object.
        id: u32,
        /// By so much.
        by: DQuat,
    },
    /// The vertices of a free object.
    Positions {
        /// The object.
        id: u32,
        /// One per vertex.
        positions: Vec<DVec3>,
    },
    /// The coordinates, or weights, of an object with modes.
    Coordinates {
        /// The object.
        id: u32,
        /// One per mode.
        values: Vec<f64>,
    },
    /// The joints of an object with a skin.
    Joints {
        /// The object.
        id: u32,
        /// One per joint: from the rest pose to now.
        joints: Vec<DAffine3>,
    },
    /// Where a hand is.
    Hand {
        /// The hand.
        hand: u8,
        /// Metres.
        position: DVec3,
    },
    /// A hand goes away.
    Lift {
        /// The hand.
        hand: u8,
    },
    /// What to report, and how often.
    Watch {
        /// States of the hands per second; 0 for none.
        states: u16,
        /// Pictures of the scene per second; 0 for none.
        pictures: u16,
    },
    /// Asks for an answer.
    Ping {
        /// Comes back.
        value: u64,
    },
}

/// A texture that is felt.
#[derive(Debug, Clone, PartialEq)]
pub struct TextureData {
    /// What its values mean.
    pub applies_to: TextureUse,
    /// Texels per row; it repeats beyond.
    pub width: u16,
    /// Values from 0 to 1, row by row, a whole number of rows.
    pub values: Vec<f32>,
    /// Metres of height at value 1, or the factor of friction at value 1.
    pub amplitude: f64,
}

impl Command {
    /// Reads a message.
    ///
    /// # Errors
    /// [`Wrong`] names the field.
    pub fn decode(kind: u16, body: &[u8]) -> Result<Self, Wrong> {
        let mut fields = Fields::new(kind, body);
        let f = &mut fields;
        let command = match kind {
            0x01 => Self::Hello { version: f.u16("version")?, token: f.text("token")? },
            0x02 => Self::Begin,
            0x03 => Self::Commit,
            0x10 => Self::Define { id: f.u32("number")?, shape: Box::new(ShapeData::read(f)?) },
            0x11 => Self::Remove { id: f.u32("number")? },
            0x12 => Self::Feel { id: f.u32("number")?, material: material(f)? },
            0x13 => Self::Texture { id: f.u32("number")?, texture: Box::new(texture(f)?) },
            0x20 => Self::Place {
                id: f.u32("number")?,
                parent: f.u32("parent")?,
                rotation: f.rotation("rotation")?,
                translation: f.vector("translation")?,
            },
            0x21 => Self::Translate { id: f.u32("number")?, by: f.vector("translation")? },
            0x22 => Self::Rotate { id: f.u32("number")?, by: f.rotation("rotation")? },
            0x23 => Self::Positions {
                id: f.u32("number")?,
                positions: f.list("positions", 24, |f| f.vector("positions"))?,
            },
            0x24 => Self::Coordinates {
                id: f.u32("number")?,
                values: f.list("coordinates", 8, |f| f.f64("coordinates"))?,
            },
            0x25 => Self::Joints {
                id: f.u32("number")?,
                joints: f.list("joints", 96, |f| f.affine("joints"))?,
            },
            0x30 => Self::Hand { hand: f.u8("hand")?, position: f.vector("position")? },
            0x31 => Self::Lift { hand: f.u8("hand")? },
            0x40 => {
                let (states, pictures) = (f.u16("states")?, f.u16("pictures")?);
                if states > MAX_RATE || pictures > MAX_RATE {
                    return Err(f.wrong("rate", "is above 1000 per second"));
                }
                Self::Watch { states, pictures }
            }
            0x41 => Self::Ping { value: f.u64("value")? },
            _ => return Err(Wrong::Unknown { kind }),
        };
        fields.end()?;
        Ok(command)
    }

    /// Writes a message, from which [`Command::decode`] reads the same.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        let w = &mut writer;
        let kind = match self {
            Self::Hello { version, token } => {
                w.u16(*version).text(token);
                0x01
            }
            Self::Begin => 0x02,
            Self::Commit => 0x03,
            Self::Define { id, shape } => {
                shape.write(w.u32(*id));
                0x10
            }
            Self::Remove { id } => {
                w.u32(*id);
                0x11
            }
            Self::Feel { id, material } => {
                write_material(w.u32(*id), material);
                0x12
            }
            Self::Texture { id, texture } => {
                let applies_to = match texture.applies_to {
                    TextureUse::Height => 0,
                    TextureUse::Friction => 1,
                };
                w.u32(*id).u8(applies_to).u16(texture.width).f64(texture.amplitude);
                w.list(&texture.values, |w, value| {
                    w.f32(*value);
                });
                0x13
            }
            Self::Place { id, parent, rotation, translation } => {
                w.u32(*id).u32(*parent).rotation(*rotation).vector(*translation);
                0x20
            }
            Self::Translate { id, by } => {
                w.u32(*id).vector(*by);
                0x21
            }
            Self::Rotate { id, by } => {
                w.u32(*id).rotation(*by);
                0x22
            }
            Self::Positions { id, positions } => {
                w.u32(*id).list(positions, |w, position| {
                    w.vector(*position);
                });
                0x23
            }
            Self::Coordinates { id, values } => {
                w.u32(*id).list(values, |w, value| {
                    w.f64(*value);
                });
                0x24
            }
            Self::Joints { id, joints } => {
                w.u32(*id).list(joints, |w, joint| {
                    w.affine(joint);
                });
                0x25
            }
            Self::Hand { hand, position } => {
                w.u8(*hand).vector(*position);
                0x30
            }
            Self::Lift { hand } => {
                w.u8(*hand);
                0x31
            }
            Self::Watch { states, pictures } => {
                w.u16(*states).u16(*pictures);
                0x40
            }
            Self::Ping { value } => {
                w.u64(*value);
                0x41
            }
        };
        frame(kind, &writer.bytes)
    }
}

fn material(f: &mut Fields) -> Result<Material, Wrong> {
    let numbers = [(); 5].map(|()| f.f64("material"));
    let [stiffness, damping, static_friction, dynamic_friction, viscosity] = numbers;
    let shading = match f.u8("shading")? {
        0 => Shading::Facets,
        1 => Shading::Smooth,
        _ => return Err(f.wrong("shading", "is not 0 or 1")),
    };
    let material = Material {
        stiffness: stiffness?,
        damping: damping?,
        static_friction: static_friction?,
        dynamic_friction: dynamic_friction?,
        viscosity: viscosity?,
        shading,
    };
    match material.check() {
        Ok(()) => Ok(material),
        Err(_) => Err(f.wrong("material", "has a number that cannot be used")),
    }
}

fn write_material(w: &mut Writer, material: &Material) {
    w.f64(material.stiffness).f64(material.damping).f64(material.static_friction);
    w.f64(material.dynamic_friction).f64(material.viscosity);
    w.u8(match material.shading {
        Shading::Facets => 0,
        Shading::Smooth => 1,
    });
}

fn texture(f: &mut Fields) -> Result<TextureData, Wrong> {
    let applies_to = match f.u8("use")? {
        0 => TextureUse::Height,
        1 => TextureUse::Friction,
        _ => return Err(f.wrong("use", "is not 0 or 1")),
    };
    let (width, amplitude) = (f.u16("width")?, f.f64("amplitude")?);
    let values = f.list("values", 4, |f| {
        let value = f.f32("values")?;
        let fits = (0.0..=1.0).contains(&value);
        if fits { Ok(value) } else { Err(f.wrong("values", "are not from 0 to 1")) }
    })?;
    let wide = usize::from(width);
    if wide == 0 || wide > MAX_TEXELS || values.is_empty() || !values.len().is_multiple_of(wide) {
        return Err(f.wrong("width", "does not fit its values"));
    }
    if values.len() / wide > MAX_TEXELS || amplitude < 0.0 {
        return Err(f.wrong("values", "are too many rows, or the amplitude is negative"));
    }
    Ok(TextureData { applies_to, width, values, amplitude })
}

const _: () = assert!(MAX_TEXT <= u16::MAX as usize);
