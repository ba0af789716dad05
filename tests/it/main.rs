//! The whole service against a strict fake of Slack. One module per part of the service; `harness` runs it.

mod harness;

mod api;
mod buttons;
mod commands;
mod corpus;
mod crash;
mod doctor;
mod durable;
mod faults;
mod ingress;
mod library;
mod manifest;
mod mcp;
mod mentions;
mod pages;
mod relevance;
mod replay;
mod serve;
mod store;
mod suggestions;
mod tidy;
