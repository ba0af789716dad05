//! The whole service against a strict fake of Slack. One module per part of the service; `harness` runs it.

mod harness;

mod buttons;
mod commands;
mod faults;
mod ingress;
mod mentions;
mod serve;
mod suggestions;
