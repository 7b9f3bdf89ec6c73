//! The haptic server: clients of any language change the scene and move hands, while a force loop keeps
//! a proxy per hand on the surfaces (docs/touch-protocol.md).
//!
//! | file | what it is |
//! | --- | --- |
//! | `stage` | the force loop, its slots, and changes on their way to it |
//! | `gallery` | what the scene looks like, for those who draw it |
//! | `objects` | the objects of one client |
//! | `session` | what one client says, done |
//! | `connection` | the two threads of a client: what it says is read |
//! | `telling` | what it asked for is told |
//! | `allowance` | how much a client may send |
//! | `websocket` | the protocol's bytes in frames of a WebSocket |
//!
//! # Why a client cannot hold up the force loop
//! The loop shares two things with the rest: bounded queues of changes that are ready, from which it takes
//! without waiting, at most four per step, and words of memory that it reads and writes without waiting.
//! All else, decoding, building, freeing and waiting for locks, happens on the threads of the clients.
//! A client that says something wrong, sends more than it may, or does not read for two seconds loses its
//! connection, and with it its objects and hands.

mod allowance;
mod connection;
mod gallery;
mod objects;
mod session;
mod stage;
mod telling;
pub mod websocket;

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use pliant::glam::DVec3;
use pliant::volume::{Aabb, Volume as _};

use crate::device::{RemoteDevice, RemoteHand};
use crate::protocol::{Command, Framing};
use crate::{Device, Object, Probe, Result, Scene, Settings, Watcher};
pub use connection::Transport;
use connection::talk;
use gallery::Gallery;
use session::Session;
use stage::Stage;

/// Hands of a server: fingers of a hand on a phone.
pub const HANDS: usize = 5;

/// Objects of all clients together, at most.
pub const CLIENT_SLOTS: usize = 128;

/// Clients at a time, at most.
pub const MAX_CLIENTS: usize = 8;

/// Bytes of messages whose objects are kept, of all clients together.
pub const MAX_KEPT: usize = 192 << 20;

/// How far around hands new states are prepared, in radii of the proxy.
const PREPARED: f64 = 3.0;

/// What a server is made with.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// The probes.
    pub probe: Settings,
    /// Steps per second.
    pub rate: f64,
    /// Seconds within which a device follows what a client tells.
    pub follows_within: f64,
    /// What clients must say, if anything.
    pub token: Option<String>,
    /// What is shown.
    pub title: String,
    /// The box that clients are told to look at; around all objects if none is given.
    pub around: Option<[DVec3; 2]>,
}

impl Default for ServerSettings {
    /// 1000 steps per second; hands are smoothed within 8 ms; no token.
    fn default() -> Self {
        Self {
            probe: Settings::default(),
            rate: 1000.0,
            follows_within: 0.008,
            token: None,
            title: String::new(),
            around: None,
        }
    }
}

/// A server: a force loop that runs, and clients that come and go.
#[derive(Debug, Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    settings: ServerSettings,
    around: [DVec3; 2],
    hands: Vec<HandOfServer>,
    watcher: Watcher,
    stage: Stage,
    gallery: Gallery,
    clients: AtomicUsize,
    next_client: AtomicU64,
    /// Bytes of messages whose objects are kept.
    kept: AtomicUsize,
}

/// A hand, and the client that moves it: its number, or 0.
#[derive(Debug)]
struct HandOfServer {
    hand: Arc<RemoteHand>,
    owner: AtomicU64,
}

impl Server {
    /// Starts the force loop over named objects. The first hand may have another device than what clients
    /// tell, for instance one that records.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) and [`Error::Loop`](crate::Error::Loop).
    pub fn start(
        objects: Vec<(String, Object)>,
        settings: ServerSettings,
        first: impl FnOnce(RemoteDevice) -> Box<dyn Device>,
    ) -> Result<Self> {
        let is_box = |[low, high]: &[DVec3; 2]| low.is_finite() && high.is_finite();
        let around = settings.around.filter(is_box).unwrap_or_else(|| around(&objects));
        let gallery = Gallery::new(objects.len() + CLIENT_SLOTS);
        for (slot, (name, object)) in objects.iter().enumerate() {
            gallery.show(slot, name, object);
        }
        let scene = Scene::with_room(objects.into_iter().map(|(_, object)| object), CLIENT_SLOTS);
        let start = around[1];
        let mut first = Some(first);
        let mut hands = Vec::new();
        let mut devices = Vec::new();
        for _ in 0..HANDS {
            let hand = RemoteHand::new();
            let device = RemoteDevice::new(Arc::clone(&hand), settings.follows_within);
            let device = match first.take() {
                Some(first) => first(device),
                None => Box::new(device),
            };
            devices.push((Probe::new(start, settings.probe)?, device));
            hands.push(HandOfServer { hand, owner: AtomicU64::new(0) });
        }
        let stage = Stage::start(scene, devices, settings.rate)?;
        let shared = Shared {
            around,
            hands,
            watcher: stage.watcher(),
            stage,
            gallery,
            clients: AtomicUsize::new(0),
            next_client: AtomicU64::new(1),
            kept: AtomicUsize::new(0),
            settings,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Talks with a client on threads of its own until it goes or is sent away. `false` if there are too
    /// many clients: then the stream is closed.
    pub fn admit(&self, stream: TcpStream, transport: Transport) -> bool {
        talk(&self.shared, stream, transport)
    }

    /// Replaces objects of the scene that the server began with, all in one.
    ///
    /// # Errors
    /// [`Error::NoSuchSlot`](crate::Error::NoSuchSlot), and [`Error::Loop`](crate::Error::Loop) if the
    /// loop has ended or does not take changes.
    pub fn replace(&self, objects: Vec<(usize, Object)>) -> Result<()> {
        let drawn = self.shared.gallery.is_watched();
        let places = self.shared.places();
        let changed = objects.into_iter().map(|(slot, object)| {
            self.shared.prepare(&object, &places);
            if drawn {
                self.shared.gallery.move_to(slot, &object);
            }
            (slot, Some(Box::new(object)))
        });
        self.shared.stage.submit(changed.collect())
    }

    /// Does what a client says, without a connection: the messages that it sends after its hello, up to the first
    /// that is refused. Returns how many were done, and the refusal. For tests.
    pub fn rehearse(&self, messages: &[u8]) -> (usize, Option<String>) {
        let mut framing = Framing::default();
        framing.push(messages);
        let mut session = Session::new(Arc::clone(&self.shared));
        session.is_known = true;
        let mut done = 0;
        loop {
            let taken = match framing.next_message() {
                Ok(None) => return (done, None),
                Ok(Some((kind, body))) => Command::decode(kind, body)
                    .map_err(|wrong| wrong.to_string())
                    .and_then(|command| session.take(command, body.len())),
                Err(wrong) => Err(wrong.to_string()),
            };
            match taken {
                Ok(_) => done += 1,
                Err(reason) => return (done, Some(reason)),
            }
        }
    }

    /// Takes back an object that was replaced and can be moved again, if one of its slot came back.
    #[must_use]
    pub fn spare(&self, slot: usize) -> Option<Box<Object>> {
        self.shared.stage.spare(slot)
    }

    /// Sees what the force loop does.
    #[must_use]
    pub fn watcher(&self) -> Watcher {
        self.shared.watcher.clone()
    }

    /// How many clients there are.
    #[must_use]
    pub fn clients(&self) -> usize {
        self.shared.clients.load(Ordering::Relaxed)
    }

    /// Whether the force loop has ended, because a device did.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.shared.stage.has_ended()
    }
}

/// A box around objects; a cube of a metre if there are none.
fn around(objects: &[(String, Object)]) -> [DVec3; 2] {
    let boxes = objects.iter().map(|(_, object)| object.body().bounding_box());
    let all = boxes.fold(Aabb::EMPTY, |all, one| all.merge(&one)).corners();
    if all.iter().all(|corner| corner.is_finite()) && all[0].cmple(all[1]).all() {
        all
    } else {
        [DVec3::splat(-0.5), DVec3::splat(0.5)]
    }
}

impl Shared {
    /// Where the hands are.
    fn places(&self) -> Vec<DVec3> {
        let seen = (0..self.watcher.hands()).map(|hand| self.watcher.seen(hand));
        seen.filter(|seen| seen.is_present).map(|seen| seen.proxy).collect()
    }

    /// Computes what hands at these places ask of an object, beside the force loop.
    fn prepare(&self, object: &Object, places: &[DVec3]) {
        let distance = PREPARED * self.settings.probe.radius;
        places.iter().for_each(|&place| object.prepare_near(place, distance));
    }

    /// Takes bytes of what is kept. `false` if there is no room for them.
    fn keep(&self, bytes: usize) -> bool {
        let take = |kept: usize| kept.checked_add(bytes).filter(|&sum| sum <= MAX_KEPT);
        self.kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    fn release(&self, bytes: usize) {
        self.kept.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The hand, if this client moves it or nobody does.
    fn hand(&self, number: u8, client: u64) -> Option<&RemoteHand> {
        let hand = self.hands.get(usize::from(number))?;
        match hand.owner.compare_exchange(0, client, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Some(&hand.hand),
            Err(owner) => (owner == client).then_some(&*hand.hand),
        }
    }

    /// Takes all hands of a client away.
    fn lift_all(&self, client: u64) {
        for hand in &self.hands {
            if hand.owner.load(Ordering::Acquire) == client {
                hand.hand.lift();
                hand.owner.store(0, Ordering::Release);
            }
        }
    }
}
