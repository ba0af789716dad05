//! Links to pages of ours: everybody in the channel sees what the case is about.

use super::{Context, Outcome, Standing};
use crate::slack::{
    Message,
    inbound::{Links, Place},
    render::{self, View},
};

/// Shows previews under the links of a message, where nobody of another organisation reads them.
pub(super) async fn show(ctx: &Context, place: &Place, links: &Links) -> Outcome {
    let library = ctx.library.load_full();
    let Links {
        user,
        message,
        urls,
    } = links;
    if !urls.iter().any(|url| library.case_at(url).is_some()) {
        return Ok("no page of a case");
    }
    match ctx.standing(&place.channel).await {
        Standing::Open => {}
        Standing::Shared => return Ok("channel shared with another organisation"),
        Standing::Unknown(error) => return Err(error.into()),
    }
    let tongue = match user {
        Some(user) => ctx.tongue(user).await,
        None => ctx.tongue_of(None),
    };
    let lang = tongue.without_text();
    let urls = urls.clone();
    let previews = ctx
        .compute(move |library| {
            let preview = |url: String| {
                let case = library.case_at(&url)?;
                let view = View {
                    lang,
                    text: String::new(),
                    offset: 0,
                };
                let preview = render::preview(library, case, &view);
                Some((url, preview))
            };
            urls.into_iter()
                .filter_map(preview)
                .collect::<Vec<(String, Message)>>()
        })
        .await?;
    ctx.client
        .unfurl(&place.channel, message, &previews)
        .await?;
    Ok("links previewed")
}
