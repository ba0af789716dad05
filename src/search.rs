//! The index and ranking.

use crate::corpus::Corpus;

/// The index.
pub struct Index {}

impl Index {
    /// Indexes a corpus.
    pub fn build(_corpus: &Corpus) -> Self {
        Self {}
    }
}
