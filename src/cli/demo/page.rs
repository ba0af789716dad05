//! The playground page and what it may ask for. On loopback only, for the page's own address only.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::bail;
use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Query, Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::play::{Play, Pressed, TEXT_LIMIT_BYTES};
use crate::{config, corpus::Lang};

const HTML: &str = include_str!("page/index.html");
const SCRIPT: &str = include_str!("page/playground.js");
const WORDS: &str = include_str!("page/words.js");
const BLOCKS: &str = include_str!("page/blocks.js");
const FORMS: &str = include_str!("page/forms.js");
const STYLE: &str = include_str!("page/playground.css");

/// How long the page waits for something new before it asks again.
const POLL: Duration = Duration::from_secs(20);

/// Largest request of the page, in bytes.
const BODY_LIMIT_BYTES: usize = 4 * TEXT_LIMIT_BYTES;

/// What the page may do. Scripts and styles are its own, and nothing is loaded from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(super) fn router(play: Arc<Play>, address: SocketAddr) -> Router {
    let file = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], text) })
    };
    let script = "text/javascript; charset=utf-8";
    Router::new()
        .route("/", file("text/html; charset=utf-8", HTML))
        .route("/playground.js", file(script, SCRIPT))
        .route("/words.js", file(script, WORDS))
        .route("/blocks.js", file(script, BLOCKS))
        .route("/forms.js", file(script, FORMS))
        .route("/playground.css", file("text/css; charset=utf-8", STYLE))
        .route("/state", get(state))
        .route("/do", post(act))
        .layer(DefaultBodyLimit::max(BODY_LIMIT_BYTES))
        .layer(middleware::from_fn(move |request, next| {
            guard(address, request, next)
        }))
        .with_state(play)
}

/// Keeps other pages in the same browser out: by the address that they ask for, and by where they come from.
async fn guard(address: SocketAddr, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let hosts = [
        format!("127.0.0.1:{}", address.port()),
        format!("localhost:{}", address.port()),
    ];
    let is_ours = |name: header::HeaderName, prefix: &str| {
        let value = headers.get(name)?;
        let value = value
            .to_str()
            .ok()
            .and_then(|value| value.strip_prefix(prefix));
        Some(value.is_some_and(|value| hosts.iter().any(|host| host == value)))
    };
    let host = is_ours(header::HOST, "") == Some(true);
    let origin = is_ours(header::ORIGIN, "http://").unwrap_or(true);
    if !host || !origin || is_from_elsewhere(headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let mut response = next.run(request).await;
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        let value = header::HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// Returns whether a browser says that another site asks. A person who follows a link is none.
fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let is = |name: &str, expect: &str| {
        headers
            .get(name)
            .is_some_and(|value| value.as_bytes() == expect.as_bytes())
    };
    is("sec-fetch-site", "cross-site") && !is("sec-fetch-mode", "navigate")
}

/// What the page knows already.
#[derive(Deserialize)]
struct Known {
    #[serde(default)]
    after: Option<u64>,
}

async fn state(State(play): State<Arc<Play>>, Query(known): Query<Known>) -> Response {
    let workspace = play.workspace();
    let snapshot = match known.after {
        Some(after) => workspace.newer(after, POLL).await,
        None => workspace.snapshot(),
    };
    Json(snapshot).into_response()
}

/// What somebody does on the page.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Act {
    Say {
        channel: String,
        text: String,
        #[serde(default)]
        thread: Option<String>,
        lang: String,
    },
    Create {
        name: String,
        #[serde(default)]
        topic: String,
        lang: String,
    },
    Alert {
        channel: String,
        title: String,
        #[serde(default)]
        text: String,
    },
    Press {
        channel: String,
        ts: String,
        button: Pressed,
        lang: String,
    },
    FindSimilar {
        channel: String,
        ts: String,
        lang: String,
    },
    Search {
        lang: String,
    },
    OpenHome {
        lang: String,
    },
    PressInView {
        /// Empty for the home.
        view: String,
        button: Pressed,
        lang: String,
    },
    Options {
        view: String,
        menu: String,
        text: String,
        lang: String,
    },
    Submit {
        view: String,
        values: Value,
        lang: String,
    },
    CloseView {
        view: String,
    },
}

/// Does it; errors are Slack's words for them, which the page puts into people's.
async fn act(State(play): State<Arc<Play>>, Json(act): Json<Act>) -> Response {
    match perform(&play, act).await {
        Ok(result) => Json(json!({"ok": true, "result": result})).into_response(),
        Err(error) => {
            let answer = Json(json!({"ok": false, "error": error.to_string()}));
            (StatusCode::UNPROCESSABLE_ENTITY, answer).into_response()
        }
    }
}

async fn perform(play: &Play, act: Act) -> anyhow::Result<Value> {
    let lang = |text: &str| config::lang(text).unwrap_or(Lang::En);
    let done = match act {
        Act::Say {
            channel,
            text,
            thread,
            lang: tag,
        } => {
            if text.trim().is_empty() || text.len() > TEXT_LIMIT_BYTES {
                bail!("msg_too_long");
            }
            play.say(&channel, &text, thread, lang(&tag)).await
        }
        Act::Create {
            name,
            topic,
            lang: tag,
        } => {
            return play
                .create(&name, &topic, lang(&tag))
                .await
                .map(Value::from);
        }
        Act::Alert {
            channel,
            title,
            text,
        } => play.alert(&channel, &title, &text).await,
        Act::Press {
            channel,
            ts,
            button,
            lang: tag,
        } => play.press(&channel, &ts, &button, lang(&tag)).await,
        Act::FindSimilar {
            channel,
            ts,
            lang: tag,
        } => play.find_similar(&channel, &ts, lang(&tag)).await,
        Act::Search { lang: tag } => play.search(lang(&tag)).await,
        Act::OpenHome { lang: tag } => play.open_home(lang(&tag)).await,
        Act::PressInView {
            view,
            button,
            lang: tag,
        } => play.press_in_view(&view, &button, lang(&tag)).await,
        Act::Options {
            view,
            menu,
            text,
            lang: tag,
        } => return play.options(&view, &menu, &text, lang(&tag)).await,
        Act::Submit {
            view,
            values,
            lang: tag,
        } => return play.submit(&view, &values, lang(&tag)).await,
        Act::CloseView { view } => {
            play.workspace().close_view(&view, false);
            Ok(())
        }
    };
    done.map(|()| Value::Null)
}
