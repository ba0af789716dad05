//! The shape of a case file: TOML in, [`Case`] out, every problem with its place.

use std::{ops::Range, path::Path, str::FromStr, sync::Arc};

use toml::Spanned;

use super::{
    case::{
        Action, Case, CaseId, FollowUp, FollowUpState, Outcome, Reference, Severity, Source,
        SourceKind, Status,
    },
    diagnostic::{Diagnostic, SourceFile, nearest},
    lang::Localized,
    reader::{self, Fields, Problems, Spans},
    value::{choice, clock_time, https, parse},
    vocabulary::{Facet, TermId, Vocabulary, unknown_term},
};

/// A case file that could be read, with the places of its texts for lints.
#[derive(Debug)]
pub struct CaseFile {
    /// The file.
    pub file: Arc<SourceFile>,
    /// What it says.
    pub case: Case,
    /// Whether every text must exist in both languages: so in a library, not in a team's own folder.
    pub bilingual: bool,
    spans: Spans,
}

impl CaseFile {
    /// Returns what two files must not have in common: their folder with their id.
    pub(super) fn place(&self) -> (Option<&Path>, &CaseId) {
        (self.file.path.parent(), &self.case.id)
    }

    /// Returns where a field stands (`title.en`, `actions[2].ko`, `causes`), or the file's start.
    pub fn span(&self, path: &str) -> Range<usize> {
        self.spans.get(path).cloned().unwrap_or(0..0)
    }
}

/// Reads one case file. Problems are added to `diagnostics`; a file with errors gives no case.
pub(super) fn read(
    file: &Arc<SourceFile>,
    vocabulary: &Vocabulary,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<CaseFile> {
    let mut problems = Problems::new(Arc::clone(file));
    let root = reader::parse(&file.text, &mut problems);
    let mut reader = CaseReader {
        fields: Fields::new(root.get_ref(), 0..0, ""),
        spans: Spans::new(),
        problems,
        unknown: Vec::new(),
    };
    let case = reader.case(vocabulary, file);
    let CaseReader {
        fields,
        spans,
        mut problems,
        unknown,
    } = reader;
    fields.finish(&mut problems);
    let mut found = problems.into_list();
    found.extend(unknown);
    let clean = found.is_empty();
    diagnostics.extend(found);
    case.filter(|_| clean).map(|case| CaseFile {
        file: Arc::clone(file),
        case,
        bilingual: true,
        spans,
    })
}

struct CaseReader<'t, 'i> {
    fields: Fields<'t, 'i>,
    spans: Spans,
    problems: Problems,
    unknown: Vec<Diagnostic>,
}

impl CaseReader<'_, '_> {
    fn case(&mut self, vocabulary: &Vocabulary, file: &Arc<SourceFile>) -> Option<Case> {
        // Every field is read before the first `?`, so that one missing field does not hide the rest.
        let id = self.required_parsed("id", "the file's own name, such as `IL-0493`");
        let organisation = self.required_text("organisation", "who it happened to");
        let audience = self.parsed("audience").unwrap_or_default();
        let date = self.parsed("date");
        let status = self.choice("status", Status::ALL, Status::slug);
        let superseded_by = self.parsed::<CaseId>("superseded-by");
        let notes = self.text("notes");
        let severity = self.choice("severity", Severity::ALL, Severity::slug);
        let time_to_detect = self.parsed("time-to-detect");
        let time_to_recover = self.parsed("time-to-recover");
        let regions = self.texts("regions");
        let tags = self.tags(vocabulary);
        let causes = self.terms(Facet::Cause, "causes", vocabulary, file);
        let components = self.terms(Facet::Component, "components", vocabulary, file);
        let symptoms = self.terms(Facet::Symptom, "symptoms", vocabulary, file);
        let factors = self.terms(Facet::Factor, "factors", vocabulary, file);
        let signals = self.texts("signals");
        let title = self.required_localized("title");
        let impact_scope = self.localized("impact-scope");
        let affected_users = self.localized("affected-users");
        let summary = self.required_localized("summary");
        let symptoms_seen = self.required_localized("symptoms-seen");
        let trigger = self.localized("trigger");
        let cause = self.required_localized("cause");
        let detection = self.localized("detection");
        let actions = self.actions();
        let follow_ups = self.follow_ups();
        let lessons = self.lessons();
        let sources = self.sources();
        let references = self.references();
        if status.is_none() && self.fields.value("status").is_none() {
            self.missing("status", "`draft`, `published` or `withdrawn`");
        }
        for (list, key, hint) in [
            (
                &causes,
                "causes",
                "one cause that the source supports, two only if it really names two",
            ),
            (
                &components,
                "components",
                "what was really involved, most central first",
            ),
            (&symptoms, "symptoms", "what was seen in the first minutes"),
        ] {
            if list.is_empty() && self.fields.value(key).is_none() {
                self.missing(key, hint);
            }
        }
        if sources.is_empty() && self.fields.value("sources").is_none() {
            self.missing(
                "sources",
                "every case names at least one [[sources]] entry with `url` and `kind`",
            );
        }
        Some(Case {
            id: id?,
            own: false,
            audience,
            organisation: organisation?,
            date,
            status: status?,
            superseded_by,
            notes,
            severity,
            time_to_detect,
            time_to_recover,
            regions,
            tags,
            causes,
            components,
            symptoms,
            factors,
            signals,
            title: title?,
            impact_scope,
            affected_users,
            summary: summary?,
            symptoms_seen: symptoms_seen?,
            trigger,
            cause: cause?,
            detection,
            actions,
            follow_ups,
            lessons,
            sources,
            references,
        })
    }

    fn missing(&mut self, key: &str, hint: &str) {
        self.fields.missing(key, hint, &mut self.problems);
    }

    fn text(&mut self, key: &'static str) -> Option<String> {
        let text = self.fields.text(key, &mut self.problems)?;
        self.spans.insert(key.to_owned(), text.span());
        Some(text.into_inner().trim().to_owned())
    }

    fn required_text(&mut self, key: &'static str, hint: &str) -> Option<String> {
        let text = self.text(key);
        if text.is_none() && self.fields.value(key).is_none() {
            self.missing(key, hint);
        }
        text
    }

    fn texts(&mut self, key: &'static str) -> Vec<String> {
        if let Some(value) = self.fields.value(key) {
            self.spans.insert(key.to_owned(), value.span());
        }
        let texts = self.fields.texts(key, &mut self.problems);
        texts.into_iter().map(Spanned::into_inner).collect()
    }

    fn parsed<T: FromStr<Err: std::error::Error>>(&mut self, key: &'static str) -> Option<T> {
        let text = self.fields.text(key, &mut self.problems)?;
        self.spans.insert(key.to_owned(), text.span());
        parse(key, &text, &mut self.problems)
    }

    fn required_parsed<T: FromStr<Err: std::error::Error>>(
        &mut self,
        key: &'static str,
        hint: &str,
    ) -> Option<T> {
        if self.fields.value(key).is_none() {
            self.missing(key, hint);
        }
        self.parsed(key)
    }

    fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        all: &[T],
        slug: fn(T) -> &'static str,
    ) -> Option<T> {
        choice(&mut self.fields, key, all, slug, &mut self.problems)
    }

    fn localized(&mut self, key: &'static str) -> Option<Localized> {
        self.fields
            .localized_field(key, &mut self.spans, &mut self.problems)
    }

    fn required_localized(&mut self, key: &'static str) -> Option<Localized> {
        if self.fields.value(key).is_none() {
            self.missing(key, "give it as a table with `en` and `ko`");
        }
        self.localized(key)
    }

    fn terms(
        &mut self,
        facet: Facet,
        key: &'static str,
        vocabulary: &Vocabulary,
        file: &Arc<SourceFile>,
    ) -> Vec<TermId> {
        if let Some(value) = self.fields.value(key) {
            self.spans.insert(key.to_owned(), value.span());
        }
        let mut terms = Vec::new();
        for slug in self.fields.texts(key, &mut self.problems) {
            match vocabulary.find(facet, slug.get_ref()) {
                Some(id) if terms.contains(&id) => self.problems.error(
                    "duplicate-term",
                    slug.span(),
                    format!("`{}` stands twice in `{key}`", slug.get_ref()),
                    "name it once",
                ),
                Some(id) => terms.push(id),
                None => self
                    .unknown
                    .push(unknown_term(vocabulary, facet, &slug, file)),
            }
        }
        terms
    }

    fn tags(&mut self, vocabulary: &Vocabulary) -> Vec<String> {
        let mut tags = Vec::new();
        for tag in self.fields.texts("tags", &mut self.problems) {
            let known = vocabulary.tags().iter().map(|tag| tag.slug.as_str());
            if known.clone().any(|slug| slug == tag.get_ref()) {
                tags.push(tag.into_inner());
            } else {
                let hint = nearest(tag.get_ref(), known).map_or_else(
                    || "use a tag of vocabulary/tags.toml".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                self.problems.error(
                    "unknown-tag",
                    tag.span(),
                    format!("`{}` is not a tag", tag.get_ref()),
                    hint,
                );
            }
        }
        tags
    }

    fn actions(&mut self) -> Vec<Action> {
        let (mut list, problems, spans) = self.list("actions");
        let read = |entry: &mut Fields<'_, '_>| {
            let at = entry
                .text("at", problems)
                .and_then(|at| clock_time(&at, problems));
            let outcome = choice(entry, "outcome", Outcome::ALL, Outcome::slug, problems);
            Some(Action {
                at,
                outcome,
                text: entry.localized(spans, problems)?,
            })
        };
        let actions = list.iter_mut().filter_map(read).collect();
        finish_all(list, problems);
        actions
    }

    fn follow_ups(&mut self) -> Vec<FollowUp> {
        let (mut list, problems, spans) = self.list("follow-ups");
        let read = |entry: &mut Fields<'_, '_>| {
            let state = choice(
                entry,
                "state",
                FollowUpState::ALL,
                FollowUpState::slug,
                problems,
            );
            Some(FollowUp {
                state,
                text: entry.localized(spans, problems)?,
            })
        };
        let follow_ups = list.iter_mut().filter_map(read).collect();
        finish_all(list, problems);
        follow_ups
    }

    fn lessons(&mut self) -> Vec<Localized> {
        let (mut list, problems, spans) = self.list("lessons");
        let lessons = list
            .iter_mut()
            .filter_map(|entry| entry.localized(spans, problems))
            .collect();
        finish_all(list, problems);
        lessons
    }

    fn sources(&mut self) -> Vec<Source> {
        let (mut list, problems, spans) = self.list("sources");
        let read = |entry: &mut Fields<'_, '_>| {
            let url = https(entry, "url", spans, problems);
            let title = entry.text("title", problems).map(Spanned::into_inner);
            let kind = choice(entry, "kind", SourceKind::ALL, SourceKind::slug, problems);
            let archived = https(entry, "archived", spans, problems);
            let checked = entry
                .text("checked", problems)
                .and_then(|text| parse("checked", &text, problems));
            for (key, given) in [
                ("url", entry.value("url").is_some()),
                ("kind", entry.value("kind").is_some()),
            ] {
                if !given {
                    entry.missing(key, "a source has `url` and `kind`", problems);
                }
            }
            Some(Source {
                url: url?,
                title,
                kind: kind?,
                archived,
                checked,
            })
        };
        let sources = list.iter_mut().filter_map(read).collect();
        finish_all(list, problems);
        sources
    }

    fn references(&mut self) -> Vec<Reference> {
        let (mut list, problems, spans) = self.list("references");
        let read = |entry: &mut Fields<'_, '_>| {
            let url = https(entry, "url", spans, problems);
            let title = entry.text("title", problems).map(Spanned::into_inner);
            if url.is_none() && entry.value("url").is_none()
                || title.is_none() && entry.value("title").is_none()
            {
                entry.missing("url` or `title", "a reference has both", problems);
            }
            Some(Reference {
                url: url?,
                title: title?,
            })
        };
        let references = list.iter_mut().filter_map(read).collect();
        finish_all(list, problems);
        references
    }

    /// Splits the borrow: the entries of `[[key]]`, the problems and the spans.
    fn list(&mut self, key: &'static str) -> (Vec<Fields<'_, '_>>, &mut Problems, &mut Spans) {
        let list = self.fields.tables(key, &mut self.problems);
        for entry in &list {
            self.spans.insert(
                entry.path("").trim_end_matches('.').to_owned(),
                entry.span(),
            );
        }
        (list, &mut self.problems, &mut self.spans)
    }
}

/// Records what nobody asked for in any entry of a list.
fn finish_all(list: Vec<Fields<'_, '_>>, problems: &mut Problems) {
    for entry in list {
        entry.finish(problems);
    }
}
