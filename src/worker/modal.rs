//! Forms: opened before anything is looked up, because Slack's permit to do so lasts three seconds.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio::task::JoinHandle;

use super::{Context, JobError, Outcome, private};
use crate::{
    corpus::Lang,
    slack::{
        Message,
        action::Action,
        form::{self, Origin},
        inbound::{Asker, Click, Opening, Surface, Trigger, ViewRef},
        render::{self, Notice},
        reply::{self, RequestId},
    },
};

/// Opens the search form at somebody's who used the shortcut.
pub(super) async fn search(ctx: &Context, opening: &Opening) -> Outcome {
    // Somebody's language is not asked for: the permit would run out.
    let locale = ctx.locales.known(&opening.asker.user).await.flatten();
    let lang = ctx.tongue_of(locale).without_text();
    let view = form::search(&ctx.library.load(), "", lang);
    ctx.client.open_view(&opening.trigger, &view).await?;
    Ok("form opened")
}

/// Does what a button says that takes a form, or stands in a view.
pub(super) async fn click(ctx: &Context, click: Click, id: RequestId) -> Outcome {
    let Click {
        asker,
        button,
        surface,
        trigger,
    } = click;
    let (lang, text) = (button.lang, button.text.as_str());
    if !ctx.client.has_token() {
        // Without one there are no forms; the command is there to be typed again.
        return private::tell(ctx, &asker, &render::type_again(lang, text)).await;
    }
    // Understanding a question takes well under a millisecond, so the form waits for no lookup.
    match (&surface, &button.action) {
        (Surface::Modal(at), Action::Edit | Action::Search) => {
            let view = form::search(&ctx.library.load(), text, lang);
            ctx.client.update_view(at, &view).await?;
            return Ok("form shown");
        }
        (_, Action::Search) | (Surface::Home, Action::Edit) => {
            let view = form::search(&ctx.library.load(), text, lang);
            return open(ctx, &asker, &trigger, &view, lang, id).await;
        }
        (Surface::Message { ephemeral, .. }, Action::Edit) => {
            let Asker {
                place,
                thread,
                response_url,
                ..
            } = &asker;
            let origin = Origin::new(
                &place.channel,
                thread.as_ref(),
                response_url.as_ref(),
                *ephemeral,
                lang,
            );
            let view = form::refine(&ctx.library.load(), text, lang, origin);
            return open(ctx, &asker, &trigger, &view, lang, id).await;
        }
        _ => {}
    }
    let at = match surface {
        Surface::Modal(at) if !matches!(button.action, Action::Details { .. }) => at,
        Surface::Modal(_) => {
            let waiting = form::searching(lang);
            ctx.client.push_view(&trigger, &waiting).await?
        }
        Surface::Home | Surface::Message { .. } => {
            let waiting = form::searching(lang);
            ctx.client.open_view(&trigger, &waiting).await?
        }
    };
    let place = asker.place.clone();
    let computed = ctx
        .compute(&place, move |library| {
            reply::button(library, &button, &asker.user)
        })
        .await;
    show(ctx, &at, computed, &reply::failure(lang, id), lang).await
}

/// Opens a form, or says why it does not open.
async fn open(
    ctx: &Context,
    asker: &Asker,
    trigger: &Trigger,
    view: &slack_morphism::prelude::SlackView,
    lang: Lang,
    id: RequestId,
) -> Outcome {
    let Err(error) = ctx.client.open_view(trigger, view).await else {
        return Ok("form opened");
    };
    if asker.response_url.is_none() {
        return Err(error.into());
    }
    if error.is_late() {
        let notice = render::notice(lang, &Notice::FormExpired);
        return private::tell(ctx, asker, &notice).await;
    }
    private::tell(ctx, asker, &reply::failure(lang, id)).await?;
    Err(error.into())
}

/// Shows an answer that took longer than Slack waits for what a form's button does.
pub(super) async fn late(
    ctx: &Context,
    at: &ViewRef,
    answer: JoinHandle<Message>,
    failure: &Message,
    lang: Lang,
) -> Outcome {
    let computed = answer.await.map_err(|_| JobError::Lookup);
    show(ctx, at, computed, failure, lang).await
}

async fn show(
    ctx: &Context,
    at: &ViewRef,
    computed: Result<Message, JobError>,
    failure: &Message,
    lang: Lang,
) -> Outcome {
    let (message, failed) = match &computed {
        Ok(message) => (message, false),
        Err(_) => (failure, true),
    };
    ctx.client
        .update_view(at, &form::results(message, lang))
        .await?;
    match computed {
        Err(error) if failed => Err(error),
        _ => Ok("answered in a view"),
    }
}

/// A question that a form changed, and where its answer goes.
#[derive(Clone, Serialize, Deserialize)]
pub struct Refined {
    /// Who asks.
    pub asker: Asker,
    /// The question.
    pub text: String,
    /// In which language to answer.
    #[serde(serialize_with = "code", deserialize_with = "lang")]
    pub lang: Lang,
    /// Whether the answer takes the place of the message with the button.
    pub replaces: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn code<S: Serializer>(lang: &Lang, to: S) -> Result<S::Ok, S::Error> {
    lang.code().serialize(to)
}

fn lang<'de, D: Deserializer<'de>>(from: D) -> Result<Lang, D::Error> {
    let code = String::deserialize(from)?;
    Lang::from_tag(&code).ok_or_else(|| serde::de::Error::custom("no language of ours"))
}

/// Answers a question that a form changed.
pub(super) async fn refined(ctx: &Context, refined: &Refined, id: RequestId) -> Outcome {
    let Refined {
        asker,
        text,
        lang,
        replaces,
    } = refined;
    let (text, lang) = (text.clone(), *lang);
    let failure = reply::failure(lang, id);
    let computed = ctx
        .compute(&asker.place, move |library| {
            reply::asked(library, &text, lang)
        })
        .await;
    if *replaces {
        return private::replace(ctx, asker, computed, failure).await;
    }
    private::finish(ctx, asker, computed, failure).await
}
