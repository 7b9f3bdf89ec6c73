//! The page on this machine, for this machine: five resources over HTTP on loopback.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::page;

/// Bytes of a request's head, at the most.
const MAX_HEAD: u64 = 16 << 10;

/// How long a client may keep a thread waiting.
const PATIENCE: Duration = Duration::from_secs(10);

/// What may happen on the page: its own script and style, its own data, nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// The data that the page asks for.
#[derive(Debug)]
pub(super) struct Data {
    /// The view as JSON.
    pub(super) view: Vec<u8>,
    /// The scene as GLB, if there are meshes.
    pub(super) scene: Option<Vec<u8>>,
}

/// Takes a port on loopback: 0 means any that is free.
pub(super) fn bind(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

/// Answers for ever.
pub(super) fn serve(listener: &TcpListener, data: Data) -> io::Result<()> {
    let address = listener.local_addr()?;
    let data = Arc::new(data);
    for connection in listener.incoming() {
        // A client that went away concerns nobody else.
        let Ok(stream) = connection else { continue };
        let data = Arc::clone(&data);
        let answering = thread::Builder::new().spawn(move || {
            let _ = answer(&stream, address, &data);
        });
        if answering.is_err() {
            thread::sleep(Duration::from_millis(50));
        }
    }
    Ok(())
}

/// Reads one request and answers it.
fn answer(stream: &TcpStream, address: SocketAddr, data: &Data) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = Request::read(&mut BufReader::new(stream).take(MAX_HEAD))?;
    let reply = reply(&request, address, data);
    let mut out = stream;
    write!(
        out,
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\
         Cache-Control: no-store\r\n\r\n",
        reply.status,
        reply.kind,
        reply.body.len()
    )?;
    if request.method != "HEAD" {
        out.write_all(reply.body)?;
    }
    out.flush()
}

/// What matters of a request.
#[derive(Debug, Default, PartialEq)]
struct Request {
    method: String,
    path: String,
    host: Option<String>,
}

impl Request {
    fn read(input: &mut impl BufRead) -> io::Result<Self> {
        let mut line = String::new();
        input.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let mut request = Self {
            method: words.next().unwrap_or("").into(),
            path: words.next().unwrap_or("").into(),
            host: None,
        };
        loop {
            line.clear();
            input.read_line(&mut line)?;
            let header = line.trim_end();
            if header.is_empty() {
                return Ok(request);
            }
            if let Some((name, value)) = header.split_once(':')
                && name.eq_ignore_ascii_case("host")
            {
                request.host = Some(value.trim().to_ascii_lowercase());
            }
        }
    }
}

struct Reply<'a> {
    status: &'static str,
    kind: &'static str,
    body: &'a [u8],
}

fn reply<'a>(request: &Request, address: SocketAddr, data: &'a Data) -> Reply<'a> {
    let refuse = |status| Reply { status, kind: "text/plain", body: b"pliant: no\n" };
    // A page elsewhere that had its name point here would send that name.
    let port = address.port();
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    if !request.host.as_ref().is_some_and(|host| own.contains(host)) {
        return refuse("403 Forbidden");
    }
    if request.method != "GET" && request.method != "HEAD" {
        return refuse("405 Method Not Allowed");
    }
    let fine = |kind, body| Reply { status: "200 OK", kind, body };
    match (request.path.as_str(), &data.scene) {
        ("/", _) => fine("text/html; charset=utf-8", page::HTML.as_bytes()),
        ("/page.js", _) => fine("text/javascript; charset=utf-8", page::SCRIPT.as_bytes()),
        ("/page.css", _) => fine("text/css; charset=utf-8", page::STYLE.as_bytes()),
        ("/view.json", _) => fine("application/json", &data.view),
        ("/scene.glb", Some(scene)) => fine("model/gltf-binary", scene),
        _ => refuse("404 Not Found"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str) -> String {
        let listener = bind(0).unwrap();
        let address = listener.local_addr().unwrap();
        assert!(address.ip().is_loopback());
        let data = Data { view: b"{}".to_vec(), scene: None };
        thread::scope(|scope| {
            scope.spawn(|| answer(&listener.accept().unwrap().0, address, &data).unwrap());
            let mut client = TcpStream::connect(address).unwrap();
            let text = text.replace("PORT", &address.port().to_string());
            client.write_all(text.as_bytes()).unwrap();
            let mut out = String::new();
            client.read_to_string(&mut out).unwrap();
            out
        })
    }

    #[test]
    fn the_page_comes_with_a_policy() {
        let page = ask("GET / HTTP/1.1\r\nhost: localhost:PORT\r\n\r\n");
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"));
        assert!(page.contains("Content-Security-Policy: default-src 'none';"));
        assert!(page.ends_with(page::HTML));
        assert!(ask("GET /view.json HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n").ends_with("\r\n{}"));
    }

    #[test]
    fn other_hosts_other_paths_and_other_methods_are_refused() {
        for (request, status) in [
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", "403"),
            ("GET / HTTP/1.1\r\n\r\n", "403"),
            ("GET /../Cargo.toml HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", "404"),
            ("GET /scene.glb HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", "404"),
            ("POST / HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", "405"),
            ("\r\n\r\n", "403"),
        ] {
            let answer = ask(request);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request:?}: {answer}");
        }
        let head = ask("HEAD / HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 200 OK") && head.ends_with("\r\n\r\n"));
    }
}
