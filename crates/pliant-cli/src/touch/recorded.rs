//! Where the first hand was, in a file: the force loop puts readings into a queue, and a thread takes them.

use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Result, anyhow};
use pliant::glam::DVec3;
use pliant_haptics::Device;
use pliant_haptics::device::{Keeping, Recording, RemoteDevice};

use crate::interrupt;
use crate::write::write_to;

/// Readings that may wait: eight seconds at a kilohertz.
const WAITING: usize = 8192;

/// How often readings are taken.
const PAUSE: Duration = Duration::from_millis(20);

/// Readings that are kept, at most: three hours at a kilohertz.
const MOST: usize = 10_000_000;

/// A recording that grows until the run ends.
pub(super) struct Running {
    thread: JoinHandle<Vec<(f64, DVec3)>>,
}

/// Makes the first hand's device, and keeps its readings if there is a file for them.
pub(super) fn kept(
    file: Option<&Path>,
) -> (impl FnOnce(RemoteDevice) -> Box<dyn Device>, Option<Running>) {
    let (sender, receiver) = match file {
        Some(_) => {
            let (sender, receiver) = sync_channel(WAITING);
            (Some(sender), Some(receiver))
        }
        None => (None, None),
    };
    let running =
        receiver.map(|receiver| Running { thread: std::thread::spawn(move || take(&receiver)) });
    let device = move |remote: RemoteDevice| -> Box<dyn Device> {
        match sender {
            Some(sender) => Box::new(Keeping::new(remote, sender)),
            None => Box::new(remote),
        }
    };
    (device, running)
}

fn take(receiver: &Receiver<(f64, DVec3)>) -> Vec<(f64, DVec3)> {
    let mut all = Vec::new();
    loop {
        match receiver.try_recv() {
            Ok(reading) if all.len() < MOST => all.push(reading),
            Ok(_) => {}
            Err(TryRecvError::Empty) if !interrupt::is_asked() => std::thread::sleep(PAUSE),
            Err(_) => return all,
        }
    }
}

impl Running {
    /// Writes what was recorded.
    pub(super) fn write(self, file: &Path) -> Result<()> {
        let all = self.thread.join().map_err(|_| anyhow!("the recording broke off"))?;
        let text = Recording::new(all)?.to_csv();
        write_to(file, |out| out.write_all(text.as_bytes()))
    }
}
