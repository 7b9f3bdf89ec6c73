use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;

use super::*;

fn chunk_of(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(kind);
    crc.update(data);
    let length = (data.len() as u32).to_be_bytes();
    [&length[..], kind, data, &crc.sum().to_be_bytes()].concat()
}

/// A PNG of these lines, each with its filter in front, and a palette of grays from white to black.
fn png(head: [u32; 2], [depth, kind, interlaced]: [u8; 3], lines: &[u8]) -> Vec<u8> {
    let [width, height] = head.map(u32::to_be_bytes);
    let head = [&width[..], &height, &[depth, kind, 0, 0, interlaced]].concat();
    let palette: Vec<u8> = (0..4).flat_map(|gray: u8| [255 - 85 * gray; 3]).collect();
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(lines).unwrap();
    let packed = packed.finish().unwrap();
    // Pixels may come in several chunks, and chunks that nobody knows between others.
    let (first, second) = packed.split_at(packed.len() / 2);
    let chunks: [(&[u8; 4], &[u8]); 6] = [
        (b"IHDR", &head),
        (b"tIME", b"whenever"),
        (b"PLTE", &palette),
        (b"IDAT", first),
        (b"IDAT", second),
        (b"IEND", b""),
    ];
    let chunks: Vec<u8> = chunks.iter().flat_map(|(kind, data)| chunk_of(kind, data)).collect();
    [&SIGNATURE[..], &chunks].concat()
}

fn values(bytes: &[u8]) -> Vec<f32> {
    brightness_of(bytes, "t.png").unwrap().values
}

fn error(bytes: &[u8]) -> String {
    brightness_of(bytes, "t.png").unwrap_err().to_string()
}

fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-6, "{found:?} {expected:?}");
    }
}

#[test]
fn every_kind_of_pixel() {
    let third = 1.0 / 3.0;
    // Gray of 1, 2, 4, 8 and 16 bits.
    assert_near(&values(&png([3, 1], [1, 0, 0], &[0, 0b1010_0000])), &[1.0, 0.0, 1.0]);
    assert_near(&values(&png([3, 1], [2, 0, 0], &[0, 0b0001_1100])), &[0.0, third, 1.0]);
    assert_near(&values(&png([2, 1], [4, 0, 0], &[0, 0x5f])), &[third, 1.0]);
    assert_near(&values(&png([2, 1], [8, 0, 0], &[0, 51, 255])), &[0.2, 1.0]);
    let deep = values(&png([1, 1], [16, 0, 0], &[0, 0x12, 0x34]));
    assert_near(&deep, &[f32::from(0x1234_u16) / 65535.0]);
    // Colours, with and without opacity, and of the palette.
    assert_near(&values(&png([2, 1], [8, 2, 0], &[0, 255, 0, 0, 0, 255, 0])), &[0.2126, 0.7152]);
    assert_near(&values(&png([1, 1], [8, 6, 0], &[0, 0, 0, 255, 9])), &[0.0722]);
    assert_near(&values(&png([1, 1], [8, 4, 0], &[0, 51, 7])), &[0.2]);
    assert_near(&values(&png([1, 1], [16, 2, 0], &[0, 255, 255, 255, 255, 255, 255])), &[1.0]);
    let indexed = values(&png([4, 1], [2, 3, 0], &[0, 0b0001_1011]));
    assert_near(&indexed, &[1.0, 2.0 * third, third, 0.0]);
    assert!(error(&png([1, 1], [4, 3, 0], &[0, 0x70])).contains("palette"));
}

/// Each filter, on numbers worked out by hand: rows of 10 20 30, 15 25 40, ...
#[test]
fn every_filter() {
    let lines = [
        [0, 10, 20, 30],
        [1, 15, 10, 15],
        [2, 1, 2, 3],
        // The mean of left and above, rounded down: 8, (50 + 27) / 2, (60 + 43) / 2.
        [3, 42, 22, 9],
        // Of left, above and corner the nearest to left + above - corner.
        [4, 1, 1, 1],
    ];
    let expected: [[u8; 3]; 5] =
        [[10, 20, 30], [15, 25, 40], [16, 27, 43], [50, 60, 60], [51, 61, 62]];
    let found = values(&png([3, 5], [8, 0, 0], &lines.concat()));
    let expected: Vec<f32> = expected.iter().flatten().map(|&it| f32::from(it) / 255.0).collect();
    assert_near(&found, &expected);
    assert!(error(&png([1, 1], [8, 0, 0], &[5, 0])).contains("filter"));
}

/// An interlaced picture is the picture that is not.
#[test]
fn interlaced() {
    for [width, height] in [[1, 1], [5, 3], [9, 11], [16, 8]] {
        let value = |x: usize, y: usize| (x * 7 + y * 31) as u8;
        let plain: Vec<u8> = (0..height)
            .flat_map(|y| std::iter::once(0).chain((0..width).map(move |x| value(x, y))))
            .collect();
        let mut passes = Vec::new();
        for [x, y, across, down] in ADAM7 {
            for row in (y..height).step_by(down).filter(|_| x < width) {
                passes.push(0);
                passes.extend((x..width).step_by(across).map(|column| value(column, row)));
            }
        }
        let size = [width as u32, height as u32];
        assert_eq!(values(&png(size, [8, 0, 1], &passes)), values(&png(size, [8, 0, 0], &plain)));
    }
}

#[test]
fn what_is_wrong_is_said() {
    let good = png([2, 1], [8, 0, 0], &[0, 1, 2]);
    for length in 0..good.len() {
        assert!(brightness_of(&good[..length], "t.png").is_err());
    }
    assert!(error(b"GIF89a").contains("not PNG"));
    assert!(error(&png([2, 1], [8, 0, 0], &[0, 1])).contains("number of pixels"));
    assert!(error(&png([2, 1], [8, 0, 0], &[0, 1, 2, 3])).contains("number of pixels"));
    assert!(error(&png([0, 1], [8, 0, 0], &[0])).contains("header"));
    assert!(error(&png([1, 1], [4, 2, 0], &[0, 1])).contains("header"));
    // Four billion times four billion pixels take no memory.
    assert!(error(&png([u32::MAX; 2], [16, 6, 1], &[0])).contains("too many"));
    let mut damaged = good;
    damaged[30] ^= 1;
    assert!(error(&damaged).contains("checksum"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(
        size in prop::array::uniform2(0_u32..20),
        kind in prop::array::uniform3(0_u8..8),
        depth in prop::sample::select(vec![1_u8, 2, 4, 8, 16]),
        lines in prop::collection::vec(0_u8..6, 0..400),
    ) {
        let _ = brightness_of(&png(size, [depth, kind[1], kind[2] % 2], &lines), "t.png");
    }
}
