//! The fields of the index and how a case fills them.

use tantivy::{
    Index, IndexSettings, ReloadPolicy, Searcher, TantivyDocument,
    schema::{FAST, Field, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions},
    tokenizer::{Token as IndexToken, TokenStream, Tokenizer},
};

use crate::{
    corpus::{Case, Localized, TermId, fold},
    query::SignalFinder,
};

use super::{Passages, Zone};

/// Handles of all fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    /// The words of all zones. One field: with a field for each zone, short zones outweigh the ones that tell the
    /// story, and the gold sets' MRR falls from 0.89 to 0.82.
    pub(super) text: Field,
    /// Facet terms, as decimal [`TermId::index`].
    pub(super) terms: Field,
    /// Exact signals, folded.
    pub(super) signals: Field,
    /// The case's place in the corpus.
    pub(super) ordinal: Field,
}

/// Name under which the index knows [`Rejoined`].
const TOKENIZER: &str = "rejoined";

/// Memory for the one indexing thread, in bytes; tantivy asks for at least 15 MB.
const WRITER_MEMORY_BYTES: usize = 64 * 1024 * 1024;

/// What the index takes from a case. Reading it takes longest, and needs nothing but the case.
pub(super) struct Reading {
    pub(super) passages: Passages,
    /// Exact signals, folded and sorted.
    pub(super) signals: Vec<String>,
    /// All words, each with [`TOKEN_END`] after it.
    pub(super) words: String,
}

impl Reading {
    pub(super) fn of(case: &Case, finder: &SignalFinder) -> Self {
        let mut words = String::new();
        let passages = Passages::new(case, |token| {
            words.push_str(token);
            words.push(TOKEN_END);
        });
        Self {
            passages,
            signals: signals(case, finder),
            words,
        }
    }
}

/// Fills an index in memory.
pub(super) struct Writer {
    index: Index,
    fields: Fields,
    documents: tantivy::IndexWriter<TantivyDocument>,
}

impl Writer {
    pub(super) fn new() -> Self {
        let mut builder = Schema::builder();
        // Frequencies suffice for BM25; positions would double the index and nothing asks for them yet.
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqs);
        let text = builder.add_text_field(
            "text",
            TextOptions::default().set_indexing_options(indexing),
        );
        let terms = builder.add_text_field("terms", STRING);
        let signals = builder.add_text_field("exact-signals", STRING);
        let ordinal = builder.add_u64_field("ordinal", FAST);
        let fields = Fields {
            text,
            terms,
            signals,
            ordinal,
        };
        let index = Index::create(
            tantivy::directory::RamDirectory::create(),
            builder.build(),
            IndexSettings::default(),
        )
        .expect("an empty index in memory can always be made");
        index.tokenizers().register(TOKENIZER, Rejoined::default());
        // One thread: document ids, and with them ties, stay the same from start to start.
        let documents = index
            .writer_with_num_threads(1, WRITER_MEMORY_BYTES)
            .expect("a fresh index has no other writer");
        Self {
            index,
            fields,
            documents,
        }
    }

    /// Adds a published case as it was read.
    pub(super) fn add(&mut self, ordinal: usize, case: &Case, words: &str, signals: &[String]) {
        let mut document = TantivyDocument::new();
        document.add_text(self.fields.text, words);
        for term in case.all_terms() {
            document.add_text(self.fields.terms, term_key(term));
        }
        for signal in signals {
            document.add_text(self.fields.signals, signal);
        }
        document.add_u64(self.fields.ordinal, ordinal as u64);
        self.documents
            .add_document(document)
            .expect("an index in memory does no I/O that could fail");
    }

    pub(super) fn finish(mut self) -> (Searcher, Fields) {
        self.documents
            .commit()
            .expect("an index in memory does no I/O that could fail");
        let reader = self
            .index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .expect("an index in memory can always be read");
        (reader.searcher(), self.fields)
    }
}

/// Returns all texts of a case with their zones. Destructured: a new field of a case must be decided on here.
pub(super) fn texts(case: &Case) -> Vec<(Zone, &Localized)> {
    let Case {
        id: _,
        own: _,
        audience: _,
        organisation: _,
        date: _,
        status: _,
        superseded_by: _,
        notes: _,
        severity: _,
        time_to_detect: _,
        time_to_recover: _,
        regions: _,
        tags: _,
        causes: _,
        components: _,
        symptoms: _,
        factors: _,
        // Language-neutral, read apart.
        signals: _,
        title,
        impact_scope,
        affected_users,
        summary,
        symptoms_seen,
        trigger,
        cause,
        detection,
        actions,
        follow_ups,
        lessons,
        sources: _,
        references: _,
    } = case;
    let mut texts = vec![
        (Zone::Symptoms, symptoms_seen),
        (Zone::Title, title),
        (Zone::Cause, cause),
        (Zone::Cause, summary),
    ];
    let optional = [
        (Zone::Symptoms, impact_scope),
        (Zone::Symptoms, affected_users),
        (Zone::Trigger, trigger),
        (Zone::Actions, detection),
    ];
    texts.extend(
        optional
            .into_iter()
            .filter_map(|(zone, text)| Some((zone, text.as_ref()?))),
    );
    texts.extend(actions.iter().map(|action| (Zone::Actions, &action.text)));
    texts.extend(lessons.iter().map(|lesson| (Zone::Lessons, lesson)));
    texts.extend(
        follow_ups
            .iter()
            .map(|follow_up| (Zone::Lessons, &follow_up.text)),
    );
    texts
}

/// Stands after each token of a zone's text. Tokens never hold it: they are made of letters and digits.
const TOKEN_END: char = '\n';

/// Gives the tokens back that [`Reading::of`] has joined. (tantivy's pre-tokenized fields travel as JSON, which takes
/// longer than making the tokens.)
#[derive(Clone, Default)]
struct Rejoined {
    token: IndexToken,
}

struct RejoinedStream<'a> {
    rest: &'a str,
    token: &'a mut IndexToken,
}

impl Tokenizer for Rejoined {
    type TokenStream<'a> = RejoinedStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> RejoinedStream<'a> {
        self.token.reset();
        RejoinedStream {
            rest: text,
            token: &mut self.token,
        }
    }
}

impl TokenStream for RejoinedStream<'_> {
    fn advance(&mut self) -> bool {
        let Some((token, rest)) = self.rest.split_once(TOKEN_END) else {
            return false;
        };
        self.rest = rest;
        self.token.text.clear();
        self.token.text.push_str(token);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &IndexToken {
        self.token
    }

    fn token_mut(&mut self) -> &mut IndexToken {
        self.token
    }
}

/// Returns the exact signals of a case, folded and sorted: those listed, and those its symptoms name.
fn signals(case: &Case, finder: &SignalFinder) -> Vec<String> {
    let mut signals: Vec<String> = case.signals.iter().map(|signal| fold(signal)).collect();
    let seen = [Zone::Title, Zone::Symptoms, Zone::Trigger, Zone::Actions];
    for (_, text) in texts(case)
        .into_iter()
        .filter(|(zone, _)| seen.contains(zone))
    {
        // Error strings are the same in both languages; one is enough.
        let (_, text) = text.iter().next().expect("a text exists in some language");
        signals.extend(finder.find(text, &[]).into_iter().map(|signal| signal.key));
    }
    signals.sort();
    signals.dedup();
    signals
}

/// Returns the indexed form of a facet term.
pub(super) fn term_key(term: TermId) -> String {
    term.index().to_string()
}

/// Hands on every word of a field, in every segment.
pub(super) fn each_word(searcher: &Searcher, field: Field, mut word: impl FnMut(&str)) {
    for segment in searcher.segment_readers() {
        let index = segment
            .inverted_index(field)
            .expect("an index in memory does no I/O that could fail");
        let mut words = index
            .terms()
            .stream()
            .expect("an index in memory does no I/O that could fail");
        while words.advance() {
            if let Ok(text) = std::str::from_utf8(words.key()) {
                word(text);
            }
        }
    }
}
