//! Who may see a case: what was published is for everybody; a team's own may be for a workspace or a channel only.

use std::{fmt, str::FromStr};

/// Who may see a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// Everybody.
    #[default]
    Everyone,
    /// The people of a Slack workspace.
    Workspace(String),
    /// The members of a channel of a Slack workspace.
    Channel {
        /// The workspace.
        team: String,
        /// The channel.
        channel: String,
    },
}

/// Who asks, as far as that decides what may be shown. The default is nobody in particular: what they see may be seen by
/// all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Viewer {
    /// The workspace and the channel of it in which the answer is seen.
    place: Option<(String, String)>,
}

impl Viewer {
    /// Returns the people who see what is shown in a channel of a workspace.
    pub fn in_channel(team: &str, channel: &str) -> Self {
        // A place without a name would admit to whatever else lacks one.
        let named = !team.is_empty() && !channel.is_empty();
        Self {
            place: named.then(|| (team.to_owned(), channel.to_owned())),
        }
    }
}

impl Audience {
    /// Returns whether somebody may see it.
    pub fn admits(&self, viewer: &Viewer) -> bool {
        let place = viewer.place.as_ref();
        match self {
            Self::Everyone => true,
            Self::Workspace(team) => place.is_some_and(|(own, _)| own == team),
            Self::Channel { team, channel } => {
                place.is_some_and(|(own, here)| own == team && here == channel)
            }
        }
    }
}

/// The text names no audience.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an audience is `everyone`, `workspace:T024BE91L` or `channel:T024BE91L/C024BE91L`")]
pub struct InvalidAudience;

impl FromStr for Audience {
    type Err = InvalidAudience;

    fn from_str(text: &str) -> Result<Self, InvalidAudience> {
        let is_id = |id: &str, kinds: &[char]| {
            id.len() > 1 && id.starts_with(kinds) && id.bytes().all(|b| b.is_ascii_alphanumeric())
        };
        if text == "everyone" {
            return Ok(Self::Everyone);
        }
        if let Some(team) = text.strip_prefix("workspace:") {
            let team = Some(team).filter(|team| is_id(team, &['T', 'E']));
            return team
                .map(|team| Self::Workspace(team.to_owned()))
                .ok_or(InvalidAudience);
        }
        let channel = text.strip_prefix("channel:").ok_or(InvalidAudience)?;
        match channel.split_once('/') {
            Some((team, channel))
                if is_id(team, &['T', 'E']) && is_id(channel, &['C', 'G', 'D']) =>
            {
                Ok(Self::Channel {
                    team: team.to_owned(),
                    channel: channel.to_owned(),
                })
            }
            _ => Err(InvalidAudience),
        }
    }
}

impl fmt::Display for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everyone => f.write_str("everyone"),
            Self::Workspace(team) => write!(f, "workspace:{team}"),
            Self::Channel { team, channel } => write!(f, "channel:{team}/{channel}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_audience_admits_its_own_and_nobody_else() {
        let viewers = [
            Viewer::default(),
            Viewer::in_channel("T1", "C1"),
            Viewer::in_channel("T1", "C2"),
            Viewer::in_channel("T2", "C1"),
            Viewer::in_channel("", "C1"),
        ];
        for (audience, admitted) in [
            ("everyone", [true; 5]),
            ("workspace:T1", [false, true, true, false, false]),
            ("channel:T1/C1", [false, true, false, false, false]),
        ] {
            let read: Audience = audience.parse().expect("it is valid");
            assert_eq!(read.to_string(), audience);
            assert_eq!(
                viewers.each_ref().map(|viewer| read.admits(viewer)),
                admitted
            );
        }
    }

    #[test]
    fn what_names_no_audience_is_refused() {
        for text in [
            "",
            "all",
            "workspace:",
            "workspace:T",
            "workspace:#sre",
            "channel:C1",
            "channel:T1/",
            "channel:T1/#sre",
        ] {
            assert_eq!(text.parse::<Audience>(), Err(InvalidAudience), "{text}");
        }
    }
}
