//! Single blocks for places that are no messages: the bot's home, previews of links.

use slack_morphism::prelude::*;

use super::{
    View, button, fit, message,
    precedent::{self, Detail},
    rich::{Rich, Run},
};
use crate::{
    corpus::{Case, Lang},
    library::Library,
    slack::{Message, action::Action},
};

/// Renders a bold line.
pub fn heading(words: &str) -> Option<SlackBlock> {
    Rich::new().line(Run::new().bold(words)).block()
}

/// Renders a line.
pub fn words(words: &str) -> Option<SlackBlock> {
    Rich::new().line(Run::new().text(words)).block()
}

/// Renders words with an address after them.
pub fn linked(words: &str, address: &str) -> Option<SlackBlock> {
    let run = Run::new().text(words).text(" ");
    Rich::new()
        .line(run.link(Some(address), address, false))
        .block()
}

/// Renders a row of buttons.
pub fn button_row(actions: Vec<Action>, view: &View) -> Option<SlackBlock> {
    button::row(actions, view, 0)
}

/// Renders one button with a title of its own.
pub fn named_button(title: &str, action: Action, question: &str, lang: Lang) -> SlackBlock {
    let button = SlackBlockButtonElement {
        text: title.into(),
        ..button::button(question.to_owned(), action, lang)
    };
    SlackActionsBlock::new(vec![button.into()]).into()
}

/// How much of a case a preview shows.
static PREVIEW: [Detail; 2] = [preview_detail(240, 3, 140), preview_detail(120, 0, 0)];

const fn preview_detail(length: usize, follow_ups: usize, follow_up: usize) -> Detail {
    Detail {
        title: 140,
        why: 0,
        happened: length,
        actions: 2,
        action: length,
        tried: false,
        lesson: length,
        follow_ups,
        follow_up,
        source: true,
    }
}

/// Renders what stands under a link to a case, for everybody in the channel.
pub fn preview(library: &Library, case: &Case, view: &View) -> Message {
    fit(&PREVIEW, |detail| {
        let text = precedent::plain(library, case, None, None, view);
        let details = Action::Details {
            case: case.id.clone(),
        };
        message(
            &text,
            [
                precedent::block(library, case, None, None, view, detail),
                button::row(vec![details], view, 0),
            ],
        )
    })
}
