//! Everything that is said besides answers: help, errors, thanks.

use slack_morphism::prelude::*;

use super::{
    View, message,
    rich::{Rich, Run},
};
use crate::{
    corpus::{CaseId, Lang},
    library::{Answer, Library},
    slack::{Message, mrkdwn, strings::Strings, text},
};

/// The slash command, as help shows it.
const COMMAND: &str = "/incident-like";

/// A short message to one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The answer takes longer than a command may take and comes later.
    Searching,
    /// There is too much to do at the moment.
    Busy,
    /// Somebody pressed Helpful.
    ThanksHelpful,
    /// Somebody pressed Not this.
    ThanksNotThis,
    /// There is no case with this id.
    UnknownCase(CaseId),
    /// The channel is shared with another organisation.
    ShareRefused,
    /// It cannot be seen whether the channel is shared with another organisation.
    ShareUncertain,
    /// The message that the shortcut was used on has no text.
    MessageWithoutText,
}

/// Renders a short message.
pub fn notice(lang: Lang, notice: &Notice) -> Message {
    let strings = Strings::of(lang);
    let words = match notice {
        Notice::Searching => strings.searching,
        Notice::Busy => strings.busy,
        Notice::ThanksHelpful => strings.thanks_helpful,
        Notice::ThanksNotThis => strings.thanks_not_this,
        Notice::ShareRefused => strings.share_refused,
        Notice::ShareUncertain => strings.share_uncertain,
        Notice::MessageWithoutText => strings.message_without_text,
        Notice::UnknownCase(id) => {
            let run = Run::new()
                .text(strings.unknown_case)
                .text(" ")
                .code(id.as_str());
            let text = format!("{} {id}", strings.unknown_case);
            return message(&text, [Rich::new().line(run).block()]);
        }
    };
    message(words, [Rich::new().line(Run::new().text(words)).block()])
}

/// Renders that a lookup failed, with what the admins need to find the cause.
pub fn failure(lang: Lang, request_id: &str) -> Message {
    let strings = Strings::of(lang);
    let id = text::short(request_id, 80);
    let rich = Rich::new()
        .line(Run::new().text("⚠️ ").text(strings.failure))
        .line(Run::new().text(strings.request_id).text(" ").code(&id));
    let text = format!(
        "⚠️ {} {} {}",
        strings.failure,
        strings.request_id,
        mrkdwn::code(&id),
    );
    message(&text, [rich.block()])
}

/// Renders what to type, for somebody who mentioned the bot without a word.
pub fn nothing_typed(lang: Lang) -> Message {
    let strings = Strings::of(lang);
    let example = strings.help_examples[0].0;
    let rich = Rich::new()
        .line(Run::new().text(strings.nothing_typed))
        .line(Run::new().code(example));
    let text = format!("{} {}", strings.nothing_typed, mrkdwn::code(example));
    message(&text, [rich.block()])
}

/// Renders help by example; with what the channel itself suggests, when it does.
pub fn help(lang: Lang, channel: Option<(&Library, &Answer, &View)>) -> Message {
    let strings = Strings::of(lang);
    let examples: Vec<Run> = strings
        .help_examples
        .iter()
        .map(|(example, about)| {
            Run::new()
                .code(&format!("{COMMAND} {example}"))
                .text(&format!("  {about}"))
        })
        .collect();
    let rich = Rich::new()
        .line(Run::new().bold(strings.help_title))
        .line(Run::new().text(strings.help_ask));
    let mut blocks = vec![rich.items(examples).block()];
    let more = Rich::new().line(Run::new().text(strings.help_more));
    blocks.push(more.block());
    let mut text = format!("{}. {}", strings.help_title, strings.help_ask);
    for (example, about) in strings.help_examples {
        text.push_str(&format!("\n• `{COMMAND} {example}`  {about}"));
    }
    text.push_str(&format!("\n{}", strings.help_more));
    let Some((library, answer, view)) = channel else {
        return message(&text, blocks);
    };
    // The channel's own answer comes first: whoever types nothing in an incident channel wants that.
    let found = super::answer(library, answer, view);
    let heading = Rich::new().line(Run::new().text("🧭 ").bold(strings.help_channel));
    let help = Message {
        text: format!("{}\n{}\n\n{text}", strings.help_channel, found.text),
        blocks: std::iter::once(heading.block())
            .chain(found.blocks.iter().cloned().map(Some))
            .chain([Some(SlackDividerBlock::new().into())])
            .chain(blocks)
            .flatten()
            .collect(),
    };
    let help = Message {
        text: mrkdwn::clip(&help.text, crate::slack::limits::FALLBACK),
        ..help
    };
    if crate::slack::limits::check(&help).is_empty() {
        return help;
    }
    // An answer that fills a message by itself needs no help under it.
    found
}
