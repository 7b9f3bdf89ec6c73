//! `pliant touch`: a haptic server, and a page where the mouse or a finger is the device.

mod handshake;
mod maps;
mod played;
mod recorded;
mod simulated;

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pliant::volume::{Aabb, Volume as _};
use pliant_haptics::device::RemoteDevice;
use pliant_haptics::server::{Server, ServerSettings};
use pliant_haptics::{Device, Material, Object, Settings, Shading};
use serde::Serialize;

use crate::number::{not_negative, positive};
use crate::simulate::is_scene;
use crate::source::{FILES, InputArguments};
use crate::terminal::tell;
use crate::view::{open_browser, server};
use crate::write::{check_writable, print};
pub(crate) use handshake::accepted;

const EXAMPLES: &str = "
Examples:
  pliant touch chairs                        push chairs: they bend, fall and ring
  pliant touch walk.glb                      touch a body while it walks
  pliant touch wall.glb --height-map bricks.png --height 0.01     feel a picture as heights
  pliant touch scene.toml --no-open --port 7700     your own scene: docs/scene-format.md
  pliant touch ball.stl --record path.csv    where the hand was, to be played again
  pliant touch ball.stl --listen 0.0.0.0 --token some-long-secret

The page and clients of the touch protocol (docs/touch-protocol.md) use the same port. Clients may also
bring objects of their own.";

/// What the command line says.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{FILES}\n{EXAMPLES}"))]
pub(crate) struct TouchArguments {
    #[command(flatten)]
    input: InputArguments,
    /// The port; any that is free if none is given.
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Steps of the force loop per second.
    #[arg(long, value_name = "HZ", default_value = "1000", value_parser = positive)]
    rate: f64,
    /// Only print the address.
    #[arg(long)]
    no_open: bool,
    /// Write where the first hand is in every step, as CSV.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Serve other machines, too: the address to listen at. Needs a token.
    #[arg(long, value_name = "ADDRESS", requires = "token")]
    listen: Option<IpAddr>,
    /// What clients must know: at least 8 characters.
    #[arg(long, value_name = "TEXT")]
    token: Option<String>,
    /// The proxy's radius; 1/200 of the size of the scene's bodies if none is given.
    #[arg(long, value_name = "LENGTH", value_parser = positive)]
    radius: Option<f64>,
    /// The largest force, in newtons.
    #[arg(long, value_name = "N", default_value = "20", value_parser = positive)]
    force_limit: f64,
    /// Newtons per unit of length between proxy and device.
    #[arg(long, value_name = "N/M", default_value = "500", value_parser = positive)]
    stiffness: f64,
    /// Friction of all surfaces.
    #[arg(long, value_name = "MU", default_value = "0.4", value_parser = not_negative)]
    friction: f64,
    /// Facets feel smooth.
    #[arg(long)]
    smooth: bool,
    #[command(flatten)]
    maps: maps::MapArguments,
    /// How many bodies a built-in scene has.
    #[arg(long, value_name = "N")]
    bodies: Option<usize>,
    /// The seed of places and rotations of a built-in scene.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

impl TouchArguments {
    fn material(&self) -> Material {
        let shading = if self.smooth { Shading::Smooth } else { Shading::Facets };
        let friction = self.friction;
        let plain = Material { stiffness: self.stiffness, shading, ..Material::default() };
        plain.with_friction(friction, 0.8 * friction)
    }
}

/// What is touched, and what moves it beside the force loop.
trait Scenery: Send {
    /// Objects, one per slot, with their names.
    fn objects(&mut self) -> Result<Vec<(String, Object)>>;

    /// How many of them, from the first on, are what one touches; the others, as a floor, stand around.
    fn bodies(&self) -> usize;

    /// Moves them until the server ends.
    fn run(&mut self, server: &Server) -> Result<()>;
}

/// The page's first data.
#[derive(Debug, Serialize)]
struct TouchView {
    format: &'static str,
    version: u32,
    pliant: &'static str,
    title: String,
    command: String,
    needs_token: bool,
}

/// Serves until it is interrupted.
pub(crate) fn run(arguments: &TouchArguments) -> Result<()> {
    let address = arguments.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    if let Some(token) = &arguments.token {
        ensure!((8..=200).contains(&token.len()), "--token: it needs from 8 to 200 characters");
    }
    ensure!(arguments.rate <= 20_000.0, "--rate: at most 20000 steps per second");
    if let Some(file) = &arguments.record {
        check_writable(file)?;
    }
    let listener = server::bind(address, arguments.port)
        .with_context(|| format!("{address}, port {}", arguments.port))?;
    let title = arguments.input.title();
    let (material, maps) = (arguments.material(), arguments.maps.maps());
    let mut scenery: Box<dyn Scenery> = match arguments
        .input
        .only_text()
        .filter(|name| is_scene(name))
    {
        Some(name) => {
            ensure!(maps.is_empty(), "{name}: maps of a scene stand in it: docs/scene-format.md");
            Box::new(simulated::Simulated::new(name, arguments.bodies, arguments.seed, material)?)
        }
        None => {
            ensure!(arguments.bodies.is_none(), "--bodies is for built-in scenes");
            Box::new(played::Played::new(&arguments.input, material, &maps)?)
        }
    };
    let objects = scenery.objects()?;
    let bodies = objects.iter().take(scenery.bodies());
    let boxes = bodies.map(|(_, object)| object.body().bounding_box());
    let around = boxes.fold(Aabb::EMPTY, |all, one| all.merge(&one)).corners();
    let usual = ((around[1] - around[0]).length() / 200.0).clamp(1e-6, 1e6);
    let radius = arguments.radius.unwrap_or(usual);
    let probe = Settings { radius, force_limit: arguments.force_limit, ..Settings::default() };
    let token = arguments.token.clone();
    let settings = ServerSettings {
        probe,
        rate: arguments.rate,
        token,
        title: title.clone(),
        around: Some(around),
        ..ServerSettings::default()
    };
    let (device, recording) = recorded::kept(arguments.record.as_deref());
    let first = |remote: RemoteDevice| -> Box<dyn Device> { device(remote) };
    let touch = Server::start(objects, settings, first)?;
    let view = TouchView {
        format: "pliant-touch",
        version: 1,
        pliant: env!("CARGO_PKG_VERSION"),
        command: format!("pliant touch {title}"),
        title,
        needs_token: arguments.token.is_some(),
    };
    let data =
        server::Data { view: serde_json::to_vec(&view)?, scene: None, touch: Some(touch.clone()) };
    let local = listener.local_addr()?;
    let fragment = arguments.token.as_ref().map(|token| format!("#{token}")).unwrap_or_default();
    print(&format!("http://{local}/{fragment}\n"))?;
    tell("touch what is on the page above; clients use the same address and port; Ctrl-C ends it");
    if !arguments.no_open {
        open_browser(&format!("http://{local}/{fragment}"));
    }
    crate::interrupt::wait_for_it();
    std::thread::spawn(move || server::serve(&listener, data));
    let moved = scenery.run(&touch);
    if let Some(recording) = recording {
        recording.write(arguments.record.as_deref().unwrap_or(Path::new("-")))?;
    }
    moved
}

/// Whether the run is to end.
fn is_over(server: &Server) -> bool {
    crate::interrupt::is_asked() || server.has_ended()
}
