//! Writes shapes and scenes as OBJ files, to look at them in any viewer.
//!
//! `cargo run -p pliant-scenes --example dump_obj -- DIRECTORY`

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use pliant::glam::DVec3;
use pliant_scenes::{chair, curtain_and_ball, pile_of_chairs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(env::args().nth(1).ok_or("usage: dump_obj DIRECTORY")?);
    fs::create_dir_all(&directory)?;

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

/// One OBJ group for each part.
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
