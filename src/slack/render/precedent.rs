//! One case as an answer: what it was, why it is close, what worked, what its owners learned and promised.

use std::fmt::Write as _;

use slack_morphism::prelude::SlackBlock;

use super::{
    ABSENT, Audience, View,
    evidence::Why,
    rich::{Rich, Run},
};
use crate::{
    corpus::{Action, Case, FollowUp, FollowUpState, Outcome, Source},
    library::Library,
    slack::{mrkdwn, strings::Strings, text},
};

/// How much of a case is shown. Lengths are in UTF-16 units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail {
    pub(super) title: usize,
    /// Pieces of evidence of each kind.
    pub(super) why: usize,
    /// Length of what happened; 0 leaves it out.
    pub(super) happened: usize,
    /// Actions that worked, and the length of each.
    pub(super) actions: usize,
    pub(super) action: usize,
    /// Whether an action without effect is shown too.
    pub(super) tried: bool,
    /// Length of the lesson; 0 leaves it out.
    pub(super) lesson: usize,
    /// Follow-ups, and the length of each.
    pub(super) follow_ups: usize,
    pub(super) follow_up: usize,
    /// Whether the source is named; the title links to it anyway.
    pub(super) source: bool,
}

/// Builds the text of a precedent.
pub(super) fn block(
    library: &Library,
    case: &Case,
    why: Option<&Why<'_>>,
    number: Option<usize>,
    view: &View,
    detail: &Detail,
) -> Option<SlackBlock> {
    let strings = Strings::of(view.lang);
    let heading = |name: &str| Run::new().bold(name).text("  ");
    let mut rich = Rich::new()
        .line(title(library, case, number, view, detail.title))
        .line(facts(case, view));
    if let Some(why) = why {
        rich = rich.line(heading(strings.why).then(why.run(library, view)));
        if let Some(opinion) = why.opinion(view) {
            rich = rich.line(Run::new().italic(&opinion));
        }
    }
    if detail.happened > 0 {
        let happened = text::sentence(happened(case, view), detail.happened);
        let happened = if happened.is_empty() {
            ABSENT
        } else {
            &happened
        };
        rich = rich.line(heading(strings.what_happened).text(happened));
    }
    if detail.actions > 0 {
        let (name, items) = worked(case, view, detail);
        rich = rich.list(name, items);
    }
    if detail.lesson > 0 {
        let lesson = case
            .lessons
            .first()
            .map_or(ABSENT, |lesson| lesson.get(view.lang));
        rich = rich.line(heading(strings.lesson).text(&text::short(lesson, detail.lesson)));
    }
    if detail.follow_ups > 0 {
        let shown = case.follow_ups.iter().take(detail.follow_ups);
        let mut items: Vec<Run> = shown
            .map(|follow_up| self::follow_up(follow_up, view, detail.follow_up))
            .collect();
        if items.is_empty() {
            items.push(Run::new().text(ABSENT));
        }
        rich = rich.list(strings.follow_ups, items);
    }
    // A title that links to our own page does not name the source.
    if (detail.source || library.address().is_some())
        && let Some(source) = case.sources.first()
    {
        rich = rich.line(heading(strings.source).then(self::source(source, view)));
    }
    rich.block()
}

/// Where a case can be read: its page in the library, else its source; empty when there is neither.
pub fn address(library: &Library, case: &Case) -> String {
    let source = || case.sources.first().map(|source| source.url.clone());
    library.page(&case.id).or_else(source).unwrap_or_default()
}

/// The linked title, numbered so that people can talk of "the second one".
pub(super) fn title(
    library: &Library,
    case: &Case,
    number: Option<usize>,
    view: &View,
    limit: usize,
) -> Run {
    let url = address(library, case);
    let title = text::short(case.title.get(view.lang), limit);
    let title = if title.is_empty() {
        case.id.as_str()
    } else {
        &title
    };
    let number = number
        .map(|number| format!("{number}. "))
        .unwrap_or_default();
    Run::new().bold(&number).link(Some(&url), title, true)
}

/// Organisation, date, severity, time to recover, id.
pub(super) fn facts(case: &Case, view: &View) -> Run {
    let strings = Strings::of(view.lang);
    let severity = case.severity.map_or_else(
        || format!("{} {ABSENT}", strings.severity),
        |severity| severity.slug().to_uppercase(),
    );
    let facts = [
        organisation(case),
        case.date
            .map_or_else(|| ABSENT.to_owned(), |date| date.to_string()),
        severity,
        recovery(case, view),
        case.id.to_string(),
    ];
    Run::new().text(&format!(
        "{} {}",
        Audience::of(case, view.lang).sign(),
        facts.join(" · ")
    ))
}

pub(super) fn organisation(case: &Case) -> String {
    let organisation = text::short(&case.organisation, 60);
    if organisation.is_empty() {
        ABSENT.to_owned()
    } else {
        organisation
    }
}

pub(super) fn recovery(case: &Case, view: &View) -> String {
    let time = case
        .time_to_recover
        .map_or_else(|| ABSENT.to_owned(), |time| time.to_string());
    format!("{} {time}", Strings::of(view.lang).recovered)
}

/// What set it off, else its mechanism.
fn happened<'a>(case: &'a Case, view: &View) -> &'a str {
    case.trigger.as_ref().unwrap_or(&case.cause).get(view.lang)
}

/// What was done about it.
struct Done<'a> {
    /// A heading that is true of the actions.
    name: &'static str,
    /// The actions that ended or eased it; else the last one of which the source does not say what it did.
    actions: Vec<&'a Action>,
    /// An action that did not help.
    tried: Option<&'a Action>,
}

/// Chooses what is told of the actions, the same for every form of a message.
fn done<'a>(case: &'a Case, view: &View) -> Done<'a> {
    let strings = Strings::of(view.lang);
    let with = |outcome: Option<Outcome>| {
        let actions = case.actions.iter();
        actions.filter(move |action| action.outcome == outcome)
    };
    let good = with(Some(Outcome::Resolved)).chain(with(Some(Outcome::Mitigated)));
    let mut actions: Vec<&Action> = good.collect();
    let mut name = strings.what_worked;
    if actions.is_empty() && !case.actions.is_empty() {
        actions.extend(with(None).next_back());
        name = strings.what_they_did;
    }
    let mut bad = with(Some(Outcome::NoEffect)).chain(with(Some(Outcome::Worsened)));
    Done {
        name,
        actions,
        tried: bad.next(),
    }
}

fn worked(case: &Case, view: &View, detail: &Detail) -> (&'static str, Vec<Run>) {
    let Done {
        name,
        actions,
        tried,
    } = done(case, view);
    let run = |action: &Action| self::action(action, view, detail.action);
    let mut items: Vec<Run> = actions.into_iter().take(detail.actions).map(run).collect();
    if let Some(tried) = tried.filter(|_| detail.tried) {
        let heading = Run::new().italic(Strings::of(view.lang).tried).text(" ");
        items.push(heading.then(run(tried)));
    }
    if items.is_empty() {
        items.push(Run::new().text(ABSENT));
    }
    (name, items)
}

/// An action with its time and outcome.
pub(super) fn action(action: &Action, view: &View, limit: usize) -> Run {
    let text = text::short(action.text.get(view.lang), limit);
    let mut run = Run::new();
    if let Some(at) = action.at.as_deref().filter(|at| !tells_time(&text, at)) {
        run = run.text(&format!("{} · ", text::short(at, 40)));
    }
    run = run.text(if text.is_empty() { ABSENT } else { &text });
    if let Some(outcome) = action.outcome {
        run = run
            .text(" ")
            .italic(&format!("— {}", outcome.label(view.lang)));
    }
    run
}

/// Returns whether a text already gives the clock time of `at`.
fn tells_time(text: &str, at: &str) -> bool {
    let mut words = at.split(' ');
    words.any(|word| word.contains(':') && text.contains(word))
}

/// A follow-up with its state.
pub(super) fn follow_up(follow_up: &FollowUp, view: &View, limit: usize) -> Run {
    let text = text::short(follow_up.text.get(view.lang), limit);
    let run = Run::new().text(if text.is_empty() { ABSENT } else { &text });
    match follow_up.state {
        Some(state) => {
            let mark = if state == FollowUpState::Done {
                " ✓"
            } else {
                ""
            };
            run.text(" ")
                .italic(&format!("— {}{mark}", state.label(view.lang)))
        }
        None => run,
    }
}

/// A source as its kind and host.
pub(super) fn source(source: &Source, view: &View) -> Run {
    let kind = source.kind.label(view.lang);
    let label = match mrkdwn::host(&source.url) {
        Some(host) => format!("{kind}, {}", text::short(&host, 80)),
        None => kind.to_owned(),
    };
    Run::new().link(Some(&source.url), &label, false)
}

/// The same essentials as mrkdwn: title, why, what worked, link.
pub(super) fn plain(
    library: &Library,
    case: &Case,
    why: Option<&Why<'_>>,
    number: Option<usize>,
    view: &View,
) -> String {
    let strings = Strings::of(view.lang);
    let number = number
        .map(|number| format!("{number}. "))
        .unwrap_or_default();
    let title = text::short(case.title.get(view.lang), 160);
    let url = address(library, case);
    let date = case
        .date
        .map_or_else(|| ABSENT.to_owned(), |date| date.to_string());
    let mut plain = format!(
        "{number}{} ({}, {date}, {})",
        mrkdwn::link(&url, &title),
        mrkdwn::prose(&organisation(case)),
        recovery(case, view),
    );
    if let Some(why) = why {
        let _ = write!(plain, "\n{}: {}", strings.why, why.plain(library, view));
        if let Some(opinion) = why.opinion(view) {
            let _ = write!(plain, "\n{opinion}");
        }
    }
    let Done { name, actions, .. } = done(case, view);
    let text = actions
        .first()
        .map_or(ABSENT, |action| action.text.get(view.lang));
    let _ = write!(
        plain,
        "\n{name}: {}",
        mrkdwn::prose(&text::short(text, 240))
    );
    plain
}
