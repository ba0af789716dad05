//! A case as Markdown: the whole of it, for whoever puts it into a context or a document.

use std::fmt::Write;

use crate::{
    corpus::{Case, Facet, Lang, Localized},
    library::Library,
};

/// Headings and words of the document.
struct Words {
    severity: &'static str,
    detected: &'static str,
    recovered: &'static str,
    /// By facet, in the order of [`Facet::ALL`].
    facets: [&'static str; 4],
    regions: &'static str,
    affected: &'static str,
    tags: &'static str,
    signals: &'static str,
    impact: &'static str,
    summary: &'static str,
    symptoms: &'static str,
    trigger: &'static str,
    mechanism: &'static str,
    detection: &'static str,
    actions: &'static str,
    follow_ups: &'static str,
    lessons: &'static str,
    sources: &'static str,
    references: &'static str,
}

static EN: Words = Words {
    severity: "Severity",
    detected: "Time to detect",
    recovered: "Time to recover",
    facets: ["Causes", "Components", "Symptoms", "Contributing factors"],
    regions: "Regions",
    affected: "Affected users",
    tags: "Tags",
    signals: "Signals",
    impact: "Impact",
    summary: "Summary",
    symptoms: "What was seen",
    trigger: "Trigger",
    mechanism: "Mechanism",
    detection: "Detection",
    actions: "Actions",
    follow_ups: "Follow-ups",
    lessons: "Lessons",
    sources: "Sources",
    references: "Further reading",
};

static KO: Words = Words {
    severity: "심각도",
    detected: "감지까지 걸린 시간",
    recovered: "복구까지 걸린 시간",
    facets: ["원인", "구성 요소", "증상", "기여 요인"],
    regions: "리전",
    affected: "영향받은 사용자",
    tags: "태그",
    signals: "시그널",
    impact: "영향",
    summary: "요약",
    symptoms: "나타난 증상",
    trigger: "발단",
    mechanism: "메커니즘",
    detection: "감지 경위",
    actions: "조치",
    follow_ups: "후속 조치",
    lessons: "교훈",
    sources: "출처",
    references: "더 읽을거리",
};

/// A document that grows.
struct Document {
    text: String,
    lang: Lang,
}

impl Document {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A fact of the head; what the source does not give is left out.
    fn fact(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(self.text, "- {name}: {value}");
        }
    }

    fn section(&mut self, heading: &str, text: Option<&Localized>) {
        if let Some(text) = text {
            let text = text.get(self.lang).trim().to_owned();
            self.items(heading, &[text], "");
        }
    }

    fn items(&mut self, heading: &str, items: &[String], bullet: &str) {
        if items.is_empty() {
            return;
        }
        let _ = writeln!(self.text, "\n## {heading}\n");
        for item in items {
            let _ = writeln!(self.text, "{bullet}{item}");
        }
    }
}

/// Writes a case as Markdown in one language.
pub fn markdown(library: &Library, case: &Case, lang: Lang) -> String {
    let words = match lang {
        Lang::En => &EN,
        Lang::Ko => &KO,
    };
    let mut out = Document {
        text: String::new(),
        lang,
    };
    out.line(&format!("# {} {}\n", case.id, case.title.get(lang)));
    let date = case.date.map(|date| format!(" · {date}"));
    out.line(&format!(
        "{}{}\n",
        case.organisation,
        date.unwrap_or_default()
    ));
    let shown = |value: Option<String>| value.unwrap_or_default();
    out.fact(
        words.severity,
        &shown(case.severity.map(|grade| grade.slug().to_owned())),
    );
    out.fact(
        words.detected,
        &shown(case.time_to_detect.map(|time| time.to_string())),
    );
    out.fact(
        words.recovered,
        &shown(case.time_to_recover.map(|time| time.to_string())),
    );
    for (facet, name) in Facet::ALL.into_iter().zip(words.facets) {
        let terms: Vec<String> = case
            .terms(facet)
            .iter()
            .map(|id| {
                let term = library.corpus().vocabulary().term(*id);
                format!("{} (`{}`)", term.label.get(lang), term.slug)
            })
            .collect();
        out.fact(name, &terms.join(", "));
    }
    out.fact(words.regions, &case.regions.join(", "));
    out.fact(words.tags, &case.tags.join(", "));
    let signals: Vec<String> = case.signals.iter().map(|signal| code(signal)).collect();
    out.fact(words.signals, &signals.join(", "));
    out.section(words.impact, case.impact_scope.as_ref());
    out.section(words.affected, case.affected_users.as_ref());
    out.section(words.summary, Some(&case.summary));
    out.section(words.symptoms, Some(&case.symptoms_seen));
    out.section(words.trigger, case.trigger.as_ref());
    out.section(words.mechanism, Some(&case.cause));
    out.section(words.detection, case.detection.as_ref());
    lists(&mut out, words, case);
    out.text
}

/// Writes what a case has several of: actions, follow-ups, lessons, sources.
fn lists(out: &mut Document, words: &Words, case: &Case) {
    let lang = out.lang;
    let shown = |value: Option<String>| value.unwrap_or_default();
    let actions: Vec<String> = case
        .actions
        .iter()
        .map(|action| {
            let at = action.at.as_ref().map(|at| format!("{at} — "));
            let outcome = action
                .outcome
                .map(|outcome| label(outcome.slug(), outcome.label(lang), lang));
            let outcome = outcome.map(|outcome| format!(" ({outcome})"));
            format!(
                "{}{}{}",
                shown(at),
                action.text.get(lang).trim(),
                shown(outcome)
            )
        })
        .collect();
    out.items(words.actions, &actions, "- ");
    let follow_ups: Vec<String> = case
        .follow_ups
        .iter()
        .map(|follow_up| {
            let state = follow_up
                .state
                .map(|state| label(state.slug(), state.label(lang), lang));
            let state = state.map(|state| format!(" ({state})"));
            format!("{}{}", follow_up.text.get(lang).trim(), shown(state))
        })
        .collect();
    out.items(words.follow_ups, &follow_ups, "- ");
    let lessons = case.lessons.iter();
    let lessons: Vec<String> = lessons
        .map(|text| text.get(lang).trim().to_owned())
        .collect();
    out.items(words.lessons, &lessons, "- ");
    let sources: Vec<String> = case
        .sources
        .iter()
        .map(|source| {
            let title = source
                .title
                .as_ref()
                .map(|title| format!("{}: ", heading(title)));
            let archived = source.archived.as_ref().map(|url| format!(", <{url}>"));
            let kind = source.kind.slug();
            format!(
                "{}<{}>{} (`{kind}`)",
                shown(title),
                source.url,
                shown(archived)
            )
        })
        .collect();
    out.items(words.sources, &sources, "- ");
    let references: Vec<String> = case
        .references
        .iter()
        .map(|reference| format!("{}: <{}>", heading(&reference.title), reference.url))
        .collect();
    out.items(words.references, &references, "- ");
}

/// Returns a title as it stands before a colon.
fn heading(title: &str) -> &str {
    title.trim_end_matches(['.', ':', ' '])
}

/// Names a value as the tools' arguments do, and in Korean as people do.
const fn label(slug: &'static str, words: &'static str, lang: Lang) -> &'static str {
    match lang {
        Lang::En => slug,
        Lang::Ko => words,
    }
}

/// Writes a text as code, whatever backticks it holds.
fn code(text: &str) -> String {
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    if longest == 0 {
        format!("{fence}{text}{fence}")
    } else {
        format!("{fence} {text} {fence}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_keeps_its_backticks() {
        assert_eq!(code("a b"), "`a b`");
        assert_eq!(code("a `b`"), "`` a `b` ``");
    }
}
