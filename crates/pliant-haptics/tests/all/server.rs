//! The server against clients of every kind, on loopback.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::support::*;
use pliant::glam::{DQuat, DVec3};
use pliant_haptics::client::Client;
use pliant_haptics::protocol::{
    Command, Deforming, HandReport, MAGIC, NO_PARENT, Pose, Primitives, Report, ShapeData,
    TextureData, VERSION, frame,
};
use pliant_haptics::server::{MAX_CLIENTS, Server, ServerSettings, Transport};
use pliant_haptics::{Error, Material, Object, Settings, TextureUse};

/// Starts a server over a floor at height 0, which ends with the test program.
fn start(token: Option<&str>) -> (Server, SocketAddr) {
    let floor = Object::new(rigid(soup(&[plane(DVec3::ZERO, DVec3::Z)])), Material::default());
    let probe = Settings { radius: RADIUS, force_limit: 1e3, ..Settings::default() };
    let settings = ServerSettings {
        probe,
        follows_within: 0.0,
        token: token.map(Into::into),
        ..ServerSettings::default()
    };
    let objects = vec![("floor".into(), floor.unwrap())];
    let server = Server::start(objects, settings, |device| Box::new(device)).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let accepting = server.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            accepting.admit(stream.unwrap(), Transport::Tcp);
        }
    });
    (server, address)
}

fn connect(address: SocketAddr) -> Client {
    Client::connect(address, "").unwrap()
}

/// Waits until a hand's state is as wanted.
fn wait_for(client: &mut Client, hand: u8, wanted: impl Fn(&HandReport) -> bool) -> HandReport {
    let begin = Instant::now();
    let mut last = None;
    while begin.elapsed() < Duration::from_secs(20) {
        if let Report::State { hands, .. } = client.receive().unwrap() {
            last = hands.into_iter().find(|found| found.hand == hand);
            if let Some(found) = last.take_if(|found| wanted(found)) {
                return found;
            }
        }
    }
    panic!("the state does not come: {last:?}")
}

fn near(place: DVec3) -> impl Fn(&HandReport) -> bool {
    move |found| found.proxy.distance(place) < SAME
}

/// Tries again until something holds: threads of clients end a little later than clients.
fn soon(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..2000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{what}");
}

/// A flat square above the floor.
fn table(height: f64, deforming: Deforming) -> ShapeData {
    let positions = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let positions = positions.map(|[x, y]| DVec3::new(x, y, height)).to_vec();
    let texture_coordinates = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let primitives = Primitives::Polygons(vec![vec![0, 1, 2, 3]]);
    ShapeData { deforming, positions, primitives, texture_coordinates, ..ShapeData::default() }
}

#[test]
fn a_client_touches_what_is_there_and_what_it_makes() {
    let (server, address) = start(None);
    let mut client = connect(address);
    let Report::Welcome { hands, rate, radius, .. } = *client.welcome() else { panic!() };
    assert_eq!((hands, rate, radius), (5, 1000.0, RADIUS));
    let mut say = |command| client.send(&command).unwrap();
    say(Command::Watch { states: 200, pictures: 0 });
    say(Command::Hand { hand: 2, position: DVec3::Z });
    wait_for(&mut client, 2, near(DVec3::Z));
    client.send(&Command::Hand { hand: 2, position: DVec3::Z * -0.002 }).unwrap();
    let touch = wait_for(&mut client, 2, near(DVec3::Z * RADIUS));
    assert_near(touch.force, DVec3::Z * (RADIUS + 0.002) * STIFFNESS, 1e-3, "the floor's spring");
    assert_eq!((touch.contacts.len(), touch.contacts[0].0), (1, 0));
    // A table appears between two steps, together with how it feels and where it is.
    let mut say = |command| client.send(&command).unwrap();
    let material = Material { stiffness: 1000.0, ..Material::default() };
    say(Command::Hand { hand: 2, position: DVec3::Z });
    wait_for(&mut client, 2, near(DVec3::Z));
    let mut say = |command| client.send(&command).unwrap();
    say(Command::Begin);
    say(Command::Define { id: 5, shape: Box::new(table(0.2, Deforming::Rigid)) });
    say(Command::Feel { id: 5, material });
    say(Command::Commit);
    say(Command::Hand { hand: 2, position: DVec3::Z * 0.2 });
    let touch = wait_for(&mut client, 2, near(DVec3::Z * (0.2 + RADIUS)));
    assert_near(touch.force, DVec3::Z * RADIUS * 1000.0, 1e-3, "the table's spring");
    // It moves, hangs from another, and carries the proxy.
    let mut say = |command| client.send(&command).unwrap();
    say(Command::Translate { id: 5, by: DVec3::Z * 0.1 });
    wait_for(&mut client, 2, near(DVec3::Z * (0.3 + RADIUS)));
    let mut say = |command| client.send(&command).unwrap();
    say(Command::Define { id: 6, shape: Box::default() });
    let still = DQuat::IDENTITY;
    say(Command::Place { id: 5, parent: 6, rotation: still, translation: DVec3::Z * 0.1 });
    say(Command::Place { id: 6, parent: NO_PARENT, rotation: still, translation: DVec3::Z * 0.2 });
    wait_for(&mut client, 2, near(DVec3::Z * (0.5 + RADIUS)));
    let mut say = |command| client.send(&command).unwrap();
    say(Command::Remove { id: 6 });
    say(Command::Hand { hand: 2, position: DVec3::Z * -1.0 });
    wait_for(&mut client, 2, near(DVec3::Z * RADIUS));
    drop(client);
    soon("the client is still counted", || server.clients() == 0);
    soon("its hand is still there", || !server.watcher().seen(2).is_present);
}

/// Objects of every kind are moved by their own command: the proxy is pushed to the new height.
#[test]
fn positions_coordinates_joints_points_and_segments() {
    let (_server, address) = start(None);
    let mut client = connect(address);
    client.send(&Command::Watch { states: 200, pictures: 0 }).unwrap();
    client.send(&Command::Hand { hand: 0, position: DVec3::Z * 2.0 }).unwrap();
    let up = pliant::glam::DAffine3::from_translation(DVec3::Z * 0.1);
    let influences = (0..4).map(|vertex| pliant_haptics::protocol::SkinInfluence {
        vertex,
        joint: 0,
        weight: 1.0,
    });
    let skin = Deforming::Skin { joints: 1, influences: influences.collect() };
    let raised = table(0.3, Deforming::Free).positions;
    for (deforming, moving) in [
        (Deforming::Free, Command::Positions { id: 1, positions: raised }),
        (
            Deforming::Modes(vec![vec![DVec3::Z; 4]]),
            Command::Coordinates { id: 1, values: vec![0.1] },
        ),
        (skin, Command::Joints { id: 1, joints: vec![up] }),
    ] {
        client.send(&Command::Hand { hand: 0, position: DVec3::Z * 2.0 }).unwrap();
        wait_for(&mut client, 0, near(DVec3::Z * 2.0));
        client.send(&Command::Define { id: 1, shape: Box::new(table(0.2, deforming)) }).unwrap();
        client.send(&Command::Hand { hand: 0, position: DVec3::Z * 0.15 }).unwrap();
        wait_for(&mut client, 0, near(DVec3::Z * (0.2 + RADIUS)));
        client.send(&moving).unwrap();
        // Modes are numbers of 32 bits.
        wait_for(&mut client, 0, |found| (found.proxy.z - 0.3 - RADIUS).abs() < 1e-7);
        client.send(&Command::Remove { id: 1 }).unwrap();
    }
    // A point and a segment are touched from every side.
    let positions = vec![DVec3::new(0.0, 0.0, 1.0), DVec3::new(0.0, 1.0, 1.0)];
    for primitives in [Primitives::Points(vec![0]), Primitives::Segments(vec![[0, 1]])] {
        client.send(&Command::Hand { hand: 0, position: DVec3::Z * 2.0 }).unwrap();
        wait_for(&mut client, 0, near(DVec3::Z * 2.0));
        let shape = ShapeData { positions: positions.clone(), primitives, ..Default::default() };
        client.send(&Command::Define { id: 2, shape: Box::new(shape) }).unwrap();
        client.send(&Command::Hand { hand: 0, position: DVec3::Z * 0.9995 }).unwrap();
        wait_for(&mut client, 0, near(DVec3::Z * (1.0 + RADIUS)));
        client.send(&Command::Remove { id: 2 }).unwrap();
    }
}

/// A height map carves: the spring begins deeper. A friction map lets go where it is 0.
#[test]
fn textures_are_felt() {
    let (_server, address) = start(None);
    let mut client = connect(address);
    client.send(&Command::Watch { states: 200, pictures: 0 }).unwrap();
    let texture = |applies_to, value: f32, amplitude| {
        let values = vec![value; 4];
        let texture = TextureData { applies_to, width: 2, values, amplitude };
        Command::Texture { id: 1, texture: Box::new(texture) }
    };
    client.send(&Command::Hand { hand: 0, position: DVec3::Z }).unwrap();
    wait_for(&mut client, 0, near(DVec3::Z));
    let shape = Box::new(table(0.2, Deforming::Rigid));
    client.send(&Command::Define { id: 1, shape }).unwrap();
    client.send(&texture(TextureUse::Height, 0.25, 0.004)).unwrap();
    client.send(&Command::Hand { hand: 0, position: DVec3::Z * 0.2 }).unwrap();
    let expected = STIFFNESS * (RADIUS - 0.003);
    wait_for(&mut client, 0, |found| (found.force.z - expected).abs() < 1e-3);
    let material = Material::default().with_friction(2.0, 2.0);
    client.send(&Command::Feel { id: 1, material }).unwrap();
    client.send(&Command::Hand { hand: 0, position: DVec3::new(0.01, 0.0, 0.2) }).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    wait_for(&mut client, 0, |found| found.proxy.x.abs() < SAME && found.device.x == 0.01);
    client.send(&texture(TextureUse::Friction, 0.0, 1.0)).unwrap();
    wait_for(&mut client, 0, |found| (found.proxy.x - 0.01).abs() < 1e-5);
}

#[test]
fn pictures_show_what_is_there() {
    let (_server, address) = start(None);
    let [mut painter, mut other] = [connect(address), connect(address)];
    painter.send(&Command::Watch { states: 0, pictures: 100 }).unwrap();
    let Report::Object { slot: 0, name, triangles, .. } = painter.receive().unwrap() else {
        panic!("the floor is not shown")
    };
    assert_eq!((name.as_str(), triangles.len()), ("floor", 1));
    assert!(matches!(painter.receive(), Ok(Report::Moved { slot: 0, pose: Pose::Map(_) })));
    let shape = Box::new(table(0.2, Deforming::Free));
    other.send(&Command::Define { id: 9, shape }).unwrap();
    let Report::Object { slot, triangles, .. } = painter.receive().unwrap() else { panic!() };
    assert_eq!((slot, triangles), (1, vec![[0, 1, 2], [0, 2, 3]]));
    let Report::Moved { slot: 1, pose: Pose::Vertices(places) } = painter.receive().unwrap() else {
        panic!()
    };
    assert_eq!(places[0], [-1.0, -1.0, 0.2]);
    other.send(&Command::Translate { id: 9, by: DVec3::X }).unwrap();
    let Report::Moved { pose: Pose::Vertices(places), .. } = painter.receive().unwrap() else {
        panic!()
    };
    assert_eq!(places[0], [0.0, -1.0, 0.2]);
    drop(other);
    assert_eq!(painter.receive().unwrap(), Report::Gone { slot: 1 });
}

fn refusal(result: Result<Report, Error>) -> String {
    match result {
        Err(Error::Connection { reason }) => reason,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_token_is_asked_for() {
    let (_server, address) = start(Some("mellon"));
    for wrong in ["", "Mellon", "mellon "] {
        let error = Client::connect(address, wrong).unwrap_err().to_string();
        assert!(error.contains("token"), "{error}");
    }
    assert!(Client::connect(address, "mellon").is_ok());
}

/// What is wrong in itself, or does not fit what was said before, ends the connection and says why.
#[test]
fn nonsense_costs_the_connection() {
    let (server, address) = start(None);
    let square = |id| Command::Define { id, shape: Box::new(table(0.2, Deforming::Rigid)) };
    let wrong_index = ShapeData {
        primitives: Primitives::Polygons(vec![vec![0, 1, 9]]),
        ..table(0.2, Deforming::Rigid)
    };
    for (commands, reason) in [
        (vec![Command::Remove { id: 3 }], "no object 3"),
        (vec![Command::Commit], "no group"),
        (vec![Command::Begin, Command::Begin], "within a group"),
        (vec![Command::Hand { hand: 5, position: DVec3::ZERO }], "hand 5"),
        (vec![Command::Hello { version: VERSION, token: String::new() }], "second hello"),
        (vec![square(1), Command::Coordinates { id: 1, values: vec![1.0] }], "not of modes"),
        (vec![square(NO_PARENT)], "not the number"),
        (vec![Command::Define { id: 1, shape: Box::new(wrong_index) }], "9"),
        (
            vec![
                square(1),
                Command::Place {
                    id: 1,
                    parent: 1,
                    rotation: DQuat::IDENTITY,
                    translation: DVec3::ZERO,
                },
            ],
            "hang from itself",
        ),
    ] {
        let mut client = connect(address);
        commands.iter().for_each(|command| client.send(command).unwrap());
        let said = refusal(client.receive());
        assert!(said.contains(reason), "{commands:?}: {said}");
    }
    // A hand that another moves.
    let [mut first, mut second] = [connect(address), connect(address)];
    first.send(&Command::Hand { hand: 0, position: DVec3::Z }).unwrap();
    soon("the hand does not come", || server.watcher().seen(0).is_present);
    second.send(&Command::Hand { hand: 0, position: DVec3::X }).unwrap();
    assert!(refusal(second.receive()).contains("another"));
    drop(first);
    // Bytes that are no messages at all.
    for bytes in [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        [&MAGIC[..], &[0xff; 64]].concat(),
        [&MAGIC[..], &frame(0x77, &[])].concat(),
        [&MAGIC[..], &frame(0x30, &[1; 25])].concat(),
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&bytes).unwrap();
        let mut answer = Vec::new();
        // A reset is an end, too.
        let _ = stream.read_to_end(&mut answer);
    }
    soon("clients are still counted", || server.clients() == 0);
    assert_floor_holds(&server, address);
}

/// The loop still runs and the floor still holds.
fn assert_floor_holds(server: &Server, address: SocketAddr) {
    let before = server.watcher().statistics().steps.count;
    let mut client = connect(address);
    client.send(&Command::Watch { states: 200, pictures: 0 }).unwrap();
    // A hand begins where it is told to be first, also below the floor.
    client.send(&Command::Hand { hand: 0, position: DVec3::Z }).unwrap();
    wait_for(&mut client, 0, near(DVec3::Z));
    client.send(&Command::Hand { hand: 0, position: DVec3::Z * -1.0 }).unwrap();
    wait_for(&mut client, 0, near(DVec3::Z * RADIUS));
    assert!(server.watcher().statistics().steps.count > before);
}

#[test]
fn a_client_that_vanishes_leaves_nothing_behind() {
    let (server, address) = start(None);
    for _ in 0..3 {
        let mut client = connect(address);
        client.send(&Command::Hand { hand: 1, position: DVec3::Z }).unwrap();
        let shape = Box::new(table(0.2, Deforming::Rigid));
        client.send(&Command::Define { id: 1, shape }).unwrap();
        client.send(&Command::Begin).unwrap();
        soon("the hand does not come", || server.watcher().seen(1).is_present);
        // In the middle of a group, and of a message.
        drop(client);
        soon("its hand is still there", || !server.watcher().seen(1).is_present);
    }
    soon("clients are still counted", || server.clients() == 0);
    assert_floor_holds(&server, address);
}

/// Pictures that nobody reads fill the buffers; then the client has two seconds.
#[test]
fn a_client_that_does_not_read_is_sent_away() {
    let (server, address) = start(None);
    let mut busy = connect(address);
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(&MAGIC).unwrap();
    for command in [
        Command::Hello { version: VERSION, token: String::new() },
        Command::Watch { states: 1000, pictures: 1000 },
    ] {
        stream.write_all(&command.encode()).unwrap();
    }
    // A mesh of 30,000 vertices, moved all the time, is more than a connection's buffers hold.
    let side = 174;
    let vertex = |n: u32| DVec3::new(f64::from(n % side), f64::from(n / side), 5.0);
    let positions: Vec<DVec3> = (0..side * side).map(vertex).collect();
    let primitives = Primitives::Polygons(vec![vec![0, 1, side]]);
    let deforming = Deforming::Free;
    let shape =
        ShapeData { deforming, positions: positions.clone(), primitives, ..Default::default() };
    busy.send(&Command::Define { id: 1, shape: Box::new(shape) }).unwrap();
    let begin = Instant::now();
    while server.clients() > 1 && begin.elapsed() < Duration::from_secs(60) {
        busy.send(&Command::Positions { id: 1, positions: positions.clone() }).unwrap();
        std::thread::sleep(Duration::from_millis(30));
    }
    assert_eq!(server.clients(), 1, "it is still there");
    drop(busy);
    drop(stream);
    assert_floor_holds(&server, address);
}

/// More bytes, or more messages, than allowed.
#[test]
fn a_flood_costs_the_connection() {
    let (server, address) = start(None);
    let pings = Command::Lift { hand: 0 }.encode().repeat(2000);
    let bytes = frame(0x23, &vec![0; 1 << 20]);
    for flood in [pings, bytes] {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&MAGIC).unwrap();
        let hello = Command::Hello { version: VERSION, token: String::new() };
        stream.write_all(&hello.encode()).unwrap();
        let begin = Instant::now();
        let mut ended = false;
        while !ended && begin.elapsed() < Duration::from_secs(30) {
            ended = stream.write_all(&flood).is_err();
        }
        assert!(ended, "the flood goes on");
        soon("the client is still counted", || server.clients() == 0);
    }
    assert_floor_holds(&server, address);
}

#[test]
fn there_are_not_too_many_clients() {
    let (server, address) = start(None);
    let clients: Vec<Client> = (0..MAX_CLIENTS).map(|_| connect(address)).collect();
    let error = Client::connect(address, "").unwrap_err().to_string();
    assert!(
        error.contains("too many") || error.contains("reset") || error.contains("pipe"),
        "{error}"
    );
    drop(clients);
    soon("clients are still counted", || server.clients() == 0);
    assert_floor_holds(&server, address);
}
