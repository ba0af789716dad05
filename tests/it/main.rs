//! The whole service against a strict fake of Slack. One module per part of the service; `harness` runs it.

mod harness;

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
mod home;
mod ingress;
mod language;
mod library;
mod links;
mod manifest;
mod mcp;
mod mentions;
mod pages;
mod relevance;
mod replay;
mod serve;
mod socket;
mod store;
mod suggestions;
mod tenancy;
mod tidy;
mod workflow;
