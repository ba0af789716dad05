//! slack-morphism's HTTP side over `reqwest`: one HTTP stack with timeouts, a base URL from the configuration, bounded
//! responses, and errors that carry neither bodies nor addresses (a `response_url` is a secret).

use std::time::Duration;

use futures::{FutureExt, future::BoxFuture};
use http::{HeaderMap, StatusCode, header};
use reqwest::RequestBuilder;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use slack_morphism::{
    ClientResult, SlackClientApiCallContext, SlackClientHttpConnector,
    errors::{
        SlackClientApiError, SlackClientError, SlackClientHttpError, SlackClientHttpProtocolError,
        SlackClientSystemError, SlackRateLimitError,
    },
    multipart_form::FileMultipartData,
    prelude::{SlackApiToken, SlackClientId, SlackClientSecret, ValueStruct},
};
use url::Url;

/// Largest response that is read, in bytes; pages of 15 messages stay far below.
const RESPONSE_LIMIT_BYTES: usize = 4 * 1024 * 1024;

/// Talks HTTP for slack-morphism's sessions.
#[derive(Clone, Debug)]
pub(super) struct Connector {
    http: reqwest::Client,
    base: Url,
}

impl Connector {
    /// Makes a connector for the Web API at `base` whose requests end after `timeout`.
    ///
    /// # Errors
    /// When the TLS set-up of the system cannot be used.
    pub(super) fn new(base: Url, timeout: Duration) -> reqwest::Result<Self> {
        let http = reqwest::Client::builder()
            .timeout(timeout)
            .connect_timeout(timeout.min(Duration::from_secs(5)))
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("incident-like/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { http, base })
    }

    /// Posts a form in the name of the app itself, which signs in by its id and secret.
    pub(super) async fn post_form(
        &self,
        method: &str,
        (id, secret): (&str, &str),
        fields: &[(&str, &str)],
    ) -> ClientResult<Value> {
        let url = self.create_method_uri_path(method)?;
        let request = self
            .http
            .post(url)
            .basic_auth(id, Some(secret))
            .form(fields);
        Self::send(request, None).await
    }

    async fn send<RS: DeserializeOwned>(
        request: RequestBuilder,
        token: Option<&SlackApiToken>,
    ) -> ClientResult<RS> {
        let request = match token {
            Some(token) => request.bearer_auth(token.token_value.value()),
            None => request,
        };
        let mut response = request.send().await.map_err(send_error)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(send_error)? {
            if body.len() + chunk.len() > RESPONSE_LIMIT_BYTES {
                return Err(unknown_outcome("the response is too large"));
            }
            body.extend_from_slice(&chunk);
        }
        read(status, &headers, &body)
    }
}

/// Reads a response as Slack means it: failures often come with status 200.
fn read<RS: DeserializeOwned>(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> ClientResult<RS> {
    let json = serde_json::from_slice::<Value>(body).ok();
    let failed = json.as_ref().filter(|json| {
        json.get("error").is_some_and(Value::is_string)
            || json.get("ok") == Some(&Value::Bool(false))
    });
    if status == StatusCode::TOO_MANY_REQUESTS {
        let retry_after = headers
            .get(header::RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.trim().parse().ok())
            .map(Duration::from_secs);
        let error = SlackRateLimitError::new().opt_retry_after(retry_after);
        return Err(SlackClientError::RateLimitError(error));
    }
    if let Some(failed) = failed {
        let code = failed
            .get("error")
            .and_then(Value::as_str)
            .unwrap_or("unknown");
        // What Slack finds wrong in the blocks, or the scope it misses; neither quotes the message.
        let messages = failed
            .pointer("/response_metadata/messages")
            .and_then(Value::as_array);
        let details: Vec<String> = messages
            .into_iter()
            .flatten()
            .chain(failed.get("needed"))
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        let error = SlackClientApiError::new(code.to_owned()).with_errors(details);
        return Err(SlackClientError::ApiError(error));
    }
    if !status.is_success() {
        // The addresses of later answers put their reason into a plain body (`expired_url`, `used_url`).
        let word = std::str::from_utf8(body)
            .ok()
            .map(str::trim)
            .filter(|word| (1..=40).contains(&word.len()))
            .filter(|word| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
        return Err(match word {
            Some(code) => SlackClientError::ApiError(SlackClientApiError::new(code.to_owned())),
            None => SlackClientError::HttpError(SlackClientHttpError::new(status)),
        });
    }
    match json {
        Some(json) => serde_json::from_value(json)
            .map_err(|_| unknown_outcome("the response has another form")),
        // They also answer a plain `ok`.
        None if body.trim_ascii() == b"ok" || body.is_empty() => {
            serde_json::from_str("{}").map_err(|_| unknown_outcome("the response has another form"))
        }
        None => Err(unknown_outcome("the response is not JSON")),
    }
}

/// Tells requests that never left from those whose outcome is unknown.
fn send_error(error: reqwest::Error) -> SlackClientError {
    if error.is_connect() || error.is_builder() {
        let error = SlackClientHttpProtocolError::new().with_cause(Box::new(error.without_url()));
        return SlackClientError::HttpProtocolError(error);
    }
    unknown_outcome(if error.is_timeout() {
        "timed out"
    } else {
        "the connection broke"
    })
}

fn unknown_outcome(message: &str) -> SlackClientError {
    SlackClientError::SystemError(SlackClientSystemError::new().with_message(message.to_owned()))
}

/// Refuses what the trait asks for and nothing of ours calls.
fn unused<'a, RS: Send + 'a>(what: &str) -> BoxFuture<'a, ClientResult<RS>> {
    std::future::ready(Err(unknown_outcome(&format!("{what} is not supported")))).boxed()
}

impl SlackClientHttpConnector for Connector {
    fn create_method_uri_path(&self, method: &str) -> ClientResult<Url> {
        let base = self.base.as_str().trim_end_matches('/');
        Ok(Url::parse(&format!("{base}/{method}"))?)
    }

    fn http_get_uri<'a, RS>(
        &'a self,
        full_uri: Url,
        context: SlackClientApiCallContext<'a>,
    ) -> BoxFuture<'a, ClientResult<RS>>
    where
        RS: for<'de> serde::de::Deserialize<'de> + Send + 'a,
    {
        Self::send(self.http.get(full_uri), context.token).boxed()
    }

    fn http_get_with_client_secret<'a, RS>(
        &'a self,
        _full_uri: Url,
        _client_id: &'a SlackClientId,
        _client_secret: &'a SlackClientSecret,
    ) -> BoxFuture<'a, ClientResult<RS>>
    where
        RS: for<'de> serde::de::Deserialize<'de> + Send + 'a,
    {
        unused("signing in with a client secret")
    }

    fn http_post_uri<'a, RQ, RS>(
        &'a self,
        full_uri: Url,
        request_body: &'a RQ,
        context: SlackClientApiCallContext<'a>,
    ) -> BoxFuture<'a, ClientResult<RS>>
    where
        RQ: Serialize + Send + Sync,
        RS: for<'de> serde::de::Deserialize<'de> + Send + 'a,
    {
        // `RequestBuilder::json` leaves out the charset, which Slack warns about in every response.
        let request = match serde_json::to_vec(request_body) {
            Ok(body) => self
                .http
                .post(full_uri)
                .header(header::CONTENT_TYPE, "application/json; charset=utf-8")
                .body(body),
            Err(error) => {
                return std::future::ready(Err(slack_morphism::errors::map_serde_error(
                    error, None,
                )))
                .boxed();
            }
        };
        Self::send(request, context.token).boxed()
    }

    fn http_post_uri_multipart_form<'a, 'p, RS, PT, TS>(
        &'a self,
        _full_uri: Url,
        _file: Option<FileMultipartData<'p>>,
        _params: &'p PT,
        _context: SlackClientApiCallContext<'a>,
    ) -> BoxFuture<'a, ClientResult<RS>>
    where
        RS: for<'de> serde::de::Deserialize<'de> + Send + 'a,
        PT: IntoIterator<Item = (&'p str, Option<TS>)> + Clone,
        TS: AsRef<str> + 'p + Send,
    {
        unused("uploading a form")
    }

    #[expect(unused_lifetimes, reason = "the trait declares it")]
    fn http_post_uri_binary<'a, 'p, RS>(
        &'a self,
        _full_uri: Url,
        _content_type: String,
        _data: &'a [u8],
        _context: SlackClientApiCallContext<'a>,
    ) -> BoxFuture<'a, ClientResult<RS>>
    where
        RS: for<'de> serde::de::Deserialize<'de> + Send + 'a,
    {
        unused("uploading a file")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, body: &str) -> ClientResult<Value> {
        let status = StatusCode::from_u16(status).expect("a valid status");
        read(status, &HeaderMap::new(), body.as_bytes())
    }

    #[test]
    fn responses_are_read_as_slack_means_them() {
        assert!(check(200, r#"{"ok":true,"ts":"1.2"}"#).is_ok());
        assert!(check(200, "ok").is_ok());
        for (status, body, code) in [
            (
                200,
                r#"{"ok":false,"error":"not_in_channel"}"#,
                "not_in_channel",
            ),
            (404, "expired_url", "expired_url"),
            (500, r#"{"ok":false,"error":"fatal_error"}"#, "fatal_error"),
        ] {
            let error = check(status, body).expect_err("it failed");
            assert!(matches!(error, SlackClientError::ApiError(error) if error.code == code));
        }
        let html = check(502, "<html>Bad gateway</html>").expect_err("it failed");
        assert!(matches!(html, SlackClientError::HttpError(_)));
        let html = check(200, "<html>proxy login</html>").expect_err("it is unknown");
        assert!(matches!(html, SlackClientError::SystemError(_)));
    }
}
