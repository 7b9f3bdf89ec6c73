//! A small glTF file that implies large data takes bounded memory. The only test of its process, so
//! that the process's peak is that of the test.

#[path = "all/common/mod.rs"]
mod common;

use common::triangle::{add, square};
use pliant_io::read_gltf_bytes;
use serde_json::{Value, json};

/// The peak memory of the process in MiB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

/// The square with zero positions except one of the given number, and as many morph targets like
/// them. Spaces fill the file to the given size.
fn sparse(vertices: u64, targets: usize, bytes: usize) -> Vec<u8> {
    let mut document = square();
    let place = add(&mut document, &[1, 0, 0, 0], 5121, "SCALAR", 4);
    let place = document["accessors"][place]["bufferView"].clone();
    let zeros = json!({
        "componentType": 5126, "type": "VEC3", "count": vertices,
        "min": [0, 0, 0], "max": [1, 0, 0],
        "sparse": {
            "count": 1,
            "indices": { "bufferView": place, "componentType": 5121 },
            "values": { "bufferView": 0, "byteOffset": 12 },
        },
    });
    document["accessors"][0] = zeros.clone();
    let accessors = document["accessors"].as_array_mut().unwrap();
    let first = accessors.len();
    accessors.extend(vec![zeros; targets]);
    let list: Vec<Value> =
        (0..targets).map(|target| json!({ "POSITION": first + target })).collect();
    if targets > 0 {
        document["meshes"][0]["primitives"][0]["targets"] = json!(list);
    }
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().max(bytes), b' ');
    text
}

#[test]
fn implied_zeros_are_charged() {
    let Some(before) = peak() else {
        eprintln!("skipped: /proc/self/status does not tell the peak of memory here");
        return;
    };
    let megabyte = 1 << 20;
    let reason = |bytes: &[u8]| read_gltf_bytes(bytes, "zeros.gltf").unwrap_err().to_string();
    // The first accessor alone exceeds the limit.
    let refusal = reason(&sparse(8_000_000, 0, megabyte));
    let expected =
        "zeros.gltf: accessor 0: 24000000 more numbers are too many for a file of its size";
    assert_eq!(refusal, expected);
    // Each is small but the total exceeds the limit: the accessor that exceeds it is named.
    let refusal = reason(&sparse(100_000, 1000, megabyte));
    assert!(refusal.contains("accessor 71: 300000 more numbers are too many"), "{refusal}");
    // The most that such a file may use, in one piece and in many: it loads.
    for (vertices, targets) in [(6_900_000, 0), (100_000, 68)] {
        let bytes = sparse(vertices, targets, megabyte);
        let scene = read_gltf_bytes(&bytes, "zeros.gltf").unwrap();
        assert_eq!(scene.objects()[0].mesh.positions().len() as u64, vertices);
    }
    let grown = peak().unwrap_or(before) - before;
    println!("{grown} MiB more than before");
    assert!(grown < 400, "a file of 1 MB took {grown} MiB");
    // A face of 60 sparse targets with 32 bytes per vertex in the file, which is not unusual.
    let bytes = sparse(10_000, 60, 32 * 10_000);
    read_gltf_bytes(&bytes, "face.gltf").unwrap();
}
