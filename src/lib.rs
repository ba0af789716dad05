//! incident-like
pub mod app;
pub mod cli;
pub mod config;
pub mod corpus;
pub mod library;
pub mod query;
pub mod search;
pub mod slack;
pub mod telemetry;
pub mod views;
pub mod web;
pub mod worker;
