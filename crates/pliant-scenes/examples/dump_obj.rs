//! Writes shapes and scenes as OBJ files for any viewer.
//!
//! `cargo run -p pliant-scenes --example dump_obj -- DIRECTORY [NAME]`

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use pliant::glam::DVec3;
use pliant_scenes::{
    Garment, TwoCharacters, bridge, chair, creature, curtain_and_ball, dress, fish, large_twists,
    man, pile_of_chairs, shirt, tablecloth, two_creatures, two_men_passing,
};

/// A function that writes the files of one scene.
type Dump = fn(&Path) -> Result<(), Box<dyn std::error::Error>>;

const SCENES: [(&str, Dump); 10] = [
    ("chair", chairs),
    ("curtain", curtains),
    ("curtain-steps", curtain_steps),
    ("fish", fishes),
    ("bridge", bridges),
    ("man", men),
    ("creature", creatures),
    ("tablecloth", tablecloths),
    ("shirt", shirts),
    ("dress", dresses),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(env::args().nth(1).ok_or("usage: dump_obj DIRECTORY [NAME]")?);
    let wanted = env::args().nth(2);
    fs::create_dir_all(&directory)?;
    for (name, dump) in SCENES {
        if wanted.as_ref().is_none_or(|wanted| wanted == name) {
            let start = Instant::now();
            dump(&directory)?;
            eprintln!("{name}: {:.2} s", start.elapsed().as_secs_f64());
        }
    }
    Ok(())
}

fn chairs(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let chair = chair()?;
    write_obj(&directory.join("chair.obj"), &[(chair.positions(), chair.triangles())])?;

    let pile = pile_of_chairs(60, 1)?;
    let placed: Vec<Vec<DVec3>> = pile
        .placements
        .iter()
        .map(|&(rotation, translation)| {
            pile.chair.positions().iter().map(|&p| rotation * p + translation).collect()
        })
        .collect();
    let parts: Vec<_> = placed.iter().map(|p| (p.as_slice(), pile.chair.triangles())).collect();
    write_obj(&directory.join("pile.obj"), &parts)?;
    Ok(())
}

fn curtains(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let scene = curtain_and_ball(0, 4)?;
    for frame in [0, 40, 60, 80] {
        let cloth = scene.curtain.positions(frame)?;
        let center = scene.ball.centers[frame];
        let ball: Vec<DVec3> = scene.ball.mesh.positions().iter().map(|&p| p + center).collect();
        write_obj(
            &directory.join(format!("curtain-{frame:03}.obj")),
            &[(&cloth, scene.curtain.mesh.triangles()), (&ball, scene.ball.mesh.triangles())],
        )?;
    }
    Ok(())
}

/// The curtain alone in two frames that follow one another, and with a ball that stays away from it,
/// for `bench/ipctk/run sweep`.
fn curtain_steps(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let scene = curtain_and_ball(0, 4)?;
    for frame in [60, 61] {
        let cloth = scene.curtain.positions(frame)?;
        let path = directory.join(format!("curtain-step-{frame:03}.obj"));
        write_obj(&path, &[(&cloth, scene.curtain.mesh.triangles())])?;
    }
    // The curtain and a ball that flies past it, as in `pliant-bench sweep`.
    for (frame, z) in [(0, 0.0), (1, 5.0)] {
        let cloth = scene.curtain.positions(frame)?;
        let center = DVec3::new(9.0, 0.0, z);
        let ball: Vec<DVec3> = scene.ball.mesh.positions().iter().map(|&p| p + center).collect();
        let path = directory.join(format!("curtain-apart-{frame:03}.obj"));
        let parts = [
            (cloth.as_slice(), scene.curtain.mesh.triangles()),
            (ball.as_slice(), scene.ball.mesh.triangles()),
        ];
        write_obj(&path, &parts)?;
    }
    Ok(())
}

fn fishes(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let fish = fish()?;
    for frame in [0, 15, 30] {
        let path = directory.join(format!("fish-{frame:03}.obj"));
        write_obj(&path, &[(&fish.positions(frame)?, fish.mesh.triangles())])?;
    }
    Ok(())
}

fn bridges(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let bridge = bridge()?;
    for frame in [0, 15, 30] {
        let path = directory.join(format!("bridge-{frame:03}.obj"));
        write_obj(&path, &[(&bridge.positions(frame)?, bridge.mesh.triangles())])?;
    }
    Ok(())
}

fn tablecloths(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    for (name, faces) in [("coarse", 2000), ("fine", 16_000)] {
        let scene = tablecloth(faces)?;
        for frame in [0, 6, 12, 20, 40] {
            let path = directory.join(format!("tablecloth-{name}-{frame:02}.obj"));
            let cloth = (scene.cloth.frames[frame].as_slice(), scene.cloth.mesh.triangles());
            write_obj(&path, &[cloth, (scene.table.positions(), scene.table.triangles())])?;
        }
    }
    Ok(())
}

fn shirts(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    garment(directory, "shirt", &shirt(32_000)?)
}

fn dresses(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    garment(directory, "dress", &dress(65_000)?)
}

fn garment(
    directory: &Path,
    name: &str,
    garment: &Garment,
) -> Result<(), Box<dyn std::error::Error>> {
    for frame in [0, 2, 5] {
        let body = garment.wearer.positions(&garment.poses[frame])?;
        let cloth = (garment.cloth.frames[frame].as_slice(), garment.cloth.mesh.triangles());
        let path = directory.join(format!("{name}-{frame:02}.obj"));
        write_obj(&path, &[cloth, (&body, garment.wearer.mesh.triangles())])?;
    }
    Ok(())
}

fn men(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let man = man()?;
    write_obj(&directory.join("man.obj"), &[(man.mesh.positions(), man.mesh.triangles())])?;
    for step in 0..8 {
        let walking = man.positions(&man.pose(man.walk_period() * f64::from(step) / 8.0))?;
        let path = directory.join(format!("man-walk-{step}.obj"));
        write_obj(&path, &[(&walking, man.mesh.triangles())])?;
    }
    two_characters(directory, "passing", &two_men_passing()?, &[0, 50, 55, 60, 65, 119])?;
    two_characters(directory, "twists", &large_twists()?, &[0, 20, 44])
}

fn creatures(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let beast = creature()?;
    write_obj(
        &directory.join("creature.obj"),
        &[(beast.mesh.positions(), beast.mesh.triangles())],
    )?;
    two_characters(directory, "creatures", &two_creatures()?, &[0, 10, 20, 60, 90])
}

fn two_characters(
    directory: &Path,
    name: &str,
    scene: &TwoCharacters,
    frames: &[usize],
) -> Result<(), Box<dyn std::error::Error>> {
    let triangles = scene.character.mesh.triangles();
    for &frame in frames {
        let [first, second] = &scene.frames[frame];
        let first = scene.character.positions(first)?;
        let second = scene.character.positions(second)?;
        let path = directory.join(format!("{name}-{frame:03}.obj"));
        write_obj(&path, &[(&first, triangles), (&second, triangles)])?;
    }
    Ok(())
}

/// Writes one OBJ group per part.
fn write_obj(path: &Path, parts: &[(&[DVec3], &[[u32; 3]])]) -> std::io::Result<()> {
    let mut out = BufWriter::new(fs::File::create(path)?);
    let mut before = 1;
    for (number, (positions, triangles)) in parts.iter().enumerate() {
        writeln!(out, "g part{number}")?;
        for p in *positions {
            writeln!(out, "v {} {} {}", p.x, p.y, p.z)?;
        }
        for t in *triangles {
            let [a, b, c] = t.map(|vertex| vertex as usize + before);
            writeln!(out, "f {a} {b} {c}")?;
        }
        before += positions.len();
    }
    out.flush()
}
