//! The server against a client that floods: does the force loop lose steps?

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use glam::DVec3;
use pliant::{AnyBody, Body};
use pliant_haptics::protocol::{Command, MAGIC, VERSION, frame};
use pliant_haptics::server::{Server, ServerSettings, Transport};
use pliant_haptics::{Material, Object, Statistics};
use pliant_scenes::icosphere;

use crate::table::{Table, count, seconds};

/// Bytes per second that the client sends at most.
const FLOOD: f64 = 100e6;

/// The loop alone, and the loop while a client floods. Client and server share the machine.
pub(super) fn flooded(quick: bool) -> Result<Table> {
    let time = Duration::from_secs(if quick { 2 } else { 60 });
    let mut table = Table::new(
        "The server's force loop at 1 kHz, a hand at rest on a ball, client and server on one machine",
        &[
            "client",
            "sent",
            "connections",
            "steps",
            "missed",
            "p50",
            "p99.9",
            "longest",
            "late, p99.9",
            "latest",
        ],
    );
    for floods in [false, true] {
        eprintln!(
            "haptics: {} s {} ...",
            time.as_secs(),
            if floods { "of flood" } else { "alone" }
        );
        let (server, address) = start()?;
        let mut hand = pliant_haptics::client::Client::connect(address, "")?;
        hand.send(&Command::Hand { hand: 0, position: DVec3::Z * 1.1 })?;
        std::thread::sleep(Duration::from_millis(50));
        hand.send(&Command::Hand { hand: 0, position: DVec3::Z * 0.99 })?;
        let (stop, sent, connections) =
            (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
        let found = std::thread::scope(|scope| {
            if floods {
                scope.spawn(|| flood(address, &stop, &sent, &connections));
            }
            std::thread::sleep(time);
            let found = server.watcher().statistics();
            stop.store(true, Ordering::Relaxed);
            found
        });
        let Statistics { steps, late, missed, .. } = found;
        let time = |time: Duration| seconds(time.as_secs_f64());
        table.row([
            if floods { "floods" } else { "holds a hand" }.into(),
            format!("{:.0} MB", sent.load(Ordering::Relaxed) as f64 * 1e-6),
            count(connections.load(Ordering::Relaxed)),
            count(steps.count),
            count(missed),
            time(steps.median),
            time(steps.p999),
            time(steps.longest),
            time(late.p999),
            time(late.longest),
        ]);
    }
    table.note(
        "missed: steps that began a whole period late or more; late: wake-ups, the machine's part",
    );
    table.note("a client that sends too much is sent away, and comes back at once");
    Ok(table)
}

fn start() -> Result<(Server, SocketAddr)> {
    let ball: AnyBody = Body::rigid(icosphere(5)?)?.into();
    let objects = vec![("ball".to_owned(), Object::new(ball, Material::default())?)];
    let server = Server::start(objects, ServerSettings::default(), |device| Box::new(device))?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let accepting = server.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            accepting.admit(stream, Transport::Tcp);
        }
    });
    Ok((server, address))
}

/// Sends messages of a megabyte as fast as allowed, and connects again whenever it is sent away.
fn flood(address: SocketAddr, stop: &AtomicBool, sent: &AtomicU64, connections: &AtomicU64) {
    let hello = Command::Hello { version: VERSION, token: String::new() }.encode();
    // Coordinates of an object that there is not would end it at once: these are lifted hands.
    let lift = Command::Lift { hand: 4 }.encode();
    let long = frame(0x10, &[&1u32.to_le_bytes()[..], &vec![0; 1 << 20]].concat());
    let begin = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let Ok(mut stream) = TcpStream::connect(address) else { continue };
        connections.fetch_add(1, Ordering::Relaxed);
        if stream.write_all(&MAGIC).and_then(|()| stream.write_all(&hello)).is_err() {
            continue;
        }
        // Many small messages, and one long one that is refused.
        let message = [lift.repeat(200), long.clone()].concat();
        while !stop.load(Ordering::Relaxed) {
            let ahead = sent.load(Ordering::Relaxed) as f64 / FLOOD - begin.elapsed().as_secs_f64();
            if ahead > 0.0 {
                std::thread::sleep(Duration::from_secs_f64(ahead.min(0.01)));
                continue;
            }
            let Ok(bytes) = stream.write(&message) else { break };
            sent.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }
}
