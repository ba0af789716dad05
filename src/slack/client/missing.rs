//! Permissions that Slack says the token lacks, until what needs them works.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::DeliverError;

/// Longest list of permissions that is believed to be one.
const LENGTH: usize = 120;

/// What was refused, by method. There are as many as there are methods of ours.
#[derive(Default)]
pub(super) struct Missing(Mutex<BTreeMap<&'static str, String>>);

impl Missing {
    /// A method was refused.
    pub(super) fn refused(&self, method: &'static str, error: &DeliverError) {
        if let Some(scope) = error.missing_scope() {
            self.lock().insert(method, scope.to_owned());
        }
    }

    /// A method worked.
    pub(super) fn worked(&self, method: &'static str) {
        self.lock().remove(method);
    }

    pub(super) fn all(&self) -> Vec<String> {
        let mut all: Vec<String> = self.lock().values().cloned().collect();
        all.sort();
        all.dedup();
        all
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, String>> {
        // Every change is a single step, so what a panicking thread left is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DeliverError {
    /// Returns the permissions that the token lacks, as Slack names them; `None` when it is refused for another reason.
    pub fn missing_scope(&self) -> Option<&str> {
        let Self::MissingScope { code, needed } = self else {
            return None;
        };
        let scope = needed.trim_matches('`');
        let named = |c: char| c.is_ascii_lowercase() || matches!(c, ':' | '.' | '_' | ',' | '-');
        let is_scope = (1..=LENGTH).contains(&scope.len()) && scope.chars().all(named);
        (code == "missing_scope" && is_scope).then_some(scope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: &str, needed: &str) -> DeliverError {
        DeliverError::MissingScope {
            code: code.to_owned(),
            needed: needed.to_owned(),
        }
    }

    #[test]
    fn a_permission_is_missing_until_what_needs_it_works() {
        let missing = Missing::default();
        missing.refused("pins.add", &error("missing_scope", "`pins:write`"));
        missing.refused("users.info", &error("missing_scope", "`users:read`"));
        missing.refused("users.list", &error("missing_scope", "`users:read`"));
        assert_eq!(missing.all(), ["pins:write", "users:read"]);
        missing.worked("pins.add");
        missing.worked("auth.test");
        assert_eq!(missing.all(), ["users:read"]);
    }

    #[test]
    fn what_an_admin_forbids_is_no_missing_permission() {
        for (code, needed) in [
            ("restricted_action", "an admin's permission"),
            ("missing_scope", "an admin's permission"),
            ("missing_scope", "`<!channel>`"),
        ] {
            assert_eq!(error(code, needed).missing_scope(), None, "{code} {needed}");
        }
    }
}
