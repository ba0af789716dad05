//! Charts as numbers for attributes: bars, columns over years, and spreads on the axis of times.

use super::{
    strings,
    timeline::{percent, place},
};
use crate::{corpus::ElapsedTime, library::Spread};

/// Height of the chart of years, and of its tallest column.
pub(super) const HEIGHT: u32 = 190;
const TALLEST: f32 = 140.0;
const BASE: f32 = 164.0;

/// A bar in a row of a table.
#[derive(Debug)]
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) href: Option<String>,
    pub(super) count: String,
    pub(super) width: String,
}

/// Makes bars of labels, addresses and counts; the longest fills its row.
pub(super) fn bars(values: Vec<(String, Option<String>, usize)>) -> Vec<Bar> {
    let most = values.iter().map(|(_, _, count)| *count).max().unwrap_or(0);
    values
        .into_iter()
        .map(|(label, href, count)| Bar {
            label,
            href,
            count: strings::grouped(count),
            width: format!("{:.1}%", 100.0 * count as f32 / most.max(1) as f32),
        })
        .collect()
}

/// A column over a year.
#[derive(Debug)]
pub(super) struct Year {
    pub(super) year: u16,
    pub(super) count: usize,
    pub(super) href: String,
    pub(super) x: String,
    pub(super) width: String,
    pub(super) middle: String,
    pub(super) y: String,
    pub(super) height: String,
    /// Where the count stands.
    pub(super) above: String,
    /// Whether the year is written below it.
    pub(super) labelled: bool,
}

/// Makes columns of years, from the earliest to the latest without gaps.
pub(super) fn years(counts: &[(u16, usize)], href: impl Fn(u16) -> String) -> Vec<Year> {
    let (Some(first), Some(last)) = (
        counts.iter().map(|(year, _)| *year).min(),
        counts.iter().map(|(year, _)| *year).max(),
    ) else {
        return Vec::new();
    };
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(1);
    let columns = f32::from(last - first) + 1.0;
    (first..=last)
        .map(|year| {
            let count = counts
                .iter()
                .find(|(own, _)| *own == year)
                .map_or(0, |(_, count)| *count);
            let height = TALLEST * count as f32 / most.max(1) as f32;
            let slot = 100.0 / columns;
            let left = slot * f32::from(year - first);
            Year {
                year,
                count,
                href: href(year),
                x: format!("{:.2}%", left + slot * 0.14),
                width: format!("{:.2}%", slot * 0.72),
                middle: format!("{:.2}%", left + slot / 2.0),
                y: format!("{:.1}", BASE - height),
                height: format!("{height:.1}"),
                above: format!("{:.1}", BASE - height - 6.0),
                labelled: columns < 14.0 || year == last || (year % 5 == 0 && last - year > 2),
            }
        })
        .collect()
}

/// How lengths of time are spread, on the common axis.
#[derive(Debug)]
pub(super) struct BoxPlot {
    pub(super) label: String,
    pub(super) href: Option<String>,
    pub(super) known: String,
    pub(super) median: String,
    pub(super) quartiles: String,
    pub(super) low: String,
    pub(super) high: String,
    pub(super) box_start: String,
    pub(super) box_width: String,
    pub(super) middle: String,
}

/// Draws a spread.
pub(super) fn box_plot(label: String, href: Option<String>, spread: &Spread) -> BoxPlot {
    let time = |minutes: u32| {
        ElapsedTime {
            minutes,
            approximate: false,
        }
        .to_string()
    };
    let (start, end) = (place(spread.lower_quartile), place(spread.upper_quartile));
    BoxPlot {
        label,
        href,
        known: strings::grouped(spread.known),
        median: time(spread.median),
        quartiles: format!(
            "{} – {}",
            time(spread.lower_quartile),
            time(spread.upper_quartile)
        ),
        low: percent(place(spread.shortest)),
        high: percent(place(spread.longest)),
        box_start: percent(start),
        // The scale has margins of 3 % on both sides.
        box_width: format!("{:.1}%", (94.0 * (end - start)).max(0.6)),
        middle: percent(place(spread.median)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_without_cases_keep_their_room() {
        let years = years(&[(2021, 4), (2019, 2)], |year| format!("/?year={year}"));
        let shown: Vec<_> = years
            .iter()
            .map(|year| (year.year, year.count, year.height.as_str()))
            .collect();
        assert_eq!(
            shown,
            [(2019, 2, "70.0"), (2020, 0, "0.0"), (2021, 4, "140.0")]
        );
        assert!(super::years(&[], |_| String::new()).is_empty());
    }

    #[test]
    fn the_longest_bar_fills_its_row() {
        let bars = bars(vec![("a".to_owned(), None, 8), ("b".to_owned(), None, 2)]);
        assert_eq!(
            (bars[0].width.as_str(), bars[1].width.as_str()),
            ("100.0%", "25.0%")
        );
    }
}
