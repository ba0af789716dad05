//! Standard output as every subcommand writes it: whoever reads may stop at any time, and a disk may be full.

use std::io::{self, BufWriter, Write};

use anyhow::Context;

/// Writes to standard output. `anstream` takes the marks off again where it is no terminal.
///
/// # Errors
/// When it cannot be written, other than because nobody reads any more.
pub(super) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut out = BufWriter::new(anstream::stdout().lock());
    finish(write(&mut out).and_then(|()| out.flush()))
}

/// Writes a text and ends the line.
pub(super) fn line(text: &str) -> anyhow::Result<()> {
    print(|out| writeln!(out, "{text}"))
}

/// Says what became of writing to standard output.
pub(super) fn finish(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        // Whoever reads has seen enough (`| head`).
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}
