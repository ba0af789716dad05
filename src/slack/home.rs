//! The bot's home, and its first words in a conversation. Pure over a [`Library`].

mod menus;

pub use menus::setting_of;

use serde_json::{Value, json};
use slack_morphism::prelude::*;

use super::{
    Message,
    action::Action,
    render::{self, Settings, View},
    strings::{Strings, forms::FormStrings, settings::SettingStrings},
    text,
};
use crate::{corpus::Lang, library::Library};

/// Most recent questions that are kept and shown.
pub const RECENT: usize = 5;

/// Longest recent question that is shown, in units.
const QUESTION: usize = 150;

/// Most questions that Slack offers to begin a conversation with (docs.slack.dev, `assistant.threads.setSuggestedPrompts`).
const PROMPTS: usize = 4;

/// Whether somebody may set things for the whole workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admin {
    /// They may.
    Yes,
    /// They are no admin.
    No,
    /// That cannot be seen, so they may not.
    Unknown,
}

/// What somebody's home shows.
#[derive(Clone, Debug)]
pub struct Page {
    /// How the bot is set up for the workspace.
    pub settings: Settings,
    /// Their recent questions, newest first.
    pub recent: Vec<String>,
    /// Whether they may change the settings.
    pub admin: Admin,
}

/// Makes somebody's home: their recent questions, then help, the library's address and the settings, with menus for those
/// who may change them, and for everybody else why they cannot.
pub fn home(library: &Library, page: &Page, lang: Lang) -> SlackView {
    let Page {
        settings,
        recent,
        admin,
    } = page;
    let strings = FormStrings::of(lang);
    let view = |text: &str| View {
        lang,
        text: text.to_owned(),
        offset: 0,
    };
    let mut blocks: Vec<SlackBlock> = Vec::new();
    blocks.extend(render::button_row(vec![Action::Search], &view("")));
    blocks.extend(render::heading(strings.recent));
    if recent.is_empty() {
        blocks.extend(render::words(strings.recent_none));
    }
    for (question, slot) in recent.iter().take(RECENT).zip(0_u8..) {
        blocks.extend(render::words(&text::short(question, QUESTION)));
        // The whole question, as long as a button can hold it.
        let again = render::named_button(strings.again, Action::Ask { slot }, question, lang);
        blocks.push(again);
    }
    blocks.push(context(strings.recent_note));
    blocks.push(SlackDividerBlock::new().into());
    blocks.extend(render::help(lang, None).blocks);
    if let Some(address) = library.address() {
        blocks.extend(render::linked(strings.library, address));
    }
    blocks.push(SlackDividerBlock::new().into());
    blocks.extend(render::settings(library, settings, lang).blocks);
    let words = SettingStrings::of(lang);
    match admin {
        Admin::Yes => {
            blocks.extend(render::heading(words.workspace));
            blocks.extend(menus::menus(&settings.here, lang));
        }
        Admin::No => blocks.push(context(words.home_admins_only)),
        Admin::Unknown => blocks.push(context(words.home_admin_unknown)),
    }
    SlackView::Home(SlackHomeView::new(blocks))
}

/// Renders the first words to somebody who opens a conversation.
pub fn greeting(lang: Lang) -> Message {
    let words = FormStrings::of(lang).greeting;
    Message {
        text: words.to_owned(),
        blocks: render::words(words).into_iter().collect(),
    }
}

/// Returns questions to begin a conversation with, as Slack takes them.
pub fn prompts(lang: Lang) -> (&'static str, Vec<Value>) {
    let examples = Strings::of(lang).examples.iter().take(PROMPTS);
    let prompts = examples.map(|(question, _)| json!({"title": question, "message": question}));
    (FormStrings::of(lang).prompts, prompts.collect())
}

/// Returns what a workflow's step without a text is told.
pub fn step_without_text(lang: Lang) -> &'static str {
    FormStrings::of(lang).step_without_text
}

fn context(words: &str) -> SlackBlock {
    let words = SlackBlockPlainText::new(words.to_owned());
    SlackContextBlock::new(vec![words.into()]).into()
}
