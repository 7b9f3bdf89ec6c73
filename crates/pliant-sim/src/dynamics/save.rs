//! A simulation as a file, to go on later with the same bits.
//!
//! The file holds what changes: states of bodies, the forces of the last step, with which the next one
//! begins, and the number of steps. Models, settings and
//! obstacles are the caller's: it builds the simulation again and then restores it. A fingerprint
//! of all of them tells whether it is the same one.
//!
//! Little-endian, without gaps:
//!
//! | bytes | content |
//! | --- | --- |
//! | 8 | `PLIANTSM` |
//! | 4 | the version, 2 |
//! | 4 | modes per body, m |
//! | 8 | the fingerprint |
//! | 8 | steps done |
//! | 8 | the number of bodies, n |
//! | 8 | the number of contacts that pushed, c |
//! | n × 13 × 8 | for each body: position (3), rotation (x, y, z, w), momentum (3), angular momentum (3), as `f64` |
//! | n × m × 8 | coordinates |
//! | n × m × 8 | their velocities |
//! | n × m × 8 | the forces along the modes in the last step |
//! | c × 3 × 8 | the forces of contacts on their first bodies |
//! | c × 5 × 4 | the contacts, ascending: 0 and two bodies and their proxies, or 1, body, obstacle, proxy, 0 |
//! | 8 | checksum of all bytes before it (FNV-1a, 64 bits) |

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use pliant::glam::{DQuat, DVec3};

use super::carried::Carried;
use super::{Obstacle, RigidState, Simulation, SurfaceMotion};
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"PLIANTSM";
const VERSION: u32 = 2;
const HEADER: usize = 48;
const PER_BODY: usize = 13;

impl Simulation {
    /// The state as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.file_length(self.carried.len()));
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(self.stride as u32).to_le_bytes());
        bytes.extend_from_slice(&self.fingerprint().to_le_bytes());
        bytes.extend_from_slice(&self.steps_done.to_le_bytes());
        bytes.extend_from_slice(&(self.states.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&(self.carried.len() as u64).to_le_bytes());
        let mut put = |number: f64| bytes.extend_from_slice(&number.to_le_bytes());
        for state in &self.states {
            state.position.to_array().into_iter().for_each(&mut put);
            state.rotation.to_array().into_iter().for_each(&mut put);
            state.momentum.to_array().into_iter().for_each(&mut put);
            state.angular_momentum.to_array().into_iter().for_each(&mut put);
        }
        let modal = [&self.coordinates, &self.velocities, &self.loads];
        modal.into_iter().flatten().copied().for_each(&mut put);
        self.carried.iter().flat_map(|one| one.force.to_array()).for_each(&mut put);
        let keys = self.carried.iter().flat_map(|one| one.key);
        bytes.extend(keys.flat_map(u32::to_le_bytes));
        let sum = Checksum::of(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Takes a state from bytes that [`Simulation::to_bytes`] of the same simulation wrote. From
    /// then on it goes on with the same bits. On an error nothing changes.
    ///
    /// # Errors
    /// [`Error::Saved`] for bytes that are no such state, are damaged, or belong to another
    /// simulation.
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        let refuse = |reason: &str| Err(Error::Saved { reason: reason.into() });
        if bytes.len() < HEADER || &bytes[..8] != MAGIC {
            return refuse("it is not a saved simulation");
        }
        let long = |at: usize| number(bytes, at).to_bits();
        let version = long(8) as u32;
        if version != VERSION {
            return refuse(&format!("its version is {version}, and not {VERSION}"));
        }
        let (stride, bodies) = (long(8) >> 32, long(32));
        if stride != self.stride as u64 || bodies != self.states.len() as u64 {
            let (have, modes) = (self.states.len(), self.stride);
            return refuse(&format!(
                "it has {bodies} bodies of {stride} modes, and not {have} of {modes}"
            ));
        }
        // A contact takes 44 bytes, so there are not more of them than bytes, and the length does not
        // overflow.
        let contacts = usize::try_from(long(40)).unwrap_or(usize::MAX).min(bytes.len());
        let expected = self.file_length(contacts);
        if bytes.len() != expected {
            let given = bytes.len();
            return refuse(&format!("it has {given} bytes, and not {expected}"));
        }
        let end = bytes.len() - 8;
        if Checksum::of(&bytes[..end]) != long(end) {
            return refuse("its checksum is wrong: it is damaged");
        }
        if long(16) != self.fingerprint() {
            return refuse("it belongs to other models, settings or obstacles");
        }
        let keys = end - 20 * contacts;
        let numbers: Vec<f64> = (HEADER..keys).step_by(8).map(|at| number(bytes, at)).collect();
        if let Some(place) = numbers.iter().position(|x| !x.is_finite()) {
            return refuse(&format!("number {place} is not finite"));
        }
        let (rigid, modal) = numbers.split_at(self.states.len() * PER_BODY);
        let vector = |n: &[f64]| DVec3::new(n[0], n[1], n[2]);
        let states: Vec<RigidState> = rigid
            .chunks_exact(PER_BODY)
            .map(|n| RigidState {
                position: vector(n),
                rotation: DQuat::from_xyzw(n[3], n[4], n[5], n[6]),
                momentum: vector(&n[7..]),
                angular_momentum: vector(&n[10..]),
            })
            .collect();
        let off = |state: &RigidState| (state.rotation.length() - 1.0).abs() > 1e-6;
        if let Some(body) = states.iter().position(off) {
            return refuse(&format!("the rotation of body {body} is not of length 1"));
        }
        let per_kind = self.states.len() * self.stride;
        let (coordinates, modal) = modal.split_at(per_kind);
        let (velocities, modal) = modal.split_at(per_kind);
        let (loads, forces) = modal.split_at(per_kind);
        let words = bytes[keys..end].chunks_exact(4);
        let words: Vec<u32> = words.map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        let carried: Vec<Carried> = words
            .chunks_exact(5)
            .zip(forces.chunks_exact(3))
            .map(|(key, force)| Carried {
                key: std::array::from_fn(|at| key[at]),
                force: vector(force),
            })
            .collect();
        if !carried.is_sorted_by(|a, b| a.key < b.key) {
            return refuse("its contacts are not in order");
        }
        self.states = states;
        self.coordinates = coordinates.to_vec();
        self.velocities = velocities.to_vec();
        self.loads = loads.to_vec();
        self.carried = carried;
        self.steps_done = long(24);
        Ok(())
    }

    /// Writes the state to a file: under another name beside it, then renamed. If the program ends
    /// in between, the file of before is still there.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn save(&self, file: &Path) -> Result<()> {
        let failed = |error: std::io::Error| Error::File {
            file: file.to_path_buf(),
            reason: error.to_string(),
        };
        let mut name = file.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.partial", std::process::id()));
        let partial = file.with_file_name(name);
        let written = File::create(&partial).and_then(|mut out| {
            out.write_all(&self.to_bytes())?;
            out.sync_all()
        });
        written.and_then(|()| fs::rename(&partial, file)).map_err(|error| {
            // Nothing can be done if this fails.
            let _ = fs::remove_file(&partial);
            failed(error)
        })
    }

    /// Takes the state from a file; see [`Simulation::restore_bytes`].
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read or is larger than one of this simulation can be; those of
    /// [`Simulation::restore_bytes`].
    pub fn restore(&mut self, file: &Path) -> Result<()> {
        let failed = |reason: String| Error::File { file: file.to_path_buf(), reason };
        let length = fs::metadata(file).map_err(|error| failed(error.to_string()))?.len();
        let most = self.file_length(self.settings.max_contacts);
        if length > most as u64 {
            return Err(failed(format!("it has {length} bytes, more than {most}")));
        }
        let bytes = fs::read(file).map_err(|error| failed(error.to_string()))?;
        self.restore_bytes(&bytes).map_err(|error| failed(error.to_string()))
    }

    /// The length of a file with so many contacts.
    fn file_length(&self, contacts: usize) -> usize {
        let contacts = contacts.saturating_mul(3 * 8 + 5 * 4);
        (HEADER + 8 + 8 * self.states.len() * (PER_BODY + 3 * self.stride)).saturating_add(contacts)
    }

    /// A number for settings, models, bodies' models and obstacles.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut sum = Checksum::default();
        let settings = &self.settings;
        let law = &settings.contact;
        let gravity = settings.gravity.to_array();
        sum.numbers(&gravity);
        sum.numbers(&[settings.step, settings.drag, law.stiffness, law.damping]);
        sum.numbers(&[law.friction, law.slip_speed, f64::from(settings.sweeps)]);
        for model in &self.models {
            sum.numbers(&[model.mass.mass, model.strain_limit().unwrap_or(-1.0)]);
            sum.numbers(&model.mass.inertia.to_cols_array());
            sum.numbers(&model.mass.center.to_array());
            for mode in &model.vibrations {
                sum.numbers(&[mode.omega, mode.ratio]);
            }
            for row in &model.proxies.rows {
                row.to_array().iter().for_each(|x| sum.bytes(&x.to_le_bytes()));
            }
        }
        self.model_of.iter().for_each(|model| sum.bytes(&model.to_le_bytes()));
        self.obstacles.iter().for_each(|obstacle| sum.obstacle(obstacle));
        sum.0
    }
}

/// Eight bytes as a number; the caller checked that they are there.
fn number(bytes: &[u8], at: usize) -> f64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    f64::from_le_bytes(word)
}

/// FNV-1a, 64 bits.
struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Checksum {
    fn of(bytes: &[u8]) -> u64 {
        let mut sum = Self::default();
        sum.bytes(bytes);
        sum.0
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.bytes(&number.to_le_bytes()));
    }

    fn obstacle(&mut self, obstacle: &Obstacle) {
        match obstacle {
            Obstacle::Plane { normal, offset } => {
                self.numbers(&[0.0, *offset]);
                self.numbers(&normal.to_array());
            }
            Obstacle::Ball { center, radius, movement } => {
                self.numbers(&[1.0, *radius]);
                let vectors = [center, &movement.velocity, &movement.spin];
                vectors.iter().for_each(|vector| self.numbers(&vector.to_array()));
            }
            Obstacle::Cuboid { center, rotation, half, movement } => {
                self.numbers(&[2.0]);
                self.numbers(&rotation.to_array());
                let vectors = [center, half, &movement.velocity, &movement.spin];
                vectors.iter().for_each(|vector| self.numbers(&vector.to_array()));
            }
            Obstacle::Surface(surface) => {
                let mesh = surface.body().mesh();
                self.numbers(&[3.0]);
                mesh.positions().iter().for_each(|p| self.numbers(&p.to_array()));
                mesh.triangles().iter().flatten().for_each(|v| self.bytes(&v.to_le_bytes()));
                match surface.motion() {
                    SurfaceMotion::Coordinates { frames, rate } => {
                        self.numbers(&[*rate]);
                        frames.iter().for_each(|frame| self.numbers(frame));
                    }
                    SurfaceMotion::Poses { frames, rate } => {
                        self.numbers(&[*rate]);
                        let maps = frames.iter().flatten();
                        maps.for_each(|map| self.numbers(&map.to_cols_array()));
                    }
                    SurfaceMotion::Still | SurfaceMotion::Keyframes => {}
                }
            }
        }
    }
}
