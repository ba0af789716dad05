//! What arrives where Slack sends: headers, bodies, and everything in them.

use std::{
    sync::LazyLock,
    time::{SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use incident_like::{
    corpus::Lang,
    slack::{
        action::Button,
        command::{self, narrow},
        form, gather,
        inbound::{Event, Inbound, Post, Submission, is_ssl_check},
        reply::{self, Tongue},
        setting,
        signature::{SIGNATURE_HEADER, TIMESTAMP_HEADER, Verifier, sign},
    },
};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::{LIBRARY, render, sound, texts, units};

static SECRET: LazyLock<SecretString> = LazyLock::new(|| "8f742231b10e8888abcd99yyyzzz85a5".into());
static VERIFIER: LazyLock<Verifier> = LazyLock::new(|| Verifier::new(Some(&SECRET), None));

pub(crate) fn run(data: &[u8]) {
    let Some((choice, data)) = data.split_first() else {
        return;
    };
    let parts = texts(data);
    let part = |at: usize| parts.get(at).map_or("", String::as_str);
    match choice % 8 {
        0 => forged(&parts),
        1 => taken(data),
        2 => {
            let fields = [("command", "/incident-like"), ("team_id", "T0TEAM"), ("channel_id", "C0HERE"), ("text", part(0)), ("channel_name", part(1)), ("user_id", "U0ASKER"), ("response_url", part(2))];
            let mut form = url::form_urlencoded::Serializer::new(String::new());
            form.extend_pairs(fields);
            taken(form.finish().as_bytes());
        }
        3 => interaction(&json!({"type": "block_actions", "actions": [{"action_id": part(0), "value": part(1)}], "channel": {"id": part(2)}, "user": {"id": part(3)}})),
        4 => {
            let event: Value = serde_json::from_slice(data).unwrap_or_else(|_| json!({
                "type": "app_mention", "channel": "C0HERE", "user": part(1), "ts": part(2), "thread_ts": part(3), "text": part(0),
            }));
            taken(json!({"type": "event_callback", "event_id": "Ev1", "team_id": "T0TEAM", "event": event}).to_string().as_bytes());
        }
        5 => interaction(&json!({"type": "view_submission", "user": {"id": "U1"}, "view": {
            "id": "V1", "callback_id": if choice & 8 == 0 { form::REFINE } else { form::SEARCH }, "private_metadata": part(0),
            "state": {"values": {"text": {"text": {"type": "plain_text_input", "value": part(1)}},
                "since": {"since": {"type": "static_select", "selected_option": {"value": part(2)}}},
                "component": {"component": {"selected_options": [{"value": part(3)}]}},
                "add": {"add": {"selected_options": [{"value": part(2)}]}}}},
        }})),
        6 => interaction(&json!({"type": "block_suggestion", "user": {"id": "U1"}, "action_id": part(0), "value": part(1)})),
        _ => interaction(&serde_json::from_slice(data).unwrap_or_else(|_| json!({
            "type": "message_action", "callback_id": "find_similar", "user": {"id": "U1"}, "message": {"text": part(0)},
        }))),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "signatures are checked against the real clock"
)]
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("after 1970").as_secs()
}

/// Headers that nobody signed open nothing.
fn forged(parts: &[String]) {
    let mut headers = HeaderMap::new();
    for (name, value) in [SIGNATURE_HEADER, TIMESTAMP_HEADER].into_iter().zip(parts) {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    let body = parts.last().cloned().unwrap_or_default();
    // Whatever they say: the fuzzer does not know the secret.
    assert!(VERIFIER.verify(&headers, Bytes::from(body)).is_err());
    // A right signature with another time is none either.
    let signature = sign(&SECRET, now() - 1, b"");
    headers.insert(SIGNATURE_HEADER, signature.parse().expect("hex"));
    assert!(VERIFIER.verify(&headers, Bytes::new()).is_err());
}

fn interaction(payload: &Value) {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("payload", &payload.to_string());
    taken(form.finish().as_bytes());
}

/// A signed body is understood or ignored, and answered as it should be.
fn taken(body: &[u8]) {
    let _ = is_ssl_check(body);
    let at = now();
    let mut headers = HeaderMap::new();
    headers.insert(TIMESTAMP_HEADER, at.into());
    headers.insert(
        SIGNATURE_HEADER,
        sign(&SECRET, at, body).parse().expect("hex"),
    );
    let verified = VERIFIER.verify(&headers, Bytes::copy_from_slice(body));
    assert_eq!(verified.is_ok(), std::str::from_utf8(body).is_ok());
    if let Ok(verified) = verified {
        answered(Inbound::parse(&verified).0);
    }
}

fn answered(inbound: Inbound) {
    match inbound {
        Inbound::Command(asked) => {
            let tongue = Tongue {
                locale: None,
                default: Lang::En,
            }
            .typed(&asked.text);
            let settings = render::settings("inc-*", Lang::En);
            let channel = asked.channel_name.unwrap_or_default();
            let command = command::parse(&asked.text);
            sound::check(&reply::command(
                &LIBRARY, &command, &channel, tongue, &settings,
            ));
        }
        Inbound::Shortcut(shortcut) => text(&shortcut.text),
        Inbound::Click(click) => {
            let button = &click.button;
            let again =
                Button::parse(button.action_id(), &button.value()).expect("a button of ours");
            assert_eq!((&again.action, again.lang), (&button.action, button.lang));
            assert!(button.text.starts_with(&again.text));
            assert!(units(&button.value()) <= 2000);
            let user = &click.asker.user;
            sound::check_from(&reply::button(&LIBRARY, button, user), Some(&user.0));
        }
        Inbound::Typed(typed) => {
            for lang in Lang::ALL {
                let offered = form::options(&LIBRARY, &typed.menu, &typed.text, lang);
                options(&offered);
            }
        }
        Inbound::Submission(submission) => sent(&submission),
        Inbound::Set(set) => {
            if let Some(value) = setting::Value::parse(&set.name, &set.words) {
                let stored = value.stored();
                let again = stored
                    .as_deref()
                    .map(|word| setting::Value::parse(value.name(), word));
                assert!(again.is_none_or(|again| again == Some(value)));
            }
        }
        Inbound::Event(envelope) => match envelope.event {
            Event::Mention(post) | Event::Message(post) | Event::Direct(post) => said(&post),
            _ => {}
        },
        Inbound::UrlVerification { .. }
        | Inbound::Search(_)
        | Inbound::Stranger(_)
        | Inbound::Uninstall(_)
        | Inbound::Ignored(_) => {}
    }
}

fn said(post: &Post) {
    text(&post.text);
}

/// What a message says is bounded, and answered.
fn text(text: &str) {
    assert!(text.len() <= gather::TEXT_LIMIT_BYTES);
    let tongue = Tongue {
        locale: None,
        default: Lang::Ko,
    };
    sound::check(&reply::answer_to_text(&LIBRARY, text, tongue));
    assert!(!narrow::understand(&LIBRARY, &narrow::literal(text)).is_list());
}

/// What a menu offers is what Slack takes.
fn options(offered: &Value) {
    let groups = offered["option_groups"]
        .as_array()
        .cloned()
        .unwrap_or_else(|| vec![offered.clone()]);
    assert!(groups.len() <= 100);
    for group in &groups {
        let options = group["options"].as_array().expect("options");
        assert!(options.len() <= 100);
        for option in options {
            let title = units(option["text"]["text"].as_str().expect("a title"));
            let value = units(option["value"].as_str().expect("a value"));
            assert!(
                (1..=75).contains(&title) && (1..=75).contains(&value),
                "{option}"
            );
        }
    }
}

/// What a form ends in is asked like something that was typed, and can be changed again.
fn sent(submission: &Submission) {
    let question = match form::Origin::read(&submission.carried) {
        Some(origin) => form::refined(&LIBRARY, submission, &origin, Lang::En),
        None => form::asked(submission),
    };
    let Ok(question) = question else { return };
    assert!(!question.is_empty());
    sound::check(&reply::asked(&LIBRARY, &question, Lang::En));
    let view = serde_json::to_value(form::search(&LIBRARY, &question, Lang::En)).expect("JSON");
    let text = &view["blocks"][0]["element"]["initial_value"];
    assert!(
        text.as_str()
            .is_none_or(|text| !text.is_empty() && units(text) <= 3000),
        "{text}"
    );
}
