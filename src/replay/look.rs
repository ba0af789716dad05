//! What the bot found when it looked at a channel.

use std::time::Duration;

use crate::{
    corpus::{CaseId, Lang},
    library::{CONFIDENT, Evidence, Library, Precedent},
    slack::{Message, reply::Found},
    worker::decide::{Judgement, Step},
};

/// A look at an incident channel.
#[derive(Clone, Debug)]
pub struct Look {
    /// When, since 1970.
    pub at: Duration,
    /// How many messages were taken into account.
    pub messages: usize,
    /// What was understood, by the names of the terms in the configured language, so that they can be counted.
    pub terms: Vec<String>,
    /// The closest cases, best first.
    pub precedents: Vec<Close>,
    /// What came of it.
    pub verdict: Verdict,
}

/// A case that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Close {
    /// Which.
    pub id: CaseId,
    /// Its title.
    pub title: String,
    /// How close it is, between 0 and 1.
    pub score: f32,
    /// What it has in common with the channel.
    pub matched: Vec<String>,
}

/// What comes of a look.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The bot speaks.
    Says(Box<Message>),
    /// It changes what it said to this.
    Edits(Box<Message>),
    /// It stays silent.
    Silent(Silence),
}

/// Why the bot stays silent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Silence {
    /// Nothing that it understands was said yet.
    NothingUnderstood,
    /// There is nothing close.
    NothingFound,
    /// It is not sure enough that what it found is close.
    Unsure {
        /// How sure, between 0 and 1.
        confidence: f32,
        /// From where on it speaks.
        needed: f32,
    },
    /// Nobody has said anything yet, and name and topic alone say too little.
    TooEarly,
    /// What it said still holds.
    NothingNew,
    /// The channel is shared with another organisation.
    Shared,
    /// The export holds a suggestion of its own in this channel.
    SuggestedBefore,
}

impl Look {
    /// Returns what the bot says, if it does.
    pub const fn suggestion(&self) -> Option<&Message> {
        match &self.verdict {
            Verdict::Says(message) => Some(message),
            Verdict::Edits(_) | Verdict::Silent(_) => None,
        }
    }

    /// Returns what stands in the channel then, if the bot does anything.
    pub const fn message(&self) -> Option<&Message> {
        match &self.verdict {
            Verdict::Says(message) | Verdict::Edits(message) => Some(message),
            Verdict::Silent(_) => None,
        }
    }

    /// A look that ended before anything was looked up.
    pub(super) const fn early(at: Duration, silence: Silence) -> Self {
        Self {
            at,
            messages: 0,
            terms: Vec::new(),
            precedents: Vec::new(),
            verdict: Verdict::Silent(silence),
        }
    }

    pub(super) fn new(
        library: &Library,
        at: Duration,
        messages: usize,
        (judgement, step): (&Judgement, Step),
        names: Lang,
    ) -> Self {
        let Found { answer, view, .. } = &judgement.found;
        let verdict = match step {
            Step::Suggest(message, _) => Verdict::Says(Box::new(message)),
            Step::Edit(message, _) => Verdict::Edits(Box::new(message)),
            Step::Silence if answer.terms.is_empty() => Verdict::Silent(Silence::NothingUnderstood),
            Step::Silence if answer.precedents.is_empty() => Verdict::Silent(Silence::NothingFound),
            Step::Silence if judgement.worth_saying => Verdict::Silent(Silence::NothingNew),
            Step::Silence if answer.confident => Verdict::Silent(Silence::TooEarly),
            Step::Silence => Verdict::Silent(Silence::Unsure {
                confidence: answer.confidence,
                needed: CONFIDENT,
            }),
        };
        let close = |precedent: &Precedent| Close {
            id: precedent.case.id.clone(),
            title: precedent.case.title.get(view.lang).to_owned(),
            score: precedent.score,
            matched: precedent
                .matched
                .iter()
                .map(|evidence| match evidence {
                    Evidence::Term(term) => library.label(*term, view.lang).to_owned(),
                    Evidence::Signal(text) | Evidence::Mention(text) | Evidence::Word(text) => {
                        text.clone()
                    }
                })
                .collect(),
        };
        Self {
            at,
            messages,
            terms: answer
                .terms
                .distinct_terms()
                .map(|term| library.label(term, names).to_owned())
                .collect(),
            precedents: answer.precedents.iter().map(close).collect(),
            verdict,
        }
    }
}
