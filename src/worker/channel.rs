//! What people set for a channel or a workspace: kept in the store, read before the bot speaks.

use tokio::time::timeout;
use tracing::info;

use super::{Context, Outcome, Shared, clock, context::PATIENCE, home, posting::Turn, private};
use crate::{
    slack::{
        UserId,
        command::Command,
        home::Admin,
        inbound::{Asker, Click, Place, Setting},
        pattern::Pattern,
        render::{self, Notice},
        setting::{Change, Here, Named, Reach, Saved, Set, Value, Voice, name},
    },
    store::{Scope, StoreError},
};

const fn scope(place: &Place) -> Scope<'_> {
    Scope::Channel(place.team.as_str(), place.channel.0.as_str())
}

impl Shared {
    /// Returns what holds in a channel.
    pub(super) async fn here(&self, place: &Place) -> Result<Here, StoreError> {
        let set = self.store.settings_of(&place.team, &place.channel.0);
        let (workspace, channel) = set.await?;
        let (workspace, channel) = (Set::read(&workspace), Set::read(&channel));
        Ok(Here::new(Some(channel), workspace, &self.settings.patterns))
    }

    /// Returns what holds in a workspace where no channel says anything else.
    pub(super) async fn workspace(&self, team: &str) -> Result<Here, StoreError> {
        let set = self.store.settings(Scope::Workspace(team)).await?;
        Ok(Here::new(None, Set::read(&set), &self.settings.patterns))
    }

    /// Returns the names of a workspace's incident channels.
    pub(super) async fn patterns(&self, team: &str) -> Result<Vec<Pattern>, StoreError> {
        Ok(self.workspace(team).await?.patterns.value)
    }
}

impl Context {
    /// Returns whether somebody may set things for a whole workspace, as Slack says now. Not knowing is a no.
    pub(super) async fn admin(&self, team: &str, user: Option<&UserId>) -> Admin {
        let Some(user) = user.filter(|_| self.client.has_token()) else {
            return Admin::Unknown;
        };
        match timeout(PATIENCE, self.client.person(user)).await {
            Ok(Ok(person)) => {
                let theirs = person.team.as_deref().unwrap_or(team);
                // Within an organisation of several workspaces the ids differ without meaning a stranger.
                let elsewhere = [team, theirs].iter().all(|id| id.starts_with('T'));
                if person.admin && !(elsewhere && theirs != team) {
                    Admin::Yes
                } else {
                    Admin::No
                }
            }
            _ => Admin::Unknown,
        }
    }

    /// Sets what a command says, and returns what people are told of the settings.
    pub(super) async fn shown_after(
        &self,
        place: &Place,
        user: Option<&UserId>,
        command: &Command,
    ) -> render::Settings {
        let nothing = Here::new(None, Set::default(), &self.settings.patterns);
        let mut shown = self.shown(nothing);
        let Command::Settings(Change { reach, value }) = command else {
            return shown;
        };
        if let Some(value) = value {
            shown.saved = Some(self.change(place, user, *reach, value).await);
        }
        match self.here(place).await {
            Ok(here) => shown.here = here,
            Err(error) => {
                self.store_failed(&error);
                // What is shown may be wrong, and that is said.
                shown.saved = Some(Saved::Failed);
            }
        }
        shown
    }

    async fn change(
        &self,
        place: &Place,
        user: Option<&UserId>,
        reach: Reach,
        value: &Value,
    ) -> Saved {
        let scope = match reach {
            Reach::Channel => scope(place),
            Reach::Workspace => match self.admin(&place.team, user).await {
                Admin::Yes => Scope::Workspace(&place.team),
                Admin::No => return Saved::AdminsOnly,
                Admin::Unknown => return Saved::AdminUnknown,
            },
        };
        let (name, word) = (value.name(), value.stored());
        match self.store.set(scope, name, word.as_deref()).await {
            Ok(()) => {
                info!(team = place.team, channel = %place.channel, ?reach, name, value = word, "something is set");
                Saved::Yes
            }
            Err(error) => {
                self.store_failed(&error);
                Saved::Failed
            }
        }
    }
}

/// Sets what somebody chose in a menu of their home, and shows the home anew.
pub(super) async fn set(ctx: &Context, setting: &Setting) -> Outcome {
    let Setting {
        asker: Asker { place, user, .. },
        name,
        words,
    } = setting;
    let value = match name.as_str() {
        // An empty field is no name of any channel.
        name::PATTERNS if words.is_empty() => Some(Value::Patterns(None)),
        name => Value::parse(name, words),
    };
    let saved = match value {
        Some(value) => {
            ctx.change(place, Some(user), Reach::Workspace, &value)
                .await
        }
        None => Saved::NotUnderstood,
    };
    home::show_after(ctx, place, user, Some(saved)).await
}

/// Makes the bot speak in a channel only when asked, or, pressed again, as before.
pub(super) async fn mute(turn: &Turn<'_>, click: &Click) -> Outcome {
    let (ctx, place) = (turn.ctx, &click.asker.place);
    // A press that was noted is not noted again after a crash: that would take it back.
    let press = format!("mute:{}", turn.lease.key);
    let word = Voice::Ask.word();
    let switched = ctx
        .store
        .switch(scope(place), name::VOICE, word, &press, clock::now());
    let (outcome, notice) = match switched.await? {
        Some(_) => ("muted", Notice::Muted),
        None => ("unmuted", Notice::Unmuted),
    };
    info!(team = place.team, channel = %place.channel, outcome, "a channel is set");
    let notice = render::notice(click.button.lang, &notice);
    private::tell(ctx, &click.asker, &notice).await?;
    Ok(outcome)
}
