//! Several accounts of one event: the first places of an answer belong to different events.

use std::sync::Arc;

use crate::{
    corpus::{Case, PartialDate},
    search::Hit,
};

/// How many places are kept for different events: those that are seen first.
const PLACES: usize = 3;

/// How many of the best hits are looked through for another event.
const CONSIDERED: usize = 50;

/// Moves further accounts of an event that stands among the first behind them. Hits arrive best first, and keep their order
/// otherwise.
pub(super) fn spread(hits: &mut [Hit], cases: &[Arc<Case>]) {
    for place in 1..PLACES.min(hits.len()) {
        let is_new = |hit: &Hit| {
            let case = &cases[hit.ordinal];
            let before = hits[..place].iter().map(|hit| &cases[hit.ordinal]);
            !before.into_iter().any(|other| is_one_event(case, other))
        };
        let next = hits[place..].iter().take(CONSIDERED).position(is_new);
        let Some(next) = next else { return };
        hits[place..=place + next].rotate_right(1);
    }
}

/// Returns whether two cases tell of one event: the same owner, within a day, with a cause and a component in common. An owner
/// may well have two incidents in a day; they differ in one of these.
fn is_one_event(a: &Case, b: &Case) -> bool {
    let share = |a: &[_], b: &[_]| a.iter().any(|term| b.contains(term));
    let near = a
        .date
        .zip(b.date)
        .is_some_and(|(a, b)| is_within_a_day(a, b));
    near && share(&a.causes, &b.causes)
        && share(&a.components, &b.components)
        && a.organisation.to_lowercase() == b.organisation.to_lowercase()
}

fn is_within_a_day(a: PartialDate, b: PartialDate) -> bool {
    let day = |date: PartialDate| Some((date.year, date.month?, date.day?));
    let (Some(a), Some(b)) = (day(a), day(b)) else {
        return false;
    };
    let (a, b) = (a.min(b), a.max(b));
    let next_day = (b.0, b.1) == (a.0, a.1) && b.2 - a.2 <= 1;
    // Months end on different days; an event that goes on into the next begins on its first.
    let next_month = b.2 == 1
        && a.2 >= 28
        && (i32::from(b.0) * 12 + i32::from(b.1)) - (i32::from(a.0) * 12 + i32::from(a.1)) == 1;
    next_day || next_month
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_days_are_one_event() {
        let near = |a: &str, b: &str| {
            let date = |text: &str| text.parse().expect("a date");
            is_within_a_day(date(a), date(b))
        };
        assert!(near("2021-03-25", "2021-03-25"));
        assert!(near("2021-03-26", "2021-03-25"));
        assert!(near("2020-12-31", "2021-01-01"));
        assert!(!near("2021-03-25", "2021-03-27"));
        assert!(!near("2021-03-25", "2020-03-25"));
        assert!(!near("2021-01-28", "2021-03-01"));
        // A month is no day.
        assert!(!near("2021-03", "2021-03"));
    }
}
