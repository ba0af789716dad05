//! Frames: what two or three words of one clause say together ("배포를 … 못하", "payments … fail").

use std::sync::Arc;

use toml::Spanned;

use super::{
    diagnostic::{Diagnostic, SourceFile},
    near::nearest,
    reader::{Fields, Problems},
    vocabulary::{self, Facet, TermId, Vocabulary, Words},
};

/// Words that do the same work in a sentence.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its name in the file.
    pub name: String,
    /// Its words. English ones end in `*` where any ending may follow.
    pub words: Words,
}

/// A term that is meant where each slot is filled.
#[derive(Clone, Debug)]
pub struct Frame {
    /// What is meant.
    pub term: TermId,
    /// For each slot the groups of which a word fills it, as places in [`Frames::groups`].
    pub slots: Vec<Vec<usize>>,
    /// Whether the term is ruled out where the first slot's word is said to be fine.
    pub fine: bool,
}

/// All frames of a vocabulary.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// The groups of words.
    pub groups: Vec<Group>,
    /// The frames.
    pub frames: Vec<Frame>,
}

/// A frame as read, before its names are resolved.
pub(super) struct Draft {
    term: Spanned<String>,
    slots: Vec<Spanned<String>>,
    is_fine_told: bool,
    file: Arc<SourceFile>,
}

/// Reads a file of frames. Its groups are known at once, its frames once the terms are.
pub(super) fn read(
    fields: &mut Fields<'_, '_>,
    file: &Arc<SourceFile>,
    groups: &mut Vec<Group>,
    problems: &mut Problems,
) -> Vec<Draft> {
    for mut entry in fields.tables("group", problems) {
        let name = entry.text("name", problems).map(Spanned::into_inner);
        let mut list = |key| -> Vec<String> {
            let words = entry.texts(key, problems);
            words.into_iter().map(Spanned::into_inner).collect()
        };
        let words = Words {
            en: list("en"),
            ko: list("ko"),
        };
        if let Some(name) = name {
            groups.retain(|group| group.name != name);
            groups.push(Group { name, words });
        } else {
            entry.missing("name", "frames name the groups of their slots", problems);
        }
        entry.finish(problems);
    }
    let mut drafts = Vec::new();
    for mut entry in fields.tables("frame", problems) {
        let term = entry.text("term", problems);
        let slots = entry.texts("slots", problems);
        let is_fine_told = entry.flag("fine", problems);
        if slots.len() < 2 {
            entry.missing(
                "slots",
                "a frame has two slots or more; one word alone is an alias of its term",
                problems,
            );
        }
        match term {
            Some(term) => drafts.push(Draft {
                term,
                slots,
                is_fine_told,
                file: Arc::clone(file),
            }),
            None => entry.missing("term", "write it as `symptom:deploy-blocked`", problems),
        }
        entry.finish(problems);
    }
    drafts
}

/// Resolves the names in frames.
pub(super) fn resolve(
    drafts: Vec<Draft>,
    groups: Vec<Group>,
    vocabulary: &Vocabulary,
    diagnostics: &mut Vec<Diagnostic>,
) -> Frames {
    let mut frames = Vec::new();
    for draft in drafts {
        let Draft {
            term,
            slots,
            is_fine_told,
            file,
        } = draft;
        let mut problems = Problems::new(Arc::clone(&file));
        let named = term.get_ref().split_once(':').and_then(|(facet, slug)| {
            Facet::from_slug(facet).map(|facet| (facet, Spanned::new(term.span(), slug.to_owned())))
        });
        let id = if let Some((facet, slug)) = &named {
            let id = vocabulary.find(*facet, slug.get_ref());
            if id.is_none() {
                diagnostics.push(vocabulary::unknown_term(vocabulary, *facet, slug, &file));
            }
            id
        } else {
            problems.error(
                "bad-value",
                term.span(),
                format!("`{}` names no facet", term.get_ref()),
                "write it as `symptom:deploy-blocked`",
            );
            None
        };
        let place = |name: &str| groups.iter().position(|group| group.name == name);
        let slots: Vec<Vec<usize>> = slots
            .iter()
            .map(|slot| {
                let mut places = Vec::new();
                for name in slot.get_ref().split('|') {
                    if let Some(place) = place(name) {
                        places.push(place);
                        continue;
                    }
                    let known = groups.iter().map(|group| group.name.as_str());
                    let hint = nearest(name, known).map_or_else(
                        || "add it as a `[[group]]`".to_owned(),
                        |near| format!("did you mean `{near}`?"),
                    );
                    problems.error(
                        "unknown-group",
                        slot.span(),
                        format!("there is no group `{name}`"),
                        hint,
                    );
                }
                places
            })
            .collect();
        diagnostics.extend(problems.into_list());
        if let Some(term) = id {
            frames.push(Frame {
                term,
                slots,
                fine: is_fine_told,
            });
        }
    }
    Frames { groups, frames }
}
