//! The program `pliant`: where do things that bend touch?

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(pliant_cli::run(std::env::args_os()))
}
