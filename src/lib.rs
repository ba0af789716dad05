//! incident-like: the closest past incidents for what an on-call engineer sees.
//!
//! # The way of a request
//!
//! | step | where | in → out |
//! | --- | --- | --- |
//! | receive, verify | `web::slack_hook`, [`slack::signature`] | headers and bounded raw bytes → [`slack::signature::VerifiedBody`] |
//! | or be connected | [`slack::socket`] | frames over a connection of ours → [`slack::socket::Payload`] |
//! | parse | [`slack::inbound`] | verified body or payload → [`slack::inbound::Inbound`] |
//! | take | `web::slack_answer` | → what is answered at once, and jobs |
//! | command | [`slack::command`] | text → [`slack::command::Command`] |
//! | terms | [`query`] | text → [`query::QueryTerms`] |
//! | search and rank | [`search`] | terms → scored cases |
//! | judge | [`library::Library::lookup`] | → [`library::Answer`], with why each precedent is close |
//! | render | [`slack::render`], [`views`], [`slack::preview`] | answer → message, JSON, terminal |
//! | deliver | the HTTP response or the acknowledgement, or [`worker`] through [`slack::client`] | |
//!
//! A slash command goes the whole way inside the response. What an event causes is recorded in the [`store`] as a
//! job of [`worker`], and then the event is acknowledged. Forms ([`slack::form`]), buttons, messages to the bot alone and
//! workflow steps end in the same small language ([`slack::command::narrow`]) and go the same way. The command line, the
//! pages, the JSON API and the MCP server enter at "terms" and leave at "judge" with their own rendering.
//!
//! # Layers
//!
//! | layer | modules | may use | sole owner of |
//! | --- | --- | --- | --- |
//! | data | [`corpus`] | nothing of ours | `toml`, `annotate-snippets` |
//! | terms | [`query`] | data | text normalisation, stemming |
//! | search | [`search`] | data, terms | `tantivy` |
//! | core | [`library`] | the above | lookup, and what is browsed: lists, topics, graph, figures |
//! | edges | [`views`]; [`slack`] | the above, never each other | `slack`: `slack-morphism`, `tokio-tungstenite`; `views` and `web`: `utoipa` |
//! | memory | [`store`] | [`slack`]'s places and messages | `rusqlite`, `tokio-postgres` |
//! | figures | [`metrics`] | nothing of ours | `prometheus-client` |
//! | surfaces | [`web`], [`worker`], [`mcp`] | the above, never the insides of each other | `web`: `axum`, `askama`, `governor`; `worker`: `ring`'s sealing; `mcp`: `rmcp` |
//! | replay | [`replay`] | data to edges, [`worker::decide`] | `zip` |
//! | root | [`app`], [`config`], [`telemetry`], [`eval`], [`cli`] | everything | `clap`, the runtime |
//!
//! What is deliberately absent, each kept by `tests/it/tidy.rs`: the first four layers are synchronous, know neither Slack
//! nor HTTP, and read no clock, environment or network; files are read only while a corpus loads; core types do not
//! serialise; after start-up a [`library::Library`] never changes, and is replaced whole.

pub mod app;
pub mod cli;
pub mod config;
pub mod corpus;
pub mod eval;
pub mod library;
pub mod mcp;
pub mod metrics;
pub mod query;
pub mod replay;
pub mod search;
pub mod slack;
pub mod store;
pub mod telemetry;
pub mod views;
pub mod web;
pub mod worker;
