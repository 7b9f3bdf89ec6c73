//! False counts are refused before memory is allocated. The only test of its process, so that the
//! process's peak is that of the test.

use std::path::Path;

use pliant_io::{read_md2, read_mdd, read_pc2, read_ply, read_stl};

/// The peak address space of the process in kB. It includes memory that was allocated but never
/// used.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmPeak:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn giant_counts_ask_for_no_memory() {
    let Some(before) = peak() else {
        eprintln!("skipped: /proc/self/status does not tell the peak of memory here");
        return;
    };
    let file = Path::new("liar");
    let giant = i32::MAX;
    let ply = |format: &str, count: &str| {
        let properties = "property uchar x\nproperty uchar y\nproperty uchar z\n";
        let header =
            format!("ply\nformat {format} 1.0\nelement vertex {count}\n{properties}end_header\n");
        [header.as_bytes(), &[b'1'; 1000]].concat()
    };
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        for count in ["400", "4294967295", "18446744073709551615"] {
            let refusal = read_ply(&ply(format, count), file).unwrap_err().to_string();
            assert!(refusal.contains("rows need"), "{refusal}");
        }
    }
    let list = |count: u32| {
        let header = "ply\nformat binary_little_endian 1.0\nelement face 1\n\
                      property list uint uchar vertex_indices\nend_header\n";
        [header.as_bytes(), &count.to_le_bytes(), &[0; 1000]].concat()
    };
    assert!(read_ply(&list(u32::MAX), file).is_err());

    let mut stl = vec![0; 84 + 50];
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(read_stl(&stl, file).is_err());

    let words = |numbers: &[i32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
    for (points, samples) in [(giant, 1), (1, giant), (giant, giant), (giant / 12, 12)] {
        let rate = 1f32.to_bits() as i32;
        let numbers = words(&[1, points, 0, rate, samples]);
        let pc2 = [b"POINTCACHE2\0", &numbers[..], &[0; 1000]].concat();
        assert!(read_pc2(&pc2, file, 24.0).is_err());
        let mut mdd = [samples, points].map(i32::to_be_bytes).concat();
        mdd.resize(1000, 0);
        assert!(read_mdd(&mdd, file).is_err());
    }
    for (vertices, triangles, frames) in [(giant / 4 - 10, 1, 1), (3, giant, 1), (3, 1, giant)] {
        let size = 40 + 4 * vertices;
        let fields =
            [8, 1, 1, size, 0, vertices, 0, triangles, 0, frames, 68, 68, 68, 68, 68, 1000];
        let mut md2 = [b"IDP2", &words(&fields)[..]].concat();
        md2.resize(1000, 0);
        assert!(read_md2(&md2, file).is_err());
    }

    let grown = peak().unwrap_or(before) - before;
    assert!(grown < 16 * 1024, "refusing lies took {grown} kB");
}
