//! Plain BM25, the floor: tantivy's default tokenizer and score over the same text, and nothing else.

use tantivy::{
    Index, IndexWriter, Searcher, TantivyDocument, Term,
    query::{BooleanQuery, Occur, Query, TermQuery},
    schema::{FAST, Field, IndexRecordOption, Schema, TEXT},
};

use super::{collect::Best, schema};
use crate::corpus::Corpus;

/// An index of whole cases for plain BM25.
pub struct Baseline {
    index: Index,
    searcher: Searcher,
    text: Field,
}

impl Baseline {
    /// Indexes the published cases of a corpus.
    pub fn build(corpus: &Corpus) -> Self {
        let mut builder = Schema::builder();
        let text = builder.add_text_field("text", TEXT);
        let ordinal = builder.add_u64_field("ordinal", FAST);
        let index = Index::create_in_ram(builder.build());
        let mut writer: IndexWriter = index
            .writer_with_num_threads(1, 64 * 1024 * 1024)
            .expect("a fresh index has no other writer");
        for (at, case) in corpus
            .cases()
            .iter()
            .enumerate()
            .filter(|(_, case)| case.is_published())
        {
            let mut document = TantivyDocument::new();
            for (_, localized) in schema::texts(case) {
                localized
                    .iter()
                    .for_each(|(_, part)| document.add_text(text, part));
            }
            case.signals
                .iter()
                .for_each(|signal| document.add_text(text, signal));
            document.add_u64(ordinal, at as u64);
            writer
                .add_document(document)
                .expect("an index in memory does no I/O that could fail");
        }
        writer
            .commit()
            .expect("an index in memory does no I/O that could fail");
        let searcher = index
            .reader()
            .expect("an index in memory can always be read")
            .searcher();
        Self {
            index,
            searcher,
            text,
        }
    }

    /// Returns the places of the best cases in the corpus, best first.
    pub fn search(&self, text: &str, limit: usize) -> Vec<usize> {
        let mut analyzer = self
            .index
            .tokenizers()
            .get("default")
            .expect("tantivy has its default tokenizer");
        let mut stream = analyzer.token_stream(text);
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        while let Some(token) = stream.next() {
            let term = Term::from_field_text(self.text, &token.text);
            clauses.push((
                Occur::Should,
                Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)),
            ));
        }
        let collector = Best {
            ordinal_field: "ordinal".to_owned(),
            limit,
            accept: &|_| true,
        };
        let hits = self
            .searcher
            .search(&BooleanQuery::new(clauses), &collector)
            .expect("an index in memory does no I/O that could fail");
        hits.into_iter().map(|hit| hit.ordinal).collect()
    }
}
