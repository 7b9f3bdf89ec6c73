//! The page on this machine, for this machine: five resources over HTTP on loopback, and for `touch` also
//! clients of its protocol, as they are or in a WebSocket.
//!
//! A fixed number of threads answers, one connection at a time each. Every connection has a deadline
//! for the head of its request and one for the reply. A new connection takes the place of the oldest
//! one that waits for its client, so that idle clients keep nobody out.

mod connections;
mod head;
mod timed;

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pliant_haptics::protocol::MAGIC;
use pliant_haptics::server::{Server, Transport};

use super::page;
use crate::touch::accepted;
use connections::{Connection, Connections};
use head::{Head, Request};
use timed::Timed;

/// How much a client may ask of the server.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Connections at a time, and threads.
    connections: usize,
    /// How long the head of a request may take, from the first byte to the last.
    head: Duration,
    /// How long a reply may take, from the first byte to the last, ...
    reply: Duration,
    /// ... and a second more for so many bytes.
    bytes_per_second: u64,
}

/// A browser opens six connections at a time. On loopback a head takes milliseconds; a slow tunnel
/// may carry a large scene.
const LIMITS: Limits = Limits {
    connections: 32,
    head: Duration::from_secs(5),
    reply: Duration::from_secs(10),
    bytes_per_second: 1 << 20,
};

/// How long and how much to read after a reply, so that the client gets it before a reset.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: u64 = 256 << 10;

/// How long to wait where no connection can be accepted: descriptors or memory are short.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Bytes of a thread's stack: a head and a little.
const STACK: usize = 256 << 10;

/// What may happen on the page: its own script and style, its own data, nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// The data that the page asks for.
#[derive(Debug)]
pub(crate) struct Data {
    /// The view as JSON.
    pub(crate) view: Vec<u8>,
    /// The scene as GLB, if there are meshes.
    pub(crate) scene: Option<Vec<u8>>,
    /// What can be touched.
    pub(crate) touch: Option<Server>,
}

/// Takes a port: 0 means any that is free.
pub(crate) fn bind(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((address, port))
}

/// Answers for ever.
pub(crate) fn serve(listener: &TcpListener, data: Data) -> io::Result<()> {
    serve_within(listener, data, LIMITS)
}

fn serve_within(listener: &TcpListener, data: Data, limits: Limits) -> io::Result<()> {
    let address = listener.local_addr()?;
    let data = Arc::new(data);
    let (sender, receiver) = mpsc::channel::<Connection>();
    let receiver = Arc::new(Mutex::new(receiver));
    // All threads are made now: later there might be no memory for one.
    let mut threads = 0;
    for _ in 0..limits.connections {
        let (receiver, data) = (Arc::clone(&receiver), Arc::clone(&data));
        let work = move || {
            while let Some(connection) = next(&receiver) {
                // A client that went away concerns nobody else.
                let _ = answer(&connection, address, &data, limits);
            }
        };
        match thread::Builder::new().stack_size(STACK).spawn(work) {
            Ok(_) => threads += 1,
            Err(error) if threads == 0 => return Err(error),
            Err(_) => break,
        }
    }
    let connections = Connections::new(threads);
    loop {
        match listener.accept() {
            Ok((stream, _)) => match connections.admit(stream) {
                // The receiver lives as long as this function.
                Ok(connection) => drop(sender.send(connection)),
                Err(stream) => drop(refuse(&stream)),
            },
            // The client went away first.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::ConnectionAborted | ErrorKind::Interrupted
                ) => {}
            // At the limit of descriptors the next accept fails at once, too.
            Err(_) => {
                if !connections.make_room() {
                    thread::sleep(ACCEPT_PAUSE);
                }
            }
        }
    }
}

fn next(receiver: &Mutex<Receiver<Connection>>) -> Option<Connection> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Reads one request and answers it.
fn answer(
    Connection { stream, place }: &Connection,
    address: SocketAddr,
    data: &Data,
    limits: Limits,
) -> io::Result<()> {
    if let Some(touch) = &data.touch
        && speaks_touch(stream, limits.head)?
    {
        if place.begin_answer() {
            touch.admit(stream.try_clone()?, Transport::Tcp);
        }
        return Ok(());
    }
    let head = Head::read(&mut Timed::new(stream, limits.head));
    if let (Head::Complete(request), Some(touch)) = (&head, &data.touch)
        && let Some(key) = &request.websocket
        && is_own_page(request, address)
    {
        if place.begin_answer() {
            let accepted = accepted(key);
            let reply = format!(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                 Sec-WebSocket-Accept: {accepted}\r\n\r\n"
            );
            Timed::new(stream, limits.reply).write_all(reply.as_bytes())?;
            touch.admit(stream.try_clone()?, Transport::WebSocket);
        }
        return Ok(());
    }
    let (reply, with_body) = match &head {
        Head::Complete(request) => (reply(request, address, data), request.method != "HEAD"),
        Head::TooLarge => (Reply::refusal("431 Request Header Fields Too Large"), true),
        Head::TooLate => (Reply::refusal("408 Request Timeout"), true),
        Head::Gone => return Ok(()),
    };
    if !place.begin_answer() {
        return Ok(());
    }
    let patience = Duration::from_secs(reply.body.len() as u64 / limits.bytes_per_second);
    let mut out = Timed::new(stream, limits.reply + patience);
    out.write_all(reply.head().as_bytes())?;
    if with_body {
        out.write_all(reply.body)?;
    }
    place.end_answer();
    // Closing a stream with unread bytes resets it, and the client might lose the reply.
    stream.shutdown(Shutdown::Write)?;
    let rest = &mut Timed::new(stream, LINGER).take(LINGER_BYTES);
    io::copy(rest, &mut io::sink()).map(drop)
}

/// Whether a client begins with the eight bytes of the touch protocol. Nothing is taken from the stream.
fn speaks_touch(stream: &TcpStream, patience: Duration) -> io::Result<bool> {
    let deadline = Instant::now() + patience;
    let mut first = [0; MAGIC.len()];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        stream.set_read_timeout(Some(left))?;
        let count = match stream.peek(&mut first) {
            Ok(count) => count,
            Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => 0,
            Err(error) => return Err(error),
        };
        if count == 0 || !MAGIC.starts_with(&first[..count]) {
            return Ok(false);
        }
        if count == MAGIC.len() {
            return Ok(true);
        }
        // Peeking at what is there already does not wait.
        thread::sleep(Duration::from_millis(1));
    }
}

/// Whether a WebSocket is asked for by a page of this server: others may not touch what is here, even in
/// the browser of this machine.
fn is_own_page(request: &Request, address: SocketAddr) -> bool {
    let Some(host) = &request.host else { return false };
    request.path == "/touch"
        && is_own(host, address)
        && request.origin.as_ref().is_some_and(|origin| *origin == format!("http://{host}"))
}

/// Whether a host is this server. A page elsewhere that had its name point here would send that name. A
/// server for other machines may have any name; its clients need a token.
fn is_own(host: &str, address: SocketAddr) -> bool {
    let port = address.port();
    !address.ip().is_loopback()
        || [format!("127.0.0.1:{port}"), format!("localhost:{port}"), address.to_string()]
            .iter()
            .any(|own| own == host)
}

/// Says that the server is busy, without waiting for the client.
fn refuse(mut stream: &TcpStream) -> io::Result<()> {
    let busy = Reply { headers: "Retry-After: 1\r\n", ..Reply::refusal("503 Service Unavailable") };
    stream.set_nonblocking(true)?;
    // Fits the buffer of a new connection.
    stream.write_all(&[busy.head().as_bytes(), busy.body].concat())?;
    stream.shutdown(Shutdown::Write)?;
    stream.read(&mut [0; 4096]).map(drop)
}

struct Reply<'a> {
    status: &'static str,
    /// Headers that this reply alone has, each with the end of its line.
    headers: &'static str,
    kind: &'static str,
    body: &'a [u8],
}

impl Reply<'_> {
    fn refusal(status: &'static str) -> Self {
        Self { status, headers: "", kind: "text/plain", body: b"pliant: no\n" }
    }

    fn head(&self) -> String {
        format!(
            "HTTP/1.1 {}\r\n{}Content-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\
             Cache-Control: no-store\r\n\r\n",
            self.status,
            self.headers,
            self.kind,
            self.body.len()
        )
    }
}

fn reply<'a>(request: &Request, address: SocketAddr, data: &'a Data) -> Reply<'a> {
    if !request.host.as_ref().is_some_and(|host| is_own(host, address)) {
        return Reply::refusal("403 Forbidden");
    }
    if request.websocket.is_some() {
        return Reply::refusal("403 Forbidden");
    }
    if request.method != "GET" && request.method != "HEAD" {
        return Reply::refusal("405 Method Not Allowed");
    }
    let fine = |kind, body| Reply { status: "200 OK", headers: "", kind, body };
    match (request.path.as_str(), &data.scene) {
        ("/", _) => fine("text/html; charset=utf-8", page::HTML.as_bytes()),
        ("/page.js", _) => fine("text/javascript; charset=utf-8", page::SCRIPT.as_bytes()),
        ("/page.css", _) => fine("text/css; charset=utf-8", page::STYLE.as_bytes()),
        ("/view.json", _) => fine("application/json", &data.view),
        ("/scene.glb", Some(scene)) => fine("model/gltf-binary", scene),
        _ => Reply::refusal("404 Not Found"),
    }
}

#[cfg(test)]
mod tests;
