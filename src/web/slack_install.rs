//! Installing the app in a workspace: sends its admin to Slack, takes what they bring back, and says how it went.
//!
//! An install is begun in the store, so that any replica may end it, once and within minutes, and only in the browser that
//! began it: its cookie holds the same word as the address that Slack sends it back to.

use std::{sync::Arc, time::Duration};

use askama::Template;
use axum::{
    Router,
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware,
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use serde::Deserialize;
use tracing::{error, info, warn};
use url::Url;

use super::{AppState, api, site};
use crate::{
    corpus::Lang,
    slack::{
        client::{DeliverError, oauth::Grant},
        manifest::REDIRECT_PATH,
    },
    worker::installations::{DECISION, InstallError, Installations},
};

/// Where an install begins.
const BEGIN: &str = "/slack/install";

/// Name of the cookie; over https browsers take it from this very host only.
const COOKIE: &str = "incident_like_install";

/// Longest word or code that is looked at.
const LONGEST: usize = 512;

/// Nothing runs or loads.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Makes the routes, where workspaces may install the app.
pub(super) fn routes(state: &AppState) -> Router<AppState> {
    if state.installations.is_none() {
        return Router::new();
    }
    Router::new()
        .route(BEGIN, get(begin))
        .route(REDIRECT_PATH, get(end))
        // Whoever finds the address may call it.
        .layer(middleware::from_fn_with_state(state.clone(), api::limited))
}

/// Sends somebody to Slack.
async fn begin(State(state): State<AppState>, headers: HeaderMap) -> Response {
    let lang = site::preferred(&headers);
    let Some(installations) = &state.installations else {
        return StatusCode::NOT_FOUND.into_response();
    };
    match installations.begin().await {
        Ok(Some(word)) => {
            let to = installations.oauth().authorize_url(&word);
            let cookie = cookie(installations, &word, DECISION);
            let redirect = Redirect::to(to.as_str());
            ([(header::SET_COOKIE, cookie), NO_STORE], redirect).into_response()
        }
        Ok(None) => {
            warn!("too many installs are under way; refusing one");
            page(lang, &Outcome::Busy).into_response()
        }
        Err(reason) => {
            warn!(%reason, "an install cannot be begun");
            page(lang, &Outcome::Busy).into_response()
        }
    }
}

/// What Slack sends somebody back with.
#[derive(Deserialize)]
struct Back {
    #[serde(default)]
    state: String,
    #[serde(default)]
    code: String,
    #[serde(default)]
    error: String,
}

/// Takes what somebody brings back from Slack.
async fn end(
    State(state): State<AppState>,
    headers: HeaderMap,
    back: Result<Query<Back>, QueryRejection>,
) -> Response {
    let lang = site::preferred(&headers);
    let Some(installations) = &state.installations else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let outcome = match back {
        Ok(Query(back)) => finish(installations, &headers, &back).await,
        Err(_) => Outcome::Stale,
    };
    // Whatever came of it, this install is over.
    let cookie = cookie(installations, "", Duration::ZERO);
    ([(header::SET_COOKIE, cookie)], page(lang, &outcome)).into_response()
}

async fn finish(installations: &Arc<Installations>, headers: &HeaderMap, back: &Back) -> Outcome {
    let began_here = own_cookie(installations, headers).is_some_and(|word| word == back.state);
    if !began_here || back.state.len() > LONGEST || back.code.len() > LONGEST {
        info!("an install came back to another browser, or too late");
        return Outcome::Stale;
    }
    let installed = async {
        installations.end(&back.state).await?;
        if back.error == "access_denied" {
            return Ok(None);
        }
        if back.code.is_empty() {
            return Err(InstallError::Stale);
        }
        installations.install(&back.code).await.map(Some)
    };
    match installed.await {
        Ok(Some(grant)) => Outcome::Done(Box::new(grant)),
        Ok(None) => Outcome::Denied,
        Err(reason @ InstallError::Stale) => {
            info!(%reason, "refused an install");
            Outcome::Stale
        }
        Err(InstallError::Slack(DeliverError::Other(code))) if CODES.contains(&code.as_str()) => {
            info!(code, "Slack refuses an install");
            Outcome::Stale
        }
        Err(InstallError::Slack(reason)) if reason.is_final() => {
            error!(%reason, "Slack refuses an install: check client id, client secret and redirect URL");
            Outcome::Failed
        }
        Err(reason) => {
            warn!(%reason, "an install failed");
            Outcome::Busy
        }
    }
}

/// What Slack says of codes that are no good any more.
const CODES: [&str; 3] = ["invalid_code", "code_already_used", "code_expired"];

/// How an install went.
enum Outcome {
    Done(Box<Grant>),
    Denied,
    /// Begun elsewhere or too long ago.
    Stale,
    /// Slack does not accept the app.
    Failed,
    /// For now.
    Busy,
}

fn is_https(installations: &Installations) -> bool {
    installations.oauth().redirect().scheme() == "https"
}

fn cookie_name(installations: &Installations) -> String {
    let prefix = if is_https(installations) {
        "__Host-"
    } else {
        ""
    };
    format!("{prefix}{COOKIE}")
}

/// Makes the header that sets the cookie, for as long as an install may take. `Lax`: Slack's page leads back here, and the browser must send it then.
fn cookie(installations: &Installations, word: &str, lifetime: Duration) -> HeaderValue {
    let name = cookie_name(installations);
    let secure = if is_https(installations) {
        "; Secure"
    } else {
        ""
    };
    let seconds = lifetime.as_secs();
    let text = format!("{name}={word}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&text).expect("the word is hexadecimal")
}

fn own_cookie<'h>(installations: &Installations, headers: &'h HeaderMap) -> Option<&'h str> {
    let name = cookie_name(installations);
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(own, word)| (own == name && !word.is_empty()).then_some(word))
}

const NO_STORE: (HeaderName, HeaderValue) =
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));

#[derive(Template)]
#[template(path = "install.html")]
struct InstallPage<'p> {
    lang: Lang,
    title: &'static str,
    /// The workspace's name, as Slack says it.
    name: &'p str,
    detail: &'static str,
    is_done: bool,
    open: String,
    open_text: &'static str,
    again: &'static str,
    again_text: &'static str,
}

/// Says how it went.
fn page(lang: Lang, outcome: &Outcome) -> Response {
    let word = |en, ko| match lang {
        Lang::En => en,
        Lang::Ko => ko,
    };
    let (status, title, detail) = match outcome {
        Outcome::Done(_) => (
            StatusCode::OK,
            word("incident-like is installed", "incident-like를 설치했습니다"),
            word(
                "Try this in any channel. In incident channels it speaks up by itself.",
                "아무 채널에서나 아래 명령을 입력해 보세요. 장애 채널에서는 먼저 비슷한 사례를 알려 드립니다.",
            ),
        ),
        Outcome::Denied => (
            StatusCode::OK,
            word("Nothing was installed", "설치하지 않았습니다"),
            word(
                "You said no in Slack, so nothing changed.",
                "Slack에서 설치를 취소하셨습니다. 달라진 것은 없습니다.",
            ),
        ),
        Outcome::Stale => (
            StatusCode::BAD_REQUEST,
            word("Please begin again", "처음부터 다시 시도해 주세요"),
            word(
                "This install was begun in another browser, is over already, or took longer than ten minutes.",
                "다른 브라우저에서 시작했거나, 이미 끝났거나, 10분이 지난 설치 요청입니다.",
            ),
        ),
        Outcome::Failed => (
            StatusCode::BAD_GATEWAY,
            word(
                "Slack did not accept the app",
                "Slack이 앱을 받아들이지 않았습니다",
            ),
            word(
                "Whoever runs this service finds the reason in its log.",
                "자세한 이유는 서비스 운영자가 로그에서 확인할 수 있습니다.",
            ),
        ),
        Outcome::Busy => (
            StatusCode::SERVICE_UNAVAILABLE,
            word("That did not work just now", "지금은 설치할 수 없습니다"),
            word(
                "Please try again in a minute.",
                "1분쯤 뒤에 다시 시도해 주세요.",
            ),
        ),
    };
    let (mut name, mut open) = ("", String::new());
    if let Outcome::Done(grant) = outcome {
        name = &grant.name;
        open = address(grant);
    }
    let is_done = matches!(outcome, Outcome::Done(_));
    let template = InstallPage {
        lang,
        title,
        name,
        detail,
        is_done,
        open,
        open_text: word("Open it in Slack", "Slack에서 열기"),
        again: if is_done { "" } else { "install" },
        again_text: word(
            "Install it again from the beginning",
            "처음부터 다시 설치하기",
        ),
    };
    let Ok(html) = template.render() else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let header = |name: HeaderName, value| (name, HeaderValue::from_static(value));
    let headers = [
        header(header::CONTENT_TYPE, "text/html; charset=utf-8"),
        header(header::CONTENT_SECURITY_POLICY, POLICY),
        header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // The address holds a code.
        header(header::REFERRER_POLICY, "no-referrer"),
        NO_STORE,
    ];
    (status, headers, html).into_response()
}

/// Returns where Slack opens the app; empty when it did not say which it is.
fn address(grant: &Grant) -> String {
    let mut url = Url::parse("https://slack.com/app_redirect").expect("it is an address");
    url.query_pairs_mut()
        .append_pair("app", &grant.app)
        .append_pair("team", grant.tenant.key());
    if grant.app.is_empty() {
        return String::new();
    }
    url.into()
}
