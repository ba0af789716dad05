//! A replay for people to read.

use std::{
    fmt::{Display, Write as _},
    io::{self, Write},
};

use super::Form;
use crate::{
    replay::{Channel, Look, Silence, Summary, Verdict, Warning, clock::Minute},
    slack::preview::{self, Style},
};

/// Columns of a message.
const WIDTH: usize = 88;

/// How many terms and cases the summary names.
const TOP: usize = 10;

/// Lines of text, a heading for each channel.
pub(super) struct Text {
    /// Whether suggestions are told in a line.
    pub(super) brief: bool,
}

impl Form for Text {
    fn channel(&self, out: &mut dyn Write, channel: &Channel, looks: &[Look]) -> io::Result<()> {
        let bold = anstyle::Style::new()
            .bold()
            .fg_color(Some(anstyle::AnsiColor::Cyan.into()));
        let name = line(&channel.name);
        let private = if channel.private { " · private" } else { "" };
        let id = match channel.id.as_str() {
            "" => String::new(),
            id => format!(" · {}", line(id)),
        };
        writeln!(out, "{bold}#{name}{bold:#}{id}{private}")?;
        for (at, look) in looks.iter().enumerate() {
            let next = looks.get(at + 1);
            let is_last_of_minute =
                next.is_none_or(|next| Minute(next.at).to_string() != Minute(look.at).to_string());
            if is_last_of_minute || look.message().is_some() {
                self.look(out, look)?;
            }
        }
        writeln!(out)
    }

    fn warning(&self, _out: &mut dyn Write, _warning: &Warning) -> io::Result<bool> {
        Ok(false)
    }

    fn summary(&self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let Summary {
            channels,
            incident_channels,
            messages,
            suggestions,
            edits,
            silent,
            looks,
            terms: _,
            cases: _,
            warnings,
        } = summary;
        let bold = anstyle::Style::new().bold();
        writeln!(out, "{bold}In all{bold:#}")?;
        let read = counted(*messages, "message");
        writeln!(
            out,
            "  read          {read} in {}",
            counted(*channels, "channel")
        )?;
        let incidents = counted(*incident_channels, "incident channel");
        writeln!(
            out,
            "  looked at     {incidents}, {}",
            counted(*looks, "time")
        )?;
        writeln!(out, "  would speak   in {suggestions}, once in each")?;
        if *edits > 0 {
            let times = counted(*edits, "time");
            writeln!(out, "  would change  what it said {times}")?;
        }
        writeln!(out, "  stays silent  in {silent}")?;
        if *incident_channels == 0 {
            writeln!(
                out,
                "  no channel is named like an incident channel; say how yours are named: --channels 'inc-*,outage-*'"
            )?;
        }
        for (what, top) in [
            ("top terms", summary.top_terms(TOP)),
            ("top cases", summary.top_cases(TOP)),
        ] {
            if !top.is_empty() {
                let named: Vec<String> = top
                    .iter()
                    .map(|(name, count)| format!("{name} ({count})"))
                    .collect();
                writeln!(out, "  {what}     {}", named.join(", "))?;
            }
        }
        if *warnings > 0 {
            let places = counted(*warnings, "place");
            writeln!(out, "  not readable  {places}; see the warnings")?;
        }
        Ok(())
    }
}

impl Text {
    fn look(&self, out: &mut dyn Write, look: &Look) -> io::Result<()> {
        let at = Minute(look.at);
        let basis = match look.messages {
            0 => "name, topic and purpose".to_owned(),
            many => format!("name, topic, purpose, {}", counted(many, "message")),
        };
        match &look.verdict {
            Verdict::Says(message) | Verdict::Edits(message) => {
                let says = anstyle::Style::new()
                    .bold()
                    .fg_color(Some(anstyle::AnsiColor::Green.into()));
                let does = match look.verdict {
                    Verdict::Edits(_) => "edits ",
                    _ => "speaks",
                };
                writeln!(out, "  {at}  {says}{does}{says:#}  from {basis}")?;
                if self.brief {
                    return closest(out, look);
                }
                // `anstream` takes the marks off again where the output is no terminal.
                for line in preview::preview(message, WIDTH, Style::Ansi).lines() {
                    writeln!(out, "  │ {line}")?;
                }
                Ok(())
            }
            Verdict::Silent(silence) => {
                writeln!(out, "  {at}  silent  {}", why(*silence, &basis))?;
                if look.precedents.is_empty() {
                    return Ok(());
                }
                closest(out, look)
            }
        }
    }
}

/// Writes what was understood and the closest case, with what they have in common.
fn closest(out: &mut dyn Write, look: &Look) -> io::Result<()> {
    let Some(best) = look.precedents.first() else {
        return Ok(());
    };
    let mut text = format!("{} {}", best.id, line(&best.title));
    if !best.matched.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(text, " ✓ {}", line(&best.matched.join(", ")));
    }
    let indent = " ".repeat(20);
    writeln!(out, "{indent}  closest: {text}")?;
    if look.terms.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "{indent}  understood: {}",
        line(&look.terms.join(", "))
    )
}

fn why(silence: Silence, basis: &str) -> String {
    match silence {
        Silence::NothingUnderstood => format!("nothing it understands in {basis}"),
        Silence::NothingFound => format!("nothing close to {basis}"),
        Silence::Unsure { confidence, needed } => format!(
            "not sure enough from {basis}: {:.0} of the {:.0} % it needs",
            confidence * 100.0,
            needed * 100.0
        ),
        Silence::TooEarly => format!("too little in {basis}; waits for messages"),
        Silence::NothingNew => format!("nothing new in {basis}"),
        Silence::Shared => "shared with another organisation".to_owned(),
        Silence::SuggestedBefore => "its suggestion stands in the export already".to_owned(),
    }
}

fn counted(count: impl TryInto<u64> + Display + Copy, what: &str) -> String {
    match count.try_into() {
        Ok(1) => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// Says what could not be read, and where.
pub(super) fn warning(warning: &Warning) -> String {
    let Warning {
        file,
        line: at,
        problem,
    } = warning;
    let place = match at {
        Some(at) => format!("{}:{at}", line(file)),
        None => line(file),
    };
    format!("{place}: {}", line(problem))
}

/// Makes a line that does nothing to a terminal of what stands in somebody's export.
fn line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
