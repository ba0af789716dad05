//! Slack's request signatures, version 0: verified over the raw bytes before anything is decoded or parsed.
//!
//! Rule: docs.slack.dev, "Verifying requests from Slack". Knows nothing of what a body means.

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use slack_morphism::prelude::SlackSigningSecret;
use slack_morphism::signature_verifier::{
    SlackEventSignatureVerifier, SlackEventSignatureVerifierError,
};

/// Header that carries the signature.
pub const SIGNATURE_HEADER: &str = SlackEventSignatureVerifier::SLACK_SIGNED_HASH_HEADER;

/// Header that carries the time of signing, in Unix seconds.
pub const TIMESTAMP_HEADER: &str = SlackEventSignatureVerifier::SLACK_SIGNED_TIMESTAMP;

/// Checks signatures with one secret, or with two while a secret is being rotated.
pub struct Verifier {
    secrets: Vec<SlackEventSignatureVerifier>,
}

/// A body that Slack signed in the last five minutes. Only a [`Verifier`] makes one.
pub struct VerifiedBody(Bytes);

impl VerifiedBody {
    /// Returns the body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.0).expect("a verifier refuses what is not UTF-8")
    }
}

/// Why a request was refused. Says nothing that helps to forge one, so it may be logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A header is missing or is not text.
    #[error("unsigned")]
    Unsigned,
    /// The body is not UTF-8; Slack's always are.
    #[error("not UTF-8")]
    NotText,
    /// No secret made this signature.
    #[error("wrong signature")]
    Wrong,
    /// The signature is right but more than five minutes away from now.
    #[error("stale signature")]
    Stale,
}

impl Verifier {
    /// Makes a verifier; `previous` is the secret that is being rotated out, if any. Without any secret nothing passes.
    pub fn new(current: Option<&SecretString>, previous: Option<&SecretString>) -> Self {
        let secrets = current
            .into_iter()
            .chain(previous)
            .map(|secret| {
                let secret = SlackSigningSecret(secret.expose_secret().to_owned());
                SlackEventSignatureVerifier::new(&secret)
            })
            .collect();
        Self { secrets }
    }

    /// Returns whether anything can pass.
    pub const fn has_secret(&self) -> bool {
        !self.secrets.is_empty()
    }

    /// Verifies a request by its headers and raw body.
    ///
    /// # Errors
    /// When the request is not from Slack, or is a replay of an old one.
    pub fn verify(&self, headers: &HeaderMap, body: Bytes) -> Result<VerifiedBody, Refused> {
        let header = |name| headers.get(name)?.to_str().ok();
        let (Some(signature), Some(timestamp)) =
            (header(SIGNATURE_HEADER), header(TIMESTAMP_HEADER))
        else {
            return Err(Refused::Unsigned);
        };
        // Seconds since 1970 have ten digits until 2286; the verifier's arithmetic overflows on absurd ones.
        if timestamp.len() > 12 || !timestamp.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Refused::Stale);
        }
        let text = std::str::from_utf8(&body).map_err(|_| Refused::NotText)?;
        let mut refused = Refused::Wrong;
        for secret in &self.secrets {
            match secret.verify(signature, text, timestamp) {
                Ok(()) => return Ok(VerifiedBody(body)),
                // The errors themselves are dropped on purpose: their text describes the signature.
                Err(SlackEventSignatureVerifierError::IncorrectOrExpiredTimestampError(_)) => {
                    refused = Refused::Stale;
                }
                Err(_) => {}
            }
        }
        Err(refused)
    }
}

/// Signs a body as Slack does, for a request that pretends to come from Slack (demo, tests).
pub fn sign(secret: &SecretString, unix_seconds: u64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes())
        .expect("HMAC takes keys of any length");
    mac.update(format!("v0:{unix_seconds}:").as_bytes());
    mac.update(body);
    format!("v0={}", hex::encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    fn secret() -> SecretString {
        "8f742231b10e8888abcd99yyyzzz85a5".into()
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "slack-morphism's verifier compares with the real clock"
    )]
    fn now() -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("the clock is past 1970")
            .as_secs()
    }

    fn signed(secret: &SecretString, at: u64, body: &[u8]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(TIMESTAMP_HEADER, at.into());
        let signature = sign(secret, at, body)
            .parse()
            .expect("hex is a header value");
        headers.insert(SIGNATURE_HEADER, signature);
        headers
    }

    fn check(verifier: &Verifier, headers: &HeaderMap, body: &'static [u8]) -> Option<Refused> {
        verifier.verify(headers, Bytes::from_static(body)).err()
    }

    #[test]
    fn signs_like_slacks_published_sample() {
        let body = b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V\
            &channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=\
            &response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN\
            &trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
        assert_eq!(
            sign(&secret(), 1_531_420_618, body),
            "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
        );
    }

    #[test]
    fn signs_bytes_not_characters() {
        // Computed with Python's `hmac` module.
        assert_eq!(
            sign(
                &secret(),
                1_700_000_000,
                r#"{"text":"ö 🔥 日本 노드"}"#.as_bytes()
            ),
            "v0=ac66eaf473a9170cef106ae653147bc454d8daa2152e4809e9c0f6528df6fd27"
        );
    }

    #[test]
    fn accepts_what_either_secret_signed() {
        let (old, new) = (SecretString::from("old"), secret());
        let both = Verifier::new(Some(&new), Some(&old));
        let body = "ö 🔥 日本".as_bytes();
        assert_eq!(check(&both, &signed(&new, now(), body), body), None);
        assert_eq!(check(&both, &signed(&old, now(), body), body), None);
        let one = Verifier::new(Some(&new), None);
        assert_eq!(
            check(&one, &signed(&old, now(), body), body),
            Some(Refused::Wrong)
        );
    }

    #[test]
    fn refuses_forged_replayed_and_broken_requests() {
        let verifier = Verifier::new(Some(&secret()), None);
        let body = b"text=etcd";
        assert_eq!(
            check(&verifier, &HeaderMap::new(), body),
            Some(Refused::Unsigned)
        );
        let other_body = signed(&secret(), now(), b"text=redis");
        assert_eq!(check(&verifier, &other_body, body), Some(Refused::Wrong));
        for away in [now() - 360, now() + 360] {
            let headers = signed(&secret(), away, body);
            assert_eq!(check(&verifier, &headers, body), Some(Refused::Stale));
        }
        let not_text = b"text=\xff\xfe";
        let headers = signed(&secret(), now(), not_text);
        assert_eq!(check(&verifier, &headers, not_text), Some(Refused::NotText));
        let mut odd = signed(&secret(), now(), body);
        odd.insert(
            SIGNATURE_HEADER,
            http::HeaderValue::from_bytes(b"v0=\xc3\xb6").expect("obs-text is allowed"),
        );
        assert_eq!(check(&verifier, &odd, body), Some(Refused::Unsigned));
        // Without a secret nothing may pass, not even what the empty key signs.
        let empty = SecretString::from("");
        let unconfigured = Verifier::new(Some(&empty), None);
        let headers = signed(&empty, now(), body);
        assert_eq!(check(&unconfigured, &headers, body), Some(Refused::Wrong));
        let none = Verifier::new(None, None);
        assert!(!none.has_secret() && unconfigured.has_secret());
        assert_eq!(check(&none, &headers, body), Some(Refused::Wrong));
    }
}
