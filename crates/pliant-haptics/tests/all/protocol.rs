//! The touch protocol: what is written is read, and any bytes are read or refused.

use crate::exercise::{self, parts};
use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant_haptics::protocol::{
    Command, Deforming, HandReport, NO_PARENT, Pose, Primitives, Report, ShapeData, SkinInfluence,
    StatisticsReport, TextureData,
};
use pliant_haptics::{Grip, Material, Shading, TextureUse};
use pliant_scenes::Random;

pub(crate) fn shape(deforming: Deforming, primitives: Primitives) -> ShapeData {
    let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)];
    let normals = vec![DVec3::Z; 4];
    let texture_coordinates = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
    ShapeData { deforming, positions, primitives, normals, texture_coordinates }
}

fn square() -> Primitives {
    Primitives::Polygons(vec![vec![0, 1, 3, 2]])
}

/// One command of every kind, and every kind of shape.
fn commands() -> Vec<Command> {
    let define = |shape| Command::Define { id: 7, shape: Box::new(shape) };
    let modes = Deforming::Modes(vec![vec![DVec3::Z; 4]; 2]);
    let influence = |vertex| SkinInfluence { vertex, joint: vertex % 2, weight: 1.0 };
    let skin = Deforming::Skin { joints: 2, influences: (0..4).map(influence).collect() };
    let material = Material {
        damping: 2.0,
        viscosity: 0.5,
        shading: Shading::Smooth,
        ..Material::default().with_friction(0.5, 0.25)
    };
    let texture = TextureData {
        applies_to: TextureUse::Friction,
        width: 2,
        values: vec![0.0, 0.25, 0.5, 1.0],
        amplitude: 2.0,
    };
    let rotation = DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    vec![
        Command::Hello { version: 1, token: "mellon".into() },
        Command::Begin,
        Command::Commit,
        define(shape(Deforming::Rigid, Primitives::Points(vec![0, 3]))),
        define(shape(Deforming::Free, Primitives::Segments(vec![[0, 3], [1, 2]]))),
        define(shape(modes, square())),
        define(shape(skin, square())),
        Command::Remove { id: 7 },
        Command::Feel { id: 7, material },
        Command::Texture { id: 7, texture: Box::new(texture) },
        Command::Place { id: 7, parent: NO_PARENT, rotation, translation: DVec3::X },
        Command::Translate { id: 7, by: DVec3::new(1e-300, -0.0, 5.0) },
        Command::Rotate { id: 7, by: rotation },
        Command::Positions { id: 7, positions: vec![DVec3::X; 4] },
        Command::Coordinates { id: 7, values: vec![0.5, -0.5] },
        Command::Joints { id: 7, joints: vec![DAffine3::from_translation(DVec3::Y); 2] },
        Command::Hand { hand: 3, position: DVec3::new(0.1, 0.2, 0.3) },
        Command::Lift { hand: 3 },
        Command::Watch { states: 1000, pictures: 30 },
        Command::Ping { value: u64::MAX },
    ]
}

fn reports() -> Vec<Report> {
    let contact = (3, 9, DVec3::X, DVec3::Z, 0.01);
    let hand = HandReport {
        hand: 1,
        grip: Grip::Slides,
        device: DVec3::X,
        proxy: DVec3::Y,
        force: DVec3::Z,
        energy: -0.5,
        contacts: vec![contact; 2],
    };
    let statistics =
        StatisticsReport { steps: 12, missed: 1, late_longest: 99, ..Default::default() };
    vec![
        Report::Welcome {
            version: 1,
            hands: 5,
            rate: 1000.0,
            radius: 0.005,
            force_limit: 20.0,
            around: [DVec3::ZERO, DVec3::ONE],
            title: "männchen".into(),
        },
        Report::State { step: 5, hands: vec![hand, HandReport::default()] },
        Report::Statistics(statistics),
        Report::Object {
            slot: 2,
            name: "chair".into(),
            positions: vec![[0.0, 0.5, 1.0]; 3],
            triangles: vec![[0, 1, 2]],
        },
        Report::Moved { slot: 2, pose: Pose::Map([0.5; 12]) },
        Report::Moved { slot: 2, pose: Pose::Vertices(vec![[1.0, 2.0, 3.0]]) },
        Report::Gone { slot: 2 },
        Report::Refused { reason: "no".into() },
        Report::Pong { value: 3 },
    ]
}

#[test]
fn what_is_written_is_read() {
    for command in commands() {
        let (kind, body) = parts(&command.encode());
        assert_eq!(Command::decode(kind, &body), Ok(command));
    }
    for report in reports() {
        let (kind, body) = parts(&report.encode());
        assert_eq!(Report::decode(kind, &body), Ok(report));
    }
}

/// A message that is cut or longer is refused, and so is one with a number that is none.
#[test]
fn cut_and_lengthened_messages_are_refused() {
    for command in commands() {
        let (kind, body) = parts(&command.encode());
        for cut in 0..body.len() {
            assert!(Command::decode(kind, &body[..cut]).is_err(), "{command:?} cut at {cut}");
        }
        let longer = [&body[..], &[0]].concat();
        assert!(Command::decode(kind, &longer).is_err(), "{command:?}");
    }
    let nan = Command::Hand { hand: 0, position: DVec3::new(0.0, f64::NAN, 0.0) };
    let (kind, body) = parts(&nan.encode());
    let wrong = Command::decode(kind, &body).unwrap_err().to_string();
    assert!(wrong.contains("position") && wrong.contains("not finite"), "{wrong}");
    // A count of four billion in a message of few bytes.
    let mut huge = 7u32.to_le_bytes().to_vec();
    huge.extend(u32::MAX.to_le_bytes());
    for kind in [0x23, 0x24, 0x25] {
        assert!(Command::decode(kind, &huge).is_err());
    }
}

/// Random bytes, and random changes of true messages. `PLIANT_HAPTICS_PATHS` sets how many.
#[test]
fn any_bytes_are_read_or_refused() {
    let rounds = std::env::var("PLIANT_HAPTICS_PATHS").ok().and_then(|text| text.parse().ok());
    let rounds: u64 = rounds.unwrap_or(600) * 50;
    let commands: Vec<_> = commands().iter().map(|command| parts(&command.encode())).collect();
    let reports: Vec<_> = reports().iter().map(|report| parts(&report.encode())).collect();
    let kinds: Vec<u16> = commands.iter().chain(&reports).map(|(kind, _)| *kind).collect();
    let mut random = Random::new(21);
    let (mut fine, mut refused) = (0, 0);
    for _ in 0..rounds {
        let pick = |random: &mut Random, count: usize| random.bits() as usize % count;
        let (kind, body) = match pick(&mut random, 3) {
            0 => {
                let length = pick(&mut random, 120);
                let bytes = (0..length).map(|_| random.bits() as u8).collect();
                (kinds[pick(&mut random, kinds.len())], bytes)
            }
            which => {
                let seeds = if which == 1 { &commands } else { &reports };
                let (kind, mut body) = seeds[pick(&mut random, seeds.len())].clone();
                for _ in 0..1 + pick(&mut random, 4) {
                    if !body.is_empty() {
                        let at = pick(&mut random, body.len());
                        body[at] = random.bits() as u8;
                    }
                }
                if pick(&mut random, 4) == 0 {
                    body.truncate(pick(&mut random, body.len() + 1));
                }
                (kind, body)
            }
        };
        // What is read is written so that the same is read again, up to the length of rotations.
        match Command::decode(kind, &body) {
            Ok(command) => {
                let (kind, body) = parts(&command.encode());
                let again = Command::decode(kind, &body);
                let turns = matches!(command, Command::Rotate { .. } | Command::Place { .. });
                assert!(turns || again == Ok(command));
                fine += 1;
            }
            Err(_) => refused += 1,
        }
        if let Ok(report) = Report::decode(kind, &body) {
            let (kind, body) = parts(&report.encode());
            assert_eq!(Report::decode(kind, &body), Ok(report));
        }
    }
    assert!(fine > rounds / 20 && refused > rounds / 20, "{fine} {refused}");
}

/// True messages in a row, with bytes changed, cut out and doubled: what the fuzz target checks must hold.
/// `PLIANT_FUZZ_CORPUS` names a folder for the rows without changes, from which a fuzzer can begin.
#[test]
fn a_server_does_or_refuses_any_bytes() {
    let all: Vec<Vec<u8>> = commands().iter().skip(1).map(Command::encode).collect();
    let mut random = Random::new(22);
    let pick = |random: &mut Random, count: usize| random.bits() as usize % count.max(1);
    let corpus = std::env::var_os("PLIANT_FUZZ_CORPUS").map(std::path::PathBuf::from);
    for round in 0..400 {
        let mut bytes = vec![random.bits() as u8];
        for _ in 0..1 + pick(&mut random, 6) {
            bytes.extend(&all[pick(&mut random, all.len())]);
        }
        if let Some(folder) = &corpus {
            std::fs::write(folder.join(format!("row{round}")), &bytes).unwrap();
        }
        for _ in 0..pick(&mut random, 4) {
            let at = pick(&mut random, bytes.len());
            match pick(&mut random, 3) {
                0 => bytes[at] = random.bits() as u8,
                1 => drop(bytes.drain(at..(at + pick(&mut random, 20)).min(bytes.len()))),
                _ => bytes.extend_from_within(at..),
            }
        }
        exercise::protocol(&bytes);
    }
}
