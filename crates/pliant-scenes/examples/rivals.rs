//! Whole sequences of a rival's scenes, frame by frame: `bench/rivals/run` makes their files and runs both.
//!
//!     cargo run --release -p pliant-scenes --example rivals -- FILE ROUNDS
//!
//! Prints microseconds per frame, each the best of all rounds: to deform, to refit, to query, and how many
//! pairs touch in all frames together.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use pliant::bound::{FreeBodyF32, RefitPolicy};
use pliant::deform::{Binding, Blending, Influence, Modes, SkinWeights};
use pliant::glam::{DAffine3, DMat3, DVec3, Vec3};
use pliant::{Body, FreeBody, Isometry, Mesh, SkinnedBody, intersections};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, rounds] = arguments.as_slice() else {
        return Err("usage: rivals FILE ROUNDS".into());
    };
    let (bytes, rounds) = (std::fs::read(file)?, rounds.parse()?);
    let (magic, rest) = bytes.split_at_checked(8).ok_or("the file is too short")?;
    match magic {
        b"W1CLOTH1" => curtain(&mut Reader(rest), rounds),
        b"W2SKIN01" => men(&mut Reader(rest), rounds),
        _ => Err("the file is of another kind".into()),
    }
}

/// Numbers of a file, one after another, in little endian.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> Outcome<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk().ok_or("the file is too short")?;
        self.0 = rest;
        Ok(*first)
    }

    fn int(&mut self) -> Outcome<usize> {
        Ok(i32::from_le_bytes(self.bytes()?).try_into()?)
    }

    fn float(&mut self) -> Outcome<f64> {
        Ok(f64::from_le_bytes(self.bytes()?))
    }

    fn point(&mut self) -> Outcome<DVec3> {
        Ok(DVec3::new(self.float()?, self.float()?, self.float()?))
    }

    fn points(&mut self, count: usize) -> Outcome<Vec<DVec3>> {
        (0..count).map(|_| self.point()).collect()
    }

    fn mesh(&mut self) -> Outcome<Mesh> {
        let (vertices, triangles) = (self.int()?, self.int()?);
        let positions = self.points(vertices)?;
        let corner = |reader: &mut Self| Ok::<u32, Box<dyn Error>>(reader.int()?.try_into()?);
        let triangles = (0..triangles)
            .map(|_| Ok([corner(self)?, corner(self)?, corner(self)?]))
            .collect::<Outcome<Vec<_>>>()?;
        Ok(Mesh::new(positions, triangles)?)
    }
}

/// The best time of each phase of each frame, and the pairs of each frame.
struct Times {
    best: Vec<[f64; 3]>,
    pairs: Vec<usize>,
}

impl Times {
    fn new(frames: usize) -> Self {
        Self { best: vec![[f64::INFINITY; 3]; frames], pairs: vec![0; frames] }
    }

    /// Begins a frame by deforming.
    fn frame(&mut self, frame: usize, deform: impl FnOnce()) -> Running<'_> {
        let start = Instant::now();
        deform();
        let deformed = start.elapsed().as_secs_f64();
        self.best[frame][0] = self.best[frame][0].min(deformed);
        Running { times: self, frame, since: Instant::now() }
    }

    fn print(&self, name: &str) {
        let micros = |phase: usize| {
            1e6 * self.best.iter().map(|best| best[phase]).sum::<f64>() / self.best.len() as f64
        };
        let [deform, update, query] = [0, 1, 2].map(micros);
        let total = deform + update + query;
        let pairs: usize = self.pairs.iter().sum();
        println!(
            "{name:26} deform {deform:7.2}  update {update:7.2}  query {query:7.2}  total {total:7.2}  pairs {pairs}"
        );
    }
}

struct Running<'a> {
    times: &'a mut Times,
    frame: usize,
    since: Instant,
}

impl Running<'_> {
    fn updated(&mut self) {
        self.end(1);
    }

    fn queried(&mut self, pairs: usize) {
        self.end(2);
        self.times.pairs[self.frame] = pairs;
    }

    fn end(&mut self, phase: usize) {
        let best = &mut self.times.best[self.frame][phase];
        *best = best.min(self.since.elapsed().as_secs_f64());
        self.since = Instant::now();
    }
}

/// A curtain of modes and a ball that is thrown at it.
fn curtain(reader: &mut Reader<'_>, rounds: usize) -> Outcome<()> {
    let (frames, modes) = (reader.int()?, reader.int()?);
    let mesh = reader.mesh()?;
    let vertices = mesh.positions().len();
    let fields = (0..modes).map(|_| reader.points(vertices)).collect::<Outcome<Vec<_>>>()?;
    let q = (0..frames)
        .map(|_| (0..modes).map(|_| reader.float()).collect::<Outcome<Vec<_>>>())
        .collect::<Outcome<Vec<_>>>()?;
    let ball_mesh = reader.mesh()?;
    let centers = reader.points(frames)?;
    let modes = Arc::new(Modes::from_fields(vertices, &fields)?);
    let at = |center: DVec3| ball_mesh.positions().iter().map(move |&p| p + center);

    let mut cloth: FreeBody = Body::free(mesh.clone())?;
    let mut ball: FreeBody = Body::free(ball_mesh.clone())?;
    let mut cloth_f32: FreeBodyF32 = Body::free_f32(mesh.clone())?;
    let mut ball_f32: FreeBodyF32 = Body::free_f32(ball_mesh.clone())?;
    let mut reduced = Body::reduced(mesh.clone(), modes.clone())?;
    let mut rigid = Body::rigid(ball_mesh.clone())?;
    println!("{} and {} nodes", cloth.nodes(), ball.nodes());
    let [mut all, mut all_f32, mut on_demand] = [(); 3].map(|()| Times::new(frames));
    let (mut moved, mut moved_ball) = (Vec::new(), Vec::new());
    let (mut moved_f32, mut moved_ball_f32): (Vec<Vec3>, Vec<Vec3>) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        for frame in 0..frames {
            let mut running = all.frame(frame, || {
                moved.clear();
                moved.extend_from_slice(mesh.positions());
                modes.displace_all(black_box(&q[frame]), &mut moved);
                moved_ball.clear();
                moved_ball.extend(at(centers[frame]));
            });
            cloth.swap_positions(&mut moved)?;
            ball.swap_positions(&mut moved_ball)?;
            running.updated();
            running.queried(black_box(intersections(&cloth, &ball)).pairs.len());
        }
        for frame in 0..frames {
            let mut running = all_f32.frame(frame, || {
                moved.clear();
                moved.extend_from_slice(mesh.positions());
                modes.displace_all(black_box(&q[frame]), &mut moved);
                moved_f32.clear();
                moved_f32.extend(moved.iter().map(|p| p.as_vec3()));
                moved_ball_f32.clear();
                moved_ball_f32.extend(at(centers[frame]).map(|p| p.as_vec3()));
            });
            cloth_f32.swap_positions(&mut moved_f32)?;
            ball_f32.swap_positions(&mut moved_ball_f32)?;
            running.updated();
            running.queried(black_box(intersections(&cloth_f32, &ball_f32)).pairs.len());
        }
        for frame in 0..frames {
            let mut running = on_demand.frame(frame, || ());
            reduced.set_coordinates(black_box(&q[frame]))?;
            rigid.set_isometry(Isometry::from_translation(centers[frame])?);
            running.updated();
            running.queried(black_box(intersections(&reduced, &rigid)).pairs.len());
        }
    }
    all.print("pliant, all refitted, f64");
    all_f32.print("pliant, all refitted, f32");
    on_demand.print("pliant, on demand");
    Ok(())
}

/// Two men whom joints move.
fn men(reader: &mut Reader<'_>, rounds: usize) -> Outcome<()> {
    let (frames, joints, characters) = (reader.int()?, reader.int()?, reader.int()?);
    let mesh = reader.mesh()?;
    let vertices = mesh.positions().len();
    let named = (0..4 * vertices).map(|_| reader.int()).collect::<Outcome<Vec<_>>>()?;
    let parts = (0..4 * vertices).map(|_| reader.float()).collect::<Outcome<Vec<_>>>()?;
    let mut weights = SkinWeights::default();
    for (named, parts) in named.chunks_exact(4).zip(parts.chunks_exact(4)) {
        let influence =
            |(&joint, &weight): (&usize, &f64)| Influence { joint: joint as u32, weight };
        let own = named.iter().zip(parts).map(influence).filter(|own| own.weight > 0.0);
        weights.push(&own.collect::<Vec<_>>());
    }
    let mut pose = || {
        let joint = |_| -> Outcome<DAffine3> {
            let rows = [(); 12].map(|()| reader.float());
            let [a, b, c, x, d, e, f, y, g, h, i, z] = rows;
            let matrix3 = DMat3::from_cols_array(&[a?, d?, g?, b?, e?, h?, c?, f?, i?]);
            Ok(DAffine3 { matrix3, translation: DVec3::new(x?, y?, z?) })
        };
        (0..joints).map(joint).collect::<Outcome<Vec<_>>>()
    };
    let mut poses = Vec::with_capacity(frames);
    for _ in 0..frames {
        poses.push((0..characters).map(|_| pose()).collect::<Outcome<Vec<_>>>()?);
    }
    let binding = Binding::new(weights, joints)?;
    let man = Body::skinned(mesh, binding, Blending::Linear)?;
    println!("{} nodes each", man.nodes());
    let with = |policy| {
        let mut pair: [SkinnedBody; 2] = [man.clone(), man.clone()];
        pair.iter_mut().for_each(|man| man.set_policy(policy));
        (pair, Times::new(frames))
    };
    let (mut all, mut all_times) = with(RefitPolicy::AllAtOnce);
    let (mut lazy, mut lazy_times) = with(RefitPolicy::OnDemand);
    let (mut adaptive, mut adaptive_times) = with(RefitPolicy::Adaptive);
    for _ in 0..rounds {
        let contestants = [
            (&mut all, &mut all_times),
            (&mut lazy, &mut lazy_times),
            (&mut adaptive, &mut adaptive_times),
        ];
        for ([a, b], times) in contestants {
            for (frame, poses) in poses.iter().enumerate() {
                let mut running = times.frame(frame, || ());
                a.set_pose(black_box(&poses[0]), &[])?;
                b.set_pose(black_box(&poses[1]), &[])?;
                running.updated();
                running.queried(black_box(intersections(&*a, &*b)).pairs.len());
            }
        }
    }
    all_times.print("pliant, all at once, f64");
    lazy_times.print("pliant, on demand");
    adaptive_times.print("pliant, adaptive");
    Ok(())
}
