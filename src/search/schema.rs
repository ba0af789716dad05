//! The fields of the index and how a case fills them.

use tantivy::{
    Index, IndexSettings, ReloadPolicy, Searcher, TantivyDocument,
    schema::{FAST, Field, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions},
    tokenizer::{PreTokenizedString, Token as IndexToken},
};

use crate::{
    corpus::{Action, Case, FollowUp, Localized, TermId, fold},
    library::Zone,
    query::{SignalFinder, tokenize},
};

/// Handles of all fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    /// Text zones with their weights in ranking.
    pub(super) zones: [(Zone, Field, f32); 7],
    /// Facet terms, as decimal [`TermId::index`].
    pub(super) terms: Field,
    /// Exact signals, folded.
    pub(super) signals: Field,
    /// The case's place in the corpus.
    pub(super) ordinal: Field,
}

/// Name and weight of each zone's field. People search with what they see, so symptoms count most and what was done
/// least. First guesses, to be replaced by weights learned on the gold sets.
const ZONES: [(Zone, &str, f32); 7] = [
    (Zone::Title, "title", 1.2),
    (Zone::Symptoms, "symptoms", 1.0),
    (Zone::Trigger, "trigger", 0.7),
    (Zone::Cause, "cause", 0.6),
    (Zone::Actions, "actions", 0.4),
    (Zone::Lessons, "lessons", 0.25),
    (Zone::Signals, "signals", 0.8),
];

/// Memory for the one indexing thread, in bytes; tantivy asks for at least 15 MB.
const WRITER_MEMORY_BYTES: usize = 64 * 1024 * 1024;

/// Fills an index in memory.
pub(super) struct Writer {
    index: Index,
    fields: Fields,
    writer: tantivy::IndexWriter<TantivyDocument>,
}

impl Writer {
    pub(super) fn new() -> Self {
        let mut builder = Schema::builder();
        // Frequencies suffice for BM25; positions would double the index and nothing asks for them yet.
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::WithFreqs);
        let text = TextOptions::default().set_indexing_options(indexing);
        let zones = ZONES
            .map(|(zone, name, weight)| (zone, builder.add_text_field(name, text.clone()), weight));
        let terms = builder.add_text_field("terms", STRING);
        let signals = builder.add_text_field("exact-signals", STRING);
        let ordinal = builder.add_u64_field("ordinal", FAST);
        let fields = Fields {
            zones,
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
        // One thread: document ids, and with them ties, stay the same from start to start.
        let writer = index
            .writer_with_num_threads(1, WRITER_MEMORY_BYTES)
            .expect("a fresh index has no other writer");
        Self {
            index,
            fields,
            writer,
        }
    }

    pub(super) fn add(&mut self, ordinal: usize, case: &Case, signals: &[String]) {
        let mut document = TantivyDocument::new();
        for (zone, field, _) in self.fields.zones {
            let mut tokens = Vec::new();
            for text in zone_texts(case, zone) {
                add_tokens(text, &mut tokens);
            }
            document.add_pre_tokenized_text(
                field,
                PreTokenizedString {
                    text: String::new(),
                    tokens,
                },
            );
        }
        for term in case.all_terms() {
            document.add_text(self.fields.terms, term_key(term));
        }
        for signal in signals {
            document.add_text(self.fields.signals, signal);
        }
        document.add_u64(self.fields.ordinal, ordinal as u64);
        self.writer
            .add_document(document)
            .expect("an index in memory does no I/O that could fail");
    }

    pub(super) fn finish(mut self) -> (Searcher, Fields) {
        self.writer
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

/// Returns the languages of all texts that exist.
fn both<'c>(texts: impl IntoIterator<Item = Option<&'c Localized>>) -> Vec<&'c str> {
    texts
        .into_iter()
        .flatten()
        .flat_map(|text| text.iter().map(|(_, text)| text))
        .collect()
}

/// Returns the texts of one zone, in both languages. Destructured: a new field of a case must be decided on here.
pub(super) fn zone_texts(case: &Case, zone: Zone) -> Vec<&str> {
    let Case {
        id: _,
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
        signals,
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
    match zone {
        Zone::Title => both([Some(title)]),
        Zone::Symptoms => both([
            Some(symptoms_seen),
            impact_scope.as_ref(),
            affected_users.as_ref(),
            detection.as_ref(),
        ]),
        Zone::Trigger => both([trigger.as_ref()]),
        Zone::Cause => both([Some(cause), Some(summary)]),
        Zone::Actions => both(actions.iter().map(|Action { text, .. }| Some(text))),
        Zone::Lessons => {
            let follow_ups = follow_ups.iter().map(|FollowUp { text, .. }| text);
            both(lessons.iter().chain(follow_ups).map(Some))
        }
        Zone::Signals => signals.iter().map(String::as_str).collect(),
    }
}

fn add_tokens(text: &str, tokens: &mut Vec<IndexToken>) {
    tokenize(text, |token| {
        let position = tokens.len();
        tokens.push(IndexToken {
            offset_from: token.span.start,
            offset_to: token.span.end,
            position,
            text: token.text,
            position_length: 1,
        });
    });
}

/// Returns the exact signals of a case, folded and sorted: those listed, and those its symptoms name.
pub(super) fn signals(case: &Case, finder: &SignalFinder) -> Vec<String> {
    let mut signals: Vec<String> = case.signals.iter().map(|signal| fold(signal)).collect();
    for zone in [Zone::Title, Zone::Symptoms, Zone::Trigger, Zone::Signals] {
        for text in zone_texts(case, zone) {
            signals.extend(finder.find(text, &[]).into_iter().map(|signal| signal.key));
        }
    }
    signals.sort();
    signals.dedup();
    signals
}

/// Returns the indexed form of a facet term.
pub(super) fn term_key(term: TermId) -> String {
    term.index().to_string()
}
