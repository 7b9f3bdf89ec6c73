//! Small files, written byte by byte, as an independent check of the readers.

/// A mesh as plain numbers.
#[derive(Debug, Clone)]
pub(crate) struct Plain {
    pub(crate) positions: Vec<[f64; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

pub(crate) fn obj(mesh: &Plain) -> Vec<u8> {
    let mut text = String::from("# written\no thing\n");
    mesh.positions.iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|v| v + 1);
        let [p, q, r] = triangle.map(|v| i64::from(v) - mesh.positions.len() as i64);
        text += &match number % 3 {
            0 => format!("f {a} {b} {c}\n"),
            1 => format!("f {p}/1 {q}/2 {r}/3\n"),
            _ => format!("f {a}//1 {b}//1 \\\n{c}//1\n"),
        };
    }
    text.into_bytes()
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ply {
    Ascii,
    Little,
    Big,
}

/// With a property and an element that a reader must skip; `wide` for `double`.
pub(crate) fn ply(mesh: &Plain, encoding: Ply, wide: bool) -> Vec<u8> {
    let (vertices, faces) = (mesh.positions.len(), mesh.triangles.len());
    let float = if wide { "double" } else { "float" };
    let format = match encoding {
        Ply::Ascii => "ascii",
        Ply::Little => "binary_little_endian",
        Ply::Big => "binary_big_endian",
    };
    let mut bytes = format!(
        "ply\nformat {format} 1.0\ncomment written\nelement vertex {vertices}\nproperty {float} x\n\
         property ushort label\nproperty {float} y\nproperty {float} z\nelement tag 2\n\
         property list uchar short numbers\nelement face {faces}\n\
         property list uchar uint vertex_indices\nproperty uchar red\nend_header\n"
    )
    .into_bytes();
    let put = |bytes: &mut Vec<u8>, little: &[u8]| match encoding {
        Ply::Big => bytes.extend(little.iter().rev()),
        _ => bytes.extend(little),
    };
    let ascii = encoding == Ply::Ascii;
    for [x, y, z] in &mesh.positions {
        if ascii {
            bytes.extend(format!("{x} 7 {y} {z}\n").bytes());
            continue;
        }
        for (number, value) in [x, y, z].into_iter().enumerate() {
            if number == 1 {
                put(&mut bytes, &7u16.to_le_bytes());
            }
            match wide {
                true => put(&mut bytes, &value.to_le_bytes()),
                false => put(&mut bytes, &(*value as f32).to_le_bytes()),
            }
        }
    }
    if ascii {
        bytes.extend(b"0\n2 -5 6\n");
    } else {
        bytes.extend([0, 2, 1, 1, 2, 2]);
    }
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle;
        if ascii {
            bytes.extend(format!("3 {a} {b} {c} 255\n").bytes());
            continue;
        }
        bytes.push(3);
        triangle.iter().for_each(|v| put(&mut bytes, &v.to_le_bytes()));
        bytes.push(255);
    }
    bytes
}

/// The corners of each triangle.
pub(crate) fn soup(mesh: &Plain) -> Vec<[[f64; 3]; 3]> {
    mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize])).collect()
}

pub(crate) fn stl_text(mesh: &Plain) -> Vec<u8> {
    let mut text = String::from("solid written\n");
    for corners in soup(mesh) {
        let [a, b, c] = corners.map(|[x, y, z]| format!("vertex {x:e} {y} {z}\n"));
        text += &format!("facet normal 0 0 1\nouter loop\n{a}{b}{c}endloop\nendfacet\n");
    }
    text += "endsolid written\n";
    text.into_bytes()
}

pub(crate) fn stl_binary(mesh: &Plain) -> Vec<u8> {
    let mut bytes = b"solid by name only".to_vec();
    bytes.resize(80, 0);
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for corners in soup(mesh) {
        bytes.extend([0; 12]);
        bytes.extend(corners.as_flattened().iter().flat_map(|&x| (x as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

/// Samples at frames 10, 11, ...
pub(crate) fn pc2(frames: &[Vec<[f32; 3]>]) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend(1u32.to_le_bytes());
    bytes.extend((frames[0].len() as u32).to_le_bytes());
    bytes.extend([10f32, 1.0].map(f32::to_le_bytes).as_flattened());
    bytes.extend((frames.len() as u32).to_le_bytes());
    bytes.extend(frames.iter().flatten().flatten().flat_map(|x| x.to_le_bytes()));
    bytes
}

/// Frames at half seconds 20, 21, ...
pub(crate) fn mdd(frames: &[Vec<[f32; 3]>]) -> Vec<u8> {
    let mut bytes = [frames.len(), frames[0].len()].map(|n| (n as u32).to_be_bytes()).concat();
    bytes.extend((20u16..).take(frames.len()).flat_map(|i| (f32::from(i) / 2.0).to_be_bytes()));
    bytes.extend(frames.iter().flatten().flatten().flat_map(|x| x.to_be_bytes()));
    bytes
}

/// Steps of a half, moved by 1; each frame has a row of steps.
pub(crate) fn md2(frames: &[Vec<[u8; 3]>], triangles: &[[u32; 3]]) -> Vec<u8> {
    let vertices = frames[0].len() as i32;
    let (size, start) = (40 + 4 * vertices, 68 + 12 * triangles.len() as i32);
    let end = start + size * frames.len() as i32;
    let (f, t) = (frames.len() as i32, triangles.len() as i32);
    let mut bytes = b"IDP2".to_vec();
    let fields = [8, 1, 1, size, 0, vertices, 0, t, 0, f, 68, 68, 68, start, end, end];
    bytes.extend(fields.map(i32::to_le_bytes).as_flattened());
    for triangle in triangles {
        bytes.extend(triangle.map(|v| (v as u16).to_le_bytes()).as_flattened());
        bytes.extend([0; 6]);
    }
    for (number, frame) in frames.iter().enumerate() {
        bytes.extend([0.5f32, 0.5, 0.5, 1.0, 1.0, 1.0].map(f32::to_le_bytes).as_flattened());
        let mut name = format!("frame{number}").into_bytes();
        name.resize(16, 0);
        bytes.extend(name);
        frame.iter().for_each(|&[x, y, z]| bytes.extend([x, y, z, 0]));
    }
    bytes
}

/// A small DCD of three atoms and two frames. If some atoms are free, numbered from 1, the others
/// are fixed and the second frame has only the free ones.
pub(crate) fn dcd(free: &[u32]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut record = |body: &[u8]| {
        out.extend((body.len() as u32).to_le_bytes());
        out.extend(body);
        out.extend((body.len() as u32).to_le_bytes());
    };
    let mut head = b"CORD".to_vec();
    head.extend([0_u8; 80]);
    if !free.is_empty() {
        head[36..40].copy_from_slice(&(3 - free.len() as u32).to_le_bytes());
    }
    record(&head);
    record(&[0; 84]);
    record(&3_u32.to_le_bytes());
    if !free.is_empty() {
        let list: Vec<u8> = free.iter().flat_map(|atom| atom.to_le_bytes()).collect();
        record(&list);
    }
    for frame in 0..2 {
        let atoms = if frame == 0 || free.is_empty() { 3 } else { free.len() };
        for axis in 0..3 {
            let number = |atom: usize| (frame * 100 + axis * 10 + atom) as f32;
            let body: Vec<u8> = (0..atoms).flat_map(|atom| number(atom).to_le_bytes()).collect();
            record(&body);
        }
    }
    out
}

/// A small XTC of twelve atoms from a separate writer, with full coordinates only.
pub(crate) fn tiny_xtc() -> Vec<u8> {
    let mut out = Vec::new();
    let int = |value: i32, out: &mut Vec<u8>| out.extend(value.to_be_bytes());
    int(1995, &mut out);
    int(12, &mut out);
    out.extend([0; 44]);
    int(12, &mut out);
    out.extend(1000_f32.to_be_bytes());
    for low in [-5, 0, 7] {
        int(low, &mut out);
    }
    for high in [-5 + 15, 15, 7 + 15] {
        int(high, &mut out);
    }
    int(9, &mut out);
    // Sixteen values per axis: their product has 13 bits; then a 0 for `no run`.
    let mut bits = String::new();
    for atom in 0..12_u32 {
        let value = (atom * 16 + (atom + 1)) * 16 + (atom + 2);
        bits += &format!("{:08b}{:05b}0", value & 255, value >> 8);
    }
    while !bits.len().is_multiple_of(32) {
        bits.push('0');
    }
    int((bits.len() / 8) as i32, &mut out);
    for byte in bits.as_bytes().chunks(8) {
        out.push(u8::from_str_radix(std::str::from_utf8(byte).unwrap(), 2).unwrap());
    }
    out
}
