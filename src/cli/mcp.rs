//! `mcp`: the MCP server on standard input and output, for agents that start their servers themselves.

use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::{
    config::{CorpusConfig, LogConfig},
    mcp::{self, Server},
    telemetry,
};

/// What `mcp` can be told.
#[derive(Args, Clone, Debug)]
pub struct McpConfig {
    #[command(flatten)]
    corpus: CorpusConfig,
    #[command(flatten)]
    log: LogConfig,
}

/// Serves until the client leaves or the process is told to stop. Standard output belongs to the protocol alone.
pub(super) fn run(config: &McpConfig) -> anyhow::Result<ExitCode> {
    telemetry::init(&config.log)?;
    let Some(library) = super::load(&config.corpus)? else {
        return Ok(ExitCode::FAILURE);
    };
    let server = Server::new(super::shared(library));
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    let done = runtime.block_on(async {
        tokio::select! {
            left = mcp::stdio(server) => left.context("the MCP session failed"),
            () = super::stopped() => Ok(()),
        }
    });
    // A read of standard input cannot be broken off; nothing else is left to wait for.
    runtime.shutdown_background();
    done.map(|()| ExitCode::SUCCESS)
}
