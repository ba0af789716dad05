//! What people set for a channel: kept in the store, read before the bot speaks there.

use tracing::{info, warn};

use super::{Context, Outcome, clock, posting::Turn, private};
use crate::{
    corpus::Lang,
    slack::{
        command::Command,
        inbound::{Click, Place},
        render::{self, Notice},
        setting::{Change, Here, Voice},
    },
    store::{Scope, StoreError},
};

/// Names of what is set.
const VOICE: &str = "voice";
const LANG: &str = "lang";

const fn scope(place: &Place) -> Scope<'_> {
    Scope::Channel(place.team.as_str(), place.channel.0.as_str())
}

impl Context {
    /// Returns what is set for a channel.
    pub(super) async fn here(&self, place: &Place) -> Result<Here, StoreError> {
        let set = self.store.settings(scope(place)).await?;
        let get = |name| set.get(name).map(String::as_str);
        Ok(Here {
            voice: get(VOICE).and_then(Voice::parse).unwrap_or_default(),
            lang: get(LANG).and_then(Lang::from_tag),
            saved: None,
        })
    }

    /// Sets what a command says, and returns what people are told of the settings.
    pub(super) async fn shown_after(&self, place: &Place, command: &Command) -> render::Settings {
        let mut shown = self.shown();
        let Command::Settings(change) = command else {
            return shown;
        };
        let (name, value) = match change {
            Change::None => (None, None),
            Change::Voice(voice) => (Some(VOICE), Some(voice.word())),
            Change::Lang(lang) => (Some(LANG), lang.map(Lang::code)),
        };
        let mut saved = None;
        if let Some(name) = name {
            let set = self.store.set(scope(place), name, value).await;
            saved = Some(set.is_ok());
            match set {
                Ok(()) => {
                    info!(team = place.team, channel = %place.channel, name, value, "a channel is set");
                }
                Err(error) => self.store_failed(&error),
            }
        }
        match self.here(place).await {
            Ok(here) => shown.here = Some(Here { saved, ..here }),
            Err(error) => self.store_failed(&error),
        }
        shown
    }

    fn store_failed(&self, error: &StoreError) {
        self.metrics.store_error();
        warn!(%error, "the store fails");
    }
}

/// Makes the bot speak in a channel only when asked, or, pressed again, by itself as before.
pub(super) async fn mute(turn: &Turn<'_>, click: &Click) -> Outcome {
    let (ctx, place) = (turn.ctx, &click.asker.place);
    // A press that was noted is not noted again after a crash: that would take it back.
    let press = format!("mute:{}", turn.lease.key);
    let word = Voice::Ask.word();
    let switched = ctx
        .store
        .switch(scope(place), VOICE, word, &press, clock::now());
    let (outcome, notice) = match switched.await? {
        Some(_) => ("muted", Notice::Muted),
        None => ("unmuted", Notice::Unmuted),
    };
    info!(team = place.team, channel = %place.channel, outcome, "a channel is set");
    let notice = render::notice(click.button.lang, &notice);
    private::tell(ctx, &click.asker, &notice).await?;
    Ok(outcome)
}
