//! What was understood, and why a case is close.

use std::fmt::Write as _;

use super::{View, rich::Run};
use crate::{
    corpus::TermId,
    library::{Answer, Evidence, Library, Opinion, in_sentence},
    query::{FoundTerm, QueryTerms},
    slack::{
        mrkdwn,
        strings::{self, Strings},
        text,
    },
};

/// Most chips of one sort in the line of what was understood.
const CHIPS: usize = 8;
/// Most single words that are shown where terms and signals are few.
const WORDS: usize = 4;
/// Most terms that a case lacks.
const LACKS: usize = 4;
/// Longest chip, in units.
const CHIP_LENGTH: usize = 48;

/// The terms of a question as short texts.
pub(super) struct Understood {
    /// Terms, then signals; words only when there are neither.
    pub(super) chips: Vec<String>,
    /// What the asker excludes.
    pub(super) ruled_out: Vec<String>,
    /// Chips that are not shown.
    left_out: usize,
}

impl Understood {
    pub(super) fn new(library: &Library, terms: &QueryTerms, view: &View) -> Self {
        let label = |term| label(library, term, view);
        let mut chips: Vec<String> = terms.distinct_terms().map(label).collect();
        for signal in &terms.signals {
            push_new(&mut chips, text::short(&signal.text, CHIP_LENGTH));
        }
        if chips.is_empty() {
            for word in &terms.words {
                // The span is one of the text that was looked up; ours may be a cut copy.
                let word = view.text.get(word.span.clone()).unwrap_or(&word.token);
                push_new(&mut chips, text::short(word, CHIP_LENGTH));
            }
        }
        let left_out = chips.len().saturating_sub(CHIPS);
        chips.truncate(CHIPS);
        // "not DNS" excludes several terms; the asker's one word says it best.
        let mut ruled_out = Vec::new();
        for FoundTerm { text, .. } in &terms.ruled_out {
            push_new(&mut ruled_out, text::short(text, CHIP_LENGTH));
        }
        ruled_out.truncate(CHIPS);
        Self {
            chips,
            ruled_out,
            left_out,
        }
    }

    /// Returns the chips, ruled-out ones struck.
    pub(super) fn run(&self, view: &View) -> Run {
        let chips = self.chips.iter().map(|chip| Run::new().code(chip));
        let mut run = Run::new().joined(chips, " · ");
        if self.left_out > 0 {
            run = run.text(&format!(" +{}", self.left_out));
        }
        if !self.ruled_out.is_empty() {
            let struck = self.ruled_out.iter().map(|chip| Run::new().struck(chip));
            let not = Strings::of(view.lang).not;
            let lead = if run.is_empty() { "" } else { "  ·  " };
            run = run.text(&format!("{lead}{not} ")).joined(struck, ", ");
        }
        run
    }

    /// Returns the same as mrkdwn.
    pub(super) fn plain(&self, view: &View) -> String {
        let list = |chips: &[String]| {
            let chips: Vec<_> = chips.iter().map(|chip| mrkdwn::prose(chip)).collect();
            chips.join(", ")
        };
        let mut plain = list(&self.chips);
        if !self.ruled_out.is_empty() {
            let not = Strings::of(view.lang).not;
            let lead = if plain.is_empty() { "" } else { "; " };
            let _ = write!(plain, "{lead}{not} {}", list(&self.ruled_out));
        }
        plain
    }
}

/// Why a case is close, as short texts.
pub(super) struct Why<'a> {
    matched: Vec<&'a Evidence>,
    unmatched: Vec<&'a Evidence>,
    /// What does not match and is not shown.
    left_out: usize,
    /// What people here said about it.
    opinion: Option<Opinion>,
}

impl<'a> Why<'a> {
    /// Adds what people of the workspace said.
    pub(super) fn with(self, opinion: Option<Opinion>) -> Self {
        Self { opinion, ..self }
    }

    /// Returns what people of the workspace said, and how many: never who.
    pub(super) fn opinion(&self, view: &View) -> Option<String> {
        let Opinion {
            helpful, not_this, ..
        } = self.opinion?;
        Some(strings::opinion(helpful, not_this, view.lang))
    }

    /// Takes at most `most` of what matches, and fewer of what does not.
    pub(super) fn new(matched: &'a [Evidence], unmatched: &'a [Evidence], most: usize) -> Self {
        let is_word = |evidence: &Evidence| matches!(evidence, Evidence::Word(_));
        // Words fill up where little else matches: beside terms and signals they only add noise.
        let stronger = matched.iter().filter(|evidence| !is_word(evidence)).count();
        let mut words = WORDS.saturating_sub(stronger * 2);
        let few_words = |evidence: &&Evidence| {
            if !is_word(evidence) {
                return true;
            }
            let shown = words > 0;
            words = words.saturating_sub(1);
            shown
        };
        // A word that the case lacks says little; there are always some.
        let telling = |evidence: &&Evidence| !is_word(evidence);
        let lacks = unmatched.iter().filter(telling);
        Self {
            matched: matched.iter().filter(few_words).take(most).collect(),
            left_out: lacks.clone().count().saturating_sub(LACKS.min(most)),
            unmatched: lacks.take(LACKS.min(most)).collect(),
            opinion: None,
        }
    }

    /// Returns the line after the heading.
    pub(super) fn run(&self, library: &Library, view: &View) -> Run {
        let named = |evidence: &&Evidence| match evidence {
            Evidence::Term(term) => Run::new().text(&label(library, *term, view)),
            Evidence::Signal(text) => Run::new().code(&text::short(text, CHIP_LENGTH)),
            Evidence::Mention(text) | Evidence::Word(text) => {
                Run::new().text(&format!("“{}”", text::short(text, CHIP_LENGTH)))
            }
        };
        let mut run = Run::new();
        if !self.matched.is_empty() {
            run = run.text("✓ ").joined(self.matched.iter().map(named), ", ");
        }
        if !self.unmatched.is_empty() {
            let lead = if run.is_empty() { "✗ " } else { "   ✗ " };
            run = run
                .text(lead)
                .joined(self.unmatched.iter().map(named), ", ");
            if self.left_out > 0 {
                run = run.text(&format!(" +{}", self.left_out));
            }
        }
        if run.is_empty() {
            run = run.text(super::ABSENT);
        }
        run
    }

    /// Returns the same as mrkdwn.
    pub(super) fn plain(&self, library: &Library, view: &View) -> String {
        let list = |sign: &str, evidence: &[&Evidence]| {
            let names: Vec<_> = evidence
                .iter()
                .map(|evidence| match evidence {
                    Evidence::Term(term) => mrkdwn::prose(&label(library, *term, view)),
                    Evidence::Signal(text) | Evidence::Mention(text) | Evidence::Word(text) => {
                        mrkdwn::prose(&text::short(text, CHIP_LENGTH))
                    }
                })
                .collect();
            (!names.is_empty()).then(|| format!("{sign} {}", names.join(", ")))
        };
        let parts = [list("✓", &self.matched), list("✗", &self.unmatched)];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            return super::ABSENT.to_owned();
        }
        parts.join("  ")
    }
}

/// Returns the asker's terms with the number of found cases that have each.
pub(super) fn topics(library: &Library, answer: &Answer, view: &View) -> Vec<(String, usize)> {
    let count = |term: TermId| {
        let counts = answer.facets.iter();
        counts
            .filter(|facet| facet.term == term)
            .map(|facet| facet.count)
            .next()
    };
    let terms = answer.terms.distinct_terms().take(CHIPS);
    terms
        .filter_map(|term| Some((label(library, term, view), count(term)?)))
        .collect()
}

/// Returns a term's name as it stands in a sentence.
pub(super) fn label(library: &Library, term: TermId, view: &View) -> String {
    text::short(&in_sentence(library.label(term, view.lang)), CHIP_LENGTH)
}

fn push_new(list: &mut Vec<String>, text: String) {
    if !text.is_empty() && !list.contains(&text) {
        list.push(text);
    }
}
