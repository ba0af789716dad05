//! Jobs that are done at once, in this process: what they are called, where they belong, and who does them.

use tracing::info;

use super::{Context, Job, JobError, Outcome, modal, private};
use crate::slack::reply::RequestId;

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
            Self::LateView { .. } => "late view",
            Self::Introduce => "introduce",
        }
    }

    /// Returns the workspace in which it is to be done.
    pub(super) fn team(&self) -> &str {
        let asker = match self {
            Self::Shortcut(shortcut) => &shortcut.asker,
            Self::Click(click) => &click.asker,
            Self::Search(opening) => &opening.asker,
            Self::Refined(refined) => &refined.asker,
            Self::Late { asker, .. } | Self::ThisChannel { asker, .. } | Self::Refuse(asker, _) => {
                asker
            }
            Self::LateView { team, .. } => return team,
            Self::Introduce => return "",
        };
        &asker.place.team
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
            Self::Shortcut(_) | Self::Refined(_) => Err(JobError::Lost),
        }
    }
}
