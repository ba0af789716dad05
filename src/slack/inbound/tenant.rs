//! For whose install of the app something comes, and that an install ended.

use serde_json::Value;

use super::{at, first_given};

/// Who installed the app: a workspace, or an organisation for all of its workspaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tenant {
    /// The organisation, if there is one.
    pub enterprise: Option<String>,
    /// The workspace; `None` when the organisation installed it for all.
    pub team: Option<String>,
}

impl Tenant {
    /// Makes a tenant of ids as Slack writes them, empty for none.
    pub fn new(enterprise: &str, team: &str) -> Self {
        let given = |id: &str| Some(id.to_owned()).filter(|id| !id.is_empty());
        Self {
            enterprise: given(enterprise),
            team: given(team),
        }
    }

    /// Returns what identifies it, since ids of workspaces are unique everywhere: the workspace, or else the organisation.
    /// Empty when neither is known.
    pub fn key(&self) -> &str {
        let of_org = || self.enterprise.as_deref().unwrap_or_default();
        self.team.as_deref().unwrap_or_else(of_org)
    }

    /// Returns whether a whole organisation is meant.
    pub const fn is_org(&self) -> bool {
        self.team.is_none() && self.enterprise.is_some()
    }

    pub(super) fn of_command<'t>(field: impl Fn(&str) -> &'t str) -> Self {
        Self::new(field("enterprise_id"), field("team_id"))
    }

    /// The install that an event is for stands in its authorizations: in shared channels the envelope may name others.
    pub(super) fn of_event(json: &Value) -> Self {
        let own = json
            .pointer("/authorizations/0")
            .filter(|own| !at(own, "/team_id").is_empty() || !at(own, "/enterprise_id").is_empty());
        let named = own.unwrap_or(json);
        Self::new(at(named, "/enterprise_id"), at(named, "/team_id"))
    }

    /// Views say themselves for whom they were opened.
    pub(super) fn of_interaction(json: &Value) -> Self {
        let team = [
            at(json, "/view/app_installed_team_id"),
            at(json, "/team/id"),
            at(json, "/user/team_id"),
        ];
        let enterprise = [at(json, "/enterprise/id"), at(json, "/team/enterprise_id")];
        let (team, enterprise) = (first_given(team), first_given(enterprise));
        if team.starts_with('E') {
            return Self::new(team, "");
        }
        Self::new(enterprise, team)
    }
}

/// The end of an install, as an event tells it; such events come in any order and late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uninstall {
    /// Whether the app was taken away, and not its token only.
    pub whole: bool,
    /// When, in seconds since 1970.
    pub at: i64,
}

impl Uninstall {
    /// Reads an envelope; `None` when it holds another event, or does not say when that happened.
    pub(super) fn read(json: &Value) -> Option<Self> {
        let whole = match at(json, "/event/type") {
            "app_uninstalled" => true,
            // Tokens of people are none of ours.
            "tokens_revoked" => {
                let bots = json.pointer("/event/tokens/bot").and_then(Value::as_array);
                if bots.is_none_or(Vec::is_empty) {
                    return None;
                }
                false
            }
            _ => return None,
        };
        let at = json.get("event_time").and_then(Value::as_i64)?;
        Some(Self { whole, at })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_install_is_found_wherever_slack_names_it() {
        let of = |enterprise, team| Tenant::new(enterprise, team);
        let org = json!({"team_id": "T2", "enterprise_id": "E1",
            "authorizations": [{"enterprise_id": "E1", "team_id": null, "is_enterprise_install": true}]});
        assert_eq!(Tenant::of_event(&org), of("E1", ""));
        let shared = json!({"team_id": "T9", "enterprise_id": "E9",
            "authorizations": [{"enterprise_id": null, "team_id": "T1"}]});
        assert_eq!(Tenant::of_event(&shared), of("", "T1"));
        let bare = json!({"team_id": "T1", "authorizations": [{}]});
        assert_eq!(Tenant::of_event(&bare), of("", "T1"));
        for (payload, expect) in [
            (
                json!({"team": {"id": "T1"}, "user": {"team_id": "T2"}}),
                of("", "T1"),
            ),
            (
                json!({"team": null, "enterprise": {"id": "E1"}, "user": {"team_id": "T2"}}),
                of("E1", "T2"),
            ),
            (
                json!({"team": {"id": "T9"}, "view": {"app_installed_team_id": "T1"}}),
                of("", "T1"),
            ),
            (
                json!({"team": null, "view": {"app_installed_team_id": "E1"}}),
                of("E1", ""),
            ),
            (json!({}), Tenant::default()),
        ] {
            assert_eq!(Tenant::of_interaction(&payload), expect, "{payload}");
        }
        assert_eq!(of("E1", "").key(), "E1");
        assert_eq!(
            (of("E1", "T1").key(), of("E1", "T1").is_org()),
            ("T1", false)
        );
    }

    #[test]
    fn only_the_bots_own_end_counts() {
        let event = |event: Value| json!({"event": event, "event_time": 1_700_000_000});
        let gone = Uninstall {
            whole: true,
            at: 1_700_000_000,
        };
        let uninstalled = event(json!({"type": "app_uninstalled"}));
        assert_eq!(Uninstall::read(&uninstalled), Some(gone));
        let tokens = |tokens: Value| event(json!({"type": "tokens_revoked", "tokens": tokens}));
        let revoked = Uninstall {
            whole: false,
            ..gone
        };
        assert_eq!(
            Uninstall::read(&tokens(json!({"bot": ["U0BOT"]}))),
            Some(revoked)
        );
        for other in [
            tokens(json!({"oauth": ["U1"]})),
            tokens(json!({"oauth": ["U1"], "bot": []})),
            json!({"event": {"type": "app_uninstalled"}}),
            event(json!({"type": "message"})),
        ] {
            assert_eq!(Uninstall::read(&other), None, "{other}");
        }
    }
}
