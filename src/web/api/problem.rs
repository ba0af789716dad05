//! Refusals of the JSON API: problem documents (RFC 9457) that say what to do.

use std::fmt::Display;

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::library::{FilterError, UnknownCase, UnknownTerm};

/// A refusal with its reason and what to do.
#[derive(Debug)]
pub(in crate::web) struct Problem {
    status: StatusCode,
    detail: String,
    hint: String,
    nearest: Vec<String>,
    retry_after: Option<u64>,
}

impl Problem {
    fn new(status: StatusCode, detail: impl Display, hint: impl Display) -> Self {
        Self {
            status,
            detail: detail.to_string(),
            hint: hint.to_string(),
            nearest: Vec::new(),
            retry_after: None,
        }
    }

    pub(super) fn bad_request(detail: impl Display, hint: impl Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail, hint)
    }

    pub(super) fn not_found(detail: impl Display, hint: impl Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail, hint)
    }

    pub(super) fn wrong_method() -> Self {
        let detail = "this address only answers GET and HEAD";
        let hint = "send the parameters in the query, not in a body";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, detail, hint)
    }

    pub(super) fn too_many(seconds: u64) -> Self {
        let detail = "too many requests from your address";
        let hint = format!(
            "wait {seconds} s; answers may be kept and asked for again with `If-None-Match`"
        );
        Self {
            retry_after: Some(seconds),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, detail, hint)
        }
    }

    pub(super) fn busy() -> Self {
        let hint = "try again in a second";
        Self {
            retry_after: Some(1),
            ..Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many requests at once",
                hint,
            )
        }
    }

    pub(super) fn too_slow() -> Self {
        let hint = "try again; a shorter text takes less time";
        Self {
            retry_after: Some(1),
            ..Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "the answer took too long",
                hint,
            )
        }
    }

    pub(super) fn failure() -> Self {
        let hint = "try again; if it fails again, report the request";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the lookup failed", hint)
    }

    /// Adds what may have been meant.
    pub(super) fn near(self, nearest: Vec<String>) -> Self {
        Self { nearest, ..self }
    }
}

impl From<FilterError> for Problem {
    fn from(error: FilterError) -> Self {
        let hint = error.hint();
        Self::bad_request(&error, hint).near(error.nearest)
    }
}

impl From<UnknownTerm> for Problem {
    fn from(error: UnknownTerm) -> Self {
        let hint = match error.nearest.first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("`/api/v1/vocab?facet={}` lists what there is", error.facet),
        };
        Self::not_found(&error, hint).near(error.nearest)
    }
}

impl From<UnknownCase> for Problem {
    fn from(error: UnknownCase) -> Self {
        Self::not_found(error, "search for it with `/api/v1/search?q=…`")
    }
}

/// Why a request was refused (RFC 9457), with two members of our own.
#[derive(Serialize, ToSchema)]
pub(in crate::web) struct ProblemView {
    /// Always `about:blank`: the status says what kind of problem it is.
    r#type: &'static str,
    /// The status in words.
    title: &'static str,
    /// The status.
    status: u16,
    /// What is wrong with this very request.
    detail: String,
    /// What to do about it.
    hint: String,
    /// Names that may have been meant, likeliest first.
    nearest: Vec<String>,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let view = ProblemView {
            r#type: "about:blank",
            title: self.status.canonical_reason().unwrap_or_default(),
            status: self.status.as_u16(),
            detail: self.detail,
            hint: self.hint,
            nearest: self.nearest,
        };
        let mut response = (self.status, Json(view)).into_response();
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, kind);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}
