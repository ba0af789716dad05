//! A permission that the bot lacks: one admin of the workspace is told, once.

use tracing::{info, warn};

use super::{Context, JobError, Outcome, clock, posting::Turn};
use crate::{
    slack::{
        client::{DeliverError, Person},
        manifest, render,
    },
    store::{Begun, Scope},
};

/// What stands before the permission's name where it is recorded that somebody was told. Kept as long as the workspace's
/// settings are, so that nobody is told twice.
const TOLD: &str = "told:";

impl Context {
    /// Returns permissions that Slack refused and that no admin was told of by this process; each is returned once. One
    /// that whoever installed the app may have refused on purpose is only logged, and shown in the bot's home.
    pub(super) fn news_of_missing(&self, team: &str) -> Vec<String> {
        let mut seen = self.alerted();
        let missing = self.client.missing_scopes().into_iter();
        missing
            .filter(|scope| {
                let new = seen.insert((team.to_owned(), scope.clone()));
                if new {
                    warn!(team, scope, "Slack says that the bot token lacks a permission; what needs it does not work");
                }
                new && !manifest::is_optional(scope)
            })
            .collect()
    }
}

/// Tells an admin, unless one was told.
pub(super) async fn tell(turn: &Turn<'_>, team: &str, scope: &str) -> Outcome {
    let ctx = turn.ctx;
    let noted = format!("{TOLD}{scope}");
    let workspace = Scope::Workspace(team);
    if ctx.store.settings(workspace).await?.contains_key(&noted) {
        return Ok("told before");
    }
    let key = format!("missing:{team}/{scope}");
    let begun = ctx
        .store
        .begin_post(turn.lease, &key, ctx.settings.settle, clock::now());
    match begun.await? {
        Begun::Fresh => {}
        Begun::Made => return Ok("told before"),
        // It may have arrived, and nothing will ever tell. Twice is worse than never.
        Begun::Uncertain => {
            ctx.store.set(workspace, &noted, Some("unknown")).await?;
            return Ok("perhaps told before");
        }
        Begun::Later(at) => return Err(JobError::Later(at)),
        Begun::Lost => return Err(JobError::Lost),
    }
    let told = match find(ctx).await {
        Ok(Some(admin)) => write(ctx, &admin, scope)
            .await
            .map(|()| Some(admin.user.to_string())),
        Ok(None) => Ok(None),
        Err(error) => Err(error),
    };
    match told {
        Ok(Some(user)) => {
            ctx.store.set(workspace, &noted, Some(&user)).await?;
            ctx.store.made(&key, None, clock::now()).await?;
            info!(team, scope, admin = user, "an admin was told of it");
            Ok("told")
        }
        Err(DeliverError::OutcomeUnknown(_)) => {
            ctx.store.set(workspace, &noted, Some("unknown")).await?;
            Ok("perhaps told")
        }
        Err(error) if !error.is_final() => {
            ctx.store.not_made(&key).await?;
            Err(error.into())
        }
        Ok(None) | Err(_) => {
            ctx.store.not_made(&key).await?;
            warn!(
                team,
                scope, "no admin can be told of it; the bot's home says so"
            );
            Ok("nobody to tell")
        }
    }
}

/// Finds whom to tell. Whoever cannot be seen is nobody.
async fn find(ctx: &Context) -> Result<Option<Person>, DeliverError> {
    ctx.client.admin().await
}

async fn write(ctx: &Context, admin: &Person, scope: &str) -> Result<(), DeliverError> {
    let lang = ctx.tongue_of(admin.lang).without_text();
    let message = render::missing(scope, lang);
    ctx.client.post_to(&admin.user, &message).await
}
