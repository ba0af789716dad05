//! Reads TOML tables field by field and keeps going: every unknown key, missing key and wrong type becomes a
//! [`Diagnostic`] with its span. A serde derive would stop at the first one.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    diagnostic::{Diagnostic, Level, SourceFile},
    lang::Localized,
    near::nearest,
};

/// Collects the problems of one file.
pub(super) struct Problems {
    file: Arc<SourceFile>,
    list: Vec<Diagnostic>,
}

impl Problems {
    pub(super) const fn new(file: Arc<SourceFile>) -> Self {
        Self {
            file,
            list: Vec::new(),
        }
    }

    pub(super) fn error(
        &mut self,
        check: &'static str,
        span: Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.list.push(Diagnostic {
            file: Arc::clone(&self.file),
            span,
            level: Level::Error,
            check,
            message: message.into(),
            hint: hint.into(),
        });
    }

    pub(super) fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}

/// Parses a file as TOML; syntax errors are recorded and what could still be read is returned.
pub(super) fn parse<'i>(text: &'i str, problems: &mut Problems) -> Spanned<DeTable<'i>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        problems.error(
            "syntax",
            span,
            format!("not valid TOML: {}", error.message()),
            SYNTAX_HINT,
        );
    }
    table
}

const SYNTAX_HINT: &str = "quote text with \"…\" (paragraphs with \"\"\"…\"\"\"), write \\\" for a quote inside, and keep top-level keys above the first [table]";

/// The fields of one table. Ask for each field you know, then call [`Fields::finish`].
pub(super) struct Fields<'t, 'i> {
    table: &'t DeTable<'i>,
    span: Range<usize>,
    path: String,
    asked: Vec<&'static str>,
}

impl<'t, 'i> Fields<'t, 'i> {
    pub(super) fn new(table: &'t DeTable<'i>, span: Range<usize>, path: impl Into<String>) -> Self {
        Self {
            table,
            span,
            path: path.into(),
            asked: Vec::new(),
        }
    }

    /// Returns the value of `key` if it is there.
    pub(super) fn value(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'i>>> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        self.table.get(key)
    }

    /// Returns where the table stands, for problems about the table as a whole.
    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the dotted name of a field of this table, for spans and messages.
    pub(super) fn path(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Records that `key` must be given.
    pub(super) fn missing(&self, key: &str, hint: &str, problems: &mut Problems) {
        problems.error(
            "missing-field",
            self.span(),
            format!("`{}` is missing", self.path(key)),
            hint,
        );
    }

    /// Reads a text that must not be blank.
    pub(super) fn text(
        &mut self,
        key: &'static str,
        problems: &mut Problems,
    ) -> Option<Spanned<String>> {
        let value = self.value(key)?;
        let path = self.path(key);
        text_of(value, &path, problems)
    }

    /// Reads a switch; off when it is absent.
    pub(super) fn flag(&mut self, key: &'static str, problems: &mut Problems) -> bool {
        let path = self.path(key);
        let Some(value) = self.value(key) else {
            return false;
        };
        value.get_ref().as_bool().unwrap_or_else(|| {
            wrong_type(value, &path, "`true` or `false`", problems);
            false
        })
    }

    /// Reads a list of texts.
    pub(super) fn texts(
        &mut self,
        key: &'static str,
        problems: &mut Problems,
    ) -> Vec<Spanned<String>> {
        let path = self.path(key);
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        let Some(array) = value.get_ref().as_array() else {
            wrong_type(value, &path, "a list of texts", problems);
            return Vec::new();
        };
        array
            .iter()
            .filter_map(|item| text_of(item, &path, problems))
            .collect()
    }

    /// Reads a table inside this one.
    pub(super) fn table(&mut self, key: &'static str, problems: &mut Problems) -> Option<Self> {
        let value = self.value(key)?;
        let path = self.path(key);
        fields_of(value, path, problems)
    }

    /// Reads a list of tables (`[[key]]`).
    pub(super) fn tables(&mut self, key: &'static str, problems: &mut Problems) -> Vec<Self> {
        let path = self.path(key);
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        let Some(array) = value.get_ref().as_array() else {
            wrong_type(
                value,
                &path,
                &format!("a list of tables, each begun with [[{path}]]"),
                problems,
            );
            return Vec::new();
        };
        array
            .iter()
            .enumerate()
            .filter_map(|(at, item)| fields_of(item, format!("{path}[{at}]"), problems))
            .collect()
    }

    /// Reads the languages `en` and `ko` of this table; at least one must be there.
    pub(super) fn localized(
        &mut self,
        spans: &mut Spans,
        problems: &mut Problems,
    ) -> Option<Localized> {
        let mut read = |lang: &'static str| {
            let text = self.text(lang, problems)?;
            spans.insert(self.path(lang), text.span());
            Some(text.into_inner().trim().to_owned())
        };
        let (en, ko) = (read("en"), read("ko"));
        let text = Localized::new(en, ko);
        if text.is_none()
            && !problems
                .list
                .iter()
                .any(|problem| self.span.contains(&problem.span.start))
        {
            self.missing(
                "en",
                "give the text as `en = \"…\"`, `ko = \"…\"` or both",
                problems,
            );
        }
        text
    }

    /// Reads `[key]` with its languages.
    pub(super) fn localized_field(
        &mut self,
        key: &'static str,
        spans: &mut Spans,
        problems: &mut Problems,
    ) -> Option<Localized> {
        let mut inner = self.table(key, problems)?;
        let text = inner.localized(spans, problems);
        inner.finish(problems);
        text
    }

    /// Records every key that nobody asked for.
    pub(super) fn finish(self, problems: &mut Problems) {
        for (key, _) in self.table {
            let name = key.get_ref().as_ref();
            if !self.asked.contains(&name) {
                let hint = nearest(name, self.asked.iter().copied()).map_or_else(
                    || format!("known here: {}", self.asked.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                problems.error(
                    "unknown-field",
                    key.span(),
                    format!("`{}` is not a field", self.path(name)),
                    hint,
                );
            }
        }
    }
}

/// Where each text field stands, by dotted name (`title.en`, `actions[2].ko`).
pub(super) type Spans = BTreeMap<String, Range<usize>>;

fn fields_of<'t, 'i>(
    value: &'t Spanned<DeValue<'i>>,
    path: String,
    problems: &mut Problems,
) -> Option<Fields<'t, 'i>> {
    let Some(table) = value.get_ref().as_table() else {
        wrong_type(value, &path, "a table", problems);
        return None;
    };
    Some(Fields::new(table, value.span(), path))
}

fn text_of(
    value: &Spanned<DeValue<'_>>,
    path: &str,
    problems: &mut Problems,
) -> Option<Spanned<String>> {
    match value.get_ref().as_str() {
        Some(text) if !text.trim().is_empty() => Some(Spanned::new(value.span(), text.to_owned())),
        Some(_) => {
            problems.error(
                "blank-text",
                value.span(),
                format!("`{path}` is blank"),
                "leave the field out if the source does not give it",
            );
            None
        }
        None => {
            wrong_type(value, path, "a text in quotes", problems);
            None
        }
    }
}

fn wrong_type(value: &Spanned<DeValue<'_>>, path: &str, expected: &str, problems: &mut Problems) {
    let message = format!(
        "`{path}` is {} {}",
        article(value.get_ref().type_str()),
        value.get_ref().type_str()
    );
    problems.error(
        "wrong-type",
        value.span(),
        message,
        format!("write {expected}"),
    );
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}
