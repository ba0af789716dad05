//! What an event means: which claims, which change of a watch, and which job are recorded for it.

use super::{Accepted, Settings, record::Work};
use crate::{
    slack::{
        inbound::{Envelope, Event, Place},
        pattern::{self, Pattern},
    },
    store::{Change, Claim, Delivery, Moment},
};

/// Decides what is to be recorded of an event. `patterns` are the names of the workspace's incident channels.
///
/// # Errors
/// With the reason when there is nothing to record.
pub(super) fn delivery(
    settings: &Settings,
    patterns: &[Pattern],
    envelope: Envelope,
    is_own_or_mention: impl Fn(&crate::slack::inbound::Post) -> bool,
    now: Moment,
) -> Result<Delivery, Accepted> {
    let Envelope {
        id,
        shared_channel,
        place,
        event,
    } = envelope;
    if shared_channel && !settings.allowed_channels.contains(&place.channel) {
        return Err(Accepted::Ignored(
            "channel shared with another organisation",
        ));
    }
    let claim = |key: String| Claim {
        key,
        holder: String::new(),
    };
    let mut claims: Vec<Claim> = id
        .map(|id| claim(format!("event:{id}")))
        .into_iter()
        .collect();
    let look = |place: Place| Some(Work::Look { place });
    let (change, work) = match event {
        Event::Mention(post) => {
            // One mention comes under several event ids now and then.
            let Place { team, channel } = &place;
            claims.push(claim(format!("mention:{team}/{channel}/{}", post.ts)));
            (Change::None, Some(Work::Mention { place, post }))
        }
        Event::Direct(post) => {
            let Place { team, channel } = &place;
            claims.push(claim(format!("mention:{team}/{channel}/{}", post.ts)));
            (Change::None, Some(Work::Direct { place, post }))
        }
        Event::Greeted { user, thread } => {
            let greet = Work::Greet {
                place,
                user,
                thread,
            };
            (Change::None, Some(greet))
        }
        Event::HomeOpened { user } => (Change::None, Some(Work::Home { place, user })),
        Event::Links(links) => (Change::None, Some(Work::Unfurl { place, links })),
        Event::Step(step) => {
            claims.push(claim(format!("step:{}", step.execution)));
            let team = place.team;
            (Change::None, Some(Work::Step { team, step }))
        }
        Event::Joined { user } => (Change::None, Some(Work::Joined { place, user })),
        Event::Gone => (Change::End(place), None),
        Event::Moved { to } => {
            let to = Place {
                team: place.team.clone(),
                channel: to,
            };
            let moved = Change::Move {
                from: place,
                to: to.clone(),
            };
            (moved, look(to))
        }
        Event::Named { name } => {
            if pattern::incident_words(patterns, &name).is_some() {
                (Change::Start(place.clone()), look(place))
            } else {
                (Change::End(place), None)
            }
        }
        Event::Described => (Change::None, look(place)),
        Event::Message(post) if is_own_or_mention(&post) => {
            return Err(Accepted::Ignored("own message, or one that mentions"));
        }
        Event::Message(post) => (Change::Note(place.clone(), post), look(place)),
    };
    let job = work.map(|work| {
        let due = match work {
            // Incident tools set topic and purpose seconds after the channel: wait for what belongs together.
            Work::Look { .. } => now.after(settings.debounce),
            _ => now,
        };
        work.record(due)
    });
    Ok(Delivery {
        claims,
        change,
        job,
        at: now,
    })
}
