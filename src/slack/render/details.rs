//! A whole case.

use std::fmt::Write as _;

use slack_morphism::prelude::*;

use super::{
    ABSENT, View, button,
    evidence::label,
    fit, message, precedent,
    rich::{Rich, Run},
};
use crate::{
    corpus::{Case, Facet, Lang, Localized},
    library::{Library, Related, reason},
    slack::{Message, action::Action, mrkdwn, strings::Strings, text},
};

/// Most related cases under a whole one.
const RELATED: usize = 5;

/// How much of a whole case is shown. Lengths are in UTF-16 units; 0 leaves a part out.
struct Level {
    summary: usize,
    seen: usize,
    /// Trigger, cause, detection, impact.
    field: usize,
    /// Items of a list, and the length of each.
    items: usize,
    item: usize,
    references: usize,
    question: usize,
}

/// The summary goes first: the other parts tell the same, apart from each other.
static LEVELS: [Level; 5] = [
    Level {
        summary: 2400,
        seen: 1200,
        field: 700,
        items: 10,
        item: 260,
        references: 4,
        question: 150,
    },
    Level {
        summary: 1200,
        seen: 900,
        field: 600,
        items: 10,
        item: 260,
        references: 3,
        question: 100,
    },
    Level {
        summary: 500,
        seen: 700,
        field: 450,
        items: 8,
        item: 220,
        references: 0,
        question: 100,
    },
    Level {
        summary: 0,
        seen: 400,
        field: 300,
        items: 6,
        item: 150,
        references: 0,
        question: 50,
    },
    Level {
        summary: 0,
        seen: 200,
        field: 150,
        items: 3,
        item: 100,
        references: 0,
        question: 0,
    },
];

/// Renders a whole case with the cases close to it.
pub fn details(library: &Library, case: &Case, view: &View) -> Message {
    // A withdrawn case has no neighbours, and is still shown to whoever kept its id.
    let related = library.similar(&case.id, RELATED).unwrap_or_default();
    with_related(library, case, &related, view)
}

pub(super) fn with_related(
    library: &Library,
    case: &Case,
    related: &[Related],
    view: &View,
) -> Message {
    fit(&LEVELS, |level| {
        details_at(library, case, related, view, level)
    })
}

fn details_at(
    library: &Library,
    case: &Case,
    related: &[Related],
    view: &View,
    level: &Level,
) -> Message {
    let strings = Strings::of(view.lang);
    let page = Page { view, level };
    let related = &related[..related.len().min(level.items.min(RELATED))];
    let blocks = [
        page.head(library, case).block(),
        page.prose(strings.summary, Some(&case.summary), level.summary)
            .block(),
        page.account(case).block(),
        page.list(strings.actions, &case.actions, |action| {
            precedent::action(action, view, level.item)
        }),
        page.list(strings.follow_ups, &case.follow_ups, |follow_up| {
            precedent::follow_up(follow_up, view, level.item)
        }),
        page.list(strings.lessons, &case.lessons, |lesson| {
            Run::new().text(&text::short(lesson.get(view.lang), level.item))
        }),
        page.sources(case).block(),
        page.related(library, related).block(),
        button::row_about(
            button::of_precedent(&case.id)
                .into_iter()
                .filter(|action| !matches!(action, Action::Details { .. }))
                .collect(),
            view,
            level.question,
            &library.about(&library.extract(&view.text)),
        ),
    ];
    let mut text = precedent::plain(library, case, None, None, view);
    if let Some(lesson) = case.lessons.first() {
        let lesson = mrkdwn::prose(&text::short(lesson.get(view.lang), 240));
        let _ = write!(text, "\n{}: {lesson}", strings.lesson);
    }
    for other in related {
        let reason = mrkdwn::prose(&reason(library, other, view.lang));
        let title = text::short(other.case.title.get(view.lang), 120);
        let url = precedent::address(library, &other.case);
        let _ = write!(text, "\n• {} ({reason})", mrkdwn::link(&url, &title));
    }
    message(&text, blocks)
}

/// One level of detail for one reader.
struct Page<'a> {
    view: &'a View,
    level: &'a Level,
}

impl Page<'_> {
    fn strings(&self) -> &'static Strings {
        Strings::of(self.view.lang)
    }

    /// Title, facts, warnings, terms.
    fn head(&self, library: &Library, case: &Case) -> Rich {
        let (strings, view) = (self.strings(), self.view);
        let mut rich = Rich::new()
            .line(precedent::title(library, case, None, view, 160))
            .line(match case.time_to_detect {
                Some(time) => {
                    let detected = format!(" · {} {time}", strings.detected);
                    precedent::facts(case, view).text(&detected)
                }
                None => precedent::facts(case, view),
            });
        if !case.is_live() {
            rich = rich.line(Run::new().text("⚠️ ").bold(strings.withdrawn));
        }
        if let Some(next) = library.successor(case) {
            let run = Run::new().text("⚠️ ").text(strings.superseded).text(" ");
            rich = rich.line(run.code(next.id.as_str()));
        }
        for facet in Facet::ALL {
            let terms = case.terms(facet).iter().take(self.level.items);
            let chips: Vec<Run> = terms
                .map(|term| Run::new().code(&label(library, *term, view)))
                .collect();
            if !chips.is_empty() {
                let run = heading(facet_name(facet, view.lang)).joined(chips, " ");
                rich = rich.line(run);
            }
        }
        let signals = case.signals.iter().take(self.level.items);
        let chips: Vec<Run> = signals
            .map(|signal| Run::new().code(&text::short(signal, self.level.item.min(120))))
            .filter(|chip| !chip.is_empty())
            .collect();
        if !chips.is_empty() {
            rich = rich.line(heading(strings.signals).joined(chips, " "));
        }
        for (name, values) in [(strings.regions, &case.regions), (strings.tags, &case.tags)] {
            let values: Vec<String> = values
                .iter()
                .map(|value| text::short(value, 40))
                .filter(|value| !value.is_empty())
                .take(self.level.items)
                .collect();
            if !values.is_empty() {
                rich = rich.line(heading(name).text(&values.join(", ")));
            }
        }
        rich
    }

    /// Impact, symptoms, trigger, cause, detection.
    fn account(&self, case: &Case) -> Rich {
        let (strings, level) = (self.strings(), self.level);
        let parts = [
            (strings.impact, case.impact_scope.as_ref(), level.field),
            (
                strings.affected,
                case.affected_users.as_ref(),
                level.field.min(200),
            ),
            (strings.seen, Some(&case.symptoms_seen), level.seen),
            (strings.trigger, case.trigger.as_ref(), level.field.min(400)),
            (strings.mechanism, Some(&case.cause), level.field),
            (
                strings.detection,
                case.detection.as_ref(),
                level.field.min(400),
            ),
        ];
        // All parts stand in one block: what is over its limit is taken from each alike.
        let total: usize = parts.iter().map(|(_, _, limit)| limit).sum();
        let share = |limit: usize| limit * BLOCK_ROOM / total.max(BLOCK_ROOM);
        parts
            .into_iter()
            .fold(Rich::new(), |rich, (name, text, limit)| {
                self.part(rich, name, text, share(limit))
            })
    }

    fn prose(&self, name: &str, text: Option<&Localized>, limit: usize) -> Rich {
        if limit == 0 {
            return Rich::new();
        }
        self.part(Rich::new(), name, text, limit)
    }

    /// Adds a heading and its text; `–` when the source does not give it.
    fn part(&self, rich: Rich, name: &str, text: Option<&Localized>, limit: usize) -> Rich {
        let text = text.map_or(String::new(), |text| {
            text::paragraphs(text.get(self.view.lang), limit)
        });
        let text = if text.is_empty() { ABSENT } else { &text };
        rich.line(heading(name).text(text))
    }

    fn list<T>(&self, name: &str, items: &[T], run: impl Fn(&T) -> Run) -> Option<SlackBlock> {
        let mut runs: Vec<Run> = items.iter().take(self.level.items).map(run).collect();
        if runs.is_empty() {
            runs.push(Run::new().text(ABSENT));
        }
        let left_out = items.len().saturating_sub(self.level.items);
        if left_out > 0 {
            let space = if self.view.lang == Lang::En { " " } else { "" };
            let further = format!("+{left_out}{space}{}", self.strings().further);
            runs.push(Run::new().italic(&further));
        }
        Rich::new().list(name, runs).block()
    }

    fn sources(&self, case: &Case) -> Rich {
        let (strings, view) = (self.strings(), self.view);
        let sources = case
            .sources
            .iter()
            .take(self.level.items.min(4))
            .map(|source| {
                let run = precedent::source(source, view);
                let run = match &source.title {
                    Some(title) => run.text(&format!(" · {}", text::short(title, 120))),
                    None => run,
                };
                match &source.archived {
                    Some(archived) => run
                        .text(" · ")
                        .link(Some(archived), strings.archived, false),
                    None => run,
                }
            });
        let references = case
            .references
            .iter()
            .take(self.level.references)
            .map(|reference| {
                Run::new().link(
                    Some(&reference.url),
                    &text::short(&reference.title, 120),
                    false,
                )
            });
        Rich::new().list(strings.sources, sources.collect()).list(
            strings.references,
            references.filter(|run| !run.is_empty()).collect(),
        )
    }

    fn related(&self, library: &Library, related: &[Related]) -> Rich {
        let view = self.view;
        let items = related.iter().map(|other| {
            let case = &other.case;
            let reason = text::short(&reason(library, other, view.lang), 160);
            precedent::title(library, case, None, view, 120)
                .text(&format!(
                    " · {} · {} — ",
                    precedent::organisation(case),
                    case.id
                ))
                .italic(&reason)
        });
        Rich::new().list(self.strings().related, items.collect())
    }
}

/// Room for texts in one block, headings set aside.
const BLOCK_ROOM: usize = 2600;

fn heading(name: &str) -> Run {
    Run::new().bold(name).text("  ")
}

const fn facet_name(facet: Facet, lang: Lang) -> &'static str {
    match (facet, lang) {
        (Facet::Cause, Lang::En) => "Cause",
        (Facet::Component, Lang::En) => "Components",
        (Facet::Symptom, Lang::En) => "Symptoms",
        (Facet::Factor, Lang::En) => "Contributing factors",
        (facet, Lang::Ko) => facet.label(Lang::Ko),
    }
}
