//! What comes over a connection: Slack's frames, as few fields of each as we act on, and the acknowledgement.

use serde_json::{Value, json};

/// What a payload is; it says which of Slack's ways in it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A slash command.
    Command,
    /// An interaction: a shortcut, a press, a form.
    Interaction,
    /// An event.
    Event,
}

/// What Slack said over a connection that was opened with the app's token. Only a connection makes one.
pub struct Payload {
    kind: Kind,
    json: Value,
    answerable: bool,
}

impl Payload {
    /// Returns what it is.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns whether the acknowledgement may carry an answer.
    pub const fn is_answerable(&self) -> bool {
        self.answerable
    }

    /// Returns what it says.
    pub const fn json(&self) -> &Value {
        &self.json
    }
}

/// A frame of Slack's.
pub(super) enum Frame {
    /// The connection works.
    Hello,
    /// Slack will close the connection; why, in a word.
    Disconnect(String),
    /// Something to take and acknowledge.
    Envelope(Envelope),
    /// Something with an id that we know nothing of. It is acknowledged: another delivery would be no better.
    Unknown(String),
    /// Anything else.
    Other,
}

/// Something to take and acknowledge.
pub(super) struct Envelope {
    pub(super) id: String,
    pub(super) payload: Payload,
}

impl Frame {
    pub(super) fn read(text: &str) -> Self {
        let Ok(mut json) = serde_json::from_str::<Value>(text) else {
            return Self::Other;
        };
        let word = |key| json.get(key).and_then(Value::as_str).unwrap_or_default();
        let id = word("envelope_id").to_owned();
        let kind = match word("type") {
            "hello" => return Self::Hello,
            "disconnect" => return Self::Disconnect(word("reason").to_owned()),
            _ if id.is_empty() => return Self::Other,
            "slash_commands" => Kind::Command,
            "interactive" => Kind::Interaction,
            "events_api" => Kind::Event,
            _ => return Self::Unknown(id),
        };
        Self::Envelope(Envelope {
            id,
            payload: Payload {
                kind,
                answerable: json.get("accepts_response_payload") != Some(&Value::Bool(false)),
                json: json.get_mut("payload").map(Value::take).unwrap_or_default(),
            },
        })
    }
}

/// Writes an acknowledgement, with an answer that is JSON already.
pub(super) fn acknowledgement(id: &str, answer: Option<&str>) -> String {
    let id = json!(id);
    match answer {
        Some(answer) => format!(r#"{{"envelope_id":{id},"payload":{answer}}}"#),
        None => format!(r#"{{"envelope_id":{id}}}"#),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_as_slack_sends_them() {
        let hello = r#"{"type":"hello","num_connections":1,"debug_info":{"host":"applink-1"},"connection_info":{"app_id":"A1"}}"#;
        assert!(matches!(Frame::read(hello), Frame::Hello));
        let leaving =
            r#"{"type":"disconnect","reason":"refresh_requested","debug_info":{"host":"x"}}"#;
        assert!(
            matches!(Frame::read(leaving), Frame::Disconnect(why) if why == "refresh_requested")
        );
        let command = r#"{"envelope_id":"e1","type":"slash_commands","accepts_response_payload":true,"payload":{"command":"/x"}}"#;
        let Frame::Envelope(envelope) = Frame::read(command) else {
            panic!("an envelope");
        };
        assert_eq!(
            (envelope.id.as_str(), envelope.payload.answerable),
            ("e1", true)
        );
        assert_eq!(envelope.payload.kind(), Kind::Command);
        assert_eq!(envelope.payload.json()["command"], "/x");
        let event = r#"{"envelope_id":"e2","type":"events_api","accepts_response_payload":false,"retry_attempt":1,"payload":null}"#;
        assert!(
            matches!(Frame::read(event), Frame::Envelope(envelope) if !envelope.payload.answerable)
        );
        assert!(matches!(
            Frame::read(r#"{"envelope_id":"e3","type":"invented"}"#),
            Frame::Unknown(id) if id == "e3"
        ));
        for odd in ["", "[]", "7", "{", r#"{"type":"events_api","payload":{}}"#] {
            assert!(matches!(Frame::read(odd), Frame::Other), "{odd}");
        }
    }

    #[test]
    fn acknowledgements_are_json() {
        let written = acknowledgement("a\"b", Some(r#"{"text":"c"}"#));
        let json: Value = serde_json::from_str(&written).expect("JSON");
        assert_eq!(
            json,
            json!({"envelope_id": "a\"b", "payload": {"text": "c"}})
        );
        assert_eq!(acknowledgement("e1", None), r#"{"envelope_id":"e1"}"#);
    }
}
