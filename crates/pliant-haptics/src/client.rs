//! A client of the haptic server, for programs in Rust.
//!
//! ```no_run
//! use pliant::glam::DVec3;
//! use pliant_haptics::client::Client;
//! use pliant_haptics::protocol::{Command, Report};
//! let mut client = Client::connect("127.0.0.1:7700", "")?;
//! client.send(&Command::Watch { states: 100, pictures: 0 })?;
//! client.send(&Command::Hand { hand: 0, position: DVec3::ZERO })?;
//! if let Report::State { hands, .. } = client.receive()? {
//!     println!("{hands:?}");
//! }
//! # Ok::<(), pliant_haptics::Error>(())
//! ```

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use crate::protocol::{Command, Framing, MAGIC, Report, VERSION};
use crate::{Error, Result};

/// How long the server may say nothing.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection to a haptic server.
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    framing: Framing,
    welcome: Report,
}

impl Client {
    /// Connects, and says hello. The token is what the server was started with, or empty.
    ///
    /// # Errors
    /// [`Error::Connection`]: there is no server, or it refuses.
    pub fn connect(address: impl ToSocketAddrs, token: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).map_err(|error| lost(&error))?;
        stream.set_nodelay(true).map_err(|error| lost(&error))?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(|error| lost(&error))?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(|error| lost(&error))?;
        let welcome = Report::Pong { value: 0 };
        let mut client = Self { stream, framing: Framing::default(), welcome };
        client.stream.write_all(&MAGIC).map_err(|error| lost(&error))?;
        client.send(&Command::Hello { version: VERSION, token: token.into() })?;
        client.welcome = client.receive()?;
        match client.welcome {
            Report::Welcome { .. } => Ok(client),
            _ => Err(Error::Connection { reason: "the server does not say welcome".into() }),
        }
    }

    /// What the server said first: [`Report::Welcome`].
    #[must_use]
    pub fn welcome(&self) -> &Report {
        &self.welcome
    }

    /// Says something.
    ///
    /// # Errors
    /// [`Error::Connection`]: the server is gone. [`Client::receive`] may say why.
    pub fn send(&mut self, command: &Command) -> Result<()> {
        self.stream.write_all(&command.encode()).map_err(|error| lost(&error))
    }

    /// The next report; waits for it.
    ///
    /// # Errors
    /// [`Error::Connection`]: the server refused something, said nothing for ten seconds, or is gone.
    pub fn receive(&mut self) -> Result<Report> {
        let mut piece = [0; 1 << 14];
        loop {
            if let Some((kind, body)) =
                self.framing.next_message().map_err(|found| wrong(&found))?
            {
                return match Report::decode(kind, body).map_err(|found| wrong(&found))? {
                    Report::Refused { reason } => Err(Error::Connection { reason }),
                    report => Ok(report),
                };
            }
            match self.stream.read(&mut piece).map_err(|error| lost(&error))? {
                0 => return Err(Error::Connection { reason: "the server closed it".into() }),
                count => self.framing.push(&piece[..count]),
            }
        }
    }
}

fn lost(error: &std::io::Error) -> Error {
    Error::Connection { reason: error.to_string() }
}

fn wrong(wrong: &crate::protocol::Wrong) -> Error {
    Error::Connection { reason: wrong.to_string() }
}
