//! Times of an export: Slack's stamps, and days as people write them. All in UTC.

use std::{fmt, time::Duration};

const DAY: u64 = 86_400;

/// Latest second that is taken for a time, the end of the year 9999: what lies beyond is a mistake.
const LATEST: u64 = 253_402_300_799;

/// Reads a message's stamp, such as `1700000000.000100`, as the time since 1970.
pub fn stamp(ts: &str) -> Option<Duration> {
    let (seconds, fraction) = ts.split_once('.').unwrap_or((ts, ""));
    let seconds: u64 = seconds.parse().ok().filter(|seconds| *seconds <= LATEST)?;
    let digits = fraction.get(..fraction.len().min(6))?;
    let micros: u64 = match digits {
        "" => 0,
        digits => format!("{digits:0<6}").parse().ok()?,
    };
    Some(Duration::from_secs(seconds) + Duration::from_micros(micros))
}

/// Reads `2024-04-12` or `2024-04-12T09:30` as the time since 1970.
pub fn day(text: &str) -> Option<Duration> {
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let mut parts = date.splitn(3, '-');
    let year: i64 = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let month: i64 = number(parts.next()?, 1, 12)?;
    let date: i64 = number(parts.next()?, 1, 31)?;
    let (hour, minute) = time.trim_end_matches('Z').split_once(':')?;
    let minutes = number(hour, 0, 23)? * 60 + number(minute, 0, 59)?;
    let days = days_from_civil(year, month, date);
    // A 31st of April is none.
    let known = civil_from_days(days) == (year, month, date);
    let seconds = u64::try_from(days * 86_400 + minutes * 60).ok()?;
    known.then(|| Duration::from_secs(seconds))
}

fn number(text: &str, least: i64, most: i64) -> Option<i64> {
    let is_plain = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_plain)?;
    (least..=most).contains(&number).then_some(number)
}

/// A time, written as a minute: `2024-04-12 09:30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minute(pub Duration);

impl fmt::Display for Minute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day, second) = split(self.0);
        let (hour, minute) = (second / 3600, second / 60 % 60);
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
    }
}

/// A time, written as machines do: `2024-04-12T09:30:05Z`.
pub fn rfc3339(at: Duration) -> String {
    let (year, month, day, second) = split(at);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn split(at: Duration) -> (i64, i64, i64, u64) {
    let days = i64::try_from(at.as_secs() / DAY).unwrap_or_default();
    let (year, month, day) = civil_from_days(days);
    (year, month, day, at.as_secs() % DAY)
}

/// Howard Hinnant's `civil_from_days` (<https://howardhinnant.github.io/date_algorithms.html>).
const fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_shifted + 2) / 5 + 1;
    let month = if month_shifted < 10 {
        month_shifted + 3
    } else {
        month_shifted - 9
    };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_shifted = (month + 9) % 12;
    let day_of_year = (153 * month_shifted + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_read() {
        let at = Duration::new(1_700_000_000, 100_000);
        for (ts, expect) in [
            ("1700000000.000100", Some(at)),
            ("1700000000.0001", Some(at)),
            ("1700000000", Some(Duration::from_secs(1_700_000_000))),
            ("1700000000.0001000000", Some(at)),
            ("99999999999999.0", None),
            ("-5.0", None),
            ("", None),
            ("1.x", None),
            ("1.가나", None),
        ] {
            assert_eq!(stamp(ts), expect, "{ts}");
        }
    }

    #[test]
    fn days_are_read_and_written() {
        for (text, expect) in [
            ("1970-01-01", Some("1970-01-01 00:00")),
            ("2024-02-29T23:59", Some("2024-02-29 23:59")),
            ("2024-12-31 07:05Z", Some("2024-12-31 07:05")),
            ("2023-02-29", None),
            ("2024-13-01", None),
            ("24-01-01", None),
            ("2024-1-1", Some("2024-01-01 00:00")),
            ("2024-01-01T24:00", None),
            ("1969-12-31", None),
            ("yesterday", None),
        ] {
            let shown = day(text).map(|at| Minute(at).to_string());
            assert_eq!(shown.as_deref(), expect, "{text}");
        }
        assert_eq!(
            rfc3339(Duration::from_secs(1_700_000_000)),
            "2023-11-14T22:13:20Z"
        );
    }
}
