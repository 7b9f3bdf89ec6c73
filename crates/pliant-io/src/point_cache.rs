//! Point caches: the positions of a mesh's vertices, frame by frame (PC2 and MDD).

use std::path::Path;

use pliant::Mesh;

use crate::cursor::Cursor;
use crate::times::first_disorder;
use crate::{Error, Result};

/// The positions of a mesh's vertices at a sequence of times.
///
/// There is at least one frame and one point, times increase, and every number is finite. Positions
/// stay in `f32`, as in the file, and take as much memory as there.
#[derive(Debug, Clone, PartialEq)]
pub struct PointCache {
    times: Vec<f64>,
    points: usize,
    positions: Vec<[f32; 3]>,
}

impl PointCache {
    /// The times of the frames in seconds, increasing.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Points per frame: the vertices of the mesh in file order.
    #[must_use]
    pub fn points(&self) -> usize {
        self.points
    }

    /// The positions of a frame; `None` if the frame does not exist.
    #[must_use]
    pub fn frame(&self, frame: usize) -> Option<&[[f32; 3]]> {
        let start = frame.checked_mul(self.points)?;
        self.positions.get(start..start.checked_add(self.points)?)
    }

    /// The positions of all frames, in order.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = &[[f32; 3]]> {
        self.positions.chunks_exact(self.points)
    }

    /// Checks that this can be the motion of a mesh: it has one point per vertex.
    ///
    /// # Errors
    /// [`Error::Geometry`] with both counts; `file` is the cache's.
    pub fn check_fits(&self, mesh: &Mesh, file: &Path) -> Result<()> {
        self.check_count(mesh.positions().len(), file)
    }

    /// Checks that there is one point for each of so many vertices.
    pub(crate) fn check_count(&self, vertices: usize, file: &Path) -> Result<()> {
        let (expected, given) = (vertices, self.points);
        if expected == given {
            return Ok(());
        }
        Err(Error::Geometry {
            file: file.into(),
            element: "point cache".into(),
            source: pliant::Error::CountMismatch { what: "points per frame", expected, given },
        })
    }
}

/// Reads a PC2 point cache (3ds Max, Blender), version 1.
///
/// The file counts time in frames of the scene: sample i is at frame `start + i * rate`. It does
/// not state the duration of a frame; `frames_per_second` does, and determines the times in
/// seconds.
///
/// # Errors
/// [`Error::Malformed`] with the sample, also if the file's length does not match its counts
/// exactly or times do not increase; [`Error::Unsupported`] for another version.
///
/// ```
/// use std::path::Path;
///
/// let mut bytes = b"POINTCACHE2\0".to_vec();
/// // Version, points, start, rate, samples.
/// for number in [1, 1, 12f32.to_bits(), 2f32.to_bits(), 2] {
///     bytes.extend(u32::to_le_bytes(number));
/// }
/// bytes.extend([1f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_le_bytes()));
/// let cache = pliant_io::read_pc2(&bytes, Path::new("one.pc2"), 24.0)?;
/// assert_eq!(cache.times(), [0.5, 14.0 / 24.0]);
/// assert_eq!(cache.frame(1), Some(&[[4.0, 5.0, 6.0]][..]));
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn read_pc2(bytes: &[u8], file: &Path, frames_per_second: f64) -> Result<PointCache> {
    let refuse = |element: &str, reason: String| Err(Error::malformed(file, element, reason));
    if !(frames_per_second.is_finite() && frames_per_second > 0.0) {
        let element = format!("{frames_per_second} frames per second");
        return Err(Error::unsupported(file, element, "the rate must be positive and finite"));
    }
    let mut cursor = Cursor::new(bytes, 0);
    let mut word = || cursor.array::<4>().map_err(|short| Error::malformed(file, "header", short));
    if [word()?, word()?, word()?].as_flattened() != b"POINTCACHE2\0" {
        return refuse("header", "a PC2 file begins with `POINTCACHE2`".into());
    }
    let version = i32::from_le_bytes(word()?);
    if version != 1 {
        let reason = format!("version {version} of PC2 is not supported, only version 1");
        return Err(Error::unsupported(file, "header", reason));
    }
    let points = word().map(i32::from_le_bytes)?;
    let start = word().map(f32::from_le_bytes)?;
    let rate = word().map(f32::from_le_bytes)?;
    let samples = word().map(i32::from_le_bytes)?;
    let (samples, points) = counts(samples, points, 0, cursor.rest().len(), file)?;
    let time = |i: usize| (f64::from(start) + i as f64 * f64::from(rate)) / frames_per_second;
    let times: Vec<f64> = (0..samples).map(time).collect();
    check_times(&times, file)?;
    let positions = positions(cursor.rest(), f32::from_le_bytes, points, file)?;
    Ok(PointCache { times, points, positions })
}

/// Reads an MDD point cache (LightWave, Blender); its times are in seconds.
///
/// # Errors
/// [`Error::Malformed`] with the frame, also if the file's length does not match its counts exactly
/// (the format has no other signature) or times do not increase.
///
/// ```
/// use std::path::Path;
///
/// let mut bytes = [1u32, 1].map(u32::to_be_bytes).concat(); // frames, points
/// bytes.extend([0.25f32, 1.0, 2.0, 3.0].iter().flat_map(|x| x.to_be_bytes())); // time, point
/// let cache = pliant_io::read_mdd(&bytes, Path::new("one.mdd"))?;
/// assert_eq!(cache.times(), [0.25]);
/// assert_eq!(cache.frame(0), Some(&[[1.0, 2.0, 3.0]][..]));
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn read_mdd(bytes: &[u8], file: &Path) -> Result<PointCache> {
    let mut cursor = Cursor::new(bytes, 0);
    let mut word = || cursor.array::<4>().map_err(|short| Error::malformed(file, "header", short));
    let frames = i32::from_be_bytes(word()?);
    let points = i32::from_be_bytes(word()?);
    let (frames, points) = counts(frames, points, 4, cursor.rest().len(), file)?;
    // `counts` has checked that all frames are in the file, so the times are as well.
    let (times, data) = cursor.rest().split_at(4 * frames);
    let times: Vec<f64> = numbers(times, f32::from_be_bytes).map(f64::from).collect();
    check_times(&times, file)?;
    let positions = positions(data, f32::from_be_bytes, points, file)?;
    Ok(PointCache { times, points, positions })
}

/// The counts of frames and points, if they match the file's length after the header: `more` bytes
/// per frame and twelve bytes per point and frame.
fn counts(
    frames: i32,
    points: i32,
    more: u64,
    length: usize,
    file: &Path,
) -> Result<(usize, usize)> {
    let refuse = |reason: String| Err(Error::malformed(file, "header", reason));
    let (Ok(frame_count @ 1..), Ok(point_count @ 1..)) =
        (u64::try_from(frames), u64::try_from(points))
    else {
        return refuse(format!("{frames} frames of {points} points: both must be 1 or more"));
    };
    // The product may be up to 2^31 * (2^31 * 12 + 4), which exceeds 2^64, so it is checked.
    let needed = frame_count.checked_mul(point_count * 12 + more);
    if needed == Some(length as u64) {
        return Ok((frame_count as usize, point_count as usize));
    }
    let needed = needed.map_or("too many".into(), |needed| needed.to_string());
    refuse(format!(
        "{frames} frames of {points} points take {needed} bytes after the header, \
         but there are {length}"
    ))
}

/// Refuses times that are not finite or do not increase.
fn check_times(times: &[f64], file: &Path) -> Result<()> {
    match first_disorder(times) {
        Some((frame, reason)) => Err(Error::malformed(file, format!("frame {frame}"), reason)),
        None => Ok(()),
    }
}

fn numbers(bytes: &[u8], number: fn([u8; 4]) -> f32) -> impl Iterator<Item = f32> {
    bytes.chunks_exact(4).map(move |word| number([word[0], word[1], word[2], word[3]]))
}

fn positions(
    bytes: &[u8],
    number: fn([u8; 4]) -> f32,
    points: usize,
    file: &Path,
) -> Result<Vec<[f32; 3]>> {
    let mut positions = vec![[0.0; 3]; bytes.len() / 12];
    let coordinates = positions.as_flattened_mut().iter_mut();
    coordinates.zip(numbers(bytes, number)).for_each(|(coordinate, value)| *coordinate = value);
    match positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        None => Ok(positions),
        Some(i) => {
            let reason = format!("point {} is not finite: {:?}", i % points, positions[i]);
            Err(Error::malformed(file, format!("frame {}", i / points), reason))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pc2(
        version: i32,
        points: i32,
        start: f32,
        rate: f32,
        samples: i32,
        data: &[f32],
    ) -> Vec<u8> {
        let mut bytes = b"POINTCACHE2\0".to_vec();
        bytes.extend([version, points].map(i32::to_le_bytes).as_flattened());
        bytes.extend([start, rate].map(f32::to_le_bytes).as_flattened());
        bytes.extend(samples.to_le_bytes());
        bytes.extend(data.iter().flat_map(|x| x.to_le_bytes()));
        bytes
    }

    fn mdd(frames: i32, points: i32, numbers: &[f32]) -> Vec<u8> {
        let mut bytes = [frames, points].map(i32::to_be_bytes).concat();
        bytes.extend(numbers.iter().flat_map(|x| x.to_be_bytes()));
        bytes
    }

    fn read_both(bytes: &[u8]) -> [Result<PointCache>; 2] {
        [read_pc2(bytes, Path::new("t.pc2"), 25.0), read_mdd(bytes, Path::new("t.pc2"))]
    }

    const DATA: [f32; 12] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0];

    #[test]
    fn both_formats_give_the_same_cache() {
        let [from_pc2, _] = read_both(&pc2(1, 2, 25.0, 12.5, 2, &DATA));
        let with_times: Vec<f32> = [1.0, 1.5].into_iter().chain(DATA).collect();
        let [_, from_mdd] = read_both(&mdd(2, 2, &with_times));
        let cache = from_pc2.unwrap();
        assert_eq!(cache, from_mdd.unwrap());
        assert_eq!((cache.times(), cache.points()), (&[1.0, 1.5][..], 2));
        assert_eq!(cache.frame(1), Some(&[[6.0, 7.0, 8.0], [9.0, 10.0, 11.0]][..]));
        assert_eq!(
            cache.frames().collect::<Vec<_>>(),
            [cache.frame(0).unwrap(), cache.frame(1).unwrap()]
        );
        assert_eq!(cache.frame(2), None);
        assert_eq!(cache.frame(usize::MAX), None);
    }

    #[test]
    fn every_cut_is_refused() {
        let with_times: Vec<f32> = [1.0, 1.5].into_iter().chain(DATA).collect();
        let (pc2, mdd) = (pc2(1, 2, 0.0, 1.0, 2, &DATA), mdd(2, 2, &with_times));
        (0..pc2.len()).for_each(|length| assert!(read_both(&pc2[..length])[0].is_err()));
        (0..mdd.len()).for_each(|length| assert!(read_both(&mdd[..length])[1].is_err()));
        assert!(read_both(&[pc2, vec![0]].concat())[0].is_err());
        assert!(read_both(&[mdd, vec![0]].concat())[1].is_err());
    }

    #[test]
    fn wrong_caches_say_why() {
        let nan = [&DATA[..7], &[f32::NAN], &DATA[8..]].concat();
        let cases = [
            (pc2(2, 2, 0.0, 1.0, 2, &DATA), "header: version 2 of PC2 is not supported"),
            (pc2(1, 0, 0.0, 1.0, 2, &[]), "header: 2 frames of 0 points: both must be 1 or more"),
            (pc2(1, 2, 0.0, 1.0, -1, &[]), "header: -1 frames of 2 points: both must be"),
            (pc2(1, 2, 0.0, 0.0, 2, &DATA), "frame 1: its time 0 s is not after 0 s"),
            (pc2(1, 2, 0.0, -1.0, 2, &DATA), "frame 1: its time -0.04 s is not after 0 s"),
            (pc2(1, 2, f32::NAN, 1.0, 2, &DATA), "frame 0: its time NaN s"),
            (pc2(1, 2, 0.0, 1.0, 2, &nan), "frame 1: point 0 is not finite: [6.0, NaN, 8.0]"),
            (pc2(1, i32::MAX, 0.0, 1.0, i32::MAX, &DATA), "take too many bytes"),
            (
                pc2(1, 2, 0.0, 1.0, 3, &DATA),
                "3 frames of 2 points take 72 bytes after the header, but there are 48",
            ),
            (b"POINTCACHE3\0".to_vec(), "header: a PC2 file begins with `POINTCACHE2`"),
        ];
        for (bytes, expected) in cases {
            let refusal = read_both(&bytes)[0].as_ref().unwrap_err().to_string();
            assert!(refusal.contains(expected), "{refusal}");
        }
        let cases = [
            (mdd(2, 1, &[1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), "frame 1: its time 1 s is not"),
            (mdd(-2, 1, &[]), "header: -2 frames of 1 points"),
            (mdd(i32::MAX, i32::MAX, &DATA), "take too many bytes"),
        ];
        for (bytes, expected) in cases {
            let refusal = read_both(&bytes)[1].as_ref().unwrap_err().to_string();
            assert!(refusal.contains(expected), "{refusal}");
        }
        for rate in [0.0, -25.0, f64::NAN, f64::INFINITY] {
            let outcome = read_pc2(&pc2(1, 2, 0.0, 1.0, 2, &DATA), Path::new("t"), rate);
            assert!(matches!(outcome, Err(Error::Unsupported { .. })));
        }
    }

    #[test]
    fn a_cache_of_another_mesh_is_refused() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Into::into).to_vec();
        let mesh = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
        let [two, _] = read_both(&pc2(1, 2, 0.0, 1.0, 2, &DATA));
        let refusal = two.unwrap().check_fits(&mesh, Path::new("t.pc2")).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "t.pc2: point cache: 2 points per frame were given, but the body has 3"
        );
        let [three, _] = read_both(&pc2(1, 3, 0.0, 1.0, 1, &DATA[..9]));
        assert!(three.unwrap().check_fits(&mesh, Path::new("t.pc2")).is_ok());
    }
}
