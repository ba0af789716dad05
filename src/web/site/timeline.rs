//! When things happened, as a picture: the actions of a case on their own axis, and how long it took on a common one.

use crate::corpus::{Action, Case, Lang, Outcome};

use super::{
    page::Said,
    strings::{self, Strings},
};

/// Shortest and longest time on the common axis, in minutes: a minute, a week.
const LONGEST: f32 = 7.0 * 24.0 * 60.0;

/// Where times lie on the common, logarithmic axis, in percent of its length.
#[derive(Clone, Debug)]
pub(super) struct Strip {
    /// When it was noticed.
    pub(super) detect: Option<String>,
    /// When it was over.
    pub(super) recover: String,
    /// How long the bar is.
    pub(super) length: String,
    /// The same in words.
    pub(super) words: String,
    /// The time to recover, as it stands beside the strip.
    pub(super) label: String,
}

/// Marks of the common axis: place in percent, and time.
pub(super) fn ticks() -> Vec<(String, &'static str)> {
    [
        (10, "10m"),
        (60, "1h"),
        (600, "10h"),
        (1440, "1d"),
        (10_080, "7d"),
    ]
    .into_iter()
    .map(|(minutes, label)| (percent(place(minutes)), label))
    .collect()
}

/// Draws how long a case took; nothing when that is not known.
pub(super) fn strip(case: &Case, t: &Strings) -> Option<Strip> {
    let recover = case.time_to_recover?;
    let mut words = format!("{} {recover}", t.recover);
    if let Some(detect) = case.time_to_detect {
        words = format!("{} {detect}, {words}", t.detect);
    }
    let at = place(recover.minutes);
    Some(Strip {
        detect: case
            .time_to_detect
            .map(|time| percent(place(time.minutes).min(at))),
        recover: percent(at),
        length: percent(at),
        words,
        label: recover.to_string(),
    })
}

/// Returns a time's place on the common axis, between 0 and 1.
pub(super) fn place(minutes: u32) -> f32 {
    ((minutes.max(1) as f32).ln() / LONGEST.ln()).clamp(0.0, 1.0)
}

/// Writes a share as a percentage for an attribute; the picture's margins keep marks inside.
pub(super) fn percent(share: f32) -> String {
    format!("{:.1}%", 3.0 + 94.0 * share)
}

/// An action with its place in time.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) number: usize,
    pub(super) at: Option<String>,
    /// Time since the one before, in words.
    pub(super) gap: Option<String>,
    /// How long that is, from 0 (at once) to 5 (a day and more).
    pub(super) room: u8,
    pub(super) outcome: Option<(&'static str, &'static str)>,
    pub(super) text: Said,
}

/// An action's mark on the case's own axis.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) number: usize,
    pub(super) x: String,
    /// Which of the rows its number stands in, so that close ones do not cover each other.
    pub(super) y: u32,
    pub(super) class: &'static str,
    pub(super) title: String,
}

/// The case's own axis.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) marks: Vec<Mark>,
    pub(super) first: String,
    pub(super) last: String,
    pub(super) height: u32,
}

/// A moment of an action in minutes, and the day where it is given.
struct Moment {
    day: Option<i64>,
    minutes: i64,
}

/// Reads `18:46 UTC`, `18:46` or `2025-10-20 01:15 PDT`.
fn moment(text: &str) -> Option<Moment> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let (day, clock) = match first.split_once('-') {
        Some(_) => (Some(day_number(first)?), words.next()?),
        None => (None, first),
    };
    let (hours, minutes) = clock.split_once(':')?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.get(..2)?.parse().ok()?);
    ((0..=24).contains(&hours) && (0..60).contains(&minutes)).then_some(Moment {
        day,
        minutes: hours * 60 + minutes,
    })
}

/// Numbers the days of the Gregorian calendar.
fn day_number(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let mut next = || parts.next()?.parse::<i64>().ok();
    let (year, month, day) = (next()?, next()?, next()?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March put the leap day last.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    Some(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day)
}

/// Returns the time of each action in minutes after the first timed one. A clock that goes back a lot has passed midnight;
/// one that goes back a little is told out of order and stays where it is.
fn minutes_after(actions: &[Action]) -> Vec<Option<i64>> {
    /// A step back by more than this is the next day.
    const MIDNIGHT: i64 = 6 * 60;
    let mut first: Option<i64> = None;
    let mut day = 0;
    let mut previous = 0;
    let mut times = Vec::new();
    for action in actions {
        let Some(moment) = action.at.as_deref().and_then(moment) else {
            times.push(None);
            continue;
        };
        match moment.day {
            Some(given) => day = given,
            None if first.is_some() && day * 1440 + moment.minutes < previous - MIDNIGHT => {
                day += 1;
            }
            None => {}
        }
        let time = day * 1440 + moment.minutes;
        previous = time;
        times.push(Some(time - *first.get_or_insert(time)));
    }
    times
}

/// Returns the class and the words of an outcome.
fn outcome(outcome: Option<Outcome>, lang: Lang) -> Option<(&'static str, &'static str)> {
    outcome.map(|outcome| (outcome.slug(), outcome.label(lang)))
}

/// Lists a case's actions with what time passed between them.
pub(super) fn steps(case: &Case, lang: Lang) -> Vec<Step> {
    let times = minutes_after(&case.actions);
    let mut previous: Option<i64> = None;
    let mut steps = Vec::new();
    for (at, (action, time)) in case.actions.iter().zip(times).enumerate() {
        let passed = time
            .zip(previous)
            .map(|(time, previous)| time - previous)
            .and_then(|passed| u32::try_from(passed).ok())
            .filter(|passed| *passed > 0);
        previous = time.or(previous);
        steps.push(Step {
            number: at + 1,
            at: action.at.clone(),
            gap: passed.map(|passed| strings::later(passed, lang)),
            room: match passed.unwrap_or(0) {
                0 => 0,
                1..=14 => 1,
                15..=59 => 2,
                60..=299 => 3,
                300..=1439 => 4,
                _ => 5,
            },
            outcome: outcome(action.outcome, lang),
            text: Said::of(&action.text, lang),
        });
    }
    steps
}

/// Draws the timed actions on an axis of their own; nothing when fewer than two have a time.
pub(super) fn axis(case: &Case, lang: Lang) -> Option<Axis> {
    /// How close two numbers may stand in one row, as a share of the axis.
    const APART: f32 = 0.05;
    let minutes = minutes_after(&case.actions);
    let timed: Vec<(usize, i64)> = minutes
        .iter()
        .enumerate()
        .filter_map(|(at, time)| Some((at, (*time)?)))
        .collect();
    let first = timed.iter().min_by_key(|(_, time)| *time)?;
    let last = timed.iter().max_by_key(|(_, time)| *time)?;
    let length = last.1 - first.1;
    if timed.len() < 2 || length == 0 {
        return None;
    }
    let mut rows: Vec<f32> = Vec::new();
    let mut sorted = timed.clone();
    sorted.sort_by_key(|(_, time)| *time);
    let mut marks: Vec<Mark> = Vec::new();
    for (at, time) in sorted {
        let share = (time - first.1) as f32 / length as f32;
        let row = rows
            .iter()
            .position(|end| share - end >= APART)
            .unwrap_or(rows.len());
        match rows.get_mut(row) {
            Some(end) => *end = share,
            None => rows.push(share),
        }
        let action = &case.actions[at];
        let named = outcome(action.outcome, lang);
        let words = named.map_or(String::new(), |(_, words)| format!(" · {words}"));
        marks.push(Mark {
            number: at + 1,
            x: percent(share),
            y: 14 + 22 * u32::try_from(row).unwrap_or(0),
            class: named.map_or("none", |(class, _)| class),
            title: format!("{}{words}", action.at.as_deref().unwrap_or_default()),
        });
    }
    let clock = |at: usize| case.actions[at].at.clone().unwrap_or_default();
    Some(Axis {
        marks,
        first: clock(first.0),
        last: clock(last.0),
        height: 44 + 22 * u32::try_from(rows.len()).unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Localized;

    fn times(at: &[&str]) -> Vec<Option<i64>> {
        let action = |at: &&str| Action {
            at: (!at.is_empty()).then(|| (*at).to_owned()),
            outcome: None,
            text: Localized::both("Restarted it.", "재시작했다."),
        };
        minutes_after(&at.iter().map(action).collect::<Vec<_>>())
    }

    #[test]
    fn times_are_counted_from_the_first() {
        assert_eq!(
            times(&["15:30 UTC", "", "15:55 UTC", "18:46 UTC"]),
            [Some(0), None, Some(25), Some(196)]
        );
        assert_eq!(
            times(&["23:50", "00:10"]),
            [Some(0), Some(20)],
            "past midnight"
        );
        assert_eq!(
            times(&["14:10", "14:05"]),
            [Some(0), Some(-5)],
            "told out of order"
        );
        assert_eq!(
            times(&["2024-02-28 10:00 UTC", "2024-03-01 10:00 UTC"]),
            [Some(0), Some(2 * 1440)],
            "a leap day lies between"
        );
        assert_eq!(times(&["in the evening", "25:99"]), [None, None]);
    }

    #[test]
    fn the_common_axis_spans_a_minute_to_a_week() {
        assert_eq!(percent(place(0)), "3.0%");
        assert_eq!(percent(place(10_080)), "97.0%");
        assert_eq!(percent(place(1_000_000)), "97.0%");
        assert!(place(60) > place(10));
    }
}
