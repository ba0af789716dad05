//! A replay for programs: an object a line. `type` says which: `look`, `channel`, `warning`, and `summary` at the end.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use serde::Serialize;

use super::Form;
use crate::replay::{Channel, Look, Silence, Summary, Verdict, Warning, clock::rfc3339};

/// Lines of JSON.
pub(super) struct Json;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'l> {
    Look {
        channel: &'l str,
        channel_id: &'l str,
        at: String,
        messages: usize,
        outcome: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<f32>,
        terms: &'l [String],
        precedents: Vec<Precedent<'l>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<&'l str>,
    },
    Channel {
        channel: &'l str,
        channel_id: &'l str,
        private: bool,
        looks: usize,
        outcome: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<String>,
    },
    Warning {
        file: &'l str,
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u64>,
        problem: &'l str,
    },
    Summary {
        channels: usize,
        messages: u64,
        incident_channels: usize,
        looks: usize,
        suggestions: usize,
        edits: usize,
        silent: usize,
        terms: &'l BTreeMap<String, usize>,
        cases: &'l BTreeMap<String, usize>,
        warnings: usize,
    },
}

#[derive(Serialize)]
struct Precedent<'l> {
    id: String,
    title: &'l str,
    score: f32,
    matched: &'l [String],
}

impl Form for Json {
    fn channel(&self, out: &mut dyn Write, channel: &Channel, looks: &[Look]) -> io::Result<()> {
        for look in looks {
            put(out, &self::look(channel, look))?;
        }
        let said = looks.iter().find(|look| look.suggestion().is_some());
        put(
            out,
            &Line::Channel {
                channel: &channel.name,
                channel_id: &channel.id,
                private: channel.private,
                looks: looks.len(),
                outcome: if said.is_some() { "speaks" } else { "silent" },
                at: said.map(|look| rfc3339(look.at)),
            },
        )
    }

    fn warning(&self, out: &mut dyn Write, warning: &Warning) -> io::Result<bool> {
        let Warning {
            file,
            line,
            problem,
        } = warning;
        put(
            out,
            &Line::Warning {
                file,
                line: *line,
                problem,
            },
        )?;
        Ok(true)
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
            terms,
            cases,
            warnings,
        } = summary;
        put(
            out,
            &Line::Summary {
                channels: *channels,
                messages: *messages,
                incident_channels: *incident_channels,
                looks: *looks,
                suggestions: *suggestions,
                edits: *edits,
                silent: *silent,
                terms,
                cases,
                warnings: *warnings,
            },
        )
    }
}

fn look<'l>(channel: &'l Channel, look: &'l Look) -> Line<'l> {
    let (reason, confidence) = match &look.verdict {
        Verdict::Says(_) | Verdict::Edits(_) => (None, None),
        Verdict::Silent(silence) => match silence {
            Silence::NothingUnderstood => (Some("nothing_understood"), None),
            Silence::NothingFound => (Some("nothing_found"), None),
            Silence::Unsure { confidence, .. } => (Some("unsure"), Some(*confidence)),
            Silence::TooEarly => (Some("too_early"), None),
            Silence::NothingNew => (Some("nothing_new"), None),
            Silence::Shared => (Some("shared_channel"), None),
            Silence::SuggestedBefore => (Some("suggested_before"), None),
        },
    };
    let precedents = look.precedents.iter().map(|close| Precedent {
        id: close.id.to_string(),
        title: &close.title,
        score: close.score,
        matched: &close.matched,
    });
    Line::Look {
        channel: &channel.name,
        channel_id: &channel.id,
        at: rfc3339(look.at),
        messages: look.messages,
        outcome: match look.verdict {
            Verdict::Says(_) => "speaks",
            Verdict::Edits(_) => "edits",
            Verdict::Silent(_) => "silent",
        },
        reason,
        confidence,
        terms: &look.terms,
        precedents: precedents.collect(),
        text: look.message().map(|message| message.text.as_str()),
    }
}

fn put(out: &mut dyn Write, line: &Line<'_>) -> io::Result<()> {
    let json = serde_json::to_string(line)?;
    writeln!(out, "{json}")
}
