//! The whole service against a strict fake of Slack. One module per part of the service; `harness` runs it.

mod harness;

mod api;
mod buttons;
mod commands;
mod corpus;
mod doctor;
mod faults;
mod ingress;
mod manifest;
mod library;
mod mentions;
mod relevance;
mod replay;
mod serve;
mod suggestions;
mod tidy;
