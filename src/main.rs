//! Parses the command line and runs what it says.

use std::process::ExitCode;

use incident_like::{app, cli::Cli};

fn main() -> ExitCode {
    app::install_crypto_provider();
    match Cli::read().run() {
        Ok(code) => code,
        Err(error) => {
            anstream::eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
