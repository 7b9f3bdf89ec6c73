//! The touch protocol, version 1: what clients and the server say to each other (docs/touch-protocol.md).
//!
//! Both sides send messages: a length of 32 bits, a kind of 16 bits, and so many bytes. All numbers are
//! little-endian. Here stand pure functions between bytes and values; they check every count before they
//! take memory, and never panic.
//!
//! | file | what it is |
//! | --- | --- |
//! | `fields` | numbers, lists and texts of a message, read and written |
//! | `command` | what a client says |
//! | `shape` | an object as a client describes it |
//! | `report` | what the server says |
//! | `framing` | messages in a stream of bytes |

mod command;
mod fields;
mod framing;
mod report;
mod shape;

pub use command::{Command, TextureData};
pub use framing::{Framing, frame};
pub use report::{HandReport, Pose, Report, StatisticsReport};
pub use shape::{Deforming, Primitives, ShapeData, SkinInfluence};

use thiserror::Error;

/// The first eight bytes of a client.
pub const MAGIC: [u8; 8] = *b"PLTOUCH\n";

/// The version of the protocol.
pub const VERSION: u16 = 1;

/// Bytes of a message, at most: a mesh of two million triangles.
pub const MAX_MESSAGE: usize = 64 << 20;

/// Bytes of a message before the client is known, at most.
pub const MAX_FIRST_MESSAGE: usize = 512;

/// Bytes of a text, at most.
pub const MAX_TEXT: usize = 256;

/// Corners of a polygon, at most. A polygon is cut into triangles from its first corner.
pub const MAX_CORNERS: usize = 64;

/// Modes of an object, at most.
pub const MAX_MODES: usize = 256;

/// Joints of an object, at most.
pub const MAX_JOINTS: usize = 1024;

/// Texels along a side of a texture, at most.
pub const MAX_TEXELS: usize = 4096;

/// Reports per second that a client may ask for.
pub const MAX_RATE: u16 = 1000;

/// The parent of objects that have none.
pub const NO_PARENT: u32 = u32::MAX;

/// What is wrong with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Wrong {
    /// It is longer than it may be.
    #[error("a message of {bytes} bytes: at most {most} are allowed")]
    TooLong {
        /// Its bytes.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// It ends before a field does.
    #[error("a message of kind {kind:#06x} ends within its {field}")]
    Short {
        /// The kind.
        kind: u16,
        /// The field.
        field: &'static str,
    },
    /// It has bytes beyond its last field.
    #[error("a message of kind {kind:#06x} is longer than its fields")]
    Long {
        /// The kind.
        kind: u16,
    },
    /// There is no such kind.
    #[error("there is no message of kind {kind:#06x}")]
    Unknown {
        /// The kind.
        kind: u16,
    },
    /// A field has a value that it may not have.
    #[error("a message of kind {kind:#06x}: its {field} {reason}")]
    Field {
        /// The kind.
        kind: u16,
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The stream does not begin as it must.
    #[error("it does not begin with the eight bytes of the touch protocol")]
    NoMagic,
}
