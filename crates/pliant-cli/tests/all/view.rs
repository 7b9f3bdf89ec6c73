//! `pliant view`: the real server, besieged.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::*;

/// A server that ends with the test.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(name: &str) -> Self {
        let file = written(name, passing());
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        let command = command.args(["view", &file, "--no-open"]).stderr(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/');
        Self { child, address: address.parse().unwrap() }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect_timeout(&self.address, Duration::from_secs(60)).unwrap()
    }

    /// The status line and the body of a resource, waited for at most a minute.
    fn get(&self, path: &str) -> (String, Vec<u8>) {
        let mut client = self.connect();
        client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(client, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).unwrap();
        let mut all = Vec::new();
        client.read_to_end(&mut all).unwrap();
        let end = all.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        let status = String::from_utf8_lossy(&all).lines().next().unwrap().to_owned();
        (status, all.split_off(end + 4))
    }

    fn loads_the_page(&self) {
        for path in ["/", "/page.js", "/page.css", "/view.json", "/scene.glb"] {
            let (status, body) = self.get(path);
            assert_eq!(status, "HTTP/1.1 200 OK", "{path}");
            assert!(!body.is_empty(), "{path}");
        }
    }

    fn set_descriptors(&self, limit: u32) -> bool {
        set_descriptors(self.child.id(), limit)
    }

    /// The processor time that the server has used, in hundredths of a second on every common Linux.
    fn ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let after_name = stat.rsplit_once(')').unwrap().1;
        let numbers: Vec<&str> = after_name.split_whitespace().collect();
        // Fields 14 and 15 of proc_pid_stat(5), the third of which comes first here.
        [11, 12].map(|at: usize| numbers[at].parse::<u64>().unwrap()).iter().sum()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn without_a_file_the_page_on_which_files_are_dropped_is_named_or_how_to_make_it() {
    let page = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("a page.html");
    fs::write(&page, "<!doctype html>").unwrap();
    let view = |page: &std::path::Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.args(["view", "--no-open"]).env("PLIANT_HTML", page).output().unwrap()
    };
    let told = view(&page);
    assert!(told.status.success());
    let address = String::from_utf8(told.stdout).unwrap();
    assert!(address.starts_with("file:///") && address.ends_with("/a%20page.html\n"), "{address}");
    let missing = view(&page.with_file_name("none.html"));
    assert_eq!(missing.status.code(), Some(2));
    let reason = String::from_utf8(missing.stderr).unwrap();
    assert!(reason.contains("node viewer/drop.mjs"), "{reason}");
}

/// Sets the soft limit of a process; false where the tool is missing.
fn set_descriptors(process: u32, limit: u32) -> bool {
    let arguments = [format!("--pid={process}"), format!("--nofile={limit}:")];
    let done = Command::new("prlimit").args(arguments).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}

#[test]
fn a_thousand_idle_clients_keep_nobody_out() {
    // This process holds the clients.
    set_descriptors(std::process::id(), 4096);
    let server = Server::start("besieged.glb");
    let mut idle = Vec::new();
    for number in 0..1000 {
        let mut client = server.connect();
        // Some say nothing, some begin a request.
        if number % 2 == 0 {
            client.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
        }
        idle.push(client);
        if number % 250 == 249 {
            server.loads_the_page();
        }
    }
    server.loads_the_page();
    // Nobody holds more of the server than its limit.
    if let Ok(descriptors) = fs::read_dir(format!("/proc/{}/fd", server.child.id())) {
        assert!(descriptors.count() < 100);
    }
}

#[test]
fn a_server_at_its_limit_of_descriptors_does_not_spin() {
    let mut server = Server::start("few_descriptors.glb");
    if !cfg!(target_os = "linux") || !server.set_descriptors(4) {
        println!("skipped: there is no prlimit");
        return;
    }
    // Standard streams and the listener take all four: nothing can be accepted.
    let clients: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    let spent = |server: &Server| {
        let (ticks, start) = (server.ticks(), Instant::now());
        thread::sleep(Duration::from_secs(2));
        let share = (server.ticks() - ticks) as f64 / 100.0 / start.elapsed().as_secs_f64();
        assert!(share < 0.1, "{share} of a processor");
    };
    spent(&server);
    assert!(server.child.try_wait().unwrap().is_none());
    // Room for a few: those that are idle give way.
    assert!(server.set_descriptors(8));
    server.loads_the_page();
    let more: Vec<TcpStream> = (0..100).map(|_| server.connect()).collect();
    server.loads_the_page();
    spent(&server);
    drop((clients, more));
}
