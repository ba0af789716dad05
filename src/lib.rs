//! incident-like
pub mod corpus;
pub mod library;
pub mod query;
pub mod search;
pub mod slack;
