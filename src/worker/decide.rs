//! When to look at an incident channel, and whether there is something worth saying: pure, with time as an argument, so
//! that a replay decides over an export as the service does over events.

pub use crate::slack::watch::{Phase, WINDOW, Watch};
use crate::{
    library::Library,
    slack::{
        Message,
        gather::Gathered,
        render,
        reply::{self, Found, Tongue},
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

/// Judges whether there is something worth saying about a channel, unasked.
pub fn judge(library: &Library, text: &str, tongue: Tongue) -> Judgement {
    let found = reply::find(library, text, tongue, 0);
    let worth_saying = found.answer.confident && !found.answer.precedents.is_empty();
    Judgement {
        found,
        worth_saying,
    }
}

impl Judgement {
    /// Returns the suggestion; `None` when the bot stays silent.
    pub fn message(&self, library: &Library) -> Option<Message> {
        let Found { answer, view, .. } = &self.found;
        self.worth_saying
            .then(|| render::suggestion(library, answer, view))
    }
}
