//! The two threads of a client: one reads what it says, one tells it what it asked for.

use std::io::{self, ErrorKind, Read};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::allowance::Allowance;
use super::objects::Refusal;
use super::session::{Answer, Rates, Session};
use super::telling::{Told, Watching, tell, wrapped, write_within};
use super::websocket::Unwrapped;
use super::{MAX_CLIENTS, Shared};
use crate::protocol::{Command, Framing, MAGIC, Report};

/// How long the first message may take.
const FIRST: Duration = Duration::from_secs(5);

/// How long a client may say nothing: a page in the background pings once per minute.
const SILENCE: Duration = Duration::from_secs(150);

/// How long and how much is read after the last message.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_PIECES: usize = 512;

/// Answers that wait for a client that does not read.
const ANSWERS: usize = 64;

/// How the protocol's bytes travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// As they are.
    Tcp,
    /// In binary frames; the handshake is done.
    WebSocket,
}

/// Starts the threads of a client. `false` if there are too many.
pub(super) fn talk(shared: &Arc<Shared>, stream: TcpStream, transport: Transport) -> bool {
    if shared.clients.fetch_add(1, Ordering::AcqRel) >= MAX_CLIENTS {
        shared.clients.fetch_sub(1, Ordering::AcqRel);
        let busy = Report::Refused { reason: "there are too many clients".into() }.encode();
        let _ = write_within(&stream, &wrapped(transport, busy), Duration::from_millis(10));
        return false;
    }
    let shared = Arc::clone(shared);
    let leave = Leaving(Arc::clone(&shared));
    let run = move || {
        let _leave = leave;
        // A client that went away concerns nobody else.
        let _ = converse(&shared, &stream, transport);
        let _ = stream.shutdown(Shutdown::Both);
    };
    thread::Builder::new().name("client".into()).spawn(run).is_ok()
}

/// Counts a client out, whatever ends it.
struct Leaving(Arc<Shared>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Reads until the client goes or is refused; beside it a thread tells.
fn converse(shared: &Arc<Shared>, stream: &TcpStream, transport: Transport) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (sender, receiver) = sync_channel(ANSWERS);
    thread::scope(|scope| {
        scope.spawn(move || {
            let receiver = receiver;
            let watcher = Watching { shared, rates: Rates::default() };
            // The reader ends with the stream, unless it waits for the client to read the last message.
            let _ = match tell(watcher, stream, transport, &receiver) {
                Ok(()) => stream.shutdown(Shutdown::Write),
                Err(_) => stream.shutdown(Shutdown::Both),
            };
        });
        let refused = listen(shared, stream, transport, &sender);
        if let Err(Ended::Refused(reason)) = refused {
            let last = Report::Refused { reason }.encode();
            match sender.try_send(Told::Last(last)) {
                Ok(()) => drain(stream),
                Err(_) => drop(stream.shutdown(Shutdown::Both)),
            }
        }
        drop(sender);
    });
    Ok(())
}

/// Reads a little more: closing a stream with unread bytes resets it, and the client might lose the last
/// message.
fn drain(mut stream: &TcpStream) {
    let deadline = Instant::now() + LINGER;
    let mut piece = [0; 1 << 12];
    for _ in 0..LINGER_PIECES {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return;
        }
        if !stream.read(&mut piece).is_ok_and(|count| count > 0) {
            return;
        }
    }
}

/// Why listening ended.
enum Ended {
    Gone,
    Refused(Refusal),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidData => Self::Refused(error.to_string()),
            ErrorKind::TimedOut | ErrorKind::WouldBlock => {
                Self::Refused("nothing came for too long".into())
            }
            _ => Self::Gone,
        }
    }
}

impl From<Refusal> for Ended {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The bytes of a client.
enum Input<'a> {
    Tcp(&'a TcpStream),
    WebSocket(Unwrapped<io::BufReader<&'a TcpStream>>),
}

impl Input<'_> {
    /// Bytes, or frames that are to be sent before more are read.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<Result<usize, Vec<u8>>> {
        match self {
            Self::Tcp(stream) => stream.read(bytes).map(Ok),
            Self::WebSocket(frames) => match frames.read(bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    Ok(Err(frames.take_answers()))
                }
                read => read.map(Ok),
            },
        }
    }
}

fn listen(
    shared: &Arc<Shared>,
    stream: &TcpStream,
    transport: Transport,
    answers: &SyncSender<Told>,
) -> Result<(), Ended> {
    let send = |told: Told| {
        let full = |_| Ended::Refused("too many answers wait to be read".into());
        answers.try_send(told).map_err(full)
    };
    let mut input = match transport {
        Transport::Tcp => Input::Tcp(stream),
        Transport::WebSocket => Input::WebSocket(Unwrapped::new(io::BufReader::new(stream))),
    };
    let deadline = Instant::now() + FIRST;
    let mut session = Session::new(Arc::clone(shared));
    let mut allowance = Allowance::new(Instant::now());
    let mut framing = Framing::of_stranger();
    let mut magic = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        // Until it is known there is one deadline for all that it sends.
        let left = deadline.saturating_duration_since(Instant::now());
        let patience = if session.is_known { SILENCE } else { left };
        if patience.is_zero() {
            return Err(Ended::Refused("no hello came".into()));
        }
        stream.set_read_timeout(Some(patience))?;
        let count = match input.read(&mut piece)? {
            Ok(0) => return Err(Ended::Gone),
            Ok(count) => count,
            Err(frames) => {
                if !allowance.take(frames.len(), 1, Instant::now()) {
                    return Err(Ended::Refused("more was sent than is allowed".into()));
                }
                send(Told::Raw(frames))?;
                continue;
            }
        };
        let mut bytes = &piece[..count];
        if magic.len() < MAGIC.len() {
            let (first, rest) = bytes.split_at(bytes.len().min(MAGIC.len() - magic.len()));
            magic.extend(first);
            bytes = rest;
            if !MAGIC.starts_with(&magic) {
                return Err(Ended::Refused(crate::protocol::Wrong::NoMagic.to_string()));
            }
        }
        framing.push(bytes);
        let mut fine = allowance.take(count, 0, Instant::now());
        while let Some((kind, body)) = framing.next_message().map_err(|wrong| wrong.to_string())? {
            fine &= allowance.take(0, 1, Instant::now());
            if !fine {
                break;
            }
            let length = body.len();
            let command = Command::decode(kind, body).map_err(|wrong| wrong.to_string())?;
            match session.take(command, length)? {
                Answer::Nothing => {}
                Answer::Report(report) => send(Told::Message(report.encode()))?,
                Answer::Rates(rates) => send(Told::Rates(rates))?,
            }
            if session.is_known {
                framing.trust();
            }
        }
        if !fine {
            return Err(Ended::Refused("more was sent than is allowed".into()));
        }
    }
}
