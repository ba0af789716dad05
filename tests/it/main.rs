//! The whole service against a strict fake of Slack. One module per part of the service; `harness` runs it.

mod harness;

mod api;
mod buttons;
mod commands;
mod corpus;
mod crash;
mod durable;
mod faults;
mod ingress;
mod mentions;
mod relevance;
mod serve;
mod store;
mod suggestions;
mod tidy;
