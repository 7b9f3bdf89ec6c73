//! A client that brings a ball of its own and strokes it: `client [HOST:PORT [TOKEN]]`.
//!
//! Without an address it starts a server itself.

use std::net::TcpListener;

use pliant::glam::DVec3;
use pliant_haptics::client::Client;
use pliant_haptics::protocol::{Command, Deforming, Primitives, Report, ShapeData};
use pliant_haptics::server::{Server, ServerSettings, Transport};
use pliant_haptics::{Error, Material, Result};

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let (address, token) = match words.next() {
        Some(address) => (address, words.next().unwrap_or_default()),
        None => (own_server()?, String::new()),
    };
    let mut client = Client::connect(&address, &token)?;
    let ball = pliant_scenes::icosphere(3)?;
    let polygons = ball.triangles().iter().map(|corners| corners.to_vec()).collect();
    let shape = ShapeData {
        deforming: Deforming::Free,
        positions: ball.positions().to_vec(),
        primitives: Primitives::Polygons(polygons),
        ..ShapeData::default()
    };
    let material = Material::default().with_friction(0.4, 0.3);
    client.send(&Command::Hand { hand: 0, position: DVec3::Z * 1.2 })?;
    // Both at once: the ball is never there without its friction.
    client.send(&Command::Begin)?;
    client.send(&Command::Define { id: 1, shape: Box::new(shape) })?;
    client.send(&Command::Feel { id: 1, material })?;
    client.send(&Command::Commit)?;
    client.send(&Command::Watch { states: 60, pictures: 0 })?;
    let mut pictures = 0;
    while pictures < 120 {
        let Report::State { hands, .. } = client.receive()? else { continue };
        pictures += 1;
        // The ball breathes, and the hand circles 1 cm below its surface.
        let time = f64::from(pictures) / 60.0;
        let size = 1.0 + 0.02 * (5.0 * time).sin();
        let positions = ball.positions().iter().map(|&p| p * size).collect();
        client.send(&Command::Positions { id: 1, positions })?;
        let around = DVec3::new(0.2 * (3.0 * time).sin(), 0.2 * (2.0 * time).sin(), 1.0);
        let depth = (1.2 - 0.4 * time).max(0.99);
        client.send(&Command::Hand { hand: 0, position: around.normalize() * depth })?;
        if let Some(hand) = hands.first().filter(|_| pictures % 10 == 0) {
            println!("{:?}: {:.2} N, proxy at {:.3}", hand.grip, hand.force.length(), hand.proxy);
            assert!(hand.proxy.length() > 0.95, "it never passes the surface");
        }
    }
    Ok(())
}

/// Starts a server without objects at any port of this machine, and returns its address.
fn own_server() -> Result<String> {
    let server = Server::start(vec![], ServerSettings::default(), |device| Box::new(device))?;
    let lost = |error: std::io::Error| Error::Connection { reason: error.to_string() };
    let listener = TcpListener::bind("127.0.0.1:0").map_err(lost)?;
    let address = listener.local_addr().map_err(lost)?.to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            server.admit(stream, Transport::Tcp);
        }
    });
    Ok(address)
}
