//! Any text, any case: a message that Slack takes.

use std::sync::LazyLock;

use incident_like::{
    corpus::{Action, Case, CaseId, FollowUp, Lang, Localized, Reference, Source, SourceKind},
    slack::{
        command,
        preview::{self, Style},
        render::{self, Settings, View},
        reply::{self, Tongue},
        setting::{Here, Set},
    },
};

use super::{LIBRARY, sound, texts};

static ANY: LazyLock<Case> = LazyLock::new(|| (*LIBRARY.corpus().cases()[0]).clone());

pub(crate) fn run(data: &[u8]) {
    let Some((choice, data)) = data.split_first() else {
        return;
    };
    let lang = if choice & 1 == 0 { Lang::En } else { Lang::Ko };
    let parts = texts(data);
    asked(&parts[0], lang, usize::from(choice >> 1));
    shown(&case(&parts), &parts, lang);
}

/// How a bot is set up whose operator wrote anything.
pub(crate) fn settings(pattern: &str, lang: Lang) -> Settings {
    let Ok(pattern) = pattern.parse();
    Settings {
        here: Here::new(Some(Set::default()), Set::default(), &vec![pattern; 3]),
        saved: None,
        lang,
        token: true,
        allowed_channels: 1,
        missing: vec!["users:read".to_owned()],
    }
}

/// Whatever is typed is answered.
pub(crate) fn asked(text: &str, lang: Lang, offset: usize) {
    let tongue = Tongue {
        locale: offset.is_multiple_of(2).then_some(lang),
        default: lang,
    };
    let command = command::parse(text);
    let settings = settings(text, lang);
    sound::check(&reply::command(&LIBRARY, &command, text, tongue, &settings));
    sound::check(&reply::answer(&LIBRARY, text, tongue, offset));
    sound::check(&reply::answer_to_text(&LIBRARY, text, tongue));
    sound::check(&reply::asked(&LIBRARY, text, lang));
    sound::check(&render::type_again(lang, text));
    let found = reply::find(&LIBRARY, text, tongue, 0);
    let news = [text.to_owned(), text.to_owned()];
    for news in [None, Some(&news[..])] {
        sound::check(&render::suggestion(
            &LIBRARY,
            &found.answer,
            &found.view,
            news,
        ));
    }
}

/// A case of texts from outside.
fn case(parts: &[String]) -> Case {
    let part = |at: usize| parts[at % parts.len()].clone();
    let text = |at: usize| Localized::both(part(at), part(at + 1));
    let some = |at: usize| parts.len().is_multiple_of(2).then(|| text(at));
    let many = parts.len().min(12);
    Case {
        organisation: part(1),
        title: text(0),
        summary: text(1),
        symptoms_seen: text(2),
        cause: text(3),
        impact_scope: some(4),
        affected_users: some(5),
        trigger: some(6),
        detection: some(7),
        regions: parts.to_vec(),
        tags: parts.to_vec(),
        signals: parts.to_vec(),
        notes: Some(part(2)),
        actions: (0..many)
            .map(|at| Action {
                at: Some(part(at)),
                outcome: None,
                text: text(at),
            })
            .collect(),
        follow_ups: (0..many)
            .map(|at| FollowUp {
                state: None,
                text: text(at),
            })
            .collect(),
        lessons: (0..many).map(text).collect(),
        sources: (0..many.min(4))
            .map(|at| Source {
                url: part(at),
                title: Some(part(at + 1)),
                kind: SourceKind::Postmortem,
                archived: Some(format!("https://a.example/{}", part(at + 2))),
                checked: None,
            })
            .collect(),
        references: vec![Reference {
            url: part(3),
            title: part(4),
        }],
        ..ANY.clone()
    }
}

/// Every message about a case.
pub(crate) fn shown(case: &Case, parts: &[String], lang: Lang) {
    let question = parts.last().cloned().unwrap_or_default();
    let view = View {
        lang,
        text: question.clone(),
        offset: 0,
    };
    let details = render::details(&LIBRARY, case, &view);
    sound::check(&details);
    let id: &CaseId = &LIBRARY.corpus().cases()[0].id;
    let related = LIBRARY.similar(id, 5).expect("it is there");
    sound::check(&render::similar(&LIBRARY, case, &related, &view));
    sound::check(&render::preview(&LIBRARY, case, &view));
    sound::check_from(
        &render::shared(&LIBRARY, case, &view, &question),
        Some(&question),
    );
    // On a terminal only our own marks are obeyed.
    let styled = preview::preview(&details, 60, Style::Ansi);
    let marks = styled.replace("\u{1b}[", "");
    assert!(
        !marks.contains(|c: char| c.is_control() && c != '\n'),
        "{styled:?}"
    );
}
