//! A run of `sweep` as a view: each frame with what touches before the next.

use std::path::Path;

use anyhow::Result;
use pliant_io::SceneBodies;

use super::base64;
use super::contacts::{ContactsView, view_frame};
use super::format::ViewImpacts;
use super::looks::Textures;
use crate::check::Method;
use crate::check::row::{FrameRow, WorkRow};
use crate::check::times::Moment;
use crate::source::Input;
use crate::sweep::picture::StepPicture;

/// A view that waits for its steps.
#[derive(Debug)]
pub(crate) struct StepsView {
    view: ContactsView,
    /// All frames that are ends of a step, in order.
    moments: Vec<Moment>,
    /// How many frames the view has.
    added: usize,
}

impl StepsView {
    /// The view before its first step; `resting` were not moved yet.
    pub(crate) fn new(
        input: &Input,
        resting: &SceneBodies,
        method: Method,
        textures: Textures,
        moments: &[Moment],
    ) -> Result<Self> {
        let takes = moments.chunk_by(|a, b| a.take == b.take);
        // A frame alone in its take has no step.
        let moments: Vec<Moment> = takes.filter(|take| take.len() > 1).flatten().copied().collect();
        let mut view = ContactsView::new(input, resting, method, textures, &[&moments])?;
        // Bounds of a step are boxes at both of its ends, which no frame has.
        view.omit_levels();
        Ok(Self { view, moments, added: 0 })
    }

    /// The next step, and the frame at its end if no step follows.
    pub(crate) fn add(&mut self, frame: &FrameRow, picture: Option<&StepPicture>) -> Result<()> {
        let mut shown = view_frame(frame, None);
        let mut numbers = 0;
        if let Some(StepPicture { shown: features, found, times, places }) = picture {
            numbers = 12 * places.len() + 40 * features.len();
            let places = places.iter().flatten().flat_map(|place| place.as_vec3().to_array());
            shown.impacts = Some(ViewImpacts {
                found: *found,
                times: times.clone(),
                features: features.clone(),
                places: base64::floats(places),
            });
        }
        self.view.add_frame(shown, numbers)?;
        self.added += 1;
        let follows = |moment: &&Moment| {
            self.moments.get(self.added + 1).is_none_or(|next| next.take != moment.take)
        };
        if let Some(last) = self.moments.get(self.added).filter(follows) {
            let Moment { take: animation, frame, time } = *last;
            let (pairs, contacts, work) = (Vec::new(), Vec::new(), WorkRow::default());
            let end = FrameRow { number: 0, animation, frame, time, pairs, contacts, work };
            self.view.add_frame(view_frame(&end, None), 0)?;
            self.added += 1;
        }
        Ok(())
    }

    /// Writes the whole view as one page.
    pub(crate) fn write(self, file: &Path, input: &Input) -> Result<()> {
        self.view.write(file, input)
    }
}
