//! The server against clients of every kind, on loopback.

use std::net::Ipv4Addr;

use super::*;

const PAGE: &str = "GET / HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n";
const VIEW: &str = "GET /view.json HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n";

/// Limits that end nothing while a test runs.
const PATIENT: Limits =
    Limits { head: Duration::from_secs(600), reply: Duration::from_secs(600), ..LIMITS };

/// Starts a server, which ends with the test program.
fn start(view: &[u8], limits: Limits) -> SocketAddr {
    let listener = bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
    let address = listener.local_addr().unwrap();
    assert!(address.ip().is_loopback());
    let data = Data { view: view.to_vec(), scene: None, touch: None };
    thread::spawn(move || serve_within(&listener, data, limits));
    address
}

fn send(address: SocketAddr, text: &str) -> TcpStream {
    let mut client = TcpStream::connect(address).unwrap();
    client.write_all(text.replace("PORT", &address.port().to_string()).as_bytes()).unwrap();
    client
}

fn received(mut client: TcpStream) -> String {
    let mut out = String::new();
    client.read_to_string(&mut out).unwrap();
    out
}

fn ask(text: &str) -> String {
    received(send(start(b"{}", PATIENT), text))
}

#[test]
fn the_page_comes_with_a_policy() {
    let page = ask(PAGE);
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"));
    assert!(page.contains("Content-Security-Policy: default-src 'none';"));
    assert!(page.ends_with(page::HTML));
    assert!(ask(VIEW).ends_with("\r\n{}"));
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

/// The host comes first: a head that is cut off must not count as complete.
#[test]
fn a_head_over_16_kib_is_answered_with_431() {
    let long = "x".repeat(64 << 10);
    let answer = ask(&format!("GET / HTTP/1.1\r\nHost: localhost:PORT\r\nX: {long}\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
}

/// The deadline is for the whole head, so bytes now and then do not move it.
#[test]
fn one_byte_now_and_then_gains_no_time() {
    let address = start(b"{}", Limits { head: Duration::from_millis(200), ..PATIENT });
    let mut client = send(address, "GET / HTTP/1.1\r\nX: ");
    client.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let mut answer = [0; 12];
    let is_answered = (0..1000).any(|_| {
        let _ = client.write_all(b"x");
        client.read_exact(&mut answer).is_ok()
    });
    assert!(is_answered);
    assert_eq!(&answer, b"HTTP/1.1 408");
}

#[test]
fn idle_clients_keep_nobody_out() {
    let address = start(b"{}", Limits { connections: 3, ..PATIENT });
    let idle: Vec<TcpStream> = (0..50).map(|_| send(address, "GET / HT")).collect();
    for _ in 0..5 {
        assert!(received(send(address, VIEW)).ends_with("\r\n{}"));
    }
    drop(idle);
}

/// More than the buffers of a connection hold.
const LARGE: usize = 64 << 20;

#[test]
fn replies_that_nobody_reads_make_the_server_busy_until_their_deadline() {
    let reply = Duration::from_secs(2);
    let limits = Limits { connections: 2, reply, bytes_per_second: u64::MAX, ..PATIENT };
    let address = start(&vec![b' '; LARGE], limits);
    let readers: Vec<TcpStream> = (0..2)
        .map(|_| {
            let mut client = send(address, VIEW);
            client.read_exact(&mut [0]).unwrap();
            client
        })
        .collect();
    let busy = received(TcpStream::connect(address).unwrap());
    assert!(busy.starts_with("HTTP/1.1 503 ") && busy.contains("\r\nRetry-After: 1\r\n"), "{busy}");
    // A client that tries again is served in the end.
    let is_served = (0..600).any(|_| {
        thread::sleep(Duration::from_millis(100));
        let mut answer = String::new();
        // A refusal may come as a reset.
        let _ = send(address, PAGE).read_to_string(&mut answer);
        answer.ends_with(page::HTML)
    });
    assert!(is_served);
    drop(readers);
}

/// Starts a server that can be touched: nothing is there, but clients may come.
fn start_touch() -> SocketAddr {
    let settings = pliant_haptics::server::ServerSettings::default();
    let touch = Server::start(vec![], settings, |device| Box::new(device)).unwrap();
    let listener = bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
    let address = listener.local_addr().unwrap();
    let data = Data { view: b"{}".to_vec(), scene: None, touch: Some(touch) };
    thread::spawn(move || serve_within(&listener, data, PATIENT));
    address
}

#[test]
fn clients_of_the_touch_protocol_and_the_page_use_one_port() {
    let address = start_touch();
    assert!(received(send(address, PAGE)).ends_with(page::HTML));
    let mut client = pliant_haptics::client::Client::connect(address, "").unwrap();
    client.send(&pliant_haptics::protocol::Command::Ping { value: 5 }).unwrap();
    let pong = pliant_haptics::protocol::Report::Pong { value: 5 };
    assert_eq!(client.receive().unwrap(), pong);
    // What begins alike is no client.
    assert!(
        received(send(address, "POST / HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n"))
            .contains(" 405 ")
    );
}

/// Only the page of this server may open a WebSocket, and only where something can be touched.
#[test]
fn a_websocket_needs_the_own_page() {
    let ask = |address: SocketAddr, path: &str, host: &str, origin: &str| {
        let mut client = send(
            address,
            &format!(
                "GET {path} HTTP/1.1\r\nHost: {host}\r\n{origin}Upgrade: websocket\r\n\
                 Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            ),
        );
        let mut status = [0; 12];
        client.read_exact(&mut status).unwrap();
        String::from_utf8_lossy(&status[9..]).into_owned()
    };
    let address = start_touch();
    let own = "localhost:PORT";
    assert_eq!(ask(address, "/touch", own, "Origin: http://localhost:PORT\r\n"), "101");
    for (path, host, origin) in [
        ("/touch", own, "Origin: http://evil.example\r\n"),
        ("/touch", own, "Origin: http://127.0.0.1:PORT\r\n"),
        ("/touch", own, "Origin: null\r\n"),
        ("/touch", own, ""),
        ("/", own, "Origin: http://localhost:PORT\r\n"),
        ("/touch", "evil.example", "Origin: http://evil.example\r\n"),
    ] {
        assert_eq!(ask(address, path, host, origin), "403", "{path} {host} {origin}");
    }
    let untouchable = start(b"{}", PATIENT);
    assert_eq!(ask(untouchable, "/touch", own, "Origin: http://localhost:PORT\r\n"), "403");
}
