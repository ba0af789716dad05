//! The controlled vocabulary: four facets, their terms in both languages, tags and well-known log phrases.

use std::{collections::HashMap, fmt, sync::Arc};

use toml::Spanned;

use super::{
    diagnostic::{Diagnostic, Level, SourceFile},
    frames::{self, Frames},
    lang::{Lang, Localized},
    near::nearest,
    reader::{self, Fields, Problems, Spans},
    wording::{Talk, Wording},
};

/// A kind of term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Facet {
    /// Why it happened.
    Cause,
    /// What broke or carried the failure.
    Component,
    /// What was seen.
    Symptom,
    /// What let it happen or made it worse.
    Factor,
}

impl Facet {
    /// All facets, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Cause, Self::Component, Self::Symptom, Self::Factor];

    /// Returns the facet's name in URLs, JSON and file names.
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Cause => "cause",
            Self::Component => "component",
            Self::Symptom => "symptom",
            Self::Factor => "factor",
        }
    }

    /// Finds a facet by its name.
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|facet| facet.slug() == slug)
    }

    /// Returns the facet's name for people.
    pub const fn label(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Cause, Lang::En) => "cause",
            (Self::Component, Lang::En) => "component",
            (Self::Symptom, Lang::En) => "symptom",
            (Self::Factor, Lang::En) => "contributing factor",
            (Self::Cause, Lang::Ko) => "원인",
            (Self::Component, Lang::Ko) => "구성 요소",
            (Self::Symptom, Lang::Ko) => "증상",
            (Self::Factor, Lang::Ko) => "기여 요인",
        }
    }
}

impl fmt::Display for Facet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

/// A handle to a term of one [`Vocabulary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(u16);

impl TermId {
    /// Returns the term's place in [`Vocabulary::terms`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Words in both languages; order as in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Latin-script words.
    pub en: Vec<String>,
    /// Korean words.
    pub ko: Vec<String>,
}

impl Words {
    /// Iterates over the words of both languages.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.en.iter().chain(&self.ko).map(String::as_str)
    }
}

/// What a general term gives way to: "pods" names Kubernetes, but beside "etcd" it only says where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum General {
    /// Any other term of its group.
    Group,
    /// Any other term of its facet.
    Any,
}

/// One term.
#[derive(Clone, Debug)]
pub struct Term {
    /// Its facet.
    pub facet: Facet,
    /// Its name in files, URLs and JSON; unique within the facet.
    pub slug: String,
    /// Group of components, for browsing.
    pub group: Option<String>,
    /// Whether a text that names a narrower term does not mean this one.
    pub general: Option<General>,
    /// Its name for people.
    pub label: Localized,
    /// What belongs to it, and what does not.
    pub definition: Localized,
    /// Words that mean it by themselves.
    pub aliases: Words,
    /// Words that mean it only beside other evidence ("node", "앱").
    pub hints: Words,
    /// Phrases that contain one of its words but mean something else ("node.js").
    pub not: Vec<String>,
    /// Terms of the same facet that are near in mechanism.
    pub related: Vec<TermId>,
    /// Terms of the same facet that say the same more exactly: a text that reports one of them does not mean this one
    /// ("a database's CPU" is no processor at its limit).
    pub yields_to: Vec<TermId>,
}

/// A label for browsing that says nothing about the mechanism (`aws`, `payments`).
#[derive(Clone, Debug)]
pub struct Tag {
    /// Its name in files, URLs and JSON.
    pub slug: String,
    /// Its name for people.
    pub label: Localized,
}

/// The whole vocabulary. Immutable once loaded.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    terms: Vec<Term>,
    by_slug: HashMap<(Facet, String), TermId>,
    tags: Vec<Tag>,
    frames: Frames,
    wording: Wording,
}

impl Vocabulary {
    /// Returns all terms; a [`TermId`]'s index points into this.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Iterates over handles and terms of one facet, in file order.
    pub fn facet(&self, facet: Facet) -> impl Iterator<Item = (TermId, &Term)> {
        self.iter().filter(move |(_, term)| term.facet == facet)
    }

    /// Iterates over all handles and terms.
    pub fn iter(&self) -> impl Iterator<Item = (TermId, &Term)> {
        self.terms.iter().enumerate().map(|(at, term)| {
            (
                TermId(u16::try_from(at).expect("loading refuses more than 65,535 terms")),
                term,
            )
        })
    }

    /// Returns the term behind a handle.
    pub fn term(&self, id: TermId) -> &Term {
        &self.terms[id.index()]
    }

    /// Finds a term by its name.
    pub fn find(&self, facet: Facet, slug: &str) -> Option<TermId> {
        self.by_slug.get(&(facet, slug.to_owned())).copied()
    }

    /// Returns the name of the term that `name` may have been meant for: one of its words, or a slip of the pen.
    pub fn suggest(&self, facet: Facet, name: &str) -> Option<&str> {
        let folded = super::fold(name);
        let by_word = self.facet(facet).find(|(_, term)| {
            let labels = term.label.iter().map(|(_, label)| label);
            labels
                .chain(term.aliases.iter())
                .chain([term.slug.as_str()])
                .any(|word| super::fold(word) == folded)
        });
        let slugs = self.facet(facet).map(|(_, term)| term.slug.as_str());
        by_word
            .map(|(_, term)| term.slug.as_str())
            .or_else(|| nearest(name, slugs))
    }

    /// Returns all tags.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Returns search words that mean the same, Korean first.
    pub fn translations(&self) -> &[(String, String)] {
        &self.wording.translations
    }

    /// Returns words of one language that people use for the same thing, by group.
    pub fn synonyms(&self) -> &[Vec<String>] {
        &self.wording.synonyms
    }

    /// Returns how people talk.
    pub const fn talk(&self) -> &Talk {
        &self.wording.talk
    }

    /// Returns what words say together.
    pub const fn frames(&self) -> &Frames {
        &self.frames
    }

    /// Returns well-known error strings that count as exact signals.
    pub fn log_phrases(&self) -> &[String] {
        &self.wording.log_phrases
    }
}

/// Names of the vocabulary's files.
const TAGS_FILE: &str = "tags";
const FRAMES_FILE: &str = "frames";

/// A term as read, before the names in `related` and `yields-to` are resolved.
struct Draft {
    term: Term,
    related: Vec<Spanned<String>>,
    yields_to: Vec<Spanned<String>>,
    aliases: Vec<Spanned<String>>,
    file: Arc<SourceFile>,
}

/// Builds a vocabulary from its files. A term or tag that a later file defines again replaces the earlier one.
pub(super) fn load(files: &[Arc<SourceFile>], diagnostics: &mut Vec<Diagnostic>) -> Vocabulary {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut vocabulary = Vocabulary::default();
    let (mut frames, mut groups) = (Vec::new(), Vec::new());
    for file in files {
        let mut problems = Problems::new(Arc::clone(file));
        let root = reader::parse(&file.text, &mut problems);
        let mut fields = Fields::new(root.get_ref(), 0..0, "");
        let stem = file
            .path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        let mut is_known = true;
        if let Some(facet) = Facet::from_slug(stem) {
            let mut slugs_here: Vec<String> = Vec::new();
            for entry in fields.tables("term", &mut problems) {
                if let Some(draft) = read_term(facet, entry, file, &mut slugs_here, &mut problems) {
                    add(&mut drafts, draft);
                }
            }
        } else if stem == TAGS_FILE {
            for mut entry in fields.tables("tag", &mut problems) {
                let slug = required_slug(&mut entry, &mut problems);
                let label = entry.localized_field("label", &mut Spans::new(), &mut problems);
                entry.finish(&mut problems);
                if let (Some(slug), Some(label)) = (slug, label) {
                    let slug = slug.into_inner();
                    vocabulary.tags.retain(|tag| tag.slug != slug);
                    vocabulary.tags.push(Tag { slug, label });
                }
            }
        } else if stem == FRAMES_FILE {
            frames.extend(frames::read(&mut fields, file, &mut groups, &mut problems));
        } else if vocabulary.wording.read(stem, &mut fields, &mut problems) {
            // Words only; they name no term.
        } else {
            problems.error(
                "unknown-file",
                0..0,
                format!("`{stem}.toml` is not a vocabulary file"),
                "vocabulary files are cause, component, symptom, factor, tags, log-phrases, talk, frames, synonyms and translations (.toml)",
            );
            is_known = false;
        }
        if is_known {
            fields.finish(&mut problems);
        }
        diagnostics.extend(problems.into_list());
    }
    resolve(drafts, &mut vocabulary, diagnostics);
    vocabulary.frames = frames::resolve(frames, groups, &vocabulary, diagnostics);
    vocabulary
}

fn add(drafts: &mut Vec<Draft>, draft: Draft) {
    let earlier = drafts
        .iter_mut()
        .find(|known| known.term.facet == draft.term.facet && known.term.slug == draft.term.slug);
    match earlier {
        Some(earlier) => *earlier = draft,
        None => drafts.push(draft),
    }
}

fn read_term(
    facet: Facet,
    mut entry: Fields<'_, '_>,
    file: &Arc<SourceFile>,
    slugs_here: &mut Vec<String>,
    problems: &mut Problems,
) -> Option<Draft> {
    let slug = required_slug(&mut entry, problems);
    let group = entry.text("group", problems).map(Spanned::into_inner);
    let general = entry
        .text("general", problems)
        .and_then(|text| match text.get_ref().as_str() {
            "group" => Some(General::Group),
            "any" => Some(General::Any),
            other => {
                let message = format!("`{other}` is not a valid `general`");
                problems.error(
                    "bad-value",
                    text.span(),
                    message,
                    "one of `group`, `any`; leave it out for most terms",
                );
                None
            }
        });
    let label = entry.localized_field("label", &mut Spans::new(), problems);
    let definition = entry.localized_field("definition", &mut Spans::new(), problems);
    let (aliases, alias_spans) = words(&mut entry, "aliases", problems);
    let (hints, _) = words(&mut entry, "hints", problems);
    let not = entry
        .texts("not", problems)
        .into_iter()
        .map(Spanned::into_inner)
        .collect();
    let related = entry.texts("related", problems);
    let yields_to = entry.texts("yields-to", problems);
    if label.is_none() {
        entry.missing("label", "give it as { en = \"…\", ko = \"…\" }", problems);
    }
    if definition.is_none() {
        entry.missing(
            "definition",
            "say what belongs to the term and what does not, in both languages",
            problems,
        );
    }
    entry.finish(problems);
    let slug = slug?;
    if slugs_here.contains(slug.get_ref()) {
        problems.error(
            "duplicate-term",
            slug.span(),
            format!("`{}` is defined twice in this file", slug.get_ref()),
            "merge the two entries",
        );
        return None;
    }
    slugs_here.push(slug.get_ref().clone());
    let term = Term {
        facet,
        slug: slug.into_inner(),
        group,
        general,
        label: label?,
        definition: definition?,
        aliases,
        hints,
        not,
        related: Vec::new(),
        yields_to: Vec::new(),
    };
    Some(Draft {
        term,
        related,
        yields_to,
        aliases: alias_spans,
        file: Arc::clone(file),
    })
}

fn required_slug(entry: &mut Fields<'_, '_>, problems: &mut Problems) -> Option<Spanned<String>> {
    let Some(slug) = entry.text("slug", problems) else {
        entry.missing(
            "slug",
            "a slug is lower-case words joined by hyphens",
            problems,
        );
        return None;
    };
    let ok = slug
        .get_ref()
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if !ok {
        problems.error(
            "bad-slug",
            slug.span(),
            format!("`{}` is not a slug", slug.get_ref()),
            "a slug is lower-case words joined by hyphens",
        );
    }
    ok.then_some(slug)
}

/// Reads words in both languages; also returns them in one list with their places.
fn words(
    entry: &mut Fields<'_, '_>,
    key: &'static str,
    problems: &mut Problems,
) -> (Words, Vec<Spanned<String>>) {
    let Some(mut inner) = entry.table(key, problems) else {
        return (Words::default(), Vec::new());
    };
    let (en, ko) = (inner.texts("en", problems), inner.texts("ko", problems));
    inner.finish(problems);
    let plain =
        |words: &[Spanned<String>]| words.iter().map(|word| word.get_ref().clone()).collect();
    let words = Words {
        en: plain(&en),
        ko: plain(&ko),
    };
    (words, en.into_iter().chain(ko).collect())
}

/// Warns of an alias that belongs to two terms of one facet: it would be read as the first.
fn ambiguous_aliases(drafts: &[Draft], diagnostics: &mut Vec<Diagnostic>) {
    let mut owners: HashMap<(Facet, String), &str> = HashMap::new();
    for draft in drafts {
        for alias in &draft.aliases {
            let owner = owners
                .entry((draft.term.facet, super::fold(alias.get_ref())))
                .or_insert(&draft.term.slug);
            if *owner != draft.term.slug {
                diagnostics.push(Diagnostic {
                    file: Arc::clone(&draft.file),
                    span: alias.span(),
                    level: Level::Warning,
                    check: "aliases-unambiguous",
                    message: format!("`{}` is an alias of `{owner}` too", alias.get_ref()),
                    hint: "keep it in one term, or make it a hint of both".to_owned(),
                });
            }
        }
    }
}

fn resolve(drafts: Vec<Draft>, vocabulary: &mut Vocabulary, diagnostics: &mut Vec<Diagnostic>) {
    ambiguous_aliases(&drafts, diagnostics);
    let mut pending = Vec::new();
    for (at, draft) in drafts.into_iter().take(usize::from(u16::MAX)).enumerate() {
        let id = TermId(u16::try_from(at).expect("`take` bounds it"));
        vocabulary
            .by_slug
            .insert((draft.term.facet, draft.term.slug.clone()), id);
        pending.push((draft.related, draft.yields_to, draft.file));
        vocabulary.terms.push(draft.term);
    }
    for (at, (related, yields_to, file)) in pending.into_iter().enumerate() {
        let facet = vocabulary.terms[at].facet;
        let mut find = |slugs: Vec<Spanned<String>>| -> Vec<TermId> {
            let mut ids = Vec::new();
            for slug in slugs {
                match vocabulary.find(facet, slug.get_ref()) {
                    Some(id) => ids.push(id),
                    None => diagnostics.push(unknown_term(vocabulary, facet, &slug, &file)),
                }
            }
            ids
        };
        let (related, yields_to) = (find(related), find(yields_to));
        vocabulary.terms[at].related = related;
        vocabulary.terms[at].yields_to = yields_to;
    }
}

/// Makes the problem "no such term", with the name that may have been meant.
pub(super) fn unknown_term(
    vocabulary: &Vocabulary,
    facet: Facet,
    slug: &Spanned<String>,
    file: &Arc<SourceFile>,
) -> Diagnostic {
    let elsewhere = Facet::ALL
        .into_iter()
        .find(|other| vocabulary.find(*other, slug.get_ref()).is_some());
    let hint = match (vocabulary.suggest(facet, slug.get_ref()), elsewhere) {
        (_, Some(other)) => format!("it is a {other}, not a {facet}"),
        (Some(near), None) => format!("did you mean `{near}`?"),
        (None, None) => format!("use a term of vocabulary/{facet}.toml, or add one there"),
    };
    Diagnostic {
        file: Arc::clone(file),
        span: slug.span(),
        level: Level::Error,
        check: "unknown-term",
        message: format!("`{}` is not a {facet} of the vocabulary", slug.get_ref()),
        hint,
    }
}
