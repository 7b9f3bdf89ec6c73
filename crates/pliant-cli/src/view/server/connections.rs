//! The open connections: a bounded number, where those that wait for their client give way.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a thread may take to notice that its connection was closed.
const CLOSING: Duration = Duration::from_secs(1);

/// The open connections, oldest first.
#[derive(Debug)]
pub(super) struct Connections {
    most: usize,
    open: Mutex<Open>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Open {
    entries: Vec<Entry>,
    next_id: u64,
}

#[derive(Debug)]
struct Entry {
    id: u64,
    stream: Arc<TcpStream>,
    phase: Phase,
}

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Waiting for the client: for a request, or for the end of the connection.
    Waiting,
    Answering,
    /// It had to give way.
    Closed,
}

/// One open connection; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Connection {
    // Dropped before the entry, so that the entry holds the last handle.
    pub(super) stream: Arc<TcpStream>,
    pub(super) place: Place,
}

/// A connection's place among the open ones.
#[derive(Debug)]
pub(super) struct Place {
    connections: Arc<Connections>,
    id: u64,
}

impl Connections {
    /// At most so many.
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, open: Mutex::default(), ended: Condvar::new() })
    }

    /// Takes in a connection. If there are too many, the oldest that waits for its client is closed
    /// instead; if none does, the new one is returned.
    pub(super) fn admit(self: &Arc<Self>, stream: TcpStream) -> Result<Connection, TcpStream> {
        while self.lock().entries.len() >= self.most {
            if !self.make_room() {
                return Err(stream);
            }
        }
        let stream = Arc::new(stream);
        let mut open = self.lock();
        let id = open.next_id;
        open.next_id += 1;
        open.entries.push(Entry { id, stream: Arc::clone(&stream), phase: Phase::Waiting });
        Ok(Connection { stream, place: Place { connections: Arc::clone(self), id } })
    }

    /// Closes the oldest connection that waits for its client, and returns whether its descriptor
    /// is free now.
    pub(super) fn make_room(&self) -> bool {
        let mut open = self.lock();
        let oldest = open.entries.iter_mut().find(|entry| entry.phase == Phase::Waiting);
        let Some(oldest) = oldest else { return false };
        oldest.phase = Phase::Closed;
        let id = oldest.id;
        // Its thread now reads the end of the stream. If the client went away, it does so anyway.
        let _ = oldest.stream.shutdown(Shutdown::Both);
        let is_open = |open: &mut Open| open.entries.iter().any(|entry| entry.id == id);
        let waited = self.ended.wait_timeout_while(open, CLOSING, is_open);
        let (_open, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        !waited.timed_out()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// From now on the connection does not give way. False if it already had to.
    pub(super) fn begin_answer(&self) -> bool {
        self.enter(Phase::Answering)
    }

    /// From now on the connection gives way again.
    pub(super) fn end_answer(&self) {
        self.enter(Phase::Waiting);
    }

    fn enter(&self, phase: Phase) -> bool {
        let mut open = self.connections.lock();
        let entry = open.entries.iter_mut().find(|entry| entry.id == self.id);
        let entry = entry.filter(|entry| entry.phase != Phase::Closed);
        entry.map(|entry| entry.phase = phase).is_some()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.lock().entries.retain(|entry| entry.id != self.id);
        self.connections.ended.notify_all();
    }
}
