//! The answer to a question, the answer to a case, and the suggestion that nobody asked for.

use std::fmt::Write as _;

use slack_morphism::prelude::*;

use super::{
    Scope, View, button,
    evidence::{Understood, Why, topics},
    fit, message,
    precedent::{self, Detail},
    rich::{Rich, Run},
};
use crate::{
    corpus::Case,
    library::{Answer, Evidence, Library, Precedent, Related, reason},
    slack::{Message, action::Action, mrkdwn, strings::Strings, text},
};

/// Most precedents in an answer.
pub const PRECEDENTS: usize = 3;
/// Most precedents in a suggestion.
const SUGGESTED: usize = 2;
/// Most names in the line that says what changed a suggestion.
const NEWS: usize = 6;
/// Longest of these, in units.
const NEWS_NAME: usize = 60;
/// Most cases in a list of similar ones.
const SIMILAR: usize = 5;

/// How much of an answer is shown.
struct Level {
    precedents: usize,
    detail: Detail,
    /// Length of the question in the buttons of a precedent.
    question: usize,
    /// Length of the question in the button that changes it; only where texts overfill the message is it less than a
    /// button holds.
    edit: usize,
}

const FULL: Detail = Detail {
    title: 160,
    why: 8,
    happened: 280,
    actions: 2,
    action: 240,
    tried: true,
    lesson: 280,
    follow_ups: 3,
    follow_up: 160,
    source: true,
};
const SHORT: Detail = Detail {
    happened: 180,
    action: 160,
    lesson: 180,
    follow_ups: 2,
    follow_up: 100,
    ..FULL
};
const TIGHT: Detail = Detail {
    why: 6,
    happened: 120,
    actions: 1,
    action: 120,
    tried: false,
    lesson: 120,
    follow_ups: 0,
    ..SHORT
};
const LEAST: Detail = Detail {
    title: 100,
    why: 4,
    happened: 0,
    action: 100,
    lesson: 0,
    source: false,
    ..TIGHT
};
/// Enough to judge whether a distant case is worth a look.
const DISTANT: Detail = Detail {
    happened: 180,
    actions: 0,
    lesson: 0,
    follow_ups: 0,
    ..FULL
};
/// Fit for a channel that did not ask.
const SUGGESTION: Detail = Detail {
    happened: 0,
    tried: false,
    lesson: 200,
    follow_ups: 0,
    source: false,
    ..FULL
};

/// Pairs details with the lengths of questions, fullest first, and ends with a single precedent.
const fn levels(precedents: usize, details: [Detail; 3]) -> [Level; 9] {
    let [full, short, tight] = details;
    [
        level(precedents, full, 150, usize::MAX),
        level(precedents, full, 150, 1000),
        level(precedents, short, 100, usize::MAX),
        level(precedents, short, 100, 500),
        level(precedents, short, 100, 150),
        level(precedents, tight, 50, 500),
        level(precedents, tight, 50, 150),
        level(precedents, LEAST, 0, 150),
        level(1, LEAST, 0, 150),
    ]
}

const fn level(precedents: usize, detail: Detail, question: usize, edit: usize) -> Level {
    Level {
        precedents,
        detail,
        question,
        edit,
    }
}

static CLOSE: [Level; 9] = levels(PRECEDENTS, [FULL, SHORT, TIGHT]);
static FAR: [Level; 9] = levels(PRECEDENTS, [DISTANT, DISTANT, LEAST]);
static UNASKED: [Level; 9] = levels(SUGGESTED, [SUGGESTION, SUGGESTION, LEAST]);

/// Renders the answer to a question that nothing narrows.
pub fn answer(library: &Library, answer: &Answer, view: &View) -> Message {
    answer_within(library, answer, view, &Scope::default())
}

/// Renders the answer to a question with what narrows it.
pub fn answer_within(library: &Library, answer: &Answer, view: &View, scope: &Scope) -> Message {
    if answer.precedents.is_empty() {
        return nothing(library, answer, view, scope);
    }
    let levels = if answer.confident || is_broad(answer) {
        &CLOSE
    } else {
        &FAR
    };
    fit(levels, |level| {
        answer_at(library, answer, view, scope, level)
    })
}

/// Most terms of a question that counts as broad.
const FEW_TERMS: usize = 2;

/// Returns whether a question names little, and the best case has all of it: then it is no distant case, but one of many
/// that are as close. Whoever asked is told so; unasked nothing is said of it, for nobody can be sure.
fn is_broad(answer: &Answer) -> bool {
    let terms = answer.terms.distinct_terms().count();
    let lacks = |evidence: &Evidence| !matches!(evidence, Evidence::Word(_));
    !answer.confident
        && (1..=FEW_TERMS).contains(&terms)
        && answer
            .precedents
            .first()
            .is_some_and(|best| !best.unmatched.iter().any(lacks))
}

fn answer_at(
    library: &Library,
    answer: &Answer,
    view: &View,
    scope: &Scope,
    level: &Level,
) -> Message {
    let strings = Strings::of(view.lang);
    let understood = Understood::new(library, &answer.terms, view);
    let shown = &answer.precedents[..answer.precedents.len().min(level.precedents)];
    let end = view.offset + shown.len();
    let mut head = Rich::new();
    let mut text = String::new();
    if scope.is_list {
        let title = format!("{} {}", strings.newest_of, answer.total);
        let _ = writeln!(text, "{title}");
        head = head.line(Run::new().bold(&title));
    } else if answer.confident || view.offset > 0 {
        if view.offset > 0 {
            let pages = format!("{} {}–{end}", strings.more_precedents, view.offset + 1);
            text = format!("{pages}\n");
            head = head.line(Run::new().bold(&pages));
        }
        let chips = understood.run(view);
        if !chips.is_empty() {
            head = head.line(Run::new().text(strings.understood).text(" ").then(chips));
            let _ = write!(text, "{} {}", strings.understood, understood.plain(view));
        }
    } else if is_broad(answer) {
        let chips = understood.run(view);
        head = head
            .line(Run::new().text(strings.understood).text(" ").then(chips))
            .line(Run::new().italic(strings.broad));
        text = format!(
            "{} {}. {}",
            strings.understood,
            understood.plain(view),
            strings.broad
        );
    } else {
        head = no_close(&understood, view).line(Run::new().italic(strings.distant));
        text = no_close_plain(&understood, view);
        let _ = write!(text, ". {}", strings.distant);
    }
    let mut page = Page {
        blocks: vec![scope.lines(head, view).block(), scope.meant(view)],
        text: scope.plain(text, view),
        about: library.about(&answer.terms),
    };
    for (at, precedent) in shown.iter().enumerate() {
        let number = view.offset + at + 1;
        let why = (!scope.is_list).then_some(precedent.unmatched.as_slice());
        page.add(library, precedent, why, number, view, level);
    }
    if !answer.confident && !scope.is_list && view.offset == 0 {
        let topics = topic_line(library, answer, view);
        if topics.is_some() {
            page.divide();
        }
        page.blocks.push(topics);
    }
    let more = (answer.total > end).then_some(end);
    page.blocks.push(Some(button::last(more, level.edit, view)));
    message(page.text.trim_start(), page.blocks)
}

/// A message in the making: its blocks and the same as text.
struct Page {
    blocks: Vec<Option<SlackBlock>>,
    text: String,
    /// The kind of question ([`Library::about`]).
    about: String,
}

impl Page {
    /// Adds a precedent with its buttons, set apart from what stands above. `unmatched` is `None` where nothing was asked
    /// that it could be close to.
    fn add(
        &mut self,
        library: &Library,
        precedent: &Precedent,
        unmatched: Option<&[Evidence]>,
        number: usize,
        view: &View,
        level: &Level,
    ) {
        let case = &precedent.case;
        let why = unmatched.map(|unmatched| {
            Why::new(&precedent.matched, unmatched, level.detail.why).with(precedent.opinion)
        });
        let (why, number) = (why.as_ref(), Some(number));
        if self.blocks.iter().any(Option::is_some) {
            self.divide();
        }
        let block = precedent::block(library, case, why, number, view, &level.detail);
        let buttons = button::row_about(
            button::of_precedent(&case.id),
            view,
            level.question,
            &self.about,
        );
        self.blocks.extend([block, buttons]);
        let plain = precedent::plain(library, case, why, number, view);
        let _ = write!(self.text, "\n\n{plain}");
    }

    fn divide(&mut self) {
        self.blocks.push(Some(SlackDividerBlock::new().into()));
    }
}

/// "No close precedent for `etcd` · `timeouts`".
fn no_close(understood: &Understood, view: &View) -> Rich {
    let strings = Strings::of(view.lang);
    let chips = understood.run(view);
    let head = Run::new().bold(strings.no_close);
    if chips.is_empty() {
        return Rich::new().line(head);
    }
    Rich::new()
        .line(head)
        .line(Run::new().text(strings.understood).text(" ").then(chips))
}

fn no_close_plain(understood: &Understood, view: &View) -> String {
    let strings = Strings::of(view.lang);
    let chips = understood.plain(view);
    if chips.is_empty() {
        return strings.no_close.to_owned();
    }
    format!("{} ({} {chips})", strings.no_close, strings.understood)
}

/// "In the library: etcd 12 · timeouts 33".
fn topic_line(library: &Library, answer: &Answer, view: &View) -> Option<SlackBlock> {
    let strings = Strings::of(view.lang);
    let topics = topics(library, answer, view);
    if topics.is_empty() {
        return None;
    }
    let topics = topics
        .into_iter()
        .map(|(label, count)| Run::new().text(&label).text(" ").bold(&count.to_string()));
    Rich::new()
        .line(
            Run::new()
                .text(strings.topics)
                .text(" ")
                .joined(topics, " · "),
        )
        .block()
}

/// Renders the answer when there is no case to show.
fn nothing(library: &Library, answer: &Answer, view: &View, scope: &Scope) -> Message {
    let strings = Strings::of(view.lang);
    if view.offset > 0 {
        let rich = Rich::new().line(Run::new().text(strings.no_more));
        return message(strings.no_more, [rich.block()]);
    }
    let understood = Understood::new(library, &answer.terms, view);
    let reason = if !scope.only.is_empty() {
        strings.nothing_within
    } else if answer.terms.is_empty() {
        strings.nothing_understood
    } else {
        strings.nothing_found
    };
    let rich = scope
        .lines(no_close(&understood, view), view)
        .line(Run::new().text(reason))
        .line(Run::new().text(strings.ask_better));
    let plain = scope.plain(no_close_plain(&understood, view), view);
    message(
        &format!("{plain}. {reason} {}", strings.ask_better),
        [
            rich.block(),
            scope.meant(view),
            Some(button::last(None, usize::MAX, view)),
        ],
    )
}

/// Renders what a new incident channel gets unasked. `news` is given when it takes the place of an earlier suggestion: what
/// was understood since, by name.
pub fn suggestion(
    library: &Library,
    answer: &Answer,
    view: &View,
    news: Option<&[String]>,
) -> Message {
    fit(&UNASKED, |level| {
        suggestion_at(library, answer, view, news, level)
    })
}

/// Says what changed a suggestion: what is understood now and was not before, if anything.
fn updated(news: &[String], view: &View) -> (Run, String) {
    let strings = Strings::of(view.lang);
    if news.is_empty() {
        let words = strings.updated_anew;
        return (Run::new().text("🔄 ").text(words), format!("🔄 {words}"));
    }
    let news = news.iter().take(NEWS);
    let news: Vec<String> = news.map(|name| text::short(name, NEWS_NAME)).collect();
    let chips = news.iter().map(|name| Run::new().code(name));
    let run = Run::new().text("🔄 ").text(strings.updated).text(" ");
    let names: Vec<String> = news.iter().map(|name| mrkdwn::prose(name)).collect();
    let text = format!("🔄 {} {}", strings.updated, names.join(", "));
    (run.joined(chips, " · "), text)
}

fn suggestion_at(
    library: &Library,
    answer: &Answer,
    view: &View,
    news: Option<&[String]>,
    level: &Level,
) -> Message {
    let strings = Strings::of(view.lang);
    let understood = Understood::new(library, &answer.terms, view);
    let why = Run::new()
        .text(strings.suggestion_why)
        .text(" ")
        .then(understood.run(view));
    let mut head = Rich::new()
        .line(Run::new().text("🧭 ").bold(strings.suggestion))
        .line(why);
    let mut text = format!(
        "🧭 {}. {} {}",
        strings.suggestion,
        strings.suggestion_why,
        understood.plain(view),
    );
    if let Some(news) = news {
        let (run, plain) = updated(news, view);
        head = head.line(run);
        let _ = write!(text, "\n{plain}");
    }
    let mut page = Page {
        blocks: vec![head.block()],
        text,
        about: library.about(&answer.terms),
    };
    let shown = &answer.precedents[..answer.precedents.len().min(level.precedents)];
    for (at, precedent) in shown.iter().enumerate() {
        // What the channel says and the case has not is of no use to people who did not ask.
        page.add(library, precedent, Some(&[]), at + 1, view, level);
    }
    let more = (answer.total > shown.len()).then_some(shown.len());
    page.blocks.push(Some(button::more_or_mute(more, view)));
    let note = SlackBlockPlainText::new(strings.suggestion_note.to_owned());
    page.blocks
        .push(Some(SlackContextBlock::new(vec![note.into()]).into()));
    let _ = write!(page.text, "\n\n{}", strings.suggestion_note);
    message(&page.text, page.blocks)
}

/// Renders the cases that are close to a case, each with its reason. It is a list to choose from: what else can be done
/// with a case stands under its details.
pub fn similar(library: &Library, case: &Case, related: &[Related], view: &View) -> Message {
    let strings = Strings::of(view.lang);
    let related = &related[..related.len().min(SIMILAR)];
    let head = Rich::new()
        .line(Run::new().bold(strings.related))
        .line(precedent::title(library, case, None, view, 120));
    let mut text = format!(
        "{}: {} ({})",
        strings.related,
        mrkdwn::prose(case.title.get(view.lang)),
        case.id,
    );
    let mut blocks = vec![head.block()];
    if related.is_empty() {
        blocks.push(
            Rich::new()
                .line(Run::new().text(strings.nothing_related))
                .block(),
        );
        let _ = write!(text, "\n{}", strings.nothing_related);
    }
    for (at, other) in related.iter().enumerate() {
        let reason = reason(library, other, view.lang);
        let rich = Rich::new()
            .line(precedent::title(
                library,
                &other.case,
                Some(at + 1),
                view,
                140,
            ))
            .line(precedent::facts(&other.case, view))
            .line(Run::new().italic(&text::short(&reason, 200)));
        blocks.push(rich.block());
        let details = Action::Details {
            case: other.case.id.clone(),
        };
        blocks.push(button::row(vec![details], view, 0));
        let url = precedent::address(library, &other.case);
        let title = text::short(other.case.title.get(view.lang), 140);
        let _ = write!(
            text,
            "\n{}. {} ({})",
            at + 1,
            mrkdwn::link(&url, &title),
            mrkdwn::prose(&reason),
        );
    }
    message(&text, blocks)
}
