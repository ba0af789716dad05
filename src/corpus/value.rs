//! Single values of a case file: dates, choices, addresses, clock times.

use std::{str::FromStr, sync::LazyLock};

use regex::Regex;
use toml::Spanned;

use super::reader::{Fields, Problems, Spans};

pub(super) fn parse<T: FromStr<Err: std::error::Error>>(
    key: &'static str,
    text: &Spanned<String>,
    problems: &mut Problems,
) -> Option<T> {
    match text.get_ref().parse() {
        Ok(value) => Some(value),
        Err(error) => {
            let message = format!("`{}` is not a valid `{key}`", text.get_ref());
            problems.error("bad-value", text.span(), message, error.to_string());
            None
        }
    }
}

pub(super) fn choice<T: Copy>(
    fields: &mut Fields<'_, '_>,
    key: &'static str,
    all: &[T],
    slug: fn(T) -> &'static str,
    problems: &mut Problems,
) -> Option<T> {
    let text = fields.text(key, problems)?;
    let found = all
        .iter()
        .copied()
        .find(|value| slug(*value) == text.get_ref());
    if found.is_none() {
        let known: Vec<_> = all
            .iter()
            .map(|value| format!("`{}`", slug(*value)))
            .collect();
        let message = format!("`{}` is not a valid `{}`", text.get_ref(), fields.path(key));
        problems.error(
            "bad-value",
            text.span(),
            message,
            format!("one of {}", known.join(", ")),
        );
    }
    found
}

pub(super) fn https(
    fields: &mut Fields<'_, '_>,
    key: &'static str,
    spans: &mut Spans,
    problems: &mut Problems,
) -> Option<String> {
    let url = fields.text(key, problems)?;
    spans.insert(fields.path(key), url.span());
    let text = url.get_ref();
    // 3,000 is Slack's limit for a button's URL (docs.slack.dev, block elements).
    if text.starts_with("https://")
        && text.len() <= 3000
        && url::Url::parse(text).is_ok_and(|url| url.has_host())
    {
        return Some(url.into_inner());
    }
    let message = format!("`{text}` is not an https address");
    problems.error(
        "bad-url",
        url.span(),
        message,
        "give the full address, beginning with https://",
    );
    None
}

/// When something was done: an optional date, the clock time, and the zone unless the source names none.
static CLOCK_TIME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?x-u)^ (?: \d{4}-\d{2}-\d{2} \x20 )? ([01]\d|2[0-3]) : [0-5]\d (?: : [0-5]\d )? (?: \x20 (?: [A-Z]{1,5} | [+-]\d{2}:\d{2} ) )? $")
        .expect("the pattern is valid")
});

pub(super) fn clock_time(at: &Spanned<String>, problems: &mut Problems) -> Option<String> {
    let text = at.get_ref();
    if CLOCK_TIME.is_match(text) {
        return Some(text.clone());
    }
    problems.error(
        "bad-value",
        at.span(),
        format!("`{text}` is not a clock time"),
        "write `18:46 UTC` or `2021-03-25 18:46 UTC`, in the source's zone; leave `at` out where the source has no clock time",
    );
    None
}
