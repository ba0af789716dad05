//! What a question was narrowed to, and what of it was not understood.

use std::fmt::Write as _;

use slack_morphism::prelude::SlackBlock;

use super::{
    View, button,
    rich::{Rich, Run},
};
use crate::slack::{action::ASKS, command::narrow::Slip, mrkdwn, strings::Strings, text};

/// Longest filter that is shown, in units.
const CHIP: usize = 60;

/// Most filters, and most slips, that are shown.
const SHOWN: usize = 8;

/// What a question was narrowed to.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The filters, written properly.
    pub only: Vec<String>,
    /// What looked like a filter and is none.
    pub slips: Vec<Slip>,
    /// The command that the whole question may have been meant for.
    pub command: Option<String>,
    /// Whether there are filters only, so that the answer is a list.
    pub is_list: bool,
}

impl Scope {
    /// Adds the lines that tell it.
    pub(super) fn lines(&self, mut rich: Rich, view: &View) -> Rich {
        let strings = Strings::of(view.lang);
        let chip = |text: &String| Run::new().code(&text::short(text, CHIP));
        if !self.only.is_empty() {
            let chips = self.only.iter().take(SHOWN).map(chip);
            rich = rich.line(Run::new().text(strings.only).text(" ").joined(chips, " · "));
        }
        if view.offset > 0 {
            return rich;
        }
        for slip in self.slips.iter().take(SHOWN) {
            let mut run = Run::new()
                .text("⚠️ ")
                .text(strings.not_known)
                .text(" ")
                .then(chip(&slip.typed));
            if !slip.near.is_empty() {
                let near = slip.near.iter().map(chip);
                run = run.text(strings.meant).joined(near, ", ");
            }
            rich = rich.line(run);
        }
        if let Some(command) = &self.command {
            let run = Run::new().text(strings.meant_command).text(" ");
            rich = rich.line(run.then(chip(command)));
        }
        rich
    }

    /// Adds the same as mrkdwn to a text.
    pub(super) fn plain(&self, mut text: String, view: &View) -> String {
        let strings = Strings::of(view.lang);
        let list = |names: &[String]| {
            let names: Vec<String> = names
                .iter()
                .take(SHOWN)
                .map(|name| mrkdwn::prose(&text::short(name, CHIP)))
                .collect();
            names.join(", ")
        };
        if !self.only.is_empty() {
            let _ = write!(text, "\n{} {}", strings.only, list(&self.only));
        }
        if view.offset > 0 {
            return text;
        }
        for slip in self.slips.iter().take(SHOWN) {
            let typed = mrkdwn::prose(&text::short(&slip.typed, CHIP));
            let _ = write!(text, "\n⚠️ {} {typed}", strings.not_known);
            if !slip.near.is_empty() {
                let _ = write!(text, "{}{}", strings.meant, list(&slip.near));
            }
        }
        if let Some(command) = &self.command {
            let command = mrkdwn::prose(&text::short(command, CHIP));
            let _ = write!(text, "\n{} {command}", strings.meant_command);
        }
        text
    }

    /// Returns buttons that ask what may have been meant.
    pub(super) fn meant(&self, view: &View) -> Option<SlackBlock> {
        if view.offset > 0 {
            return None;
        }
        let command = self.command.iter().map(|name| (name.clone(), name.clone()));
        let mended = self.slips.iter().flat_map(|slip| {
            let near = slip.near.iter();
            near.map(|near| (near.clone(), slip.mended(&view.text, near)))
        });
        let questions: Vec<(String, String)> = command.chain(mended).take(ASKS).collect();
        button::asks(&questions, view.lang)
    }
}
