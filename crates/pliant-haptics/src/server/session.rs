//! What one client says, done.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::objects::{ClientObject, Objects, Refusal};
use super::{HANDS, Shared};
use crate::protocol::{Command, Report, VERSION};

/// What a client wants to be told, in times per second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Rates {
    pub(super) states: u16,
    pub(super) pictures: u16,
}

/// What is to be answered.
#[derive(Debug)]
pub(super) enum Answer {
    Nothing,
    Report(Report),
    Rates(Rates),
}

/// A client, from its first message on. When it is dropped, its hands and objects go.
#[derive(Debug)]
pub(super) struct Session {
    shared: Arc<Shared>,
    number: u64,
    pub(super) is_known: bool,
    objects: Objects,
    /// Slots that are to be emptied.
    emptied: Vec<usize>,
    /// Whether changes wait for the end of a group.
    in_group: bool,
}

impl Session {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let number = shared.next_client.fetch_add(1, Ordering::Relaxed);
        let (objects, emptied) = (Objects::default(), Vec::new());
        Self { shared, number, is_known: false, objects, emptied, in_group: false }
    }

    /// Does what a command says. `bytes` is the length of its message.
    pub(super) fn take(&mut self, command: Command, bytes: usize) -> Result<Answer, Refusal> {
        if !self.is_known {
            return self.greet(&command);
        }
        match command {
            Command::Hello { .. } => return Err("a second hello".into()),
            Command::Begin if self.in_group => return Err("a group within a group".into()),
            Command::Begin => self.in_group = true,
            Command::Commit if !self.in_group => return Err("the end of no group".into()),
            Command::Commit => self.in_group = false,
            Command::Define { id, shape } => self.define(id, *shape, bytes)?,
            Command::Remove { id } => self.remove(id)?,
            Command::Feel { id, material } => self.objects.feel(id, material)?,
            Command::Texture { id, texture } => self.objects.texture(id, *texture)?,
            Command::Place { id, parent, rotation, translation } => {
                self.objects.place(id, parent, rotation, translation)?;
            }
            Command::Translate { id, by } => self.objects.translate(id, by)?,
            Command::Rotate { id, by } => self.objects.rotate(id, by)?,
            Command::Positions { id, positions } => self.objects.positions(id, positions)?,
            Command::Coordinates { id, values } => self.objects.coordinates(id, values)?,
            Command::Joints { id, joints } => self.objects.joints(id, joints)?,
            Command::Hand { hand, position } => match self.shared.hand(hand, self.number) {
                Some(own) => own.set(position),
                None => return Err(format!("hand {hand} is another's, or there is none")),
            },
            Command::Lift { hand } => {
                if let Some(own) = self.shared.hand(hand, self.number) {
                    own.lift();
                    self.shared.hands[usize::from(hand)].owner.store(0, Ordering::Release);
                }
            }
            Command::Watch { states, pictures } => {
                return Ok(Answer::Rates(Rates { states, pictures }));
            }
            Command::Ping { value } => return Ok(Answer::Report(Report::Pong { value })),
        }
        if !self.in_group {
            self.submit()?;
        }
        Ok(Answer::Nothing)
    }

    /// The first message.
    fn greet(&mut self, command: &Command) -> Result<Answer, Refusal> {
        let Command::Hello { version, token } = command else {
            return Err("the first message is no hello".into());
        };
        if *version != VERSION {
            return Err(format!("version {version}: the server speaks {VERSION}"));
        }
        let settings = &self.shared.settings;
        if settings.token.as_ref().is_some_and(|own| !same(own.as_bytes(), token.as_bytes())) {
            return Err("the token is wrong".into());
        }
        self.is_known = true;
        Ok(Answer::Report(Report::Welcome {
            version: VERSION,
            hands: HANDS as u8,
            rate: settings.rate,
            radius: settings.probe.radius,
            force_limit: settings.probe.force_limit,
            around: self.shared.around,
            title: settings.title.clone(),
        }))
    }

    fn define(
        &mut self,
        id: u32,
        shape: crate::protocol::ShapeData,
        bytes: usize,
    ) -> Result<(), Refusal> {
        if !self.shared.keep(bytes) {
            return Err("the server keeps no more bytes".into());
        }
        let made = ClientObject::new(shape, bytes, || self.shared.stage.take_slot());
        let made = made.inspect_err(|_| self.shared.release(bytes))?;
        let slot = made.shape.as_ref().map(|(slot, _)| *slot);
        match self.objects.put(id, made) {
            Ok(old) => {
                if let Some(old) = old {
                    self.forget(&old);
                }
                Ok(())
            }
            Err(refusal) => {
                self.shared.release(bytes);
                if let Some(slot) = slot {
                    self.shared.stage.return_slot(slot);
                }
                Err(refusal)
            }
        }
    }

    fn remove(&mut self, id: u32) -> Result<(), Refusal> {
        let family = self.objects.family(id);
        if family.is_empty() {
            return Err(format!("there is no object {id}"));
        }
        for member in family {
            self.objects.changed.remove(&member);
            if let Some(object) = self.objects.all.remove(&member) {
                self.forget(&object);
            }
        }
        Ok(())
    }

    fn forget(&mut self, object: &ClientObject) {
        self.shared.release(object.bytes);
        self.emptied.extend(object.shape.as_ref().map(|(slot, _)| *slot));
    }

    /// Gives all that changed to the force loop, as a whole.
    fn submit(&mut self) -> Result<(), Refusal> {
        let changed = std::mem::take(&mut self.objects.changed);
        if changed.is_empty() && self.emptied.is_empty() {
            return Ok(());
        }
        let mut changes: Vec<_> = self.emptied.iter().map(|&slot| (slot, None)).collect();
        let places = self.shared.places();
        for id in changed {
            if let Some((slot, object)) = self.objects.moved(id)? {
                self.shared.prepare(&object, &places);
                changes.push((slot, Some(Box::new(object))));
            }
        }
        // Pictures may be ahead of the loop by a step.
        for (slot, object) in &changes {
            match object {
                Some(object) => self.shared.gallery.show_or_move(*slot, object),
                None => self.shared.gallery.clear(*slot),
            }
        }
        self.shared.stage.submit(changes).map_err(|error| error.to_string())?;
        for slot in self.emptied.drain(..) {
            self.shared.stage.return_slot(slot);
        }
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.shared.lift_all(self.number);
        let ids: Vec<u32> = self.objects.all.keys().copied().collect();
        for id in ids {
            if let Some(object) = self.objects.all.remove(&id) {
                self.forget(&object);
            }
        }
        self.objects.changed.clear();
        // A loop that has ended needs no changes.
        let _ = self.submit();
    }
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn same(first: &[u8], second: &[u8]) -> bool {
    let differing = first.iter().zip(second).fold(0, |sum, (a, b)| sum | (a ^ b));
    first.len() == second.len() && differing == 0
}
