//! A case that somebody shows to a channel.

use super::{
    View, button,
    evidence::Why,
    fit, message,
    precedent::{self, Detail},
    rich::{Rich, Run},
};
use crate::{
    corpus::{Case, Lang},
    library::{Evidence, Library},
    slack::{Message, action::Action, mrkdwn, strings::Strings, text},
};

/// How much of a shared case is shown.
static SHARED: [Detail; 3] = [
    shared_detail(280, 3, 160),
    shared_detail(160, 2, 100),
    shared_detail(100, 0, 0),
];

const fn shared_detail(length: usize, follow_ups: usize, follow_up: usize) -> Detail {
    Detail {
        title: 140,
        why: 6,
        happened: length,
        actions: 2,
        action: length,
        tried: true,
        lesson: length,
        follow_ups,
        follow_up,
        source: true,
    }
}

/// Renders a case that somebody shows to a channel.
///
/// What they had asked is not told, only which of its terms the case has: a question may name what the channel should not
/// read. So the buttons do not carry it either: everybody there can press them, and apps that read messages see their
/// values.
pub fn shared(library: &Library, case: &Case, view: &View, sharer: &str) -> Message {
    let strings = Strings::of(view.lang);
    let asked = library.extract(&view.text);
    let matched: Vec<Evidence> = asked
        .distinct_terms()
        .filter(|term| case.all_terms().any(|other| other == *term))
        .map(Evidence::Term)
        .collect();
    let why = Why::new(&matched, &[], 6);
    let why = (!matched.is_empty()).then_some(&why);
    let space = if view.lang == Lang::En { " " } else { "" };
    let sharer = text::short(sharer, 40);
    // Only ids of Slack's own form become mentions.
    let is_id = !sharer.is_empty() && sharer.bytes().all(|byte| byte.is_ascii_alphanumeric());
    fit(&SHARED, |detail| {
        let by = if is_id {
            Run::new().user(&sharer)
        } else {
            Run::new().text(&sharer)
        };
        let head = Rich::new().line(by.text(space).text(strings.shared));
        let id = || case.id.clone();
        let actions = vec![
            Action::Details { case: id() },
            Action::Helpful { case: id() },
            Action::NotThis { case: id() },
        ];
        let mention = if is_id {
            format!("<@{sharer}>")
        } else {
            mrkdwn::prose(&sharer)
        };
        let text = format!(
            "{mention}{space}{}\n{}",
            strings.shared,
            precedent::plain(library, case, why, None, view),
        );
        message(
            &text,
            [
                head.block(),
                precedent::block(library, case, why, None, view, detail),
                button::row(actions, view, 0),
            ],
        )
    })
}
