//! Written files of each format give the same numbers when read.

use std::path::Path;

use pliant::Mesh;
use pliant_io::{read_md2, read_mdd, read_obj, read_pc2, read_ply, read_stl};
use proptest::prelude::*;

use crate::written::{Plain, Ply};

const FILE: &str = "written";

/// Finite bit patterns of every kind, from subnormal to huge.
fn coordinate() -> impl Strategy<Value = f32> + Clone {
    any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |x| x.is_finite())
}

fn mesh<T: Clone + std::fmt::Debug>(
    coordinate: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = (Vec<[T; 3]>, Vec<[u32; 3]>)> {
    let positions =
        prop::collection::vec([coordinate.clone(), coordinate.clone(), coordinate], 1..20);
    positions.prop_flat_map(|positions| {
        let corner = 0..positions.len() as u32;
        let triangles = prop::collection::vec([corner.clone(), corner.clone(), corner], 1..20);
        (Just(positions), triangles)
    })
}

/// Numbers that are exact in `f32`.
fn narrow() -> impl Strategy<Value = Plain> {
    mesh(coordinate()).prop_map(|(positions, triangles)| Plain {
        positions: positions.into_iter().map(|p| p.map(f64::from)).collect(),
        triangles,
    })
}

/// Numbers that need `f64`.
fn wide() -> impl Strategy<Value = Plain> {
    let coordinate = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite());
    mesh(coordinate).prop_map(|(positions, triangles)| Plain { positions, triangles })
}

fn bits(position: [f64; 3]) -> [u64; 3] {
    position.map(f64::to_bits)
}

fn assert_same(mesh: &Mesh, plain: &Plain) {
    assert_eq!(mesh.triangles(), plain.triangles);
    let read: Vec<_> = mesh.positions().iter().map(|p| bits(p.to_array())).collect();
    let written: Vec<_> = plain.positions.iter().map(|&p| bits(p)).collect();
    assert_eq!(read, written);
}

/// Each corner has the same position, and there is one vertex per position.
fn assert_same_soup(mesh: &Mesh, plain: &Plain) {
    let place = |p: [f64; 3]| p.map(|x| (x + 0.0).to_bits());
    let corners = |t: [u32; 3]| t.map(|v| place(mesh.positions()[v as usize].to_array()));
    let read: Vec<_> = mesh.triangles().iter().map(|&t| corners(t)).collect();
    let written: Vec<_> = crate::written::soup(plain).into_iter().map(|c| c.map(place)).collect();
    assert_eq!(read, written);
    assert!(mesh.places().iter().enumerate().all(|(vertex, &first)| vertex == first as usize));
}

proptest! {
    #[test]
    fn text_keeps_every_f64(plain in wide()) {
        let file = Path::new(FILE);
        assert_same(&read_obj(&crate::written::obj(&plain), file).unwrap(), &plain);
        assert_same(&read_ply(&crate::written::ply(&plain, Ply::Ascii, true), file).unwrap(), &plain);
        assert_same_soup(&read_stl(&crate::written::stl_text(&plain), file).unwrap(), &plain);
    }

    #[test]
    fn binary_keeps_every_f64(plain in wide()) {
        for encoding in [Ply::Little, Ply::Big] {
            let bytes = crate::written::ply(&plain, encoding, true);
            assert_same(&read_ply(&bytes, Path::new(FILE)).unwrap(), &plain);
        }
    }

    #[test]
    fn binary_keeps_every_f32(plain in narrow()) {
        for encoding in [Ply::Little, Ply::Big] {
            let bytes = crate::written::ply(&plain, encoding, false);
            assert_same(&read_ply(&bytes, Path::new(FILE)).unwrap(), &plain);
        }
        assert_same_soup(&read_stl(&crate::written::stl_binary(&plain), Path::new(FILE)).unwrap(), &plain);
    }

    #[test]
    fn caches_keep_every_f32(
        frames in (1usize..8).prop_flat_map(|points| {
            let position = [coordinate(), coordinate(), coordinate()];
            prop::collection::vec(prop::collection::vec(position, points), 1..8)
        }),
    ) {
        let from_pc2 = read_pc2(&crate::written::pc2(&frames), Path::new(FILE), 1.0).unwrap();
        let from_mdd = read_mdd(&crate::written::mdd(&frames), Path::new(FILE)).unwrap();
        let bits = |frame: &[[f32; 3]]| -> Vec<_> {
            frame.iter().map(|p| p.map(f32::to_bits)).collect()
        };
        for (i, frame) in frames.iter().enumerate() {
            prop_assert_eq!(from_pc2.times()[i], 10.0 + i as f64);
            prop_assert_eq!(from_mdd.times()[i], 10.0 + i as f64 / 2.0);
            prop_assert_eq!(bits(from_pc2.frame(i).unwrap()), bits(frame));
            prop_assert_eq!(bits(from_mdd.frame(i).unwrap()), bits(frame));
        }
        prop_assert_eq!(from_pc2.frames().len(), frames.len());
        prop_assert_eq!(from_mdd.times().len(), frames.len());
    }

    #[test]
    fn keyframes_keep_their_steps(
        (frames, triangles) in (1u32..8).prop_flat_map(|vertices| {
            let frame = prop::collection::vec(any::<[u8; 3]>(), vertices as usize);
            let corner = 0..vertices;
            let triangle = [corner.clone(), corner.clone(), corner];
            (prop::collection::vec(frame, 1..5), prop::collection::vec(triangle, 1..5))
        }),
    ) {
        let model = read_md2(&crate::written::md2(&frames, &triangles), Path::new(FILE)).unwrap();
        prop_assert_eq!(model.mesh.triangles(), triangles);
        prop_assert_eq!(model.mesh.positions(), &model.keyframes[0].positions[..]);
        prop_assert_eq!(model.keyframes.len(), frames.len());
        for (i, (read, frame)) in model.keyframes.iter().zip(&frames).enumerate() {
            prop_assert_eq!(&read.name, &format!("frame{i}"));
            let expected = frame.iter().map(|steps| steps.map(|s| 1.0 + f64::from(s) / 2.0));
            prop_assert!(read.positions.iter().map(|p| p.to_array()).eq(expected));
        }
    }
}
