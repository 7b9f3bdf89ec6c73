//! The backend of `bevy_picking`.

use bevy_camera::Camera;
use bevy_camera::visibility::{RenderLayers, ViewVisibility};
use bevy_ecs::prelude::*;
use bevy_picking::Pickable;
use bevy_picking::backend::ray::RayMap;
use bevy_picking::backend::{HitData, PointerHits};

use crate::PliantBodies;

/// Tells `bevy_picking` what is under each pointer: the first hit on each entity that has [`Pliant`](crate::Pliant),
/// is drawn by the camera, and is hoverable. What a pointer cannot reach is not posed.
pub fn pick(
    rays: Res<RayMap>,
    cameras: Query<(&Camera, Option<&RenderLayers>)>,
    drawn: Query<(Option<&ViewVisibility>, Option<&RenderLayers>, Option<&Pickable>)>,
    mut bodies: PliantBodies,
    mut hits: MessageWriter<PointerHits>,
) {
    for (id, &ray) in rays.iter() {
        let Ok((camera, layers)) = cameras.get(id.camera) else { continue };
        let layers = layers.cloned().unwrap_or_default();
        let counts = |entity| {
            drawn.get(entity).is_ok_and(|(visible, own, pickable)| {
                visible.is_none_or(|visible| visible.get())
                    && layers.intersects(own.unwrap_or(&RenderLayers::default()))
                    && pickable.is_none_or(|pickable| pickable.is_hoverable)
            })
        };
        let picks: Vec<(Entity, HitData)> = bodies
            .cast_ray(ray, counts)
            .into_iter()
            .map(|(entity, hit)| {
                let place = (Some(hit.point), Some(hit.normal));
                (entity, HitData::new_with_extra(id.camera, hit.distance, place.0, place.1, hit))
            })
            .collect();
        if !picks.is_empty() {
            hits.write(PointerHits::new(id.pointer, picks, camera.order as f32));
        }
    }
}
