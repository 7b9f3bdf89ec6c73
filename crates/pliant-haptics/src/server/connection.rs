//! The two threads of a client: one reads what it says, one tells it what it asked for.

use std::io::{self, ErrorKind, Read, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::allowance::Allowance;
use super::objects::Refusal;
use super::session::{Answer, Rates, Session};
use super::websocket::{Unwrapped, binary_frame};
use super::{MAX_CLIENTS, Shared};
use crate::protocol::{Command, Framing, HandReport, MAGIC, Report, StatisticsReport};
use crate::{Seen, Watcher};

/// How long the first message may take.
const FIRST: Duration = Duration::from_secs(5);

/// How long a client may say nothing: a page in the background pings once per minute.
const SILENCE: Duration = Duration::from_secs(150);

/// How long a client may take for a message that is sent to it.
const READING: Duration = Duration::from_secs(2);

/// How long and how much is read after the last message.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_PIECES: usize = 512;

/// Answers that wait for a client that does not read.
const ANSWERS: usize = 64;

/// Bytes of pictures per second; large scenes are drawn less often.
const PICTURE_BYTES: f64 = 24e6;

/// How often statistics are told.
const STATISTICS: Duration = Duration::from_millis(500);

/// How the protocol's bytes travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// As they are.
    Tcp,
    /// In binary frames; the handshake is done.
    WebSocket,
}

/// What the reading thread tells the telling one.
enum Told {
    Message(Vec<u8>),
    /// Frames of a WebSocket as they are.
    Raw(Vec<u8>),
    Rates(Rates),
    /// The last message.
    Last(Vec<u8>),
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
        while let Some((kind, body)) = framing.next().map_err(|wrong| wrong.to_string())? {
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

/// What a client is told, and how often.
struct Watching<'a> {
    shared: &'a Shared,
    rates: Rates,
}

impl Watching<'_> {
    fn set(&mut self, rates: Rates) {
        let draws = |rates: Rates| rates.pictures > 0;
        match (draws(self.rates), draws(rates)) {
            (false, true) => self.shared.gallery.add_watcher(),
            (true, false) => self.shared.gallery.remove_watcher(),
            _ => {}
        }
        self.rates = rates;
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        self.set(Rates::default());
    }
}

fn period(rate: u16) -> Option<Duration> {
    (rate > 0).then(|| Duration::from_secs_f64(1.0 / f64::from(rate)))
}

/// Tells until there is nobody to listen.
fn tell(
    mut watching: Watching,
    stream: &TcpStream,
    transport: Transport,
    told: &Receiver<Told>,
) -> io::Result<()> {
    let shared = watching.shared;
    let write = |bytes: Vec<u8>| write_within(stream, &wrapped(transport, bytes), READING);
    let mut drawn = 0;
    let now = Instant::now();
    let [mut state_due, mut picture_due, mut statistics_due] = [now; 3];
    loop {
        let rates = watching.rates;
        let dues = [
            period(rates.states).map(|_| state_due),
            period(rates.pictures).map(|_| picture_due),
            period(rates.states).map(|_| statistics_due),
        ];
        let due = dues.into_iter().flatten().min().unwrap_or(Instant::now() + FIRST);
        match told.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(Told::Message(bytes)) => write(bytes)?,
            Ok(Told::Raw(frames)) => write_within(stream, &frames, READING)?,
            Ok(Told::Rates(rates)) => {
                watching.set(rates);
                [state_due, picture_due, statistics_due] = [Instant::now(); 3];
            }
            Ok(Told::Last(bytes)) => return write(bytes),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        let now = Instant::now();
        if let Some(period) = period(watching.rates.states).filter(|_| now >= state_due) {
            write(state(&shared.watcher).encode())?;
            // What was missed is not made up for.
            state_due = (state_due + period).max(now);
        }
        if watching.rates.states > 0 && now >= statistics_due {
            write(statistics(&shared.watcher).encode())?;
            statistics_due = now + STATISTICS;
        }
        if let Some(period) = period(watching.rates.pictures).filter(|_| now >= picture_due) {
            let (messages, last) = shared.gallery.since(drawn);
            drawn = last;
            let mut bytes = 0;
            for message in messages {
                bytes += message.len();
                write(message.to_vec())?;
            }
            let rest = Duration::from_secs_f64(bytes as f64 / PICTURE_BYTES);
            picture_due = now + period.max(rest);
        }
    }
}

fn wrapped(transport: Transport, bytes: Vec<u8>) -> Vec<u8> {
    match transport {
        Transport::Tcp => bytes,
        Transport::WebSocket => binary_frame(&bytes),
    }
}

/// Writes all bytes within a time, or fails.
fn write_within(mut stream: &TcpStream, mut bytes: &[u8], time: Duration) -> io::Result<()> {
    let deadline = Instant::now() + time;
    while !bytes.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_write_timeout(Some(left))?;
        match stream.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn state(watcher: &Watcher) -> Report {
    let mut step = 0;
    let mut hands = Vec::new();
    for hand in 0..watcher.hands() {
        let seen = watcher.seen(hand);
        step = step.max(seen.step);
        if seen.is_present {
            hands.push(hand_report(hand as u8, &seen));
        }
    }
    Report::State { step, hands }
}

fn hand_report(hand: u8, seen: &Seen) -> HandReport {
    let contacts = seen.contacts.as_slice().iter();
    let contacts =
        contacts.map(|c| (c.slot as u32, c.triangle, c.point, c.normal, c.depth)).collect();
    let &Seen { grip, device, proxy, force, energy, .. } = seen;
    HandReport { hand, grip, device, proxy, force, energy, contacts }
}

fn statistics(watcher: &Watcher) -> Report {
    let found = watcher.statistics();
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    Report::Statistics(StatisticsReport {
        steps: found.steps.count,
        missed: found.missed,
        changes: found.changes,
        median: nanoseconds(found.steps.median),
        p999: nanoseconds(found.steps.p999),
        longest: nanoseconds(found.steps.longest),
        late_median: nanoseconds(found.late.median),
        late_p999: nanoseconds(found.late.p999),
        late_longest: nanoseconds(found.late.longest),
        doublings: watcher.doublings(),
    })
}
