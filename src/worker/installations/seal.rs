//! Sealing tokens before they are kept: ChaCha20-Poly1305 with a random nonce, bound to the row that they stand in, so
//! that whoever can write into the database cannot give one workspace the token of another.

use base64::Engine;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

/// Length of a key in bytes.
const KEY: usize = 32;

/// Marks how something was sealed.
const FORMAT: &str = "s1";

/// Keys: the first one seals, all of them open.
pub struct Keys(Vec<Key>);

struct Key {
    /// Tells which key opens what; says nothing of the key.
    id: String,
    key: LessSafeKey,
}

/// What is wrong with keys. Which one is told by its number only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// There is none.
    #[error("there is no key")]
    Missing,
    /// One is of no use.
    #[error(
        "key {0} is not 32 bytes in base64 or hexadecimal; `openssl rand -base64 32` makes one"
    )]
    Malformed(usize),
}

/// Something sealed does not open: another key sealed it, or it is not what was sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it does not open with the keys that are there")]
pub(super) struct Closed;

impl Keys {
    /// Reads keys.
    ///
    /// # Errors
    /// When there is none, or one is of no use.
    pub fn parse(keys: &[SecretString]) -> Result<Self, KeyError> {
        let keys: Result<Vec<Key>, KeyError> = keys
            .iter()
            .enumerate()
            .map(|(at, text)| Key::parse(text).ok_or(KeyError::Malformed(at + 1)))
            .collect();
        let keys = keys?;
        if keys.is_empty() {
            return Err(KeyError::Missing);
        }
        Ok(Self(keys))
    }

    /// Seals a text for one place.
    pub(super) fn seal(&self, text: &SecretString, place: &str) -> String {
        let key = &self.0[0];
        let nonce: [u8; NONCE_LEN] = rand::random();
        let mut sealed = text.expose_secret().as_bytes().to_vec();
        key.key
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(place.as_bytes()),
                &mut sealed,
            )
            .expect("a token is far shorter than what can be sealed");
        format!(
            "{FORMAT}.{}.{}{}",
            key.id,
            hex::encode(nonce),
            hex::encode(sealed)
        )
    }

    /// Opens what was sealed for this very place.
    pub(super) fn open(&self, sealed: &str, place: &str) -> Result<SecretString, Closed> {
        let (id, body) = parts(sealed).ok_or(Closed)?;
        let key = self.0.iter().find(|key| key.id == id).ok_or(Closed)?;
        let mut body = hex::decode(body).map_err(|_| Closed)?;
        if body.len() < NONCE_LEN {
            return Err(Closed);
        }
        let mut text = body.split_off(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(&body).map_err(|_| Closed)?;
        let opened = key
            .key
            .open_in_place(nonce, Aad::from(place.as_bytes()), &mut text)
            .map_err(|_| Closed)?;
        let opened = std::str::from_utf8(opened).map_err(|_| Closed)?;
        Ok(opened.into())
    }

    /// Returns whether the key that sealed something is the one that seals now.
    pub(super) fn is_current(&self, sealed: &str) -> bool {
        parts(sealed).is_some_and(|(id, _)| self.0[0].id == id)
    }
}

fn parts(sealed: &str) -> Option<(&str, &str)> {
    sealed
        .strip_prefix(FORMAT)?
        .strip_prefix('.')?
        .split_once('.')
}

impl Key {
    fn parse(text: &SecretString) -> Option<Self> {
        let text = text.expose_secret().trim();
        let bytes = hex::decode(text).ok().filter(|key| key.len() == KEY);
        let bytes = bytes.or_else(|| {
            use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
            let bare = text.trim_end_matches('=');
            let decoded = STANDARD_NO_PAD.decode(bare);
            decoded.or_else(|_| URL_SAFE_NO_PAD.decode(bare)).ok()
        })?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes).ok()?;
        let digest = Sha256::new_with_prefix(b"incident-like token key\0")
            .chain_update(&bytes)
            .finalize();
        Some(Self {
            id: hex::encode(&digest[..4]),
            key: LessSafeKey::new(key),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    const BASE64: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    fn keys(texts: &[&str]) -> Result<Keys, KeyError> {
        let keys: Vec<SecretString> = texts.iter().map(|text| (*text).into()).collect();
        Keys::parse(&keys)
    }

    #[test]
    fn keys_are_read_in_either_spelling() {
        let sealed = keys(&[HEX]).expect("a key").seal(&"xoxb-1".into(), "T1");
        let same = keys(&[BASE64]).expect("a key");
        let opened = same.open(&sealed, "T1").expect("it is the same key");
        assert_eq!(opened.expose_secret(), "xoxb-1");
        assert_eq!(keys(&[]).err(), Some(KeyError::Missing));
        for wrong in ["", "short", &HEX[2..], "AAEC", &format!("{HEX}00")] {
            assert_eq!(keys(&[BASE64, wrong]).err(), Some(KeyError::Malformed(2)));
        }
    }

    #[test]
    fn what_is_sealed_opens_in_its_place_only() {
        let keys = keys(&[HEX]).expect("a key");
        let (one, two) = (
            keys.seal(&"xoxb-1".into(), "T1"),
            keys.seal(&"xoxb-1".into(), "T1"),
        );
        assert_ne!(one, two, "each time with another nonce");
        assert!(!one.contains(&hex::encode("xoxb-1")));
        assert!(keys.open(&one, "T2").is_err());
        for at in 0..one.len() {
            let mut changed = one.clone().into_bytes();
            changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(changed).expect("ASCII");
            assert!(keys.open(&changed, "T1").is_err(), "{at}");
            assert!(keys.open(&one[..at], "T1").is_err(), "{at}");
        }
    }

    #[test]
    fn the_first_key_seals_and_all_open() {
        let other = "ff".repeat(KEY);
        let old = keys(&[HEX]).expect("a key");
        let both = keys(&[&other, HEX]).expect("keys");
        let sealed = old.seal(&"xoxb-1".into(), "T1");
        assert!(both.open(&sealed, "T1").is_ok() && !both.is_current(&sealed));
        let anew = both.seal(&"xoxb-1".into(), "T1");
        assert!(both.is_current(&anew) && old.open(&anew, "T1").is_err());
    }
}
