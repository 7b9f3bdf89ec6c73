//! What the server says.

use pliant::glam::DVec3;

use super::fields::{Fields, Writer};
use super::{Wrong, frame};
use crate::{DOUBLINGS, Grip};

/// What the server says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Report {
    /// The answer to the first message.
    Welcome {
        /// The version that the server speaks.
        version: u16,
        /// How many hands there are.
        hands: u8,
        /// Steps per second of the force loop.
        rate: f64,
        /// The radius of every proxy.
        radius: f64,
        /// Newtons: no force is larger.
        force_limit: f64,
        /// A box around what is there at first.
        around: [DVec3; 2],
        /// What is shown.
        title: String,
    },
    /// What the last step gave all hands that are there.
    State {
        /// The number of the step.
        step: u64,
        /// The hands.
        hands: Vec<HandReport>,
    },
    /// What the loop did so far; with states, once per second.
    Statistics(StatisticsReport),
    /// An object of the scene.
    Object {
        /// Its slot.
        slot: u32,
        /// Its name.
        name: String,
        /// Vertices at rest.
        positions: Vec<[f32; 3]>,
        /// Triangles.
        triangles: Vec<[u32; 3]>,
    },
    /// Where an object of the scene is now.
    Moved {
        /// Its slot.
        slot: u32,
        /// How its vertices at rest have moved.
        pose: Pose,
    },
    /// An object is no more.
    Gone {
        /// Its slot.
        slot: u32,
    },
    /// The last message: why the connection ends.
    Refused {
        /// What was wrong.
        reason: String,
    },
    /// The answer to a ping.
    Pong {
        /// As it was sent.
        value: u64,
    },
}

/// How vertices at rest have moved.
#[derive(Debug, Clone, PartialEq)]
pub enum Pose {
    /// By an affine map: three columns and a translation.
    Map([f32; 12]),
    /// One by one.
    Vertices(Vec<[f32; 3]>),
}

/// What a step gave a hand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HandReport {
    /// The hand.
    pub hand: u8,
    /// How its proxy moves along what it touches.
    pub grip: Grip,
    /// Where the device is.
    pub device: DVec3,
    /// Where the proxy is.
    pub proxy: DVec3,
    /// Newtons on the hand.
    pub force: DVec3,
    /// Joules that went in less those that came out.
    pub energy: f64,
    /// What is touched, at most three: slot, triangle, point, normal, depth.
    pub contacts: Vec<(u32, u32, DVec3, DVec3, f64)>,
}

/// What the loop did so far. Times are nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StatisticsReport {
    /// Steps done.
    pub steps: u64,
    /// Steps that began a whole period late or more.
    pub missed: u64,
    /// Changes of the scene that were taken.
    pub changes: u64,
    /// Half of the steps took no longer.
    pub median: u64,
    /// 999 of 1000 took no longer.
    pub p999: u64,
    /// None took longer.
    pub longest: u64,
    /// Half of the wake-ups were no later.
    pub late_median: u64,
    /// 999 of 1000 were no later.
    pub late_p999: u64,
    /// None was later.
    pub late_longest: u64,
    /// How many steps took below 1, 2, 4 ... microseconds.
    pub doublings: [u64; DOUBLINGS],
}

impl Report {
    /// Writes a message.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        let w = &mut writer;
        let kind = match self {
            Self::Welcome { version, hands, rate, radius, force_limit, around, title } => {
                w.u16(*version).u8(*hands).f64(*rate).f64(*radius).f64(*force_limit);
                w.vector(around[0]).vector(around[1]).text(title);
                0x81
            }
            Self::State { step, hands } => {
                w.u64(*step).list(hands, write_hand);
                0x82
            }
            Self::Statistics(s) => {
                for number in [s.steps, s.missed, s.changes, s.median, s.p999, s.longest] {
                    w.u64(number);
                }
                w.u64(s.late_median).u64(s.late_p999).u64(s.late_longest);
                s.doublings.iter().for_each(|&count| {
                    w.u64(count);
                });
                0x83
            }
            Self::Object { slot, name, positions, triangles } => {
                w.u32(*slot).text(name).list(positions, write_floats);
                w.list(triangles, |w, corners| {
                    corners.iter().for_each(|&c| {
                        w.u32(c);
                    });
                });
                0x84
            }
            Self::Moved { slot, pose } => {
                w.u32(*slot);
                match pose {
                    Pose::Map(map) => {
                        w.u8(0);
                        map.iter().for_each(|&number| {
                            w.f32(number);
                        });
                    }
                    Pose::Vertices(positions) => {
                        w.u8(1).list(positions, write_floats);
                    }
                }
                0x85
            }
            Self::Gone { slot } => {
                w.u32(*slot);
                0x86
            }
            Self::Refused { reason } => {
                w.text(reason);
                0x87
            }
            Self::Pong { value } => {
                w.u64(*value);
                0x88
            }
        };
        frame(kind, &writer.bytes)
    }

    /// Reads a message, as clients do.
    ///
    /// # Errors
    /// [`Wrong`] names the field.
    pub fn decode(kind: u16, body: &[u8]) -> Result<Self, Wrong> {
        let mut fields = Fields::new(kind, body);
        let f = &mut fields;
        let report = match kind {
            0x81 => Self::Welcome {
                version: f.u16("version")?,
                hands: f.u8("hands")?,
                rate: f.f64("rate")?,
                radius: f.f64("radius")?,
                force_limit: f.f64("force limit")?,
                around: [f.vector("box")?, f.vector("box")?],
                title: f.text("title")?,
            },
            0x82 => Self::State { step: f.u64("step")?, hands: f.list("hands", 83, hand)? },
            0x83 => Self::Statistics(statistics(f)?),
            0x84 => Self::Object {
                slot: f.u32("slot")?,
                name: f.text("name")?,
                positions: f.list("positions", 12, floats)?,
                triangles: f.list("triangles", 12, |f| {
                    Ok([f.u32("triangles")?, f.u32("triangles")?, f.u32("triangles")?])
                })?,
            },
            0x85 => {
                let slot = f.u32("slot")?;
                let pose = match f.u8("pose")? {
                    0 => {
                        let mut map = [0.0; 12];
                        for number in &mut map {
                            *number = f.f32("pose")?;
                        }
                        Pose::Map(map)
                    }
                    1 => Pose::Vertices(f.list("pose", 12, floats)?),
                    _ => return Err(f.wrong("pose", "is not 0 or 1")),
                };
                Self::Moved { slot, pose }
            }
            0x86 => Self::Gone { slot: f.u32("slot")? },
            0x87 => Self::Refused { reason: f.text("reason")? },
            0x88 => Self::Pong { value: f.u64("value")? },
            _ => return Err(Wrong::Unknown { kind }),
        };
        fields.end()?;
        Ok(report)
    }
}

fn write_floats(w: &mut Writer, floats: &[f32; 3]) {
    floats.iter().for_each(|&number| {
        w.f32(number);
    });
}

fn floats(f: &mut Fields) -> Result<[f32; 3], Wrong> {
    Ok([f.f32("positions")?, f.f32("positions")?, f.f32("positions")?])
}

fn write_hand(w: &mut Writer, hand: &HandReport) {
    let grip = match hand.grip {
        Grip::Free => 0,
        Grip::Sticks => 1,
        Grip::Slides => 2,
    };
    w.u8(hand.hand).u8(grip).vector(hand.device).vector(hand.proxy).vector(hand.force);
    w.f64(hand.energy).u8(hand.contacts.len().min(3) as u8);
    for &(slot, triangle, point, normal, depth) in hand.contacts.iter().take(3) {
        w.u32(slot).u32(triangle).vector(point).vector(normal).f64(depth);
    }
}

fn hand(f: &mut Fields) -> Result<HandReport, Wrong> {
    let (hand, grip) = (f.u8("hand")?, f.u8("grip")?);
    let grip = match grip {
        0 => Grip::Free,
        1 => Grip::Sticks,
        2 => Grip::Slides,
        _ => return Err(f.wrong("grip", "is not 0, 1 or 2")),
    };
    let [device, proxy, force] = [f.vector("device")?, f.vector("proxy")?, f.vector("force")?];
    let energy = f.f64("energy")?;
    let mut contacts = Vec::new();
    for _ in 0..f.u8("contacts")? {
        let (slot, triangle) = (f.u32("contacts")?, f.u32("contacts")?);
        let (point, normal) = (f.vector("contacts")?, f.vector("contacts")?);
        contacts.push((slot, triangle, point, normal, f.f64("contacts")?));
    }
    Ok(HandReport { hand, grip, device, proxy, force, energy, contacts })
}

fn statistics(f: &mut Fields) -> Result<StatisticsReport, Wrong> {
    let mut numbers = [0; 9 + DOUBLINGS];
    for number in &mut numbers {
        *number = f.u64("statistics")?;
    }
    let mut doublings = [0; DOUBLINGS];
    doublings.copy_from_slice(&numbers[9..]);
    let [steps, missed, changes, median, p999, longest, late_median, late_p999, late_longest] =
        std::array::from_fn(|at| numbers[at]);
    Ok(StatisticsReport {
        steps,
        missed,
        changes,
        median,
        p999,
        longest,
        late_median,
        late_p999,
        late_longest,
        doublings,
    })
}
