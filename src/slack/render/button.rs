//! The buttons under an answer.

use slack_morphism::prelude::*;

use super::View;
use crate::{
    corpus::{CaseId, Lang},
    slack::{
        action::{ASKS, Action, Button},
        strings::Strings,
        text,
    },
};

/// Longest title of a button, in units.
const TITLE: usize = 75;

/// Makes a row of buttons that all know their question, cut to `question` units (0 leaves it out): it is there for
/// context only, and every button repeats it.
pub(super) fn row(actions: Vec<Action>, view: &View, question: usize) -> Option<SlackBlock> {
    row_about(actions, view, question, "")
}

/// Does the same for precedents of a kind of question ([`crate::library::Library::about`]), which verdicts on them are
/// for.
pub(super) fn row_about(
    actions: Vec<Action>,
    view: &View,
    question: usize,
    about: &str,
) -> Option<SlackBlock> {
    let question = match question {
        0 => String::new(),
        units => text::short(&view.text, units),
    };
    let text = |action: &Action| match action {
        // A verdict needs no words of a question.
        Action::Helpful { .. } | Action::NotThis { .. } => about.to_owned(),
        _ => question.clone(),
    };
    let buttons: Vec<SlackActionBlockElement> = actions
        .into_iter()
        .map(|action| button(text(&action), action, view.lang).into())
        .collect();
    (!buttons.is_empty()).then(|| SlackActionsBlock::new(buttons).into())
}

/// Makes the buttons at the end of a suggestion: the next precedents, if there are any, and silence. The question is asked again, so it stays as it was typed, line breaks
/// and all, at every level of detail: cut, it would rank other cases, and the next page would repeat or skip some.
///
/// What is longer than a button holds (see [`Button::value`]; some 1,950 characters, fewer where many are quotes) is
/// cut there: its next pages go by its beginning alone.
pub(super) fn more_or_mute(more: Option<usize>, view: &View) -> SlackBlock {
    let more = more.map(|offset| button(view.text.clone(), Action::More { offset }, view.lang));
    let mute = button(String::new(), Action::Mute, view.lang);
    let buttons = more.into_iter().chain([mute]).map(Into::into);
    SlackActionsBlock::new(buttons.collect()).into()
}

/// Makes the buttons at the end of an answer: the next precedents, if there are any, and another question, which begins
/// with the first `edit` units of this one.
pub(super) fn last(more: Option<usize>, edit: usize, view: &View) -> SlackBlock {
    let more = more.map(|offset| button(view.text.clone(), Action::More { offset }, view.lang));
    let question = match edit {
        usize::MAX => view.text.clone(),
        units => text::short(&view.text, units),
    };
    let edit = button(question, Action::Edit, view.lang);
    let buttons = more.into_iter().chain([edit]).map(Into::into);
    SlackActionsBlock::new(buttons.collect()).into()
}

/// Makes buttons that ask other questions, each titled by what it asks for.
pub(super) fn asks(questions: &[(String, String)], lang: Lang) -> Option<SlackBlock> {
    let buttons = questions.iter().take(ASKS).zip(0_u8..);
    let buttons: Vec<SlackActionBlockElement> = buttons
        .map(|((title, text), slot)| {
            let button = button(text.clone(), Action::Ask { slot }, lang);
            let title = text::short(title, TITLE);
            SlackBlockButtonElement {
                text: title.as_str().into(),
                ..button
            }
            .into()
        })
        .collect();
    (!buttons.is_empty()).then(|| SlackActionsBlock::new(buttons).into())
}

/// The buttons of one precedent, wherever it stands. A suggestion and a distant answer offer Share too: what it posts says
/// more than they do.
pub(super) fn of_precedent(case: &CaseId) -> Vec<Action> {
    let case = || case.clone();
    vec![
        Action::Details { case: case() },
        Action::Share { case: case() },
        Action::Helpful { case: case() },
        Action::NotThis { case: case() },
    ]
}

pub(super) fn button(text: String, action: Action, lang: Lang) -> SlackBlockButtonElement {
    let strings = Strings::of(lang);
    let title = match action {
        Action::Details { .. } => strings.button_details,
        Action::More { .. } => strings.button_more,
        Action::Share { .. } => strings.button_share,
        Action::Helpful { .. } => strings.button_helpful,
        Action::NotThis { .. } => strings.button_not_this,
        Action::Edit => strings.button_edit,
        Action::Ask { .. } | Action::Search => strings.button_search,
        Action::Mute => strings.button_mute,
    };
    let button = Button { action, text, lang };
    SlackBlockButtonElement::new(SlackBlockPlainTextOnly::from(title))
        .with_action_id(SlackActionId(button.action_id().to_owned()))
        .with_value(button.value())
}
