//! When to look at an incident channel, and whether there is something worth saying: pure, with time as an argument, so
//! that a replay decides over an export as the service does over events.

pub use crate::slack::watch::{EDITS, Phase, Said, WINDOW, Watch};
use crate::{
    library::Library,
    slack::{
        Message,
        gather::Gathered,
        render,
        reply::{self, Found, Tongue},
        setting::Sure,
    },
};

/// Puts together what a channel is about: the words of its name, its topic and purpose, and what was said in it.
pub fn evidence<'t>(
    words: &str,
    topic: &str,
    purpose: &str,
    said: impl IntoIterator<Item = &'t str>,
) -> String {
    let mut text = Gathered::default();
    for piece in [words, topic, purpose] {
        text.add(piece);
    }
    for piece in said {
        text.add(piece);
    }
    text.into_text()
}

/// What a look at a channel found.
pub struct Judgement {
    /// The lookup.
    pub found: Found,
    /// Whether it is said unasked.
    pub worth_saying: bool,
}

/// What a look at a channel leads to.
pub enum Step {
    /// The suggestion, and what it says.
    Suggest(Message, Said),
    /// What the suggestion becomes.
    Edit(Message, Said),
    /// Nothing.
    Silence,
}

/// Fewest different terms and signals to speak by, before anybody has said anything: "payments down" in a name or topic
/// names two and says little, and the first messages follow within seconds.
const BARE_EVIDENCE: usize = 3;

/// Judges whether there is something worth saying, unasked, about a channel in which so many messages were read.
pub fn judge(
    library: &Library,
    text: &str,
    messages: usize,
    tongue: Tongue,
    sure: Sure,
) -> Judgement {
    let found = reply::find(library, text, tongue, 0);
    let answer = &found.answer;
    let evidence = answer.terms.distinct_terms().count() + answer.terms.signals.len();
    let worth_saying = answer.confidence >= sure.confidence()
        && !answer.precedents.is_empty()
        && (messages > 0 || evidence >= BARE_EVIDENCE);
    Judgement {
        found,
        worth_saying,
    }
}

impl Judgement {
    /// Decides what comes of a look at a channel in which `standing` was suggested, if anything was. `in_doubt` says that
    /// an earlier change of it may or may not have reached the channel.
    pub fn step(&self, library: &Library, standing: Option<&Said>, in_doubt: bool) -> Step {
        let Found { answer, view, .. } = &self.found;
        if !self.worth_saying {
            return Step::Silence;
        }
        let said = self.said(library);
        let Some(standing) = standing else {
            return Step::Suggest(render::suggestion(library, answer, view, None), said);
        };
        // Another first case, and no less sure of it: anything else is not worth people's eyes.
        let is_news =
            said.cases.first() != standing.cases.first() && said.confidence >= standing.confidence;
        if standing.edits >= EDITS || !(is_news || in_doubt) {
            return Step::Silence;
        }
        let new: Vec<String> = answer
            .terms
            .distinct_terms()
            .filter(|term| !standing.terms.contains(&library.name(*term)))
            .map(|term| library.label(term, view.lang).to_owned())
            .collect();
        let said = Said {
            edits: standing.edits + 1,
            thread: standing.thread.clone(),
            ..said
        };
        Step::Edit(render::suggestion(library, answer, view, Some(&new)), said)
    }

    fn said(&self, library: &Library) -> Said {
        let answer = &self.found.answer;
        let cases = answer.precedents.iter();
        Said {
            cases: cases.map(|close| close.case.id.to_string()).collect(),
            terms: answer
                .terms
                .distinct_terms()
                .map(|term| library.name(term))
                .collect(),
            confidence: answer.confidence,
            edits: 0,
            thread: None,
        }
    }
}
