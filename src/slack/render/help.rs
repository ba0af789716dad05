//! Help, and what is said when there is nothing to look up or the lookup failed.

use std::fmt::Write as _;

use slack_morphism::prelude::*;

use super::{
    View, message,
    rich::{Rich, Run},
};
use crate::{
    corpus::Lang,
    library::{Answer, Library},
    slack::{Message, command::USAGES, limits, mrkdwn, strings::Strings, text},
};

/// The slash command, as help shows it.
const COMMAND: &str = "/incident-like";

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

/// Renders what to type, for somebody who asked without a word.
pub fn nothing_typed(lang: Lang) -> Message {
    let strings = Strings::of(lang);
    let example = Strings::of(lang).examples[0].0;
    let rich = Rich::new()
        .line(Run::new().text(strings.nothing_typed))
        .line(Run::new().code(example));
    let text = format!("{} {}", strings.nothing_typed, mrkdwn::code(example));
    message(&text, [rich.block()])
}

/// Renders how to ask another question where no form can be opened.
pub fn type_again(lang: Lang, question: &str) -> Message {
    let strings = Strings::of(lang);
    let typed = format!("{COMMAND} {}", text::short(question, 1500));
    let rich = Rich::new()
        .line(Run::new().text(strings.type_again))
        .line(Run::new().code(&typed));
    let text = format!("{} {}", strings.type_again, mrkdwn::code(&typed));
    message(&text, [rich.block()])
}

/// Renders help by example; under what the channel itself suggests, when it does.
pub fn help(lang: Lang, channel: Option<(&Library, &Answer, &View)>) -> Message {
    let usage = usage(lang);
    let Some((library, answer, view)) = channel else {
        return usage;
    };
    // The channel's own answer comes first: whoever types nothing in an incident channel wants that.
    let strings = Strings::of(lang);
    let found = super::answer(library, answer, view);
    let heading = Rich::new().line(Run::new().text("🧭 ").bold(strings.help_channel));
    let blocks = heading
        .block()
        .into_iter()
        .chain(found.blocks.iter().cloned());
    let divider = SlackDividerBlock::new().into();
    let help = Message {
        text: mrkdwn::clip(
            &format!("{}\n{}\n\n{}", strings.help_channel, found.text, usage.text),
            limits::FALLBACK,
        ),
        blocks: blocks.chain([divider]).chain(usage.blocks).collect(),
    };
    if limits::check(&help).is_empty() {
        return help;
    }
    // An answer that fills a message by itself needs no help under it.
    found
}

/// What can be typed: questions in several styles, then the parser's other commands.
fn usage(lang: Lang) -> Message {
    let strings = Strings::of(lang);
    let questions = strings.examples.iter().copied();
    // The parser takes any text last; questions are shown by the examples above.
    let (_, commands) = USAGES.split_last().expect("the table is not empty");
    let commands = commands
        .iter()
        .rev()
        .map(|usage| (usage.example(lang), usage.about(lang)));
    let mut items = Vec::new();
    let mut text = format!("{}. {}", strings.help_title, strings.help_ask);
    for (example, about) in questions.chain(commands) {
        let typed = format!("{COMMAND} {example}");
        let _ = write!(text, "\n• {}  {about}", mrkdwn::code(&typed));
        items.push(Run::new().code(&typed).text(&format!("  {about}")));
    }
    let _ = write!(text, "\n{}", strings.help_more);
    let examples = Rich::new()
        .line(Run::new().bold(strings.help_title))
        .line(Run::new().text(strings.help_ask))
        .items(items);
    let more = Rich::new().line(Run::new().text(strings.help_more));
    message(&text, [examples.block(), more.block()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slack::command::{Command, parse};

    #[test]
    fn examples_are_questions() {
        for lang in Lang::ALL {
            for (example, _) in Strings::of(lang).examples {
                assert_eq!(parse(example), Command::Lookup((*example).to_owned()));
            }
        }
    }
}
