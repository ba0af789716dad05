//! Jobs as they are recorded: what they need, in words that the next process understands.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Job, Refined};
use crate::{
    slack::{
        Ts, UserId,
        inbound::{Asker, Click, Links, Place, Post, Setting, Shortcut, Step},
    },
    store::{Claim, Moment, NewJob},
};

/// A job that outlives the process.
#[derive(Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "snake_case")]
pub(super) enum Work {
    /// Answer a mention in its thread.
    Mention { place: Place, post: Post },
    /// See whether a channel that somebody was added to is an incident channel, and the somebody is the bot.
    Joined { place: Place, user: UserId },
    /// Look at an incident channel and speak up if there is something worth saying.
    Look { place: Place },
    /// Answer the message shortcut.
    Shortcut { shortcut: Shortcut },
    /// Do what a button says.
    Click { click: Click },
    /// Answer a message to the bot alone.
    Direct { place: Place, post: Post },
    /// Say the first words in a conversation.
    Greet {
        place: Place,
        user: UserId,
        thread: Ts,
    },
    /// Show somebody's home.
    Home { place: Place, user: UserId },
    /// Show previews of links.
    Unfurl { place: Place, links: Links },
    /// Do a workflow's step.
    Step {
        /// The workspace; empty in older records.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        team: String,
        step: Step,
    },
    /// Answer a question that a form changed.
    Refined { refined: Refined },
    /// Set something for a workspace.
    Set { setting: Setting },
    /// Tell an admin of a permission that is missing.
    Alert { team: String, scope: String },
}

impl Work {
    /// Parts the jobs that outlive the process from those that end with it.
    pub(super) fn of(job: Job) -> Result<Self, Box<Job>> {
        match job {
            Job::Shortcut(shortcut) => Ok(Self::Shortcut { shortcut }),
            // Slack's permit to open a view is gone before another process could use it.
            Job::Click(click) if !click.is_for_view() => Ok(Self::Click { click }),
            Job::Refined(refined) => Ok(Self::Refined { refined }),
            Job::Set(setting) => Ok(Self::Set { setting }),
            Job::Click(_)
            | Job::Late { .. }
            | Job::LateView { .. }
            | Job::Search(_)
            | Job::ThisChannel { .. }
            | Job::Refuse(..)
            | Job::Introduce => Err(Box::new(job)),
        }
    }

    /// Returns the workspace in which it is to be done.
    pub(super) fn team(&self) -> &str {
        let place = match self {
            Self::Mention { place, .. }
            | Self::Joined { place, .. }
            | Self::Look { place }
            | Self::Direct { place, .. }
            | Self::Greet { place, .. }
            | Self::Home { place, .. }
            | Self::Unfurl { place, .. } => place,
            Self::Shortcut { shortcut } => &shortcut.asker.place,
            Self::Click { click } => &click.asker.place,
            Self::Refined { refined } => &refined.asker.place,
            Self::Set { setting } => &setting.asker.place,
            Self::Step { team, .. } | Self::Alert { team, .. } => return team,
        };
        &place.team
    }

    /// Returns what one delivery of it claims, so that another of the same press does nothing: over a connection of ours
    /// Slack says again what it does not know to have arrived.
    pub(super) fn claims(&self) -> Vec<Claim> {
        let press = self.asker().and_then(|asker| asker.press.id());
        let claim = press.map(|press| Claim {
            key: format!("press:{press}"),
            holder: String::new(),
        });
        claim.into_iter().collect()
    }

    /// Returns who pressed a button, used a shortcut or sent a form.
    pub(super) const fn asker(&self) -> Option<&Asker> {
        match self {
            Self::Shortcut {
                shortcut: Shortcut { asker, .. },
            }
            | Self::Click {
                click: Click { asker, .. },
            }
            | Self::Refined {
                refined: Refined { asker, .. },
            }
            | Self::Set {
                setting: Setting { asker, .. },
            } => Some(asker),
            _ => None,
        }
    }

    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Mention { .. } => "mention",
            Self::Joined { .. } => "joined",
            Self::Look { .. } => "look",
            Self::Shortcut { .. } => "shortcut",
            Self::Click { .. } => "click",
            Self::Direct { .. } => "direct",
            Self::Greet { .. } => "greet",
            Self::Home { .. } => "home",
            Self::Unfurl { .. } => "unfurl",
            Self::Step { .. } => "step",
            Self::Refined { .. } => "refined",
            Self::Set { .. } => "set",
            Self::Alert { .. } => "alert",
        }
    }

    /// How long after it was asked for it is still of use.
    pub(super) const fn lifetime(&self) -> Duration {
        match self {
            // It is as true later.
            Self::Alert { .. } => Duration::from_hours(12),
            // Nobody waits longer for an answer.
            Self::Mention { .. } | Self::Direct { .. } | Self::Unfurl { .. } => {
                Duration::from_hours(1)
            }
            // A suggestion that comes late is in the way.
            Self::Joined { .. } | Self::Look { .. } | Self::Home { .. } | Self::Greet { .. } => {
                Duration::from_mins(10)
            }
            // As long as the permit that comes with it.
            Self::Step { .. } => Duration::from_mins(15),
            // As long as Slack takes answers.
            Self::Shortcut { .. }
            | Self::Click { .. }
            | Self::Refined { .. }
            | Self::Set { .. } => Duration::from_mins(29),
        }
    }

    /// Makes the record. Jobs with one key are one job.
    pub(super) fn record(&self, due: Moment) -> NewJob {
        let key = match self {
            Self::Mention { place, post } => {
                format!("mention:{}/{}/{}", place.team, place.channel, post.ts)
            }
            Self::Joined { place, user } => {
                format!("joined:{}/{}/{user}", place.team, place.channel)
            }
            Self::Look { place } => format!("look:{}/{}", place.team, place.channel),
            Self::Direct { place, post } => {
                format!("direct:{}/{}/{}", place.team, place.channel, post.ts)
            }
            Self::Greet { place, thread, .. } => {
                format!("greet:{}/{}/{thread}", place.team, place.channel)
            }
            Self::Home { place, user } => format!("home:{}/{user}", place.team),
            Self::Unfurl { place, links } => {
                format!("unfurl:{}/{}/{}", place.team, place.channel, links.message)
            }
            Self::Step { step, .. } => format!("step:{}", step.execution),
            Self::Alert { team, scope } => format!("alert:{team}/{scope}"),
            // Every press counts.
            Self::Shortcut { .. }
            | Self::Click { .. }
            | Self::Refined { .. }
            | Self::Set { .. } => {
                format!("{}:{:032x}", self.kind(), rand::random::<u128>())
            }
        };
        NewJob {
            key,
            kind: self.kind(),
            payload: serde_json::to_string(self).expect("texts and numbers are always JSON"),
            due,
            watched: match self {
                Self::Look { place } => Some(place.clone()),
                _ => None,
            },
        }
    }

    /// Reads a record that was made this long ago; `None` when it is not one of ours.
    pub(super) fn read(payload: &str, age: Duration) -> Option<Self> {
        let mut work = serde_json::from_str(payload).ok()?;
        if let Self::Shortcut {
            shortcut: Shortcut { asker, .. },
        }
        | Self::Click {
            click: Click { asker, .. },
        }
        | Self::Refined {
            refined: Refined { asker, .. },
        } = &mut work
        {
            asker.grow_old(age);
        }
        Some(work)
    }
}

impl Asker {
    fn grow_old(&mut self, age: Duration) {
        self.response_url = self.response_url.take().map(|url| url.aged(age));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::Lang,
        slack::{
            action::{Action, Button},
            inbound::{Surface, Trigger},
            response_url::ResponseUrl,
        },
    };

    #[test]
    fn what_is_recorded_can_be_read_again() {
        let place = Place {
            team: "T1".to_owned(),
            channel: "C1".into(),
        };
        let click = Click {
            asker: Asker {
                place,
                user: "U1".into(),
                thread: None,
                response_url: ResponseUrl::parse("https://hooks.slack.com/actions/1"),
                press: Trigger::default(),
            },
            button: Button {
                action: Action::More { offset: 3 },
                text: "etcd \"slow\"".to_owned(),
                lang: Lang::Ko,
            },
            surface: Surface::Home,
            trigger: Trigger::default(),
        };
        let work = Work::Click { click };
        let NewJob { payload, .. } = work.record(Moment(0));
        let read = Work::read(&payload, Duration::ZERO).expect("it is ours");
        assert_eq!(read.record(Moment(0)).payload, payload);
        let step = r#"{"job":"step","step":{"execution":"Fx1","token":"xwfp-1","text":"etcd","lang":"ko"}}"#;
        let refined = r#"{"job":"refined","refined":{"asker":{"place":{"team":"T1","channel":"C1"},"user":"U1","thread":null,"response_url":{"url":"https://hooks.slack.com/actions/1","used":2}},"text":"etcd","lang":"ko","replaces":true}}"#;
        for payload in [step, refined] {
            let read = Work::read(payload, Duration::ZERO).expect("it is ours");
            assert_eq!(read.record(Moment(0)).payload, payload);
        }
        assert!(Work::read(r#"{"job":"invented_later"}"#, Duration::ZERO).is_none());
    }
}
