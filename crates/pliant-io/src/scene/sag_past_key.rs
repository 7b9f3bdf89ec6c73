//! How vertices leave their straight lines where a key is close to an end of a span.
//!
//! Keys of files and frames of a program seldom fall on the very same times. What is left between
//! them is so short that it does not pay to look at it by itself.
//!
//! Let the key be at the share s of the span, C the line between both ends, and k = C(s) - P(s), from the
//! key's place. Between both lines of the pieces and C there is at most |k|, reached at the key. Along
//! the longer piece a path leaves its line by 4 t (1 - t) m and an error, and 4 t (1 - t) differs
//! by at most 4 times the shorter share from what it is with t counted over the whole span. Along the
//! shorter piece it leaves it by at most a stray. So the same m holds for the whole span, with a larger
//! error.

use pliant::glam::{DAffine3, DVec3};

use super::stray::ROUNDING;
use super::{Deformation, Object, Pose, RestReaches, Sags, Scene, SceneError};

impl Scene {
    /// As [`Scene::sags`] between the first and the last of three times, where keys may be at the second
    /// and nowhere else between. `None` if this is not known of an object that moves.
    ///
    /// # Errors
    /// Those of [`Scene::pose`].
    pub fn sags_past_key(
        &self,
        reaches: &RestReaches,
        animation: Option<usize>,
        times: [f64; 3],
    ) -> Result<Option<Vec<Option<Sags>>>, SceneError> {
        let [start, key, end] = times;
        let at = (key - start) / (end - start);
        let (longer, shorter, short) = match at >= 0.5 {
            true => ([start, key], [key, end], (end - key) / (end - start)),
            false => ([key, end], [start, key], at),
        };
        let strays = self.strays(reaches, animation, longer)?;
        let short_strays = self.strays(reaches, animation, shorter)?;
        let mut all = self.sags(reaches, animation, longer)?;
        let poses =
            [self.pose(animation, start)?, self.pose(animation, key)?, self.pose(animation, end)?];
        for (number, object) in self.objects().iter().enumerate() {
            let Some(maps) = self.maps(object, &poses) else { return Ok(None) };
            let Some(sags) = &mut all[number] else {
                let is_still = maps.iter().all(|[a, b, c]| a == b && b == c);
                if is_still && strays[number] == 0.0 && short_strays[number] == 0.0 {
                    continue;
                }
                return Ok(None);
            };
            let stray = short_strays[number];
            let mut moved: f64 = 0.0;
            let rest = object.mesh.positions();
            for (vertex, (sag, &p)) in sags.vertices.iter_mut().zip(rest).enumerate() {
                let mut places = [DVec3::ZERO; 3];
                let mut is_still = true;
                let mut add = |weight: f64, maps: &[DAffine3; 3]| {
                    is_still &= maps[0] == maps[1] && maps[1] == maps[2];
                    for (place, map) in places.iter_mut().zip(maps) {
                        *place += map.transform_point3(p) * weight;
                    }
                };
                match &object.deformation {
                    Deformation::Skin { weights, .. } => {
                        for influence in weights.of(vertex).iter().filter(|one| one.weight != 0.0) {
                            let Some(maps) = maps.get(influence.joint as usize) else {
                                return Ok(None);
                            };
                            add(influence.weight, maps);
                        }
                    }
                    _ => add(1.0, &maps[0]),
                }
                if is_still && stray == 0.0 {
                    continue;
                }
                let [a, b, c] = places;
                let largest = a.abs().max(b.abs()).max(c.abs()).max_element();
                let off = (a * (1.0 - at) + c * at - b).length();
                let way = if at >= 0.5 { c.distance(b) } else { b.distance(a) };
                if !(off + way).is_finite() {
                    return Ok(None);
                }
                moved = moved.max(way);
                let bow = 4.0 * short * sag.midway.length();
                sag.error += (off + bow + stray) * (1.0 + 1e-9) + 4.0 * largest * ROUNDING;
            }
            if !sags.past_key(short, moved + 3.0 * stray) {
                return Ok(None);
            }
        }
        Ok(Some(all))
    }

    /// The maps of an object's joints, or of its node, in three poses; `None` if vertices move by more
    /// than these.
    fn maps(&self, object: &Object, poses: &[Pose; 3]) -> Option<Vec<[DAffine3; 3]>> {
        match &object.deformation {
            Deformation::Rigid => {
                let of = |pose: &Pose| pose.nodes.get(object.node).copied();
                let [a, b, c] = poses.each_ref().map(of);
                Some(vec![[a?, b?, c?]])
            }
            Deformation::Skin { skin, morph: None, .. } => {
                let [a, b, c] = poses.each_ref().map(|pose| pose.joints.get(*skin));
                let both = a?.iter().zip(b?).zip(c?);
                Some(both.map(|((&a, &b), &c)| [a, b, c]).collect())
            }
            _ => None,
        }
    }
}
