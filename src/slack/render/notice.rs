//! Short messages to one person: thanks, refusals, and that an answer takes longer.

use std::fmt::Write as _;

use super::{
    button, message,
    rich::{Rich, Run},
};
use crate::{
    corpus::{CaseId, Lang},
    slack::{Message, strings::Strings},
};

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
    /// Somebody pressed the same again and took it back.
    FeedbackTakenBack,
    /// The bot speaks here only when asked from now on.
    Muted,
    /// The bot speaks here by itself again.
    Unmuted,
    /// The channel is shared with another organisation.
    ShareRefused,
    /// It cannot be seen whether the channel is shared with another organisation.
    ShareUncertain,
    /// What was to be shared could not be posted, or it is not known whether it was.
    ShareFailed,
    /// The message that the shortcut was used on has no text.
    MessageWithoutText,
    /// The channel cannot be read, because there is no token.
    HereWithoutToken,
    /// The channel is being read.
    Reading,
    /// The channel says nothing, or nothing that the bot may read.
    NothingToRead,
    /// Somebody asks faster than anybody reads.
    SlowDown,
    /// The one who asks belongs to another workspace.
    MembersOnly,
    /// The app is not installed in the workspace, or not any more.
    NotInstalled,
    /// What was to be shared stands in the channel already.
    SharedAlready,
    /// Slack let too much time pass for a form to be opened.
    FormExpired,
}

/// Renders a short message.
pub fn notice(lang: Lang, notice: &Notice) -> Message {
    let strings = Strings::of(lang);
    let words = match notice {
        Notice::Searching => strings.searching,
        Notice::Busy => strings.busy,
        Notice::ThanksHelpful => strings.thanks_helpful,
        Notice::ThanksNotThis => strings.thanks_not_this,
        Notice::FeedbackTakenBack => strings.feedback_taken_back,
        Notice::Muted => strings.muted,
        Notice::Unmuted => strings.unmuted,
        Notice::ShareRefused => strings.share_refused,
        Notice::ShareUncertain => strings.share_uncertain,
        Notice::ShareFailed => strings.share_failed,
        Notice::MessageWithoutText => strings.message_without_text,
        Notice::Reading => strings.reading,
        Notice::NothingToRead => strings.nothing_to_read,
        Notice::SlowDown => strings.slow_down,
        Notice::MembersOnly => strings.members_only,
        Notice::NotInstalled => strings.not_installed,
        Notice::SharedAlready => strings.shared_already,
        Notice::FormExpired => strings.form_expired,
        Notice::HereWithoutToken => {
            let example = strings.examples[0].0;
            let rich = Rich::new()
                .line(Run::new().text(strings.here_without_token))
                .line(Run::new().code(example));
            let text = format!("{} {example}", strings.here_without_token);
            return message(&text, [rich.block()]);
        }
    };
    message(words, [Rich::new().line(Run::new().text(words)).block()])
}

/// Says that there is no such case, and which one may have been meant.
pub fn unknown_case(lang: Lang, id: &CaseId, meant: Option<&CaseId>) -> Message {
    let strings = Strings::of(lang);
    let run = Run::new()
        .text(strings.unknown_case)
        .text(" ")
        .code(id.as_str());
    let mut rich = Rich::new().line(run);
    let mut text = format!("{} {id}", strings.unknown_case);
    if let Some(meant) = meant {
        let run = Run::new().text(strings.meant_case).text(" ");
        rich = rich.line(run.code(meant.as_str()));
        let _ = write!(text, "\n{} {meant}", strings.meant_case);
    }
    let questions: Vec<(String, String)> = meant
        .map(|meant| (meant.to_string(), meant.to_string()))
        .into_iter()
        .collect();
    message(&text, [rich.block(), button::asks(&questions, lang)])
}
