//! The whole service against a strict fake of Slack. One module per part of the service; `harness` runs it.

mod harness;

#[path = "../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "it is a library of the fuzzer's")]
mod fuzz_targets;

mod alerts;
mod api;
mod audience;
mod buttons;
mod commands;
mod corpus;
mod crash;
mod direct;
mod doctor;
mod durable;
mod edits;
mod faults;
mod forms;
mod fuzz;
mod hidden;
mod home;
mod ingress;
mod known_bugs;
mod language;
mod library;
mod links;
mod manifest;
mod mcp;
mod mentions;
mod output;
mod pages;
mod relevance;
mod replay;
mod sdk;
mod serve;
mod settings;
mod socket;
mod store;
mod suggestions;
mod tenancy;
mod terminal;
mod tidy;
mod workflow;
