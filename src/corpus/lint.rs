//! Editorial checks on cases that could be read: a table of named functions.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::{
    Checks,
    case::Status,
    diagnostic::{Diagnostic, Level},
    lang::{Lang, Localized, is_hangul},
    schema::CaseFile,
};

/// A named check over the whole corpus.
pub struct Check {
    /// Name, shown with every problem that it finds.
    pub name: &'static str,
    /// What it keeps true.
    pub doc: &'static str,
    /// Whether nothing is served while it finds something.
    pub vital: bool,
    run: fn(&Lint<'_>, &mut Report<'_>),
}

/// Every check, in the order in which they run. `lint --checks` prints this table.
pub const CHECKS: &[Check] = &[
    Check {
        name: "id-matches-file",
        doc: "Ensure a case's id is its file's name.",
        vital: false,
        run: id_matches_file,
    },
    Check {
        name: "ids-unique",
        doc: "Ensure no two files of one folder give the same id.",
        vital: true,
        run: ids_unique,
    },
    Check {
        name: "languages-complete",
        doc: "Ensure every text of a library exists in English and Korean.",
        vital: false,
        run: languages_complete,
    },
    Check {
        name: "languages-right",
        doc: "Ensure Korean texts hold Hangul and English texts do not.",
        vital: false,
        run: languages_right,
    },
    Check {
        name: "title-length",
        doc: "Ensure a title has at most 120 characters.",
        vital: false,
        run: title_length,
    },
    Check {
        name: "cause-count",
        doc: "Ensure a case has one cause, or two.",
        vital: false,
        run: cause_count,
    },
    Check {
        name: "facets-not-empty",
        doc: "Ensure a case has components and symptoms.",
        vital: false,
        run: facets_not_empty,
    },
    Check {
        name: "texts-fit",
        doc: "Ensure no text is longer than its place allows.",
        vital: false,
        run: texts_fit,
    },
    Check {
        name: "no-pings",
        doc: "Ensure no text would ping people or channels.",
        vital: false,
        run: no_pings,
    },
    Check {
        name: "no-markup",
        doc: "Ensure texts hold no Markdown, HTML or links.",
        vital: false,
        run: no_markup,
    },
    Check {
        name: "signals-not-prose",
        doc: "Ensure signals are error strings, not sentences.",
        vital: false,
        run: signals_not_prose,
    },
    Check {
        name: "times-in-order",
        doc: "Ensure detection does not take longer than recovery.",
        vital: false,
        run: times_in_order,
    },
    Check {
        name: "superseded-exists",
        doc: "Ensure the case that replaces another exists.",
        vital: false,
        run: superseded_exists,
    },
    Check {
        name: "sentences-unique",
        doc: "Ensure no long sentence stands in two cases.",
        vital: false,
        run: sentences_unique,
    },
    Check {
        name: "organisation-one-spelling",
        doc: "Ensure an organisation is spelled in one way.",
        vital: false,
        run: organisation_one_spelling,
    },
    Check {
        name: "checked-after-incident",
        doc: "Ensure `checked` is not earlier than the incident.",
        vital: false,
        run: checked_after_incident,
    },
];

/// What checks look at.
struct Lint<'a> {
    cases: &'a [CaseFile],
}

/// Where checks put what they find.
struct Report<'a> {
    check: &'static str,
    list: &'a mut Vec<Diagnostic>,
}

impl Report<'_> {
    fn add(
        &mut self,
        level: Level,
        file: &CaseFile,
        path: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.list.push(Diagnostic {
            file: Arc::clone(&file.file),
            span: file.span(path),
            level,
            check: self.check,
            message: message.into(),
            hint: hint.into(),
        });
    }
}

/// Runs every check, or those that are vital.
pub(super) fn run(cases: &[CaseFile], which: Checks, diagnostics: &mut Vec<Diagnostic>) {
    let lint = Lint { cases };
    let wanted = |check: &&Check| check.vital || which == Checks::All;
    for check in CHECKS.iter().filter(wanted) {
        (check.run)(
            &lint,
            &mut Report {
                check: check.name,
                list: diagnostics,
            },
        );
    }
}

/// Every text of a case with its dotted name.
fn texts(file: &CaseFile) -> Vec<(String, &Localized)> {
    let case = &file.case;
    let mut texts: Vec<(String, &Localized)> = vec![
        ("title".into(), &case.title),
        ("summary".into(), &case.summary),
        ("symptoms-seen".into(), &case.symptoms_seen),
        ("cause".into(), &case.cause),
    ];
    for (name, text) in [
        ("impact-scope", &case.impact_scope),
        ("affected-users", &case.affected_users),
        ("trigger", &case.trigger),
        ("detection", &case.detection),
    ] {
        texts.extend(text.iter().map(|text| (name.to_owned(), text)));
    }
    let indexed = |name: &str, at: usize| format!("{name}[{at}]");
    texts.extend(
        case.actions
            .iter()
            .enumerate()
            .map(|(at, action)| (indexed("actions", at), &action.text)),
    );
    texts.extend(
        case.follow_ups
            .iter()
            .enumerate()
            .map(|(at, follow_up)| (indexed("follow-ups", at), &follow_up.text)),
    );
    texts.extend(
        case.lessons
            .iter()
            .enumerate()
            .map(|(at, lesson)| (indexed("lessons", at), lesson)),
    );
    texts
}

/// Every text in every language, with its dotted name (`title.en`).
fn each_text(file: &CaseFile) -> impl Iterator<Item = (String, Lang, &str)> {
    texts(file).into_iter().flat_map(|(path, text)| {
        text.iter()
            .map(move |(lang, text)| (format!("{path}.{lang}"), lang, text))
    })
}

fn id_matches_file(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases {
        let stem = file
            .file
            .path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        if stem != file.case.id.as_str() {
            let message = format!("the id `{}` is not the file's name `{stem}`", file.case.id);
            report.add(
                Level::Error,
                file,
                "id",
                message,
                "rename the file or correct the id; ids are never reused",
            );
        }
    }
}

fn ids_unique(lint: &Lint<'_>, report: &mut Report<'_>) {
    let mut first: HashMap<_, &CaseFile> = HashMap::new();
    for file in lint.cases {
        if let Some(first) = first.get(&file.place()) {
            let message = format!(
                "`{}` has the id `{}` too",
                first.file.path.display(),
                file.case.id
            );
            report.add(
                Level::Error,
                file,
                "id",
                message,
                "give the later case a new id; until then neither is shown",
            );
        } else {
            first.insert(file.place(), file);
        }
    }
}

fn languages_complete(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases.iter().filter(|file| file.bilingual) {
        for (path, text) in texts(file) {
            for lang in Lang::ALL {
                if text.exact(lang).is_none() {
                    let at = format!("{path}.{}", lang.other());
                    let message = format!("`{path}` has no `{lang}`");
                    report.add(
                        Level::Warning,
                        file,
                        &at,
                        message,
                        "write the same content in both languages",
                    );
                }
            }
        }
    }
}

fn languages_right(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases {
        for (path, lang, text) in each_text(file) {
            let hangul = text.chars().filter(|c| is_hangul(*c)).count();
            let latin = text.chars().filter(char::is_ascii_alphabetic).count();
            let wrong = match lang {
                Lang::En => hangul > latin,
                Lang::Ko => hangul == 0 && latin > 20,
            };
            if wrong {
                report.add(
                    Level::Warning,
                    file,
                    &path,
                    format!("`{path}` is not in its language"),
                    "swap or translate the text",
                );
            }
        }
    }
}

/// Longest title in characters: an answer's heading must stay one glance long.
const TITLE_LIMIT: usize = 120;

fn title_length(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases {
        for (lang, title) in file.case.title.iter() {
            let length = title.chars().count();
            if length > TITLE_LIMIT || title.contains('\n') {
                let message = format!(
                    "the title has {length} characters, at most {TITLE_LIMIT} on one line fit"
                );
                report.add(
                    Level::Warning,
                    file,
                    &format!("title.{lang}"),
                    message,
                    "say component, mechanism and impact, nothing else",
                );
            }
        }
    }
}

fn cause_count(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases {
        let count = file.case.causes.len();
        if !(1..=2).contains(&count) {
            let hint =
                "name the one cause that the source supports; contributing ones are `factors`";
            report.add(
                Level::Warning,
                file,
                "causes",
                format!("the case has {count} causes"),
                hint,
            );
        }
    }
}

fn facets_not_empty(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases {
        for (list, key) in [
            (&file.case.components, "components"),
            (&file.case.symptoms, "symptoms"),
        ] {
            if list.is_empty() {
                report.add(
                    Level::Warning,
                    file,
                    key,
                    format!("`{key}` is empty"),
                    "name at least one term of the vocabulary",
                );
            }
        }
    }
}

fn texts_fit(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases {
        for (path, _, text) in each_text(file) {
            let limit = match path.split(['.', '[']).next() {
                Some("summary" | "symptoms-seen") => 6000,
                Some("cause" | "detection") => 3000,
                _ => 1500,
            };
            let length = text.chars().count();
            if length > limit {
                let message = format!("`{path}` has {length} characters, at most {limit} are read");
                report.add(
                    Level::Warning,
                    file,
                    &path,
                    message,
                    "cut it to what helps the next on-call",
                );
            }
        }
    }
}

static PING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)@(?:here|channel|everyone)\b|<[!@#]|(?:^|\s)@[a-z0-9_.-]{2,}")
        .expect("the pattern is valid")
});

fn no_pings(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases {
        for (path, _, text) in each_text(file) {
            if let Some(found) = PING.find(text) {
                let message = format!("`{}` would ping people", found.as_str().trim());
                report.add(
                    Level::Error,
                    file,
                    &path,
                    message,
                    "name the team or role in words",
                );
            }
        }
    }
}

static MARKUP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\*\*|`|https?://|\]\(|(?m)^#{1,6} |(?m)^[-*] |</?[a-z]+>|&(?:amp|lt|gt|nbsp);")
        .expect("the pattern is valid")
});

fn no_markup(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases {
        for (path, _, text) in each_text(file) {
            if let Some(found) = MARKUP.find(text) {
                let message = format!("`{}` is markup", found.as_str().trim());
                report.add(
                    Level::Warning,
                    file,
                    &path,
                    message,
                    "write plain paragraphs; links belong in `sources` and `references`",
                );
            }
        }
    }
}

/// Longest signal in characters. Longer ones are sentences or whole log lines that nobody pastes the same way.
const SIGNAL_LIMIT: usize = 120;

fn signals_not_prose(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases {
        for signal in &file.case.signals {
            if signal.chars().count() > SIGNAL_LIMIT
                || signal.chars().count() < 3
                || signal.chars().any(is_hangul)
                || signal.contains('\n')
            {
                let message = format!("`{signal}` is not a usable signal");
                report.add(
                    Level::Warning,
                    file,
                    "signals",
                    message,
                    "give the distinctive part of the error string, 3 to 120 characters, as the software prints it",
                );
            }
        }
    }
}

fn times_in_order(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases {
        if let (Some(detect), Some(recover)) = (file.case.time_to_detect, file.case.time_to_recover)
            && detect.minutes > recover.minutes
        {
            let message = format!("detected after {detect} but recovered after {recover}");
            report.add(
                Level::Warning,
                file,
                "time-to-detect",
                message,
                "both count from the start of the impact",
            );
        }
    }
}

fn superseded_exists(lint: &Lint<'_>, report: &mut Report<'_>) {
    let ids: HashSet<_> = lint.cases.iter().map(|file| &file.case.id).collect();
    for file in lint.cases {
        if let Some(later) = &file.case.superseded_by
            && (!ids.contains(later) || later == &file.case.id)
        {
            report.add(
                Level::Error,
                file,
                "superseded-by",
                format!("`{later}` is no other case"),
                "name the case that replaces this one",
            );
        }
    }
}

/// Sentences shorter than this in characters may well be said twice.
const COMMON_SENTENCE: usize = 60;

fn sentences_unique(lint: &Lint<'_>, report: &mut Report<'_>) {
    let mut seen: HashMap<String, &CaseFile> = HashMap::new();
    for file in lint
        .cases
        .iter()
        .filter(|file| file.case.status != Status::Withdrawn)
    {
        for (path, _, text) in each_text(file) {
            for sentence in text.split_inclusive(['.', '\n']).map(str::trim) {
                if sentence.chars().count() < COMMON_SENTENCE {
                    continue;
                }
                if let Some(other) = seen.get(sentence)
                    && other.case.id != file.case.id
                {
                    let message = format!(
                        "the same sentence stands in {}: `{sentence}`",
                        other.case.id
                    );
                    report.add(
                        Level::Warning,
                        file,
                        &path,
                        message,
                        "say what is particular to this case",
                    );
                }
                seen.entry(sentence.to_owned()).or_insert(file);
            }
        }
    }
}

fn organisation_one_spelling(lint: &Lint<'_>, report: &mut Report<'_>) {
    let mut spellings: HashMap<String, &str> = HashMap::new();
    for file in lint.cases {
        let folded: String = file
            .case
            .organisation
            .chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect();
        let first = spellings.entry(folded).or_insert(&file.case.organisation);
        if *first != file.case.organisation {
            let message = format!(
                "`{}` is spelled `{first}` elsewhere",
                file.case.organisation
            );
            report.add(
                Level::Warning,
                file,
                "organisation",
                message,
                "spell it in one way in the whole corpus",
            );
        }
    }
}

fn checked_after_incident(lint: &Lint<'_>, report: &mut Report<'_>) {
    for file in lint.cases {
        let Some(date) = file.case.date else { continue };
        for (at, source) in file.case.sources.iter().enumerate() {
            if source
                .checked
                .is_some_and(|checked| checked.year < date.year)
            {
                let message = "the source was checked before the incident happened";
                report.add(
                    Level::Warning,
                    file,
                    &format!("sources[{at}].url"),
                    message,
                    "correct `checked` or `date`",
                );
            }
        }
    }
}
