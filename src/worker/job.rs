//! What the worker is handed beside events.

use tokio::task::JoinHandle;
use tracing::info;

use super::{Context, JobError, Outcome, Refined, modal, private};
use crate::{
    corpus::Lang,
    slack::{
        Message,
        inbound::{Asker, Click, Opening, Setting, Shortcut, ViewRef},
        render::Notice,
        reply::{RequestId, Tongue},
    },
};

/// Something to do.
pub enum Job {
    /// Answer the message shortcut. Recorded.
    Shortcut(Shortcut),
    /// Do what a button says. Recorded, unless it is for a view.
    Click(Click),
    /// Send the answer of a command that took too long. It is being computed here, and ends with the process.
    Late {
        /// Who waits.
        asker: Asker,
        /// The answer in the making.
        answer: JoinHandle<Message>,
        /// What to say when it fails.
        failure: Message,
    },
    /// Look up what a channel is about, for a command without text. The command has its answer; this is the rest.
    ThisChannel {
        /// Who asked.
        asker: Asker,
        /// In which language to answer.
        tongue: Tongue,
        /// Whether that was asked for by name, so that it is answered in any case.
        by_name: bool,
    },
    /// Tell somebody why there is no answer.
    Refuse(Asker, Notice),
    /// Open the search form. Slack's permit lasts seconds, so it is done here or not at all.
    Search(Opening),
    /// Answer a question that a form changed. Recorded.
    Refined(Refined),
    /// Set something for a workspace. Recorded.
    Set(Setting),
    /// Show an answer in a view that waits for it. It is being computed here, and ends with the process.
    LateView {
        /// The workspace of the one who waits.
        team: String,
        /// The view.
        view: ViewRef,
        /// The answer in the making.
        answer: JoinHandle<Message>,
        /// What to say when it fails.
        failure: Message,
        /// In which language.
        lang: Lang,
    },
    /// Learn who the bot is.
    Introduce,
}

impl Job {
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Shortcut(_) => "shortcut",
            Self::Click(_) => "click",
            Self::Late { .. } => "late answer",
            Self::ThisChannel { .. } => "this channel",
            Self::Refuse(..) => "refuse",
            Self::Search(_) => "search form",
            Self::Refined(_) => "refined",
            Self::Set(_) => "set",
            Self::LateView { .. } => "late view",
            Self::Introduce => "introduce",
        }
    }

    /// Returns the workspace that it is for, where there is one.
    pub(super) fn team(&self) -> Option<&str> {
        let asker = match self {
            Self::Shortcut(Shortcut { asker, .. })
            | Self::Click(Click { asker, .. })
            | Self::Late { asker, .. }
            | Self::ThisChannel { asker, .. }
            | Self::Refuse(asker, _)
            | Self::Search(Opening { asker, .. })
            | Self::Refined(Refined { asker, .. })
            | Self::Set(Setting { asker, .. }) => asker,
            Self::LateView { team, .. } => return Some(team),
            Self::Introduce => return None,
        };
        Some(&asker.place.team)
    }

    pub(super) async fn perform(self, ctx: &Context, id: RequestId) -> Outcome {
        match self {
            Self::Late {
                asker,
                answer,
                failure,
            } => private::late(ctx, &asker, answer, failure).await,
            Self::ThisChannel {
                asker,
                tongue,
                by_name,
            } => private::this_channel(ctx, &asker, tongue, by_name, id).await,
            Self::Refuse(asker, why) => private::refuse(ctx, &asker, &why).await,
            Self::Click(click) => modal::click(ctx, click, id).await,
            Self::Search(opening) => modal::search(ctx, &opening).await,
            Self::LateView {
                view,
                answer,
                failure,
                lang,
                ..
            } => modal::late(ctx, &view, answer, &failure, lang).await,
            Self::Introduce => {
                let identity = ctx.client.identity().await?;
                info!(user = %identity.user, "Slack knows us");
                Ok("introduced")
            }
            // They are recorded, and done from there.
            Self::Shortcut(_) | Self::Refined(_) | Self::Set(_) => Err(JobError::Lost),
        }
    }
}
