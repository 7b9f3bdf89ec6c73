//! What must hold for any bytes of a client. The fuzz target runs it, too.

use std::sync::OnceLock;

use pliant_haptics::protocol::{Command, Framing, Report};
use pliant_haptics::server::{Server, ServerSettings};

/// What is read is written so that the same is read again; what is refused is refused with a reason; nothing
/// panics, in any number of pieces; and a server does what was read, or refuses it, and goes on.
pub(crate) fn protocol(bytes: &[u8]) {
    let Some((&piece, stream)) = bytes.split_first() else { return };
    let mut framing = Framing::default();
    for piece in stream.chunks(usize::from(piece).max(1)) {
        framing.push(piece);
        while let Ok(Some((kind, body))) = framing.next_message() {
            message(kind, body);
        }
    }
    let server = server();
    let (done, refused) = server.rehearse(stream);
    assert!(refused.is_none_or(|reason| !reason.is_empty()), "{done}");
    assert!(!server.has_ended(), "the force loop has ended");
}

fn message(kind: u16, body: &[u8]) {
    if let Ok(command) = Command::decode(kind, body) {
        let (kind, body) = parts(&command.encode());
        // The length of rotations is made 1 again, which may round.
        let turns = matches!(command, Command::Rotate { .. } | Command::Place { .. });
        let again = Command::decode(kind, &body);
        assert!(if turns { again.is_ok() } else { again == Ok(command) });
    }
    if let Ok(report) = Report::decode(kind, body) {
        let (kind, body) = parts(&report.encode());
        assert_eq!(Report::decode(kind, &body), Ok(report));
    }
}

/// The kind and the body of a message.
pub(crate) fn parts(message: &[u8]) -> (u16, Vec<u8>) {
    let mut framing = Framing::default();
    framing.push(message);
    let found = framing.next_message().expect("it is as long as it says");
    let (kind, body) = found.expect("it is whole");
    (kind, body.to_vec())
}

/// One server for all inputs: its force loop runs.
fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let started = Server::start(vec![], ServerSettings::default(), |device| Box::new(device));
        started.expect("a server starts")
    })
}
