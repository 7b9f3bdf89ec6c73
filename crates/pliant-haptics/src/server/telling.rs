//! Tells a client what it asked for: states, statistics and pictures, at its rates.

use std::io::{self, ErrorKind, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::session::Rates;
use super::websocket::binary_frame;
use super::{Shared, Transport};
use crate::protocol::{HandReport, Report, StatisticsReport};
use crate::{Seen, Watcher};

/// How long nothing may happen before the thread looks again.
const LOOKS: Duration = Duration::from_secs(5);

/// How long a client may take for a message that is sent to it.
const READING: Duration = Duration::from_secs(2);

/// Bytes of pictures per second; large scenes are drawn less often.
const PICTURE_BYTES: f64 = 24e6;

/// How often statistics are told.
const STATISTICS: Duration = Duration::from_millis(500);

/// What the reading thread tells the telling one.
pub(super) enum Told {
    Message(Vec<u8>),
    /// Frames of a WebSocket as they are.
    Raw(Vec<u8>),
    Rates(Rates),
    /// The last message.
    Last(Vec<u8>),
}

/// What a client is told, and how often.
pub(super) struct Watching<'a> {
    pub(super) shared: &'a Shared,
    pub(super) rates: Rates,
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
pub(super) fn tell(
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
        let due = dues.into_iter().flatten().min().unwrap_or(Instant::now() + LOOKS);
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

pub(super) fn wrapped(transport: Transport, bytes: Vec<u8>) -> Vec<u8> {
    match transport {
        Transport::Tcp => bytes,
        Transport::WebSocket => binary_frame(&bytes),
    }
}

/// Writes all bytes within a time, or fails.
pub(super) fn write_within(
    mut stream: &TcpStream,
    mut bytes: &[u8],
    time: Duration,
) -> io::Result<()> {
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
