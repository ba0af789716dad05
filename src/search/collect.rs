//! Collects the best hits of a query by a plain scan.
//!
//! Not tantivy's `TopDocs`: its pruning is far slower than a scan on queries of dozens of words over several fields, and
//! float order there can flip near-ties (shared measurements; tantivy PR 856).

use std::cmp::Ordering;

use tantivy::{
    DocId, Score, SegmentOrdinal, SegmentReader,
    collector::{Collector, SegmentCollector},
    columnar::Column,
};

/// A case with its raw score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scored {
    pub(super) ordinal: usize,
    pub(super) score: Score,
}

/// Best first; equal scores by place in the corpus, which is by id.
pub(super) fn best_first(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.ordinal.cmp(&b.ordinal))
}

/// Collects the `limit` best cases that `accept` allows.
pub(super) struct Best<'a> {
    pub(super) ordinal_field: String,
    pub(super) limit: usize,
    pub(super) accept: &'a (dyn Fn(usize) -> bool + Sync),
}

pub(super) struct SegmentBest {
    ordinals: Column<u64>,
    hits: Vec<Scored>,
}

impl Collector for Best<'_> {
    type Fruit = Vec<Scored>;
    type Child = SegmentBest;

    fn for_segment(
        &self,
        _: SegmentOrdinal,
        segment: &SegmentReader,
    ) -> tantivy::Result<SegmentBest> {
        let ordinals = segment.fast_fields().u64(&self.ordinal_field)?;
        Ok(SegmentBest {
            ordinals,
            hits: Vec::new(),
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, fruits: Vec<Vec<Scored>>) -> tantivy::Result<Vec<Scored>> {
        let mut hits: Vec<Scored> = fruits
            .into_iter()
            .flatten()
            .filter(|hit| (self.accept)(hit.ordinal))
            .collect();
        if hits.len() > self.limit {
            hits.select_nth_unstable_by(self.limit, best_first);
            hits.truncate(self.limit);
        }
        hits.sort_unstable_by(best_first);
        Ok(hits)
    }
}

impl SegmentCollector for SegmentBest {
    type Fruit = Vec<Scored>;

    fn collect(&mut self, document: DocId, score: Score) {
        let ordinal = self.ordinals.first(document).unwrap_or_default();
        self.hits.push(Scored {
            ordinal: usize::try_from(ordinal).unwrap_or(usize::MAX),
            score,
        });
    }

    fn harvest(self) -> Vec<Scored> {
        self.hits
    }
}
